import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// A journal of two generations is damaged, and a whole download starts from it.
@Suite struct `B7 Damaged journals` {
    private static let size = 20_000
    /// The bytes that the two generations claim. The partial file holds no more, so one byte wrongly believed shows in
    /// the result.
    private static let older: Int64 = 6000
    private static let newer: Int64 = 12_000

    private func bench() throws -> EngineBench {
        var bench = try EngineBench(size: Self.size)
        bench.settings.overlap = 0
        bench.install(
            "file.bin.part",
            Array(bench.bytes[..<Int(Self.newer)]) + [UInt8](repeating: 0, count: Self.size - Int(Self.newer)))
        try bench.installJournal(durable: RangeSet(ByteRange(0..<Self.newer))) { $0.generation = 4 }
        let second = try #require(bench.contents("file.bin.pawl"))
        // The older generation claims less; the bytes beyond its claim count as unknown if the newer one is unreadable.
        try bench.installJournal(durable: RangeSet(ByteRange(0..<Self.older))) { $0.generation = 3 }
        var both = try #require(bench.contents("file.bin.pawl"))
        both.replaceSubrange(..<Journal.slotSize, with: second[..<Journal.slotSize])
        bench.install("file.bin.pawl", both)
        return bench
    }

    private enum End: Hashable {
        case fetched(Int64)
        case refused
    }

    /// Runs a download over the journal as `damage` changes it: the result is the right file, or an error that changes
    /// nothing.
    private func run(_ moment: String, _ damage: (inout [UInt8]) -> Void) throws -> End? {
        var bench = try bench()
        var journal = try #require(bench.contents("file.bin.pawl"))
        damage(&journal)
        bench.install("file.bin.pawl", journal)
        let before = bench.listing
        let run = bench.run()
        if case .failed(let error)? = run.ending?.phase {
            let isClear = error.code == .journal && error.message.contains("file.bin.pawl")
            if !isClear || bench.listing != before || !run.requests.isEmpty { Issue.record("\(moment): \(error)") }
            return .refused
        }
        let others = bench.names.filter { $0 != "file.bin" && $0 != "file.bin.part.orphan-1" }
        if run.outcome?.isComplete != true || bench.contents("file.bin") != bench.bytes || !others.isEmpty {
            Issue.record("\(moment): \(run.ending.map { "\($0.phase)" } ?? "no end"), \(bench.names)")
        }
        return .fetched(run.bodyBytes)
    }

    /// The parts of the file that the records occupy; bytes after them have no meaning.
    private func used() throws -> [Range<Int>] {
        let journal = try #require(try bench().contents("file.bin.pawl"))
        return [0, Journal.slotSize].map { start in
            let payload = journal[(start + 12)..<(start + 16)].reversed().reduce(0) { $0 << 8 | Int($1) }
            return start..<(start + 24 + payload + 8)
        }
    }

    @Test
    func
        `J04 with any byte of a journal damaged, the other generation counts, or the download fails and nothing is changed`()
        throws
    {
        let used = try used()
        let (newer, older) = (used[0], used[1])
        for position in Array(newer) + Array(older) {
            // A different bit each time, and for the version also the lowest one, which makes it a later version.
            let bit = UInt8(1) << UInt8(position % 8)
            let end = try run("byte \(position)") { $0[position] ^= bit }
            let start = newer.contains(position) ? newer.lowerBound : older.lowerBound
            let mayBeRefused = (start + 8..<start + 12).contains(position)
            let kept = newer.contains(position) ? Self.older : Self.newer
            if end != .fetched(Int64(Self.size) - kept), !(mayBeRefused && end == .refused) {
                Issue.record("byte \(position): \(end.map { "\($0)" } ?? "no end")")
            }
        }
        for position in stride(from: 1, to: Journal.fileSize, by: 1009)
        where !newer.contains(position) && !older.contains(position) {
            #expect(
                try run("byte \(position)") { $0[position] ^= 0xFF } == .fetched(Int64(Self.size) - Self.newer),
                "byte \(position)")
        }
    }

    @Test func `J04 a truncated or lengthened journal claims its complete generation or nothing`() throws {
        let used = try used()
        let lengths =
            Array(stride(from: 0, to: used[0].upperBound + 8, by: 7))
            + Array(stride(from: used[1].lowerBound - 2, to: used[1].upperBound + 8, by: 7))
        for length in lengths {
            let end = try run("cut to \(length)") { $0 = Array($0.prefix(length)) }
            if length >= used[0].upperBound {
                #expect(end == .fetched(Int64(Self.size) - Self.newer), "cut to \(length)")
            } else if length == 0 {
                #expect(end == .fetched(Int64(Self.size)))
            } else {
                #expect(end == .refused, "cut to \(length)")
            }
        }
        #expect(
            try run("lengthened") { $0 += [UInt8](repeating: 7, count: 5000) }
                == .fetched(Int64(Self.size) - Self.newer))
    }

    @Test func `J04 with any byte of an unsynced record damaged, the other record counts, or only the durable one`()
        throws
    {
        var slots: [Range<Int>] = []
        /// Adds unsynced records. The durable record claims `older`, the first unsynced one half as much again, and the
        /// second `newer`.
        func addSoft(_ journal: inout [UInt8], owner: Owner) {
            guard case .record(var record) = Journal.decode(journal) else { return }
            // Keep only the older durable generation.
            journal.replaceSubrange(..<Journal.slotSize, with: [UInt8](repeating: 0, count: Journal.slotSize))
            record.owner = owner
            slots = []
            for (generation, count) in [(1, (Self.older + Self.newer) / 2), (2, Self.newer)] as [(UInt64, Int64)] {
                record.generation = generation
                record.durable = RangeSet(ByteRange(0..<count))
                let slot = Journal.encode(UnsyncedRecord(record))
                let start = Int(Journal.unsyncedSlotOffset(generation: generation))
                journal.replaceSubrange(start..<start + slot.count, with: slot)
                slots.append(start..<start + slot.count)
            }
        }
        let owner = try bench().disk.owner
        #expect(try run("whole") { addSoft(&$0, owner: owner) } == .fetched(Int64(Self.size) - Self.newer))
        for (index, slot) in slots.enumerated() {
            let kept = index == 0 ? Self.newer : (Self.older + Self.newer) / 2
            for position in slot {
                let end = try run("byte \(position)") { journal in
                    addSoft(&journal, owner: owner)
                    journal[position] ^= UInt8(1) << UInt8(position % 8)
                }
                if end != .fetched(Int64(Self.size) - kept) {
                    Issue.record("byte \(position): \(end.map { "\($0)" } ?? "no end")")
                }
            }
        }
        let neither = try run("both") { journal in
            addSoft(&journal, owner: owner)
            for slot in slots { journal[slot.lowerBound + 30] ^= 0xFF }
        }
        #expect(neither == .fetched(Int64(Self.size) - Self.older))
    }

    @Test func `J04 a journal of zeros claims nothing`() throws {
        #expect(try run("zeros") { $0 = [UInt8](repeating: 0, count: $0.count) } == .fetched(Int64(Self.size)))
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `J04 a partly overwritten journal yields the other generation, or an error that changes nothing`(
        _ seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        // Whole sectors, as a disk tears them, or any length, as a program writes.
        let length =
            seed % 2 == 0 ? 512 * Int.random(in: 1...80, using: &random) : Int.random(in: 1...9000, using: &random)
        let start =
            seed % 2 == 0 ? 512 * Int.random(in: 0..<40, using: &random) : Int.random(in: 0..<1000, using: &random)
        let isZeros = seed % 4 < 2
        _ = try run("seed \(seed)") { journal in
            for position in start..<min(start + length, journal.count) {
                journal[position] = isZeros ? 0 : UInt8(truncatingIfNeeded: random.next())
            }
        }
    }
}
