import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// A file with its validators, served correctly (RFC 9110 §13, §14), for scripts that add the faults.
struct Served: Sendable {
    static let oldDate = "Wed, 01 Jan 2020 00:00:00 GMT"
    static let now = "Fri, 01 May 2026 12:00:00 GMT"
    /// By the clock of this computer, which stands in for a `Date` that is left out.
    static let justNow = HTTPDate(secondsSinceEpoch: LiveRuntime.wallClockSeconds).imfFixdate

    var content: [UInt8]
    var tag: String?
    var lastModified: String?
    var date: String? = Self.now
    /// Complete field lines.
    var lines: [String] = []

    init(_ content: [UInt8], tag: String? = "\"v1\"", lastModified: String? = Self.oldDate) {
        self.content = content
        self.tag = tag
        self.lastModified = lastModified
    }

    /// The head of a 206 that holds the whole file.
    var wholePartHead: String {
        let all =
            own + ["Content-Range: bytes 0-\(content.count - 1)/\(content.count)", "Content-Length: \(content.count)"]
        return "HTTP/1.1 206 Scripted\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    private var own: [String] {
        lines
            + [tag.map { "ETag: \($0)" }, lastModified.map { "Last-Modified: \($0)" }, date.map { "Date: \($0)" }]
            .compactMap(\.self)
    }

    /// The requested range, clamped to the file.
    func range(_ request: RecordedRequest) -> Range<Int>? {
        guard let field = request.fields.first("Range"), field.hasPrefix("bytes=") else { return nil }
        let ends = field.dropFirst("bytes=".count).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), first < content.count else { return nil }
        return first..<min(content.count, (Int(ends[1]) ?? content.count - 1) + 1)
    }

    /// - Parameters:
    ///   - cut: Closes the connection after this many bytes of the body.
    ///   - ignoringConditions: Ignores the request's preconditions.
    func answer(
        _ request: RecordedRequest, _ connection: ServerConnection, cut: Int? = nil, ignoringConditions: Bool = false
    ) throws {
        if !ignoringConditions {
            if let condition = request.fields.first("If-Range"),
                condition.hasPrefix("W/") || condition != tag && condition != lastModified
            {
                return try whole(connection, cut: cut)
            }
            if let condition = request.fields.first("If-Unmodified-Since"), condition != lastModified {
                return try connection.reply(412, own)
            }
        }
        guard let range = range(request) else { return try whole(connection, cut: cut) }
        let field = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
        try connection.reply(206, own + [field], body: content[range], cut: cut)
    }

    func whole(_ connection: ServerConnection, cut: Int? = nil) throws {
        try connection.reply(200, own, body: content[...], cut: cut)
    }
}

extension ServerConnection {
    /// Sends a response whose Content-Length is right even if the body is cut.
    func reply(_ status: Int, _ lines: [String] = [], body: ArraySlice<UInt8> = [], cut: Int? = nil) throws {
        let all = lines + ["Content-Length: \(body.count)"]
        try send("HTTP/1.1 \(status) Scripted\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n")
        try sendBody(body.prefix(cut ?? body.count))
        guard let cut, cut < body.count else { return }
        // Give the client time: at the end of a connection, its library drops bytes that it has not yet handed on.
        try sleep(.milliseconds(120))
        close()
    }

    func redirect(_ location: String, status: Int = 302, _ lines: [String] = []) throws {
        try reply(status, lines + ["Location: \(location)"])
    }
}

/// Waits for a condition that another thread brings about.
func until(_ what: String, _ condition: () -> Bool, at location: SourceLocation = #_sourceLocation) async throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while !condition() {
        try #require(ContinuousClock.now < deadline, "waited in vain for \(what)", sourceLocation: location)
        try await Task.sleep(for: .milliseconds(2))
    }
}

extension Trial {
    /// Runs with one connection, so that the order of the requests is fixed.
    func runAlone(
        path: String = "/file.bin", _ change: (inout Plan) -> Void = { _ in }
    ) async throws -> Aftermath {
        try await run(path: path) { plan in
            plan.settings.maximumConnections = 1
            change(&plan)
        }
    }
}

extension Aftermath {
    static let orphan = Trial.name + ".part.orphan-1"

    /// The values of one field over all requests; "-" for a request without it.
    func sent(_ name: String) -> [String] { requests.map { $0.fields.first(name) ?? "-" } }

    /// Expects that the file set aside begins with these bytes.
    func expectAside(_ bytes: ArraySlice<UInt8>, at location: SourceLocation = #_sourceLocation) {
        #expect(files[Self.orphan]?.starts(with: bytes) == true, "\(names)", sourceLocation: location)
    }
}

/// Counts by name, on any thread.
final class Tally: Sendable {
    private let counts = Locked<[String: Int]>([:])

    /// The next number for this name, starting from 1.
    func next(_ name: String) -> Int {
        counts.withLock { counts in
            counts[name, default: 0] += 1
            return counts[name] ?? 0
        }
    }
}
