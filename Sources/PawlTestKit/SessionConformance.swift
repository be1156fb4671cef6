import PawlCore
package import PawlEngine

/// The contract of ``SessionStore``, as checks that any implementation must pass. A check throws ``Failure`` to
/// describe a violation.
package struct SessionConformance {
    /// One promise of the contract. Each check needs a place where nothing was ever saved.
    package enum Check: String, CaseIterable, Sendable {
        case beginsEmpty
        case loadsWhatWasPut
        case changesApplyInTheirOrder
        case removalOfUnknownIsNoError
        case emptySaveIsNoError
        case keepsAnyBytesAndIDs
        case keepsManyRecords
        case keepsManySaves
        case excludesASecondStore
        case savesAfterItWasReopened
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let make: () -> any SessionStore

    /// - Parameter make: Each call makes a store for the same place.
    package init(_ make: @escaping () -> any SessionStore) { self.make = make }

    package func run(_ check: Check) throws {
        switch check {
        case .beginsEmpty: try expect([], try loaded())
        case .loadsWhatWasPut: try loadsWhatWasPut()
        case .changesApplyInTheirOrder: try changesApplyInTheirOrder()
        case .removalOfUnknownIsNoError: try removalOfUnknownIsNoError()
        case .emptySaveIsNoError: try emptySaveIsNoError()
        case .keepsAnyBytesAndIDs: try keepsAnyBytesAndIDs()
        case .keepsManyRecords: try keepsManyRecords()
        case .keepsManySaves: try keepsManySaves()
        case .excludesASecondStore: try excludesASecondStore()
        case .savesAfterItWasReopened: try savesAfterItWasReopened()
        }
    }

    // MARK: Checks

    private func loadsWhatWasPut() throws {
        try save([
            [.put(record(1, "one")), .put(record(2, "two"))],
            [.put(record(1, "uno")), .remove(DownloadID(2)), .put(record(3, ""))],
        ])
        try expect([record(1, "uno"), record(3, "")], try loaded())
    }

    private func changesApplyInTheirOrder() throws {
        try save([
            [
                .put(record(1, "a")), .remove(DownloadID(1)), .remove(DownloadID(2)), .put(record(2, "b")),
                .put(record(3, "c")), .put(record(3, "d")),
            ]
        ])
        try expect([record(2, "b"), record(3, "d")], try loaded())
    }

    private func removalOfUnknownIsNoError() throws {
        try save([[.remove(DownloadID(9)), .put(record(1, "one"))], [.remove(DownloadID(9))]])
        try expect([record(1, "one")], try loaded())
    }

    private func emptySaveIsNoError() throws {
        try save([[], [.put(record(1, "one"))], []])
        try expect([record(1, "one")], try loaded())
    }

    private func keepsAnyBytesAndIDs() throws {
        let all = (0...UInt8.max).map { $0 }
        let large = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let records = [
            SessionRecord(id: DownloadID(1), bytes: all), SessionRecord(id: DownloadID(UInt64(Int64.max)), bytes: [0]),
            SessionRecord(id: DownloadID(UInt64(Int64.max) + 1), bytes: []),
            SessionRecord(id: DownloadID(.max), bytes: large),
        ]
        try save([records.map { .put($0) }])
        try expect(records, try loaded())
        try save([[.remove(DownloadID(.max)), .remove(DownloadID(UInt64(Int64.max) + 1))]])
        try expect(Array(records.prefix(2)), try loaded())
    }

    private func keepsManyRecords() throws {
        let records = (1...10_000).map { record($0, "record \($0)") }
        try save([records.map { .put($0) }])
        try expect(records, try loaded())
    }

    private func keepsManySaves() throws {
        let padding = String(repeating: "x", count: 5000)
        try save((1...300).map { [.put(record($0 % 7, padding + "\($0)"))] })
        try expect((294...300).map { record($0 % 7, padding + "\($0)") }, try loaded())
    }

    private func excludesASecondStore() throws {
        let first = make()
        _ = try first.load()
        try first.save([.put(record(1, "one"))])
        switch Result(catching: { () throws(DownloadError) in try make().load() }) {
        case .success: throw Failure(description: "a second store was opened beside the first")
        case .failure(let error):
            guard error.code == .locked else {
                throw Failure(description: "a second store was refused for another reason: \(error.message)")
            }
        }
        try first.save([.put(record(2, "two"))])
        first.close()
        try expect([record(1, "one"), record(2, "two")], try loaded())
    }

    private func savesAfterItWasReopened() throws {
        for number in 1...5 { try save([[.put(record(number, "\(number)"))], [.put(record(number, "\(number)!"))]]) }
        try expect((1...5).map { record($0, "\($0)!") }, try loaded())
    }

    // MARK: Helpers

    private func record(_ number: Int, _ text: String) -> SessionRecord {
        SessionRecord(id: DownloadID(UInt64(number)), bytes: Array(text.utf8))
    }

    private func save(_ saves: [[SessionChange]]) throws {
        let store = make()
        defer { store.close() }
        _ = try store.load()
        for changes in saves { try store.save(changes) }
    }

    private func loaded() throws -> [SessionRecord] {
        let store = make()
        defer { store.close() }
        return try store.load()
    }

    /// Compares two lists of records, in any order.
    private func expect(_ expected: [SessionRecord], _ found: [SessionRecord]) throws {
        let (expected, found) = (
            expected.sorted { $0.id.number < $1.id.number }, found.sorted { $0.id.number < $1.id.number }
        )
        guard found != expected else { return }
        let (wanted, got) = (
            expected.map { "\($0.id.number) (\($0.bytes.count) bytes)" },
            found.map { "\($0.id.number) (\($0.bytes.count) bytes)" }
        )
        throw Failure(
            description:
                "loaded \(got.prefix(20)) of \(found.count), expected \(wanted.prefix(20)) of \(expected.count)")
    }
}
