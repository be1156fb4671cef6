import PawlCore
import Testing

@Suite struct FileNameJoinerTests {
    @Test(arguments: [
        // Persian: "I want", "books"; the non-joiner separates two letters that would otherwise join.
        "می\u{200C}خواهم.pdf", "کتاب\u{200C}ها.zip",
        // Sinhala "Sri Lanka", Marathi half letters, Bengali ya-phalaa; the joiner chooses a conjunct.
        "ශ්\u{200D}රී ලංකා.iso", "दर्\u{200D}या.mp3", "র\u{200D}্যাব.txt",
        // Malayalam spelling before Unicode 5.1: a virama and a joiner at the end of a word.
        "അവന്\u{200D} വന്നു.pdf", "അവന്\u{200D}.pdf", "क्\u{200C}ष.txt",
        // A family, a flag, a woman at work, a couple with a heart.
        "👨\u{200D}👩\u{200D}👧.png", "🏳\u{FE0F}\u{200D}🌈.svg", "👩🏽\u{200D}💻.jpg", "👨\u{200D}❤\u{FE0F}\u{200D}👨.gif",
    ])
    func `M18 a joiner that joins two characters is kept`(name: String) {
        #expect(FileName.sanitize(name).unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    @Test(arguments: [
        ("invoice\u{200D}.pdf", "invoice.pdf"), ("in\u{200C}voice.pdf", "invoice.pdf"), ("ж\u{200D}ж", "жж"),
        ("日\u{200C}本", "日本"),
        ("1\u{FE0F}\u{200D}👩.png", "1\u{FE0F}👩.png"), ("©\u{200D}®", "©®"), ("👨\u{200C}👩", "👨👩"), ("👨\u{200D}x", "👨x"),
        ("\u{200C}خواهم", "خواهم"), ("خواهم\u{200D}", "خواهم"), ("خواهم\u{200D}.", "خواهم"),
        ("می\u{200C}\u{200C}خواهم", "می\u{200C}خواهم"),
        ("می\u{200D}\u{200C}خواهم", "می\u{200C}خواهم"), ("ا\u{200C} ا", "ا ا"), ("ا\u{200C}.pdf", "ا.pdf"),
        ("e\u{301}\u{200D}x", "éx"),
        ("e\u{200D}\u{301}x", "éx"), ("\u{200D}", "download"), ("\u{200C}\u{200D}.", "download"),
        (".pa\u{200D}rt", "_.part_"),
        ("x.pa\u{200C}rt", "x.part_"), ("CO\u{200D}N", "_CON"),
    ])
    func `M18 a joiner without effect is removed`(proposed: String, expected: String) {
        #expect(Array(FileName.sanitize(proposed).unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test(arguments: [
        "\u{200B}", "\u{200E}", "\u{200F}", "\u{202E}", "\u{2060}", "\u{2066}", "\u{FEFF}", "\u{61C}", "\u{180E}",
    ])
    func `M18 other zero-width characters are removed in every script`(mark: String) {
        #expect(FileName.sanitize("می\(mark)خواهم") == "میخواهم")
    }

    @Test func `M18 a name truncated after a joiner does not end in it`() {
        let word = "می\u{200C}"
        for count in 35...60 {
            let name = FileName.sanitize(String(repeating: word, count: count) + "خ.pdf")
            #expect(name.utf8.count <= FileName.byteLimit && name.hasSuffix(".pdf"))
            #expect(!name.unicodeScalars.dropLast(4).suffix(1).contains("\u{200C}"), "\(count)")
            #expect(FileName.sanitize(name).utf8.elementsEqual(name.utf8))
        }
    }

    @Test func `M18 sanitizing twice changes nothing, wherever joiners stand`() {
        let parts: [String] = ["\u{200C}", "\u{200D}", "م", "्", "क", "👩", "\u{FE0F}", "e", "\u{301}", ".", " "]
        for first in parts {
            for second in parts {
                for third in parts {
                    for fourth in parts {
                        let name = FileName.sanitize("x" + first + second + third + fourth)
                        #expect(FileName.sanitize(name).utf8.elementsEqual(name.utf8), "\(name.debugDescription)")
                    }
                }
            }
        }
    }

    /// A component of a Metalink's path that consists of joiners alone invalidates the path.
    @Test func `M18 a path component made of joiners alone is invalid`() {
        #expect(FileName.metalinkPath("a/\u{200D}\u{200C}/b") == nil)
        #expect(FileName.metalinkPath("a/می\u{200C}خواهم") == ["a", "می\u{200C}خواهم"])
    }

    @Test(arguments: [("ൎ.tar.gz", "ൎ (1).tar.gz"), ("a.TAR.gz", "a (1).TAR.gz"), (".tar.gz", ".tar (1).gz")])
    func `M16 both suffixes of a .tar.gz stay together, whatever letter precedes them`(name: String, renamed: String) {
        #expect(FileName.renamed(name, attempt: 1) == renamed)
    }
}
