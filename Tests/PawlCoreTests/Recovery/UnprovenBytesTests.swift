import PawlCore
import Testing

@Suite struct UnprovenBytesTests {
    @Test(arguments: [1, 2 << 20, (2 << 20) + 1, 10 << 20, 1 << 40] as [Int64], [true, false])
    func `samples are the first, the last and some between, of bounded size`(_ size: Int64, _ isLikely: Bool) {
        let samples = UnprovenBytes.samples(of: RangeSet(ByteRange(0..<size)), isLikely: isLikely)
        #expect(samples.first?.start == 0)
        #expect(samples.last?.end == size)
        #expect(samples.allSatisfy { !$0.isEmpty && $0.count <= 256 << 10 })
        #expect(RangeSet(samples).count == min(size, isLikely ? 256 << 10 : 2 << 20), "samples overlap")
    }

    @Test(arguments: [(100_000, 32_768), (1 << 20, 131_072), (1 << 30, 262_144)] as [(Int64, Int64)])
    func `of a small file that is likely the same, at most a third is fetched again`(_ size: Int64, _ expected: Int64) {
        let samples = UnprovenBytes.samples(of: RangeSet(ByteRange(0..<size)), isLikely: true)
        #expect(RangeSet(samples).count == expected)
    }

    @Test func `samples lie within the held ranges, whatever gaps there are`() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<500 {
            var held = RangeSet()
            for _ in 0..<1 + random.next() % 12 {
                let start = Int64(random.next() % (40 << 20))
                held.insert(ByteRange(start..<start + 1 + Int64(random.next() % (3 << 20))))
            }
            let samples = UnprovenBytes.samples(of: held, isLikely: false)
            #expect(RangeSet(samples).isSubset(of: held))
            #expect(samples.allSatisfy { !$0.isEmpty })
            #expect(samples.reduce(0) { $0 + $1.count } <= 2 << 20)
            #expect(samples.first?.start == held.ranges.first?.start)
            #expect(samples.last?.end == held.upperBound)
        }
    }

    private static let known = Representation(
        total: 100, entityTag: EntityTag(parsing: "\"one\""), lastModified: "Sat, 01 Jan 2022 00:00:00 GMT",
        date: "Sun, 02 Jan 2022 00:00:00 GMT")

    private func judge(
        consents: Bool = false, hasDigest: Bool = false, _ change: (inout Representation) -> Void
    ) -> UnprovenBytes.Judgement {
        var found = Self.known
        change(&found)
        return UnprovenBytes(journal: Self.known, otherURL: nil)
            .judge(found, heldCount: 50, decidesByDigest: hasDigest, consents: consents)
    }

    @Test func `a common digest shows the version; tag and length call for samples`() {
        let digest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32)).map { [$0] } ?? []
        let other = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 2, count: 32)).map { [$0] } ?? []
        var known = Self.known
        known.digests = digest
        func judge(_ digests: [Digest], consents: Bool) -> UnprovenBytes.Judgement {
            var found = Self.known
            (found.digests, found.entityTag) = (digests, EntityTag(parsing: "\"b\""))
            return UnprovenBytes(journal: known, otherURL: nil)
                .judge(found, heldCount: 50, decidesByDigest: false, consents: consents)
        }
        #expect(judge(digest, consents: false) == .evident(.version))
        #expect(judge(other, consents: true) == .doubtful(.differs(.digest)))
        #expect(self.judge { _ in } == .comparable(isLikely: false))
        #expect(self.judge { $0.lastModified = "Sat, 01 Jan 2022 10:00:00 GMT" } == .comparable(isLikely: false))
    }

    @Test
    func `the same tag calls for few samples if it is likely a digest, and proves nothing if it repeats the date`() {
        func judge(_ tag: String, consents: Bool, held: Int64 = 3 << 20) -> UnprovenBytes.Judgement {
            var known = Self.known
            known.total = 100 << 20
            known.entityTag = EntityTag(parsing: "\"\(tag)\"")
            return UnprovenBytes(journal: known, otherURL: nil)
                .judge(known, heldCount: held, decidesByDigest: false, consents: consents)
        }
        #expect(judge("d41d8cd98f00b204e9800998ecf8427e", consents: false) == .comparable(isLikely: true))
        // nginx: 1 January 2022, and 100 MiB.
        #expect(judge("61cf9980-6400000", consents: false) == .doubtful(.alike))
        #expect(judge("61cf9980-6400000", consents: true) == .comparable(isLikely: false))
        #expect(judge("61cf9980-6400000", consents: false, held: 2 << 20) == .comparable(isLikely: false))
    }

    @Test func `without consent, anything else is no evidence`() {
        #expect(judge { $0.total = 99 } == .doubtful(.differs(.total)))
        #expect(judge { $0.total = nil } == .doubtful(.lengthUnknown))
        #expect(judge { $0.entityTag = EntityTag(parsing: "\"b\"") } == .doubtful(.differs(.validator)))
        // Many files are made in one second.
        #expect(judge { $0.entityTag = EntityTag(parsing: "W/\"one\"") } == .doubtful(.alike))
        #expect(judge { $0.entityTag = nil } == .doubtful(.alike))
    }

    @Test func `with consent, samples count unless length or identification is missing`() {
        #expect(judge(consents: true) { $0.entityTag = EntityTag(parsing: "\"b\"") } == .comparable(isLikely: false))
        #expect(judge(consents: true) { $0.total = 99 } == .doubtful(.differs(.total)))
        #expect(judge(consents: true) { $0.contentCoding = "gzip" } == .doubtful(.differs(.contentCoding)))
        #expect(judge(consents: true) { ($0.entityTag, $0.lastModified) = (nil, nil) } == .doubtful(.unidentified))
        let nameless = UnprovenBytes(journal: Representation(total: 100), otherURL: nil)
        #expect(
            nameless.judge(Self.known, heldCount: 50, decidesByDigest: false, consents: true)
                == .doubtful(.ownVersionUnknown))
    }

    @Test func `a given digest decides, unless the length already shows another file`() {
        #expect(judge(hasDigest: true) { $0.entityTag = EntityTag(parsing: "\"b\"") } == .evident(.digest))
        #expect(judge(hasDigest: true) { $0.total = 99 } == .doubtful(.differs(.total)))
    }
}
