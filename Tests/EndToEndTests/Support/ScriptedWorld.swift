import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// The real program, a directory of its own, and a scripted server.
final class ScriptedWorld: Sendable {
    let server: ScriptedServer
    let directory: TemporaryDirectory
    let content: [UInt8]

    static let name = "file.bin"

    init(_ content: [UInt8], in parent: String? = nil, script: @escaping ScriptedServer.Script) throws {
        self.content = content
        server = try ScriptedServer(script: script)
        directory = try TemporaryDirectory("world", in: parent)
    }

    init(_ content: [UInt8], _ change: (inout FileBehaviour) -> Void = { _ in }) throws {
        self.content = content
        var behaviour = FileBehaviour(content: content)
        change(&behaviour)
        server = try ScriptedServer(file: behaviour)
        directory = try TemporaryDirectory("world")
    }

    deinit { server.stop() }

    var target: String { directory.file(Self.name) }
    var partial: String { target + ".part" }
    var journal: String { target + ".pawl" }
    var url: String { server.url("/" + Self.name) }

    func get(_ options: String...) -> [String] { get(options) }

    func get(_ options: [String]) -> [String] { ["get", url, "-o", target] + options }

    func clear() throws {
        for name in try Files.names(directory.path) { Files.remove(directory.file(name)) }
    }

    // MARK: Files of an earlier run

    /// Writes a partial file that holds the `durable` ranges and zeros elsewhere, with a matching journal.
    func leave(durable: Range<Int>..., change: (inout JournalRecord) -> Void = { _ in }) throws {
        var bytes = [UInt8](repeating: 0, count: content.count)
        for range in durable { bytes.replaceSubrange(range, with: content[range]) }
        Files.remove(partial)
        try Files.write(bytes, to: partial)
        let url = try HTTPURL(parsing: url)
        var record = JournalRecord(
            generation: 1, id: [UInt8](repeating: 5, count: 16),
            owner: Owner(processID: 1, bootID: [], startTime: 0, hostName: "elsewhere"), state: .downloading,
            url: url.serialized, urlHash: URLHash(of: JournalRecord.urlIdentity(of: url)), targetName: Self.name,
            representation: Representation(
                total: Int64(content.count), entityTag: EntityTag(parsing: "\"v1\""),
                lastModified: "Wed, 01 Jan 2020 00:00:00 GMT", date: "Fri, 01 May 2026 12:00:00 GMT"),
            partialDevice: 0, partialInode: try Files.status(partial).inode, expectedDigest: nil, updated: 0,
            blockSize: BlockHasher.blockSize(total: Int64(content.count)),
            durable: RangeSet(durable.map { ByteRange(Int64($0.lowerBound)..<Int64($0.upperBound)) }), blockHashes: [:],
            recentBlocks: [])
        change(&record)
        try Files.write(Journal.file(holding: record), to: journal)
    }

    // MARK: Expectations

    var names: [String] { (try? Files.names(directory.path)) ?? [] }

    /// The journal's record, or nil if there is none.
    var record: JournalRecord? {
        guard let bytes = try? Files.read(journal), case .record(let record) = Journal.decode(bytes) else { return nil }
        return record
    }

    /// Expects that only a complete file has the final name, and that the journal claims only bytes that the partial
    /// file holds.
    func expectNothingFalse(
        _ moment: String = "", former: [UInt8]? = nil, at location: SourceLocation = #_sourceLocation
    ) throws {
        if Files.exists(target) {
            let found = try Files.read(target)
            let isRight = found == content || found == former
            #expect(
                isRight, "\(moment): a final name on a file of \(found.count) wrong bytes", sourceLocation: location)
        } else if former != nil {
            Issue.record("\(moment): the file that was to be replaced is gone", sourceLocation: location)
        }
        guard let record, Files.exists(partial), try Files.status(partial).inode == record.partialInode else { return }
        let bytes = try Files.read(partial)
        for range in record.durable.ranges {
            let claimed = Int(range.start)..<Int(range.end)
            let isTrue = claimed.upperBound <= bytes.count && bytes[claimed] == content[claimed]
            #expect(isTrue, "\(moment): the journal lies about \(claimed)", sourceLocation: location)
        }
    }

    /// Expects the complete file and no other files.
    func expectOnly(_ moment: String = "", at location: SourceLocation = #_sourceLocation) throws {
        #expect(names == [Self.name], "\(moment)", sourceLocation: location)
        guard Files.exists(target) else { return }
        #expect(try Files.isEqual(target, to: content), "\(moment): wrong bytes", sourceLocation: location)
    }
}

/// A switch that a test sets and a script on another thread reads.
final class Switch: Sendable {
    private let state: Locked<Bool>

    init(_ isOn: Bool = false) { state = Locked(isOn) }

    var isOn: Bool { state.withLock { $0 } }

    func set(_ isOn: Bool) { state.withLock { $0 = isOn } }
}
