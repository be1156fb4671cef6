import PawlCore
import Testing

@testable import PawlJobs

/// Requests as browsers copy them.
@Suite struct CurlLineTests {
    private static let url = "https://files.example.org/get/disk.iso?id=7&t=a%20b"

    private static let firefox = """
        curl 'https://files.example.org/get/disk.iso?id=7&t=a%20b' --compressed -H 'User-Agent: Mozilla/5.0 (X11; Linux \
        x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' -H 'Accept: */*' -H 'Accept-Encoding: gzip, deflate, br, zstd' \
        -H 'Connection: keep-alive' -H $'X-Title: it\\'s \\u0021' -H 'Cookie: sid=1; back=https://a.example/?b=c' \
        -H 'Priority: u=0, i' -H 'TE: trailers'
        """

    private static let chrome = #"""
        curl 'https://files.example.org/get/disk.iso?id=7&t=a%20b' \
          -H 'accept: */*' \
          -H 'if-none-match: "1-2"' \
          -b 'sid=1; back=https://a.example/?b=c' \
          -H 'range: bytes=0-' \
          -H 'sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24"' \
          -H $'x-title: it\'s \u0021' \
          -H 'x-empty;' \
          --compressed

        """#

    private static let chromeOnWindows = #"""
        curl ^"https://files.example.org/get/disk.iso?id=7^&t=a^%^20b^" ^
          -H ^"accept: */*^" ^
          -b ^"sid=1; back=https://a.example/?b=c^" ^
          -H ^"sec-ch-ua: ^\^"Chromium^\^";v=^\^"140^\^", ^\^"Not=A?Brand^\^";v=^\^"24^\^"^" ^
          -H ^"x-title: it's ^!^" ^
          --compressed
        """#

    private static let safari = #"""
        curl 'https://files.example.org/get/disk.iso?id=7&t=a%20b' \
        -X 'GET' \
        -H 'Accept: */*' \
        -H 'Cookie: sid=1; back=https://a.example/?b=c' \
        -H 'Sec-Fetch-Mode: navigate'
        """#

    @Test(
        arguments: [
            (firefox, ["User-Agent", "Accept", "X-Title", "Cookie", "Priority"]),
            (chrome, ["accept", "Cookie", "sec-ch-ua", "x-title", "x-empty"]),
            (chromeOnWindows, ["accept", "Cookie", "sec-ch-ua", "x-title"]),
            (chromeOnWindows.replacing("\n", with: "\r\n"), ["accept", "Cookie", "sec-ch-ua", "x-title"]),
            (safari, ["Accept", "Cookie", "Sec-Fetch-Mode"]),
        ])
    func `a copied request becomes a job without what is Pawl's to decide`(line: String, fields: [String]) throws {
        let job = try CurlLine.job(line)
        #expect(job.source == .url(Self.url, mirrors: []))
        #expect(job.headers.map(\.name) == fields)
        let values = Dictionary(uniqueKeysWithValues: job.headers.map { ($0.name.lowercased(), $0.value) })
        #expect(values["cookie"] == "sid=1; back=https://a.example/?b=c")
        #expect(values["x-title"] ?? "it's !" == "it's !")
        #expect(
            values["sec-ch-ua"] ?? #""Chromium";v="140", "Not=A?Brand";v="24""#
                == #""Chromium";v="140", "Not=A?Brand";v="24""#)
    }

    @Test(arguments: [
        (
            #"curl "https://example.org/a" ^"# + "\n" + #"  -H "x: ""a"" b\\" -o c^&d"#,
            ["https://example.org/a", "-H", #"x: "a" b\"#, "-o", "c&d"]
        ),
        (#"curl ^"a^\^\^\^"b^\c^""#, [#"a\"b\c"#]),
        ("curl.exe  a\tb ''", ["a", "b", ""]),
    ])
    func `a line is read as its shell reads it`(line: String, words: [String]) throws {
        #expect(try CurlLine.words(line) == words)
    }

    @Test(
        arguments: [
            ("curl 'https://example.org/a' | tar x", "“|”"), ("curl https://example.org/a?b&c", "“&”"),
            ("curl 'https://example.org/a'; rm -r b", "“;”"), ("curl 'https://example.org/a' > b", "“>”"),
            ("curl \"https://example.org/$a\"", "“$”"), ("curl ^\"https://example.org/a^\" | more", "“|”"),
            ("curl 'https://example.org/a'\ncurl b", "second line"), ("curl 'https://example.org/a", "cut off"),
            ("curl ^\"https://example.org/a", "cut off"), ("curl ^\"https://example.org/a^\" ^", "cut off"),
            ("curl.exe 'https://example.org/a' `\n  -H 'a: b'", "(bash)"),
            ("Invoke-WebRequest -UseBasicParsing -Uri \"https://example.org/a\"", "(bash)"),
            ("fetch(\"https://example.org/a\", {});", "(bash)"),
            ("curl 'https://example.org/a' 'https://example.org/b'", "one file"),
            ("curl 'https://example.org/[1-9]'", "one file"), ("curl -k 'https://example.org/a'", "-k"),
            ("curl -H 'a: b'", "missing"), ("wget https://example.org/a", "begins"),
        ])
    func `a line that is not one curl command for one file is refused`(line: String, part: String) {
        let error = #expect(throws: PeerProblem.self) { try CurlLine.job(line) }
        #expect(error?.messages.first?.contains(part) == true, "\(error?.messages ?? [])")
    }

    @Test func `all options that a job lacks are told at once, and their values are not`() {
        let line = "curl --foo=secret -k 'https://example.org/a' --bar x -d y --foo=other -o a"
        let error = #expect(throws: JobSpecError.self) { try JobSpec(curl: line) }
        #expect(error?.fields == ["curl"] && error?.code == .invalidValue)
        let message = error?.message ?? ""
        for option in ["-k", "-d", "“--foo”", "“--bar”"] { #expect(message.contains(option), "\(message)") }
        #expect(!message.contains("secret") && !message.contains("other"), "\(message)")
    }

    @Test func `brackets in a URL are a pattern unless curl was told otherwise`() throws {
        #expect(
            try CurlLine.job("curl --globoff 'https://example.org/[1-9]'").source
                == .url("https://example.org/[1-9]", mirrors: []))
    }
}
