import PawlCore
package import PawlEngine
package import PawlStore
import Synchronization

/// The contract of ``Store``, as checks that any implementation must pass. A check throws ``Failure`` to describe a
/// violation.
package struct StoreConformance {
    /// One promise of the contract. Each check needs an empty store.
    package enum Check: String, CaseIterable, Sendable {
        case createdObjectIsRead
        case missingObjectIsNil
        case createRefusesTakenKeys
        case ofEightCreatorsOneSucceeds
        case putReplaces
        case readersSeeWholeObjects
        case emptyAndLargeObjectsAreRead
        case otherBytesAreRefused
        case deletedObjectIsGone
        case deletedKeyCanBeCreated
        case listHasEachObject
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The same store, as several processes see it.
    private let stores: [any Store]
    private let digests: any DigestFactory
    /// Runs until the condition holds.
    private let run: (_ until: @escaping @Sendable () -> Bool) throws -> Void

    package init(
        _ stores: [any Store], digests: any DigestFactory,
        run: @escaping (_ until: @escaping @Sendable () -> Bool) throws -> Void
    ) {
        (self.stores, self.digests, self.run) = (stores, digests, run)
    }

    package func run(_ check: Check) throws {
        switch check {
        case .createdObjectIsRead: try createdObjectIsRead()
        case .missingObjectIsNil: try missingObjectIsNil()
        case .createRefusesTakenKeys: try createRefusesTakenKeys()
        case .ofEightCreatorsOneSucceeds: try ofEightCreatorsOneSucceeds()
        case .putReplaces: try putReplaces()
        case .readersSeeWholeObjects: try readersSeeWholeObjects()
        case .emptyAndLargeObjectsAreRead: try emptyAndLargeObjectsAreRead()
        case .otherBytesAreRefused: try otherBytesAreRefused()
        case .deletedObjectIsGone: try deletedObjectIsGone()
        case .deletedKeyCanBeCreated: try deletedKeyCanBeCreated()
        case .listHasEachObject: try listHasEachObject()
        }
    }

    // MARK: Calls

    private func wait<Value: Sendable>(
        _ calls: [(@escaping StoreEnd<Value>) -> Void]
    ) throws -> [Result<
        Value, StoreError
    >] {
        let ends = Locked<[Int: Result<Value, StoreError>]>([:])
        for (index, call) in calls.enumerated() { call { end in ends.withLock { $0[index] = end } } }
        let count = calls.count
        try run { ends.withLock { $0.count } == count }
        return ends.withLock { ends in calls.indices.compactMap { ends[$0] } }
    }

    private func wait<Value: Sendable>(_ call: @escaping (@escaping StoreEnd<Value>) -> Void) throws -> Value {
        guard let end = try wait([call]).first else { throw Failure(description: "no end was told") }
        return try end.get()
    }

    private func key(_ text: String) throws -> StoreKey {
        guard let key = StoreKey(text) else { throw Failure(description: "\(text) is no key") }
        return key
    }

    private func body(_ bytes: [UInt8]) -> StoreBody {
        StoreBody(bytes, digest: digests.digest(.sha256, of: bytes))
    }

    private func create(_ text: String, _ bytes: [UInt8]) throws -> StoreCreation {
        let (key, body) = (try key(text), body(bytes))
        return try wait { stores[0].create(key, body, $0) }
    }

    private func bytes(_ text: String, of store: Int = 0) throws -> [UInt8]? {
        let key = try key(text)
        let body: StoreBody? = try wait { stores[store].get(key, $0) }
        return try body?.bytes(atMost: 100 << 20)
    }

    private func require(_ isTrue: Bool, _ description: @autoclosure () -> String) throws {
        if !isTrue { throw Failure(description: description()) }
    }

    private static func some(_ count: Int, _ salt: UInt8 = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) ^ salt ^ UInt8(truncatingIfNeeded: $0 >> 8) }
    }

    // MARK: Checks

    private func createdObjectIsRead() throws {
        try require(try create("a/b/one.txt", [1, 2, 3]) == .created, "it was not created")
        for store in stores.indices { try require(try bytes("a/b/one.txt", of: store) == [1, 2, 3], "other bytes") }
    }

    private func missingObjectIsNil() throws {
        try require(try bytes("a/none") == nil, "there is an object in a folder that is not there")
        _ = try create("a/one", [1])
        try require(try bytes("a/none") == nil, "there is an object that nobody created")
    }

    private func createRefusesTakenKeys() throws {
        _ = try create("a/one", [1])
        try require(try create("a/one", [2]) == .exists, "a taken key was created")
        try require(try create("a/one", [1]) == .exists, "a taken key was created with the same bytes")
        try require(try bytes("a/one") == [1], "the object changed")
    }

    private func ofEightCreatorsOneSucceeds() throws {
        for round in 0..<20 {
            let key = try key("a/race-\(round)")
            let bodies = (0..<8).map { body(Self.some(5000 + round, UInt8($0))) }
            let ends = try wait(
                bodies.enumerated().map { index, body in
                    { [stores] in stores[index % stores.count].create(key, body, $0) }
                })
            let created = try ends.map { try $0.get() }.enumerated().filter { $0.element == .created }.map(\.offset)
            try require(created.count == 1, "\(created.count) of eight created \(key)")
            let winner = try bodies[created[0]].bytes(atMost: 10_000)
            try require(try bytes(key.text) == winner, "\(key) has not the bytes of its creator")
        }
    }

    private func putReplaces() throws {
        let key = try key("a/one")
        for bytes: [UInt8] in [[1], [2, 2], [3]] {
            let body = body(bytes)
            let _: Void = try wait { stores[0].put(key, body, $0) }
            try require(try self.bytes("a/one") == bytes, "it was not replaced")
        }
    }

    private func readersSeeWholeObjects() throws {
        let key = try key("a/one")
        let bodies = (0..<4).map { Self.some(300_000, UInt8($0)) }
        let seen = Locked<[StoreBody?]>([])
        for bytes in bodies {
            let body = body(bytes)
            let reads: [(@escaping StoreEnd<Void>) -> Void] = (0..<6).map { index in
                { [stores] end in
                    stores[index % stores.count].get(key) { result in
                        if case .success(let body) = result { seen.withLock { $0.append(body) } }
                        end(result.map { _ in })
                    }
                }
            }
            let put: (@escaping StoreEnd<Void>) -> Void = { [stores] in stores[0].put(key, body, $0) }
            for end in try wait([put] + reads) { try end.get() }
        }
        for case .some(let body) in seen.withLock({ $0 }) {
            try require(bodies.contains(try body.bytes(atMost: 1 << 20)), "a reader saw a part")
        }
    }

    private func emptyAndLargeObjectsAreRead() throws {
        for (index, count) in [0, 1, 1 << 20, (3 << 20) + 1].enumerated() {
            let bytes = Self.some(count, 7)
            try require(try create("a/\(index)", bytes) == .created, "\(count) bytes were not stored")
            try require(try self.bytes("a/\(index)") == bytes, "\(count) bytes are not the same")
        }
    }

    private func otherBytesAreRefused() throws {
        let (key, body) = (try key("a/one"), StoreBody([1, 2, 3], digest: digests.digest(.sha256, of: [1, 2, 4])))
        let creation: [Result<StoreCreation, StoreError>] = try wait([{ [stores] in stores[0].create(key, body, $0) }])
        let put: [Result<Void, StoreError>] = try wait([{ [stores] in stores[0].put(key, body, $0) }])
        for case .failure(let error) in [creation.first?.map { _ in }, put.first] {
            try require(error.kind == .damaged, "the error is \(error)")
        }
        try require((try? creation.first?.get()) == nil && (try? put.first?.get()) == nil, "other bytes were stored")
        try require(try bytes("a/one") == nil, "there is an object")
    }

    private func deletedObjectIsGone() throws {
        _ = try create("a/one", [1])
        _ = try create("a/two", [2])
        let key = try key("a/one")
        // Twice: there is none the second time.
        for _ in 0..<2 {
            let _: Void = try wait { stores[0].delete(key, $0) }
            try require(try bytes("a/one") == nil, "it is still there")
        }
        try require(try bytes("a/two") == [2], "another was deleted")
    }

    private func deletedKeyCanBeCreated() throws {
        _ = try create("a/one", [1])
        let key = try key("a/one")
        let _: Void = try wait { stores[0].delete(key, $0) }
        try require(try create("a/one", [2]) == .created, "it was not created again")
        try require(try bytes("a/one") == [2], "it has not the new bytes")
    }

    private func listHasEachObject() throws {
        let names = (0..<30).map { "a/\(1000 + $0 * 7 % 30)" } + ["a/b/1", "ab/2", "b/3"]
        for (index, name) in names.enumerated() { _ = try create(name, Self.some(index)) }
        var (found, mark): ([StorePage.Object], String?) = ([], nil)
        repeat {
            let page: StorePage = try wait { [mark] in stores[0].list("a", from: mark, $0) }
            found += page.objects
            mark = page.next
        } while mark != nil
        let expected = try names.enumerated().filter { $0.element.hasPrefix("a/") }
            .map { StorePage.Object(try key($0.element), length: Int64($0.offset)) }.sorted { $0.key < $1.key }
        try require(found == expected, "the list is \(found.map(\.key.text))")
        let none: StorePage = try wait { stores[0].list("none", from: nil, $0) }
        try require(none.objects.isEmpty, "a folder that is not there has objects")
    }
}
