import PawlCore
import Testing

@Suite struct JournalTests {
    @Test(arguments: 0..<200)
    func `a journal record survives encoding and decoding`(_ seed: UInt64) {
        let record = JournalRecord.random(seed)
        let slot = Journal.encode(record)
        #expect(slot.count <= Journal.slotSize)
        #expect(Journal.decode(file([record])) == .record(record))
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `the newer of two generations is used, whichever slot it is in`(_ generation: UInt64) {
        let (older, newer) = pair(generation)
        #expect(Journal.decode(file([older, newer])) == .record(newer))
        #expect(Journal.slotOffset(generation: generation) != Journal.slotOffset(generation: generation + 1))
    }

    // MARK: J04

    @Test
    func
        `J04 whichever byte is damaged, one complete generation is found, and it is the older if the newer is damaged`()
    {
        let (older, newer) = pair(7)
        let whole = file([older, newer])
        let newerStart = Int(Journal.slotOffset(generation: newer.generation))
        let newerSlot = newerStart..<newerStart + Journal.encode(newer).count
        let olderStart = Int(Journal.slotOffset(generation: older.generation))
        let olderSlot = olderStart..<olderStart + Journal.encode(older).count
        for position in whole.indices {
            let isInside = newerSlot.contains(position) || olderSlot.contains(position)
            // The reader treats all bytes after a slot alike, so a sample of them suffices.
            guard isInside || position % 997 == 0 else { continue }
            for change: UInt8 in [position.isMultiple(of: 2) ? 0x01 : 0x80] {
                var damaged = whole
                damaged[position] ^= change
                let expected: Journal.Contents = .record(newerSlot.contains(position) ? older : newer)
                let found = Journal.decode(damaged)
                if found == expected { continue }
                // An unknown version is refused as a whole, so it claims nothing.
                let start = newerSlot.contains(position) ? newerStart : olderStart
                if (start + 8..<start + 12).contains(position), case .newerVersion = found { continue }
                Issue.record("byte \(position) changed by \(change): \(found)")
            }
        }
    }

    @Test func `J04 with both slots damaged the journal claims nothing`() {
        let (older, newer) = pair(3)
        var damaged = file([older, newer])
        damaged[40] ^= 1
        damaged[Journal.slotSize + 40] ^= 1
        #expect(Journal.decode(damaged) == .corrupt)
    }

    @Test
    func `J04 a journal truncated at any length yields its newer generation if complete, and otherwise claims nothing`()
    {
        let (older, newer) = pair(7)
        // The newer generation is in the first slot, so its end decides.
        #expect(Journal.slotOffset(generation: newer.generation) == 0)
        let whole = file([older, newer])
        let newerEnd = Journal.encode(newer).count
        let lengths = [0...newerEnd + 600, Journal.slotSize - 3...Journal.slotSize + newerEnd + 600].joined()
        for length in Array(lengths) + [whole.count - 1, whole.count]
        where length % 5 == 0 || abs(length - newerEnd) < 20 {
            let expected: Journal.Contents =
                switch length {
                case 0: .empty
                case ..<newerEnd: .corrupt
                default: .record(newer)
                }
            if Journal.decode(Array(whole[..<length])) != expected { Issue.record("cut to \(length)") }
        }
    }

    @Test func `J04 with one slot partly overwritten, the other slot is found, whichever sectors were written`() {
        var (older, newer) = pair(8)
        var next = newer
        next.generation += 1
        // Records large enough to span several sectors, whose generations differ in every sector.
        older.durable = JournalRecord.scattered(count: 100, step: 10)
        newer.durable = JournalRecord.scattered(count: 110, step: 20)
        next.durable = JournalRecord.scattered(count: 120, step: 30)
        let before = file([older, newer])
        let after = file([newer, next])
        let start = Int(Journal.slotOffset(generation: next.generation))
        let sectors = (Journal.encode(next).count + 511) / 512
        #expect((4...10).contains(sectors))
        for arrived in 0..<(1 << sectors) {
            var torn = before
            for sector in 0..<sectors where arrived >> sector & 1 == 1 {
                let range = start + sector * 512..<start + (sector + 1) * 512
                torn[range] = after[range]
            }
            let found = Journal.decode(torn)
            let expected = arrived == (1 << sectors) - 1 ? next : newer
            if found != .record(expected) { Issue.record("sectors \(String(arrived, radix: 2)): \(found)") }
        }
    }

    @Test func `J04 a torn first record claims nothing and is reported as torn`() {
        var first = JournalRecord.random(1)
        first.generation = 1
        let slot = Journal.encode(first)
        for count in stride(from: 0, to: slot.count, by: 3) {
            var torn = [UInt8](repeating: 0, count: Journal.fileSize)
            let start = Int(Journal.slotOffset(generation: 1))
            torn.replaceSubrange(start..<start + count, with: slot[..<count])
            // The checksum may end in zeros, which the empty slot already contains.
            if torn == file([first]) { continue }
            if Journal.decode(torn) != (count == 0 ? .empty : .torn) { Issue.record("\(count) bytes written") }
        }
    }

    @Test(arguments: [0, 1, Journal.slotSize, Journal.fileSize])
    func `J04 a newly created journal without a record claims nothing`(_ count: Int) {
        #expect(Journal.decode([UInt8](repeating: 0, count: count)) == .empty)
    }

    /// Texts, an image that begins with 32 KiB of zeros, and zeros that are more than a journal has.
    @Test func `J04 a file that no journal can look like is foreign, and neither damaged nor empty`() {
        func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
        let image = bytes(0, Journal.slotSize) + Array("\u{1}CD001\u{1}".utf8)
        let foreign: [[UInt8]] = [
            Array("my notes".utf8), Array("PAWLS are catches".utf8), image, image + bytes(0, Journal.fileSize),
            bytes(0, Journal.readSize), bytes(0, Journal.fileSize) + [1], bytes(0xA5, Journal.fileSize),
        ]
        for foreign in foreign {
            #expect(Journal.decode(foreign) == .foreign, "\(foreign.count) bytes")
        }
    }

    @Test func `J04 a first record whose first sector was lost is torn, not foreign`() {
        var first = JournalRecord.random(1)
        first.generation = 1
        first.durable = JournalRecord.scattered(count: 100, step: 10)
        var torn = file([first])
        let start = Int(Journal.slotOffset(generation: 1))
        torn.replaceSubrange(start..<start + 512, with: [UInt8](repeating: 0, count: 512))
        #expect(Journal.decode(torn) == .torn)
    }

    @Test func `J04 a record in the other slot's place is not accepted`() {
        var record = JournalRecord.random(2)
        record.generation = 4
        var wrong = [UInt8](repeating: 0, count: Journal.fileSize)
        let slot = Journal.encode(record)
        wrong.replaceSubrange(Journal.slotSize..<Journal.slotSize + slot.count, with: slot)
        #expect(Journal.decode(wrong) == .torn)
    }

    @Test(arguments: 0..<50)
    func `J04 decoding random damaged bytes never traps`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let record = JournalRecord.random(seed)
        for _ in 0..<10 {
            // Bytes changed under a valid checksum, so that only the parser can refuse them.
            var body = Array(Journal.encode(record).dropLast(8))
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                body[Int.random(in: 24..<body.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let checksum = body.withUnsafeBytes(XXHash64.hash)
            let slot = body + withUnsafeBytes(of: checksum.littleEndian, Array.init)
            var bytes = [UInt8](repeating: 0, count: Journal.fileSize)
            let start = Int(Journal.slotOffset(generation: record.generation))
            bytes.replaceSubrange(start..<start + slot.count, with: slot)
            guard case .record(let found) = Journal.decode(bytes) else { continue }
            #expect(found.representation.total.map { found.durable.upperBound <= $0 } ?? true)
        }
    }

    @Test func `a record that claims bytes past its own total is rejected`() {
        var record = JournalRecord.random(3)
        record.generation = 2
        record.representation.total = 100
        record.durable = RangeSet(ByteRange(0..<101))
        #expect(Journal.decode(file([record])) == .corrupt)
        record.durable = RangeSet(ByteRange(0..<100))
        #expect(Journal.decode(file([record])) == .record(record))
    }

    // MARK: J05

    @Test(arguments: [Journal.version + 1, Journal.version + 2, 0xFFFF_FFFF] as [UInt32])
    func `J05 a newer version in either slot is refused, and the error names it`(_ version: UInt32) {
        let (older, newer) = pair(5)
        for start in [0, Journal.slotSize] {
            var bytes = file([older, newer])
            bytes.replaceSubrange(start + 8..<start + 12, with: withUnsafeBytes(of: version.littleEndian, Array.init))
            #expect(Journal.decode(bytes) == .newerVersion(version))
        }
    }

    // MARK: Records too large for a slot

    @Test(arguments: [0, 50, 64, 65, 500, 2000, 5000])
    func `a record too large for its slot drops claims and never adds one`(_ rangeCount: Int) throws {
        var record = JournalRecord.random(4)
        record.representation.total = nil
        record.durable = JournalRecord.scattered(count: rangeCount, step: 100)
        record.blockHashes = Dictionary(uniqueKeysWithValues: (0..<2048).map { (Int64($0), UInt64($0) &* 77) })
        record.recentBlocks = Array(0..<2048)
        #expect(Journal.encode(record).count <= Journal.slotSize)
        guard case .record(let found) = Journal.decode(file([record])) else {
            Issue.record("not read back")
            return
        }
        #expect(found.durable.isSubset(of: record.durable))
        #expect(rangeCount == 0 || !found.durable.isEmpty)
        #expect(found.blockHashes.allSatisfy { record.blockHashes[$0.key] == $0.value })
        #expect(Set(found.recentBlocks).isSubset(of: record.recentBlocks))
        var rest = found
        rest.durable = record.durable
        rest.blockHashes = record.blockHashes
        rest.recentBlocks = record.recentBlocks
        #expect(rest == record, "what is not a claim is kept")
    }

    @Test func `a record too large for its slot keeps the largest ranges longest`() {
        var record = JournalRecord.random(5)
        record.representation.total = nil
        record.durable = JournalRecord.scattered(count: 4000, step: 100)
        let large = ByteRange(10_000_000..<90_000_000)
        record.durable.insert(large)
        guard case .record(let found) = Journal.decode(file([record])) else {
            Issue.record("not read back")
            return
        }
        #expect(found.durable.contains(large))
    }

    /// A server can send header fields of any length, and nothing that a server does may trap.
    @Test(arguments: ["etag", "last-modified", "date", "content-encoding"])
    func `L17 a validator too long for a slot does not trap`(_ name: String) async {
        switch name {
        case "etag": await #expect(processExitsWith: .success) { Self.encode("etag", "\"\(Self.long)\"") }
        case "date": await #expect(processExitsWith: .success) { Self.encode("date", Self.long) }
        case "last-modified": await #expect(processExitsWith: .success) { Self.encode("last-modified", Self.long) }
        default: await #expect(processExitsWith: .success) { Self.encode("content-encoding", Self.long) }
        }
    }

    private static let long = String(repeating: "x", count: 40_000)

    private static func encode(_ name: String, _ value: String) {
        var record = JournalRecord.random(6)
        record.representation = Representation(fields: [HTTPField(name, value)], total: 1_000_000)
        precondition(Journal.encode(record).count <= Journal.slotSize)
    }

    // MARK: Files

    /// A journal file after these records were written in turn.
    private func file(_ records: [JournalRecord]) -> [UInt8] {
        var file = [UInt8](repeating: 0, count: Journal.fileSize)
        for record in records {
            let slot = Journal.encode(record)
            let start = Int(Journal.slotOffset(generation: record.generation))
            file.replaceSubrange(start..<start + slot.count, with: slot)
        }
        return file
    }

    /// Two generations of one download, the second with more ranges.
    private func pair(_ generation: UInt64) -> (JournalRecord, JournalRecord) {
        var older = JournalRecord.random(generation)
        older.generation = generation
        older.representation.total = 1 << 30
        older.durable = RangeSet([ByteRange(0..<1000), ByteRange(5000..<6000)])
        var newer = older
        newer.generation += 1
        newer.updated += 2
        newer.durable.insert(ByteRange(1000..<4000))
        return (older, newer)
    }
}

extension JournalRecord {
    /// A random record that fits a slot as a whole.
    static func random(_ seed: UInt64) -> JournalRecord {
        var random = SplitMix64(seed: seed)
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
        func text() -> String {
            let scalars = "aZ0 \"\\/é漢😀\u{0}".unicodeScalars
            return String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...30, using: &random)).compactMap { _ in
                        scalars.randomElement(using: &random)
                    }))
        }
        func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? { Bool.random(using: &random) ? value() : nil }
        let algorithms = DigestAlgorithm.allCases
        let digests = algorithms.compactMap { algorithm in
            maybe(Digest(algorithm: algorithm, bytes: bytes(algorithm.byteCount)))?.flatMap { $0 }
        }
        var durable = RangeSet()
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            let start = Int64.random(in: 0...(1 << 40), using: &random)
            durable.insert(ByteRange(start..<start + Int64.random(in: 0...(1 << 30), using: &random)))
        }
        let total = maybe(Int64.random(in: durable.upperBound...Int64.max, using: &random))
        let tags = ["\"\"", "\"a\"", "W/\"b\"", "\"é\"", "W/\"\""]
        return JournalRecord(
            generation: UInt64.random(in: 1...UInt64.max, using: &random), id: bytes(16),
            owner: Owner(
                processID: Int32.random(in: Int32.min...Int32.max, using: &random), bootID: bytes(16),
                startTime: Int64.random(in: Int64.min...Int64.max, using: &random), hostName: text()),
            state: Bool.random(using: &random) ? .downloading : .verified, url: "https://a.example/" + text(),
            urlHash: Bool.random(using: &random) ? .xxh64(random.next()) : .sha256(bytes(URLHash.sha256Size)),
            targetName: text(),
            representation: Representation(
                total: total,
                entityTag: maybe(tags[Int.random(in: 0..<5, using: &random)]).flatMap(EntityTag.init(parsing:)),
                lastModified: maybe(text()), date: maybe(text()), contentCoding: maybe(text()), digests: digests),
            partialDevice: random.next(), partialInode: random.next(), expectedDigest: digests.first,
            updated: Int64.random(in: Int64.min...Int64.max, using: &random),
            blockSize: BlockHasher.smallestBlock << Int64.random(in: 0...20, using: &random), durable: durable,
            blockHashes: Dictionary(
                (0..<Int.random(in: 0...50, using: &random)).map { _ in
                    (Int64.random(in: 0...Int64(UInt32.max), using: &random), random.next())
                }, uniquingKeysWith: { first, _ in first }),
            recentBlocks: (0..<Int.random(in: 0...20, using: &random)).map { _ in
                Int64.random(in: 0...Int64(UInt32.max), using: &random)
            },
            blockHashFunction: Bool.random(using: &random) ? .xxh64 : .xxh3,
            identityHash: maybe(bytes(JournalRecord.identityHashSize)))
    }

    /// Ranges of varying length with holes between them.
    static func scattered(count: Int, step: Int64) -> RangeSet {
        RangeSet((0..<Int64(count)).map { ByteRange($0 * step..<$0 * step + 1 + $0 % (step - 1)) })
    }
}
