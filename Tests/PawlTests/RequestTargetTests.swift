import PawlCore
import Testing

@testable import Pawl

@Suite("The target of a request")
struct RequestTargetTests {
    @Test(arguments: [
        ("/a/b", "/a", "b"), ("a/b/c", "a/b", "c"), ("b", ".", "b"), ("/b", "/", "b"), ("a/\u{301}x", "a", "\u{301}x"),
        ("a/e\u{301}/x", "a/e\u{301}", "x"),
    ])
    func `a path is divided into directory and name at its last slash, byte for byte`(
        _ path: String, _ directory: String, _ name: String
    ) throws {
        let request = DownloadRequest("https://a.example/", to: path)
        #expect(request.directory.unicodeScalars.elementsEqual(directory.unicodeScalars))
        #expect(try #require(request.fileName).unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    @Test(arguments: ["../x", "../\u{301}x", "a/\u{FE0F}", "/", ".", "..", "", "a\0"])
    func `a file name that leads to another directory is refused`(_ name: String) {
        var request = DownloadRequest("https://a.example/")
        request.fileName = name
        let error = #expect(throws: DownloadError.self) { try request.resolved() }
        #expect(error?.code == .invalidArgument)
    }
}
