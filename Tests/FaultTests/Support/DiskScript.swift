import Foundation
import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// Sends the requested part of a file, for scripts that add behaviour of their own.
enum DiskScript {
    /// The positions that the request's range covers.
    static func range(_ request: RecordedRequest, _ content: [UInt8]) -> Range<Int> {
        let field = request.fields.first("Range")?.split(separator: "=").last ?? "0-"
        let ends = field.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        let start = min(ends.first.flatMap { $0 } ?? 0, content.count)
        let last = ends.count > 1 ? ends[1] ?? content.count - 1 : content.count - 1
        return start..<max(start, min(last + 1, content.count))
    }

    static func head(_ request: RecordedRequest, _ content: [UInt8]) -> String {
        let range = range(request, content)
        return """
            HTTP/1.1 206 Partial Content\r
            Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)\r
            Content-Length: \(range.count)\r
            ETag: "v1"\r
            Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT\r
            Date: Fri, 01 May 2026 12:00:00 GMT\r
            \r

            """
    }

    static func answer(_ request: RecordedRequest, _ connection: ServerConnection, _ content: [UInt8]) throws {
        try connection.send(head(request, content))
        try connection.sendBody(content[range(request, content)])
    }
}

enum Sums {
    static func sha256(_ bytes: [UInt8]) -> Digest? {
        Digest(algorithm: .sha256, bytes: SHA256.hash(bytes))
    }
}

/// A gate that stops a script until a test opens it, so that the test can act on the disk meanwhile.
final class Gate: Sendable {
    private let isOpen = Locked(false)

    func open() { isOpen.withLock { $0 = true } }

    var isPassed: Bool { isOpen.withLock { $0 } }

    func pass(_ connection: ServerConnection) throws {
        while !isOpen.withLock({ $0 }) { try connection.sleep(.milliseconds(1)) }
    }
}

/// A trial whose server withholds all bytes beyond a position until a gate opens.
struct GatedTrial {
    let trial: Trial
    let gate: Gate

    init(_ content: [UInt8], free: Int, in parent: String? = nil) throws {
        let gate = Gate()
        self.gate = gate
        trial = try Trial(content, in: parent) { request, connection in
            let range = DiskScript.range(request, content)
            try connection.send(DiskScript.head(request, content))
            let middle = min(max(range.lowerBound, free), range.upperBound)
            try connection.sendBody(content[range.lowerBound..<middle])
            guard middle < range.upperBound else { return }
            try gate.pass(connection)
            try connection.sendBody(content[middle..<range.upperBound])
        }
    }

    /// Waits until the journal on the disk claims `least` bytes from the start of the file. Skips the time until
    /// received bytes are written and until a checkpoint is due.
    @discardableResult
    func waitForClaims(_ least: Int64) async throws -> Int64 {
        let last = Int(least) - 1
        try await wait("\(least) bytes in the file", skipping: .seconds(1)) {
            guard let bytes = try? Files.read(trial.partial), bytes.count > last else { return false }
            return bytes[last] == trial.content[last]
        }
        try await wait("claims of \(least) bytes", skipping: .seconds(8)) {
            guard let bytes = try? Files.read(trial.journal), case .record(let record) = Journal.decode(bytes) else {
                return false
            }
            return record.durable.count >= least
        }
        // A claim can be read before the sync that follows its write; a fault in between would take the claim with it.
        try Files.sync(trial.journal)
        return least
    }

    /// Polls for at most twenty seconds. Skips time in small steps, and never enough for a connection to count as dead.
    func wait(_ what: String, skipping limit: Duration = .seconds(8), _ condition: () throws -> Bool) async throws {
        struct NeverHappened: Error { let what: String }
        let deadline = ContinuousClock.now + .seconds(20)
        let limit = trial.time.skipped + limit
        while try !condition() {
            guard ContinuousClock.now < deadline else { throw NeverHappened(what: what) }
            if trial.time.skipped < limit { trial.time.skip(.milliseconds(50)) }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that mount file systems. They are skipped only if PAWL_WITHOUT_ROOT is set.
    static var needsRoot: Self {
        .disabled(
            if: ProcessInfo.processInfo.environment["PAWL_WITHOUT_ROOT"] != nil,
            "PAWL_WITHOUT_ROOT is set, and this needs root")
    }
}
