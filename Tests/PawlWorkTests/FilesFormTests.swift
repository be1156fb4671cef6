import PawlCore
import PawlEngine
import PawlStore
import PawlTestKit
import Synchronization
import Testing

@testable import PawlWork

/// Batches whose files have names of their own.
@Suite struct FilesFormTests {
    private let runtime = SimulatedRuntime(seed: 5, now: .zero)
    private let digests = SimulatedDigests()

    private func slice(_ lines: [String]) -> Slice {
        Slice("b", SliceID(shard: 0, slice: 0), .files, first: 0, lines: lines.map { Array($0.utf8) })
    }

    private func spool(_ slice: Slice, on disk: SimulatedDisk) throws -> SliceSpool {
        try SliceSpool(slice, in: disk.openDirectory("/s"), on: "m", digests: digests, random: { 1 })
    }

    private func disk() -> SimulatedDisk {
        let disk = SimulatedDisk(seed: 1)
        disk.makeDirectory("/s")
        return disk
    }

    private func add(_ item: Int, _ bytes: [UInt8], to spool: inout SliceSpool) throws {
        var facts = FinishedFacts(
            fileName: "f", byteCount: Int64(bytes.count), finalURL: "http://a.example/\(item).jpg")
        facts.entityTag = "\"v\""
        try spool.add(item, facts, bytes)
    }

    private func deliver(_ spool: SliceSpool, to store: some Store) throws -> [Int: (bytes: Int64, sha256: [UInt8])?] {
        let stored = Locked<[Int: (bytes: Int64, sha256: [UInt8])?]>([:])
        let end = Locked<Result<Void, StoreError>?>(nil)
        let ports = SliceDriver.Ports(
            store: store, fetches: Nothing(), storage: disk(), digests: digests, runtime: runtime, spool: "/s")
        FileDelivery(spool.separate, ports, on: runtime.makeSyncExecutor()) { item, other in
            stored.withLock { $0[item] = .some(other) }
        } ended: { result in
            end.withLock { $0 = result }
        }
        .begin()
        _ = runtime.run(limit: .seconds(600)) { end.withLock { $0 } != nil }
        try end.withLock { $0 }?.get()
        return stored.withLock { $0 }
    }

    private struct Nothing: ItemFetchPort {
        func fetch(_ items: [ItemToFetch], _ listener: any ItemListener) {}
        func stop(_ listener: any ItemListener) {}
    }

    private static let lines = [
        #"{"url":"http://a.example/0.jpg"}"#, #"{"url":"http://a.example/1","file":"one.jpg"}"#,
        #"{"url":"http://a.example/2","options":{"checksum":"sha-256:"# + String(repeating: "0", count: 64) + "\"}}",
        #"{"url":"http://a.example/3","file":"one.jpg"}"#,
    ]

    @Test
    func `files have names of their lines, or of their URLs`() throws {
        let disk = disk()
        var spool = try spool(slice(Self.lines), on: disk)
        for item in 0..<4 { try add(item, [UInt8](repeating: UInt8(item), count: 3), to: &spool) }
        let digest = SHA256.hash(Array("http://a.example/0.jpg".utf8)).hexadecimal
        let keys = spool.separate.map(\.key.text)
        try #require(keys.count == 4)
        #expect(keys[0] == "data/\(digest.prefix(2))/\(digest).jpg")
        #expect(keys[1] == "data/one.jpg" && keys[3] == "data/one.jpg")
        for (item, file) in spool.separate.enumerated() {
            #expect(try file.body.bytes(atMost: 10) == [UInt8](repeating: UInt8(item), count: 3))
            #expect(digests.digest(.sha256, of: [UInt8](repeating: UInt8(item), count: 3)) == file.body.digest)
        }
    }

    private func outcomes(_ sealed: SliceSpool.Sealed) throws -> [ItemOutcome] {
        let reader = try ManifestReader(sealed.manifest)
        var found: [ItemOutcome] = []
        while let line = try reader.next() { found.append(try #require(ItemOutcome(jsonValue: line))) }
        return found
    }

    @Test
    func `of two files with one name one has it, and another version counts where nobody else can have made the name`()
        throws
    {
        let (disk, store) = (disk(), SimulatedStore(runtime))
        var spool = try spool(slice(Self.lines), on: disk)
        for item in 0..<4 { try add(item, [UInt8](repeating: UInt8(item), count: 3), to: &spool) }
        // Another attempt was sent other versions of the first and the third.
        for item in [0, 2] {
            let end = Locked(false)
            store.create(spool.separate[item].key, StoreBody([9, 9])) { _ in end.withLock { $0 = true } }
            _ = runtime.run(limit: .seconds(60)) { end.withLock { $0 } }
        }
        for (item, other) in try deliver(spool, to: store) { spool.noteStored(item, other: other) }
        let sealed = try spool.seal(milliseconds: 1)
        let outcomes = try outcomes(sealed)
        guard case .completed(let adopted) = outcomes[0].end else {
            Issue.record("\(outcomes[0])")
            return
        }
        #expect(adopted.bytes == 2 && adopted.sha256 == digests.digest(.sha256, of: [9, 9]))
        #expect(adopted.entityTag == nil && adopted.offset == nil)
        #expect(outcomes[2].end == .failed(.nameTaken))
        let named = [outcomes[1].end, outcomes[3].end]
        #expect(named.count { $0 == .failed(.nameTaken) } == 1)
        #expect(sealed.data == nil && sealed.head.data == nil)
        #expect(sealed.head.completed == 2 && sealed.head.failed == 2 && sealed.head.fetched == 5)
    }

    @Test
    func `what was delivered is delivered again after a kill, with the same end`() throws {
        let (disk, store) = (disk(), SimulatedStore(runtime))
        var first = try spool(slice(Self.lines), on: disk)
        for item in 0..<3 { try add(item, [UInt8](repeating: UInt8(item), count: 3), to: &first) }
        for (item, other) in try deliver(first, to: store) { first.noteStored(item, other: other) }
        disk.kill()
        var second = try spool(slice(Self.lines), on: disk)
        #expect(second.open == [3])
        try add(3, [7], to: &second)
        let ends = try deliver(second, to: store)
        #expect(ends.filter { $0.value == nil }.keys.sorted() == [0, 1, 2])
        for (item, other) in ends { second.noteStored(item, other: other) }
        let outcomes = try outcomes(try second.seal(milliseconds: 1))
        #expect(outcomes.map { if case .completed = $0.end { true } else { false } } == [true, true, true, false])
    }

    @Test(arguments: ["", ".hidden", "a/b", "a\\b", "9f", "AA", String(repeating: "x", count: 201)])
    func `a name that no store could have is a failure of the file`(_ name: String) {
        #expect(StoreKey.file(name) == nil)
    }

    @Test
    func `two requests for one URL that differ otherwise have two names`() throws {
        let lines = [
            #"{"url":"http://a.example/0"}"#, #"{"url":"http://a.example/0","headers":[["Accept-Language","de"]]}"#,
            #"{"url":"http://A.example/0","id":"other","meta":{"a":1}}"#,
        ]
        var spool = try spool(slice(lines), on: disk())
        for item in 0..<3 { try add(item, [UInt8(item)], to: &spool) }
        let keys = spool.separate.map(\.key)
        try #require(keys.count == 3)
        #expect(keys[0] != keys[1] && keys[0] == keys[2])
    }

    @Test
    func `a store that refuses ends the delivery, once`() throws {
        let disk = disk()
        var spool = try spool(slice(Self.lines), on: disk)
        for item in 0..<4 { try add(item, [1], to: &spool) }
        #expect(throws: StoreError(.refused, "No rights.")) { try deliver(spool, to: Refusing()) }
    }

    private struct Refusing: Store {
        private let error = StoreError(.refused, "No rights.")
        func create(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<StoreCreation>) {
            ended(.failure(error))
        }
        func put(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<Void>) { ended(.failure(error)) }
        func get(_ key: StoreKey, _ ended: @escaping StoreEnd<StoreBody?>) { ended(.failure(error)) }
        func list(_ folder: String, from mark: String?, _ ended: @escaping StoreEnd<StorePage>) {
            ended(.failure(error))
        }
        func delete(_ key: StoreKey, _ ended: @escaping StoreEnd<Void>) { ended(.failure(error)) }
    }

    @Test
    func `where no two requests have one name, a version that is there counts for a name of the caller's as well`()
        throws
    {
        let slice = Slice(
            "b", SliceID(shard: 0, slice: 0), .files, hasUniqueNames: true, first: 0,
            lines: [Array(Self.lines[1].utf8)])
        var spool = try spool(slice, on: disk())
        try add(0, [1], to: &spool)
        spool.noteStored(0, other: (bytes: 2, sha256: [UInt8](repeating: 3, count: 32)))
        guard case .completed(let file)? = try outcomes(try spool.seal(milliseconds: 1)).first?.end else {
            Issue.record("it failed")
            return
        }
        #expect(file.bytes == 2 && file.sha256 == [UInt8](repeating: 3, count: 32))
    }

    @Test
    func `a name is for one request`() {
        let names = NameTable()
        #expect(names.take("a", for: "http://a.example/"))
        #expect(names.take("a", for: "http://a.example/"))
        #expect(!names.take("a", for: "http://b.example/"))
        #expect(names.take("b", for: "http://b.example/"))
    }
}
