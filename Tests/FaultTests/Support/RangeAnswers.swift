import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// A file that a script serves by hand: the test chooses every line and byte of an answer.
struct HandServed: Sendable {
    let content: [UInt8]
    var validators = ["ETag: \"v1\"", "Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT"]

    var count: Int { content.count }

    /// The byte that stands for wrong content, so that a stored one is found.
    static let wrong: UInt8 = 0xEE

    static func wrongBytes(_ count: Int) -> [UInt8] { [UInt8](repeating: wrong, count: count) }

    /// Sends a head with these lines, the validators and a date, then the body.
    func send(
        _ connection: ServerConnection, _ status: Int, _ lines: [String], _ body: [UInt8] = [],
        hasValidators: Bool = true
    ) throws {
        var lines = lines + ["Date: Fri, 01 May 2026 12:00:00 GMT"] + (hasValidators ? validators : [])
        if !lines.contains(where: {
            $0.hasPrefix("Content-Length") || $0.hasPrefix("Transfer-Encoding") || $0 == "Connection: close"
        }) {
            lines.append("Content-Length: \(body.count)")
        }
        try connection.send("HTTP/1.1 \(status) Text\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n")
        try connection.sendBody(body[...])
        if lines.contains("Connection: close") { connection.close() }
    }

    /// Sends the correct answer to this request.
    func sendRight(_ request: RecordedRequest, _ connection: ServerConnection) throws {
        guard let range = range(of: request) else { return try send(connection, 200, [], content) }
        try sendPart(range, connection)
    }

    func sendPart(_ range: Range<Int>, total: String? = nil, _ connection: ServerConnection) throws {
        try send(
            connection, 206,
            ["Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total ?? "\(count)")"],
            Array(content[range]))
    }

    /// The requested positions; nil without a `Range`, or beyond the end.
    func range(of request: RecordedRequest) -> Range<Int>? {
        guard let field = request.fields.first("Range"), field.hasPrefix("bytes=") else { return nil }
        let ends = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), first < count else { return nil }
        let end = min(count, Int(ends[1]).map { $0 + 1 } ?? count)
        return first < end ? first..<end : nil
    }

    static func chunk(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }

    static func chunked(_ bytes: some Collection<UInt8>) -> [UInt8] { chunk(bytes) + Array("0\r\n\r\n".utf8) }
}

extension Trial {
    /// A server that answers ranges with `answer` and all other requests correctly.
    static func ranges(
        count: Int = 300_000,
        _ answer: @escaping @Sendable (HandServed, Range<Int>, RecordedRequest, ServerConnection) throws -> Void
    ) throws -> Trial {
        let file = HandServed(content: FileBehaviour.pattern(count: count))
        return try Trial(file.content) { request, connection in
            guard let range = file.range(of: request) else { return try file.sendRight(request, connection) }
            try answer(file, range, request, connection)
        }
    }

    /// A server that gives every request the same kind of answer.
    static func always(
        count: Int = 300_000,
        _ answer: @escaping @Sendable (HandServed, RecordedRequest, ServerConnection) throws -> Void
    ) throws -> Trial {
        let file = HandServed(content: FileBehaviour.pattern(count: count))
        return try Trial(file.content) { request, connection in try answer(file, request, connection) }
    }
}

extension Aftermath {
    /// Expects the partial file and the journal as ``Trial/leave(durable:entityTag:lastModified:path:_:)`` left them,
    /// with no byte written.
    func expectUntouched(_ durable: Range<Int>..., of content: [UInt8], at location: SourceLocation = #_sourceLocation)
    {
        var bytes = [UInt8](repeating: 0, count: content.count)
        for range in durable { bytes.replaceSubrange(range, with: content[range]) }
        #expect(names == [Trial.name + ".part", Trial.name + ".pawl"], sourceLocation: location)
        #expect(files[Trial.name + ".part"] == bytes, "the partial file was written to", sourceLocation: location)
        let ranges = durable.map { ByteRange(Int64($0.lowerBound)..<Int64($0.upperBound)) }
        #expect(record?.durable == RangeSet(ranges), "the journal claims something else", sourceLocation: location)
    }

    /// The causes of all failed tries.
    var causes: [String] {
        reports.compactMap { if case .retrying(let error, _, _, _) = $0 { error.underlying } else { nil } }
    }

    /// Expects these bytes of an earlier run under the name for files set aside.
    func expectAside(_ bytes: [UInt8], at location: SourceLocation = #_sourceLocation) {
        #expect(files[Trial.name + ".part.orphan-1"] == bytes, sourceLocation: location)
    }
}

/// Lets a script break a connection only after all bytes sent are in the partial file. Bytes that the client has not
/// yet read are lost with the connection, and then nothing could be counted.
final class StoredWatch: Sendable {
    let time = SkippedTime()
    private let path = Locked<String?>(nil)

    func watch(_ trial: Trial) { path.withLock { $0 = trial.partial } }

    /// Waits until the bytes of `content` at `range` are on disk. Slow bytes are written twice a second of skipped
    /// time.
    func wait(for range: Range<Int>, of content: [UInt8], _ connection: ServerConnection) throws {
        guard let path = path.withLock({ $0 }) else { return }
        for _ in 0..<500 {
            if let bytes = try? Files.read(path), bytes.count >= range.upperBound, bytes[range] == content[range] {
                return
            }
            time.skip(.milliseconds(50))
            try connection.sleep(.milliseconds(2))
        }
    }
}

extension Trial {
    /// Each answer, right or wrong, breaks off after `sent` bytes have been stored. `answer` gives a status and the
    /// range of its body.
    static func breaking(
        count: Int = 300_000, reset: Bool = false, validators: Bool = true,
        _ answer: @escaping @Sendable (HandServed, RecordedRequest) -> (status: Int, body: Range<Int>, sent: Int)
    ) throws -> Trial {
        let file = HandServed(content: FileBehaviour.pattern(count: count))
        let watch = StoredWatch()
        let trial = try Trial(file.content, time: watch.time) { request, connection in
            let (status, body, sent) = answer(file, request)
            var lines = ["Content-Length: \(body.count)"]
            if status == 206 { lines.append("Content-Range: bytes \(body.lowerBound)-\(body.upperBound - 1)/\(count)") }
            let part = body.prefix(sent)
            try file.send(connection, status, lines, Array(file.content[part]), hasValidators: validators)
            guard part.count < body.count else { return }
            try watch.wait(for: part, of: file.content, connection)
            if reset { connection.reset() } else { connection.close() }
        }
        watch.watch(trial)
        return trial
    }
}
