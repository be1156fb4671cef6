import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// The state after a run has ended: its result, its directory, and the requests that the server received.
struct Aftermath {
    let phase: DownloadMachine.Phase
    let ending: DownloadDriver.Ending
    let reports: [DownloadReport]
    let requests: [RecordedRequest]
    /// Bytes of files that the server handed to its system.
    let bodyBytes: Int
    /// Includes skipped time.
    let took: Duration
    /// Regular files only.
    let files: [String: [UInt8]]
    let record: JournalRecord?

    init(
        ending: DownloadDriver.Ending, reports: [DownloadReport], requests: [RecordedRequest], bodyBytes: Int,
        took: Duration, directory: TemporaryDirectory
    ) throws {
        phase = ending.phase
        self.ending = ending
        self.reports = reports
        self.requests = requests
        self.bodyBytes = bodyBytes
        self.took = took
        var files: [String: [UInt8]] = [:]
        for name in try Files.names(directory.path) {
            let path = directory.file(name)
            if try Files.status(path).isRegular { files[name] = try Files.read(path) }
        }
        self.files = files
        if let journal = files[Trial.name + ".pawl"], case .record(let record) = Journal.decode(journal) {
            self.record = record
        } else {
            record = nil
        }
    }

    var names: [String] { files.keys.sorted() }

    var error: DownloadError? {
        if case .failed(let error) = phase { error } else { nil }
    }

    var outcome: DownloadMachine.Outcome? {
        if case .completed(let outcome) = phase { outcome } else { nil }
    }

    /// The `Range` fields sent, in order; "-" for a request without one.
    var ranges: [String] { requests.map { $0.fields.first("Range") ?? "-" } }

    // MARK: Expectations

    /// Expects the complete file under its name, and no files other than `others`.
    func expectWhole(
        _ content: [UInt8], beside others: [String] = [], verified: Bool = false,
        at location: SourceLocation = #_sourceLocation
    ) {
        guard let outcome else {
            Issue.record("it did not complete: \(phase); \(reports)", sourceLocation: location)
            return
        }
        #expect(outcome.isComplete, "complete", sourceLocation: location)
        #expect(outcome.isVerified == verified, "verified", sourceLocation: location)
        #expect(names == ([Trial.name] + others).sorted(), sourceLocation: location)
        #expect(files[Trial.name] == content, "the bytes are wrong", sourceLocation: location)
    }

    /// Expects this error, no final name, and a journal that claims at least `kept` bytes and is true about `content`.
    /// Zero requires no journal.
    @discardableResult
    func expectFailure(
        _ code: DownloadError.Code, keeping kept: Int64 = 0, of content: [UInt8],
        at location: SourceLocation = #_sourceLocation
    ) -> DownloadError? {
        guard let error else {
            Issue.record("it did not fail: \(phase)", sourceLocation: location)
            return nil
        }
        #expect(error.code == code, "\(error)", sourceLocation: location)
        #expect(!error.message.isEmpty, sourceLocation: location)
        #expect(files[Trial.name] == nil, "a final name on a file that is not whole", sourceLocation: location)
        #expect(record?.durable.count ?? 0 >= kept, "kept: \(record?.durable.count ?? 0)", sourceLocation: location)
        expectTruth(about: content, at: location)
        return error
    }

    /// Expects that the partial file holds every byte that the journal claims.
    func expectTruth(about content: [UInt8], at location: SourceLocation = #_sourceLocation) {
        guard let record, let bytes = files[Trial.name + ".part"] else { return }
        for range in record.durable.ranges {
            let claimed = Int(range.start)..<Int(range.end)
            guard claimed.upperBound <= min(bytes.count, content.count) else {
                Issue.record("the journal claims \(claimed) of \(bytes.count) bytes", sourceLocation: location)
                continue
            }
            #expect(bytes[claimed] == content[claimed], "the journal lies about \(claimed)", sourceLocation: location)
        }
    }

    /// Expects no retry storm, and no more bytes than given.
    func expectCost(
        requests maximumRequests: Int, bytes maximumBytes: Int? = nil, at location: SourceLocation = #_sourceLocation
    ) {
        #expect(requests.count <= maximumRequests, "\(ranges)", sourceLocation: location)
        if let maximumBytes { #expect(bodyBytes <= maximumBytes, "\(ranges)", sourceLocation: location) }
        #expect(
            requests.allSatisfy { $0.fields.first("Accept-Encoding") == "identity" && $0.method == "GET" },
            sourceLocation: location)
    }
}
