import Pawl
import PawlCore
import PawlTestKit
import Testing

@testable import PawlServer

@Suite struct `The file of the token` {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("token") }

    init() throws { directory = try TemporaryDirectory("token") }

    private func write(_ text: String) throws {
        try Files.write(Array(text.utf8), to: path)
        try Files.setMode(path, 0o600)
    }

    @Test func `S25 an empty file, which a killed service may have left, is made anew`() throws {
        try Files.write([], to: path)
        let token = try AccessToken(path)
        #expect(token.text.utf8.count == 43)
        #expect(try Files.read(path) == Array((token.text + "\n").utf8))
        #expect(try Files.status(path).mode & 0o777 == 0o600)
        // It stays, and nothing else is left beside it.
        #expect(try AccessToken(path).text == token.text)
        #expect(try Files.names(directory.path) == ["token"])
    }

    @Test func `S25 a file that a killed service was about to rename is in nobody's way`() throws {
        try Files.write(Array("half".utf8), to: path + ".1")
        let token = try AccessToken(path)
        #expect(try AccessToken(path).text == token.text)
    }

    @Test func `S26 no text but the token matches it`() throws {
        let token = AccessToken(text: AccessToken.random())
        #expect(token.matches(token.text))
        let wrong = (0..<5000).map { "wrong\($0)" } + ["", token.text + " ", String(token.text.dropLast())]
        #expect(wrong.filter(token.matches) == [])
    }

    @Test func `a file with something else in it is refused and left as it is`() throws {
        for text in ["short\n", "\n", "  \n"] {
            try write(text)
            #expect(throws: DownloadError.self) { try AccessToken(path) }
            #expect(try Files.read(path) == Array(text.utf8))
        }
    }

    @Test func `another token has another number, the same one written again has not`() throws {
        let token = try AccessToken(path)
        let first = token.generation
        let text = token.text
        try write("\(text)\n\n")
        #expect(token.text == text && token.generation == first)
        try write("\(String(text.reversed()))\n")
        #expect(token.generation == first + 1)
        #expect(token.matches(String(text.reversed())) && !token.matches(text))
    }
}
