import PawlArchive
import PawlCore
import PawlJobs
import Testing

@testable import PawlCLI

/// U+0301 forms one `Character` with the letter before it, U+0D4E with the letter after it. Neither changes the meaning
/// of a byte.
@Suite struct MarkedTextTests {
    @Test(arguments: [
        ("X:\u{301}y", "\u{301}y"), ("X: \u{301}y", "\u{301}y"), ("X:y \u{301}", "y \u{301}"),
        ("X:\u{301}:", "\u{301}:"),
    ])
    func `M16 a header's value begins after its first colon`(text: String, value: String) throws {
        let header = try OptionText.headerField(text)
        #expect(header.name == "X" && header.value.isExactly(value))
    }

    @Test func `M16 the state directory is absolute by its first byte`() {
        #expect(
            StateDirectory.path { $0 == "HOME" ? "/\u{301}me" : nil }?.isExactly("/\u{301}me/.local/state/pawl") == true
        )
    }

    @Test func `M16 a Metalink's location is a URL by its first bytes`() {
        #expect(JobDocument.isURL("http://\u{301}h/a") && JobDocument.isURL("HTTPS://\u{301}h"))
        #expect(!JobDocument.isURL("http:/\u{301}/h"))
    }

    @Test func `M16 the directory of --extract may begin with a combining mark`() {
        #expect(ExtractOptions.settle(["get", "--extract=\u{301}d"]).last?.isExactly("--extract-to=\u{301}d") == true)
    }

    @Test(arguments: ["\u{D4E}.zip", "a\u{D4E}.TAR.GZ"])
    func `M16 the format of an archive to pack is decided by the last bytes of its name`(name: String) throws {
        let format = try PackingFormat(path: name)
        #expect([.zip, .tarGzip].contains(format))
    }
}
