import Testing

@testable import PawlCore

@Suite("Existing bytes under a server-chosen name")
struct RecoveredRelationTests {
    private let one = Representation(total: 1000, entityTag: EntityTag(parsing: "\"one\""))

    private func journal(_ known: Representation, _ ranges: Range<Int64>, isProven: Bool) -> DownloadMachine.Recovered {
        .journal(
            known, durable: RangeSet(ByteRange(ranges)), isVerified: false,
            origin: isProven ? .sameRequest : .otherSecrets)
    }

    @Test(arguments: [true, false])
    func `bytes belong to the offered file if the server's answer shows it`(isProven: Bool) {
        #expect(journal(one, 0..<500, isProven: isProven).relation(to: one, decidesByDigest: false) == .sameFile)
    }

    @Test func `bytes of another file are left alone unless a digest will decide and the lengths agree`() {
        let held = journal(one, 0..<500, isProven: false)
        func relation(_ total: Int64?, _ decidesByDigest: Bool) -> DownloadMachine.Recovered.Relation {
            let found = Representation(total: total, entityTag: EntityTag(parsing: "\"two\""))
            return held.relation(to: found, decidesByDigest: decidesByDigest)
        }
        #expect(relation(1000, false) == .otherFile && relation(nil, false) == .otherFile)
        #expect(relation(1000, true) == .decidedByDigest && relation(nil, true) == .decidedByDigest)
        #expect(relation(999, true) == .otherFile)
        let open = journal(Representation(total: nil), 0..<500, isProven: false)
        #expect(open.relation(to: Representation(total: 499), decidesByDigest: true) == .otherFile, "more is held")
        #expect(open.relation(to: Representation(total: 500), decidesByDigest: true) == .decidedByDigest)
    }

    @Test
    func
        `if this download's bytes or its journal were missing before, another process has begun the same download meanwhile`()
    {
        let other = Representation(total: 1000, entityTag: EntityTag(parsing: "\"two\""))
        #expect(journal(one, 0..<500, isProven: true).relation(to: other, decidesByDigest: true) == .begunMeanwhile)
        for recovered in [DownloadMachine.Recovered.nothing, .adopted(size: 10, name: "a.bin", isTarget: true)] {
            #expect(recovered.relation(to: one, decidesByDigest: true) == .begunMeanwhile)
        }
    }
}
