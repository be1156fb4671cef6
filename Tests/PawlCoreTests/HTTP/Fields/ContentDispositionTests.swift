import PawlCore
import Testing

@Suite struct ContentDispositionTests {
    @Test(
        arguments: [
            ("attachment", "attachment", nil), ("INLINE", "inline", nil),
            ("attachment; filename=a.iso", "attachment", "a.iso"),
            ("attachment;filename=\"a b.iso\"", "attachment", "a b.iso"),
            ("attachment; FileName = \"x\" ;", "attachment", "x"),
            ("attachment; filename=\"a\\\"b\\\\c\"", "attachment", "a\"b\\c"),
            ("attachment; filename=\"a;b=c\"; size=3", "attachment", "a;b=c"),
            ("attachment;; filename=x;", "attachment", "x"), ("form-data; name=f; filename=x", "form-data", "x"),
            ("attachment; filename=a[1]@b.iso", "attachment", "a[1]@b.iso"),
            ("attachment; filename=\"\"", "attachment", nil),
            ("attachment; filename=my file.iso ; size=3", "attachment", "my file.iso"),
            ("attachment; filename=a,b.zip", "attachment", "a,b.zip"),
            ("filename=a.iso", "", "a.iso"), ("filename = \"a.iso\"; size=3", "", "a.iso"),
            ("attachment; filename=\"C:\\Users\\me\\file.zip\"", "attachment", "file.zip"),
            ("attachment; filename=\"\\\\server\\share\\file.zip\"", "attachment", "file.zip"),
            ("attachment; filename=\"half.zip", "attachment", "half.zip"),
            ("attachment; filename=a; FILENAME=b", "attachment", "a"),
            ("attachment; filename*=UTF-8''a; filename*=UTF-8''b", "attachment", "a"),
            ("attachment; filename*=\"UTF-8''a%20b\"", "attachment", "a b"),
            ("attachment; filename=\"a\"b", "attachment", "a"),
            ("attachment; filename=\"a.iso\" foo; size=3", "attachment", "a.iso"),
            ("attachment; filename=\"a.iso\", inline", "attachment", "a.iso"),
            ("attachment; filename='a.iso'", "attachment", "a.iso"),
            ("attachment; filename='a;b.iso' ; size=3", "attachment", "a;b.iso"),
            ("attachment; filename='it's.iso'", "attachment", "it's.iso"),
            ("attachment; filename='90s.iso; size=3", "attachment", "'90s.iso"),
            ("attachment; filename=rock 'n' roll.iso", "attachment", "rock 'n' roll.iso"),
            ("attachment; filename=\"'a'\"", "attachment", "'a'"), ("attachment; filename=''", "attachment", nil),
            ("attachment; filename=\"a\\b\\c.iso\"", "attachment", "c.iso"),
            ("attachment; filename=\"..\\c.iso\"; size=3", "attachment", "c.iso"),
            ("attachment; filename=\"C:\\isos\\\"", "attachment", "isos"),
        ] as [(String, String, String?)])
    func `a Content-Disposition field proposes a file name`(_ value: String, _ type: String, _ fileName: String?) throws
    {
        let disposition = try #require(ContentDisposition(fieldValues: [value]))
        #expect(disposition.type == type)
        #expect(disposition.fileName == fileName)
    }

    @Test(arguments: [
        "attachment; filename*=UTF-8''star; filename=\"plain\"",
        "attachment; filename=\"plain\"; filename*=UTF-8''star",
        "attachment; filename*=UTF-8''star; filename=plain", "attachment; FILENAME*=utf-8'en'star; FileName=plain",
        "filename-is-no-type; filename*=UTF-8''star",
    ])
    func `M05 filename* takes precedence over filename, in either order`(_ value: String) {
        #expect(ContentDisposition(fieldValues: [value])?.fileName == "star")
    }

    @Test(arguments: [
        [], [""], ["attachment; filename"], ["attachment; filename="],
        ["attachment; =a"],
        ["\"attachment\"; filename=a"], ["attachment, inline"],
        ["attachment filename=a"],
        ["attachment; filename=\"a\u{0}b\""],
        ["attachment; filename=\"a\r\nb\""], ["attachment; filename=\"a\rb\""], ["attachment; filename=\"a\nb\""],
        ["attachment; filename=\"a\"\u{1B}b"], ["attachment; filename=\"a\u{1B}b\""],
        ["attachment; filename=\"a\u{7F}b\""],
        ["; filename=a"],
    ])
    func `M05 a Content-Disposition with malformed syntax is ignored as a whole`(
        _ values: [String]
    ) {
        #expect(ContentDisposition(fieldValues: values) == nil)
    }

    @Test(arguments: [
        ["attachment; filename=a", "attachment; filename=a"], ["attachment; filename=a", "attachment; filename=b"],
        ["inline", "attachment; filename=a"], ["inline; =", "attachment; filename=a"],
        ["attachment; filename=\"\"", "attachment; filename=a", "attachment; filename=b"],
        ["attachment; filename=\"a\", attachment; filename=\"b\""],
    ])
    func `M05 of several Content-Disposition fields the first with a name counts`(_ values: [String]) {
        #expect(ContentDisposition(fieldValues: values)?.fileName == "a")
    }

    @Test(arguments: [
        ("UTF-8''%e2%82%ac.txt", "€.txt"), ("utf-8'en'a%20b", "a b"), ("ISO-8859-1''%E4", "ä"),
        ("UTF-8''..%2F..%2Fx", "../../x"),
        ("UTF-8''a%00b", "a\u{0}b"), ("UTF-8''it's(1).txt", "it's(1).txt"), ("utf-8'de'%c3%a4", "ä"),
        ("UTF-8''%252e%252e%252fx", "%2e%2e%2fx"), ("UTF-8''ä b%C3%A4.txt", "ä bä.txt"),
    ])
    func `M06 a filename* parameter is percent-decoded and converted from its charset`(
        _ value: String, _ expected: String
    ) {
        #expect(
            ContentDisposition(fieldValues: ["attachment; filename=plain; filename*=\(value)"])?.fileName == expected)
    }

    @Test(arguments: [
        "UTF-8''%zz", "UTF-8''%4", "UTF-8''%", "UTF-8''%c0%af", "UTF-8''%e0%80%af", "UTF-8''%ed%a0%80",
        "UTF-8''%f5%80%80%80", "UTF-8''%ff", "GBK''%c4%e3", "UTF-16''%00a", "''a", "UTF-8'a", "a", "UTF-8''",
        "ISO-8859-1''ä", "UTF-8''\u{FFFD}", "UTF-8''ä%ff",
    ])
    func `M06 a filename* that cannot be decoded is ignored in favour of filename`(_ value: String) throws {
        #expect(
            ContentDisposition(fieldValues: ["attachment; filename=plain; filename*=\(value)"])?.fileName == "plain")
        #expect(try #require(ContentDisposition(fieldValues: ["attachment; filename*=\(value)"])).fileName == nil)
    }

    @Test(arguments: [
        ("\"%41.iso\"", "%41.iso"), ("%2e%2e%2f", "%2e%2e%2f"), ("\"ä.iso\"", "ä.iso"), ("ä.iso", "ä.iso"),
        ("\"=?UTF-8?B?YQ==?=\"", "=?UTF-8?B?YQ==?="),
    ])
    func `M07 a plain filename is not percent-decoded`(_ value: String, _ expected: String) {
        #expect(ContentDisposition(fieldValues: ["attachment; filename=\(value)"])?.fileName == expected)
    }

    @Test func `no text makes the parser trap or gives an empty file name`() {
        let seeds = ["attachment; filename=\"a b\"; filename*=UTF-8''%e2%82%ac", "inline; filename=x; size=3"]
        for text in ParserFuzz(seeds: seeds) {
            #expect(ContentDisposition(fieldValues: [text])?.fileName != "")
        }
    }
}
