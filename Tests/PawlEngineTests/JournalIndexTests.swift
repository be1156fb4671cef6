import PawlCore
import PawlTestKit
import Testing

@testable import PawlEngine

/// A directory that supports only listing.
private struct NamesOnly: StorageDirectory {
    let path: String
    let held: [String]
    let newFilePermissions: UInt16 = 0o644

    private var refusal: StorageError { StorageError(operation: "any", name: path, reason: .notSupported) }

    func names() throws(StorageError) -> [String] { held }
    func create(_ name: String) throws(StorageError) -> any StorageFile { throw refusal }
    func open(_ name: String, writable: Bool) throws(StorageError) -> any StorageFile { throw refusal }
    func status(_ name: String) throws(StorageError) -> FileStatus? { throw refusal }
    func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError) { throw refusal }
    func remove(_ name: String, ifStill identity: FileIdentity) throws(StorageError) { throw refusal }
    func sync() throws(StorageError) { throw refusal }
    func availableBytes() throws(StorageError) -> Int64 { throw refusal }
    func identity() throws(StorageError) -> FileIdentity { throw refusal }
}

@Suite struct JournalIndexTests {
    private let disk = SimulatedDisk(seed: 1)

    private func directory(_ path: String, holding names: String...) throws -> any StorageDirectory {
        disk.makeDirectory(path)
        let directory = try disk.openDirectory(path)
        for name in names { try directory.create(name).close() }
        return directory
    }

    @Test func `M16 a journal is found whatever letter precedes its suffix`() throws {
        let names = ["a.pawl", "\u{D4E}.pawl", "x\u{600}.pawl", "a.part", "pawl"]
        let directory = try directory("/d", holding: names[0], names[1], names[2], names[3], names[4])
        let found = try JournalIndex().names(in: directory) { .zero }
        #expect(Set(found.map { ExactText($0) }) == Set(names.prefix(3).map { ExactText($0) }))
    }

    @Test func `journals of running downloads are no other's`() throws {
        let index = JournalIndex()
        let directory = try directory("/d", holding: "a.pawl", "b.pawl")
        func hasNone() throws -> Bool? {
            _ = try index.names(in: directory) { .zero }
            return index.hasNone(in: "/d", at: .zero)
        }
        #expect(index.hasNone(in: "/d", at: .zero) == nil, "nobody has looked")
        index.hold("a.pawl", in: "/d")
        #expect(try hasNone() == false)
        index.hold("b.pawl", in: "/d")
        #expect(try hasNone() == true)
        #expect(index.hasNone(in: "/d", at: .zero + .seconds(61)) == nil, "the look is too old")
        index.leave("a.pawl", in: "/d")
        #expect(try hasNone() == false, "one was left behind")
        index.remove("a.pawl", from: "/d")
        #expect(index.hasNone(in: "/d", at: .zero) == true)
    }

    @Test func `what another has listed counts, unless a journal was left behind meanwhile`() {
        let index = JournalIndex()
        let changes = index.changes(in: "/d")
        index.note(["a", "a.part"], in: "/d", since: changes, from: .zero, to: .zero)
        #expect(index.hasNone(in: "/d", at: .zero) == true)
        index.leave("b.pawl", in: "/d")
        index.note(["a", "a.part"], in: "/d", since: changes, from: .zero, to: .zero)
        #expect(index.hasNone(in: "/d", at: .zero) == nil)
    }

    @Test func `M16 two spellings of a directory's name are two directories`() throws {
        let index = JournalIndex()
        let composed = NamesOnly(path: "/\u{E9}", held: ["a.pawl"])
        let decomposed = NamesOnly(path: "/e\u{301}", held: ["b.pawl"])
        #expect(try index.names(in: composed) { .zero } == ["a.pawl"])
        #expect(try index.names(in: decomposed) { .zero } == ["b.pawl"])
        index.leave("a.pawl", in: "/\u{E9}")
        #expect(try index.names(in: decomposed) { .zero } == ["b.pawl"])
    }
}
