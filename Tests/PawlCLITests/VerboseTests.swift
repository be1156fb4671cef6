import Logging
import Pawl
import PawlCore
import Testing

@testable import PawlCLI

@Suite("-v and -vv") struct VerboseTests {
    private func texts(
        isDetailed: Bool = false, locale: Locale = .utf8, namesDownloads: Bool = false, _ lines: VerboseLine...
    ) -> [String] {
        var writer = VerboseWriter(isDetailed: isDetailed, locale: locale)
        writer.namesDownloads = namesDownloads
        return lines.map { writer.text(of: $0, after: .milliseconds(1_062)) }
    }

    private func request(_ range: String, connection: Int = 1, _ more: [String: String] = [:]) -> VerboseLine {
        let facts = [
            "event": "request", "download.id": "3", "connection": "\(connection)", "method": "GET",
            "url": "https://h/a/b.iso?k=…",
        ]
        return VerboseLine(message: "Request sent", facts: facts.merging(["range": range]) { $1 }.merging(more) { $1 })
    }

    private func answer(_ status: Int, _ more: [String: String]) -> VerboseLine {
        let facts = [
            "event": "answer", "download.id": "3", "connection": "1", "status": "\(status)", "version": "HTTP/1.1",
            "seconds": "0.012",
        ]
        return VerboseLine(message: "Answer received", facts: facts.merging(more) { $1 })
    }

    @Test func `a request line names the URL once, and then only the path`() {
        #expect(
            texts(request("bytes=0-"), request("bytes=5-9", connection: 12, ["condition": "if-range"])) == [
                " 1 > GET https://h/a/b.iso?k=…, bytes 0-", "12 > GET /a/b.iso?k=…, bytes 5-9, if unchanged",
            ])
    }

    @Test func `an answer line shows the deciding fields, and -vv adds the others`() {
        let facts = [
            "content-range": "bytes 0-9/10", "content-length": "10", "etag": "\"x\"", "last-modified": "then",
            "content-type": "text/plain",
        ]
        #expect(
            texts(answer(206, facts), answer(206, facts)) == [
                " 1 < 206 Partial Content, bytes 0-9/10, ETag \"x\"",
                " 1 < 206 Partial Content, bytes 0-9/10, same ETag",
            ])
        #expect(
            texts(isDetailed: true, answer(206, facts)) == [
                "  1.062  1 < 206 Partial Content, bytes 0-9/10, ETag \"x\", Last-Modified then, text/plain, after 0.012 s"
            ])
        #expect(
            texts(answer(503, ["content-length": "0", "retry-after": "5"])) == [
                " 1 < 503 Service Unavailable, Retry-After 5"
            ])
        #expect(texts(answer(299, ["content-length": "7"])) == [" 1 < 299, 7 bytes"])
    }

    @Test func `a decision line is a sentence with its details`() {
        let retry = VerboseLine(
            message: "Trying again later",
            facts: [
                "event": "retry", "download.id": "3", "seconds": "1.999", "error.message": "h is busy.",
                "error.code": "refused",
            ])
        #expect(texts(retry) == ["   * Trying again later: in 1.999 s, h is busy."])
        let stored = VerboseLine(
            message: "Storing the answer",
            facts: ["event": "decision", "download.id": "3", "connection": "2", "range": "0-9"])
        #expect(texts(stored) == [" 2 * Storing the answer: bytes 0-9"])
    }

    @Test func `with several downloads, each line names its download`() {
        let end = VerboseLine(message: "Download completed", facts: ["event": "ended", "download.id": "3"])
        #expect(
            texts(namesDownloads: true, request("bytes=0-"), end) == [
                "  3.1 > GET https://h/a/b.iso?k=…, bytes 0-", "    3 * Download completed",
            ])
    }

    @Test func `text from a server cannot control the terminal`() {
        let line = texts(locale: .ascii, answer(200, ["etag": "\"\u{1B}[2J\n\u{202E}\"", "content-length": "1"]))
        #expect(line == [" 1 < 200 OK, 1 bytes, ETag \"\\u{1B}[2J \\u{202E}\""])
    }

    @Test func `-v and -vv choose the log level`() throws {
        func logger(_ flags: String...) throws -> Logger {
            try ResolvedGet.of(["http://h/f"] + flags).configuration.logger
        }
        #expect(try logger().logLevel == .critical)
        #expect(try logger("-v").logLevel == .debug)
        #expect(try logger("-vv").logLevel == .trace)
        #expect(try logger("-q", "--verbose").logLevel == .debug)
    }

    @Test func `log lines wait while the progress block is redrawn`() {
        let output = VerboseOutput(isDetailed: false, errors: OutputStream(descriptor: -1), locale: .utf8)
        output.hold()
        output.add(VerboseLine(message: "One", facts: [:]))
        output.add(VerboseLine(message: "Two", facts: [:]))
        #expect(output.take() == ["   * One", "   * Two"])
        #expect(output.take() == [])
        output.release()
        output.add(VerboseLine(message: "Three", facts: [:]))
        #expect(output.take() == [])
    }
}
