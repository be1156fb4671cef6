import PawlCore
import Testing

@Suite struct UnprovenBytesTests {
    @Test(arguments: [1, 2 << 20, (2 << 20) + 1, 10 << 20, 1 << 40] as [Int64])
    func `samples are the first, the last and some between, 2 MiB at most`(_ size: Int64) {
        let held = RangeSet(ByteRange(0..<size))
        let samples = UnprovenBytes.samples(of: held)
        #expect(samples.first?.start == 0)
        #expect(samples.last?.end == size)
        #expect(samples.reduce(0) { $0 + $1.count } == min(size, 2 << 20))
        #expect(RangeSet(samples).count == min(size, 2 << 20), "samples overlap")
    }

    @Test func `samples lie within the held ranges, whatever gaps there are`() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<500 {
            var held = RangeSet()
            for _ in 0..<1 + random.next() % 12 {
                let start = Int64(random.next() % (40 << 20))
                held.insert(ByteRange(start..<start + 1 + Int64(random.next() % (3 << 20))))
            }
            let samples = UnprovenBytes.samples(of: held)
            #expect(RangeSet(samples).isSubset(of: held))
            #expect(samples.allSatisfy { !$0.isEmpty })
            #expect(samples.reduce(0) { $0 + $1.count } <= 2 << 20)
            #expect(samples.first?.start == held.ranges.first?.start)
            #expect(samples.last?.end == held.upperBound)
        }
    }

    private static let known = Representation(
        total: 100, entityTag: EntityTag(parsing: "\"a\""), lastModified: "Sat, 01 Jan 2022 00:00:00 GMT",
        date: "Sun, 02 Jan 2022 00:00:00 GMT")

    private func judge(
        consents: Bool = false, hasDigest: Bool = false, _ change: (inout Representation) -> Void
    ) -> UnprovenBytes.Judgement {
        var found = Self.known
        change(&found)
        return UnprovenBytes(journal: Self.known, otherURL: nil)
            .judge(found, decidesByDigest: hasDigest, comparesSamples: consents)
    }

    @Test func `tag, length and date show the version; a tag alone calls for samples`() {
        #expect(judge { _ in } == .evident(.version))
        #expect(judge { $0.lastModified = "Sat, 01 Jan 2022 10:00:00 GMT" } == .comparable)
        #expect(judge { $0.total = 99 } == .doubtful(.differs(.total)))
        #expect(judge { $0.total = nil } == .doubtful(.unidentified))
        #expect(judge { $0.entityTag = EntityTag(parsing: "\"b\"") } == .doubtful(.differs(.validator)))
        #expect(
            judge { ($0.entityTag, $0.lastModified) = (EntityTag(parsing: "W/\"a\""), nil) } == .doubtful(.unidentified)
        )
    }

    @Test func `with consent, samples count unless length or identification is missing`() {
        #expect(judge(consents: true) { $0.entityTag = EntityTag(parsing: "\"b\"") } == .comparable)
        #expect(judge(consents: true) { $0.total = 99 } == .doubtful(.differs(.total)))
        #expect(judge(consents: true) { ($0.entityTag, $0.lastModified) = (nil, nil) } == .doubtful(.unidentified))
    }

    @Test func `a given digest decides, unless the length already shows another file`() {
        #expect(judge(hasDigest: true) { $0.entityTag = EntityTag(parsing: "\"b\"") } == .evident(.digest))
        #expect(judge(hasDigest: true) { $0.total = 99 } == .doubtful(.differs(.total)))
    }
}
