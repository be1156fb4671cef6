import PawlCore
import PawlJobs
import Testing

@testable import PawlServer

@Suite struct NewDownloadTests {
    private func new(_ json: String) throws -> NewDownload {
        try NewDownload(
            JSONValue(parsing: Array(json.utf8)), ServiceSettings(directory: "/"), Roots(["/"]))
    }

    @Test func `a curl command stands for the members that it says`() throws {
        let job = try new(
            #"{"curl": "curl 'https://example.org/a' -H 'X: y' -H 'Host: b' --limit-rate 1M -O", "paused": true}"#
        ).job
        #expect(job.spec.source == .url("https://example.org/a", mirrors: []))
        #expect(job.spec.headers == [HTTPField("X", "y")])
        #expect(job.spec.options.maximumBytesPerSecond == 1 << 20)
        #expect(job.isPaused)
    }

    @Test(arguments: [
        (#"{"curl": "curl https://example.org/a", "url": "https://example.org/b"}"#, "contradiction"),
        (#"{"curl": "curl https://example.org/a -H 'X: y'", "headers": [["X", "z"]]}"#, "contradiction"),
        (#"{"curl": "curl https://example.org/a -X POST -d b"}"#, "invalidValue"),
        (#"{"curl": "curl https://example.org/a --bearer-file /etc/passwd"}"#, "pathNotAllowed"),
        (#"{"curl": ""}"#, "invalidValue"), (#"{"url": "https://b\u0000.example/"}"#, "invalidValue"),
        (#"{"url": "https://☕.example/"}"#, "invalidValue"),
        (#"{"url": "https://h/a", "mirrors": ["https://☕/"]}"#, "invalidValue"),
    ])
    func `a curl command cannot say more than a request, or the same twice`(json: String, code: String) {
        let problem = #expect(throws: Problem.self) { try new(json) }
        #expect(problem?.code == code)
    }
}
