internal import PawlCore

extension ParserProperty {
    /// Decodes the bytes as a file, as from a failing disk, and as the payload of a slot with a valid checksum, as from
    /// an attacker.
    static func journal(_ bytes: [UInt8]) throws(Violation) {
        _ = Journal.decode(bytes)
        _ = Journal.latest(bytes)
        for version in 1...Journal.version { try journal(bytes, version) }
    }

    private static func journal(_ bytes: [UInt8], _ version: UInt32) throws(Violation) {
        guard case .record(let record) = Journal.decode(slot(payload: bytes, version)) else { return }
        try claim(record.generation < .max && record.generation % 2 == 0, "generation \(record.generation)")
        try claim(record.durable.upperBound <= record.representation.total ?? .max, "claims more than there is")
        try claimCanonical(record.durable)
        try claim(record.blockSize >= BlockHasher.smallestBlock, "blocks of \(record.blockSize)")
        for index in record.blockHashes.keys {
            let block = BlockHasher.range(
                ofBlock: index, blockSize: record.blockSize, total: record.representation.total)
            try claim(
                block.map { $0.start >= 0 && $0.end <= record.representation.total ?? .max } ?? true, "block \(index)")
        }
        let again = Journal.encode(record)
        try claim(again.count <= Journal.slotSize, "\(again.count) bytes in a slot")
        try claim(Journal.decode(again) == .record(record), "written and read, it is another")
        let unsynced = UnsyncedRecord(record, isDoubtful: bytes.count % 2 == 0)
        let before = [UInt8](repeating: 0, count: Int(Journal.unsyncedSlotOffset(generation: record.generation)))
        try claim(
            Journal.decodeUnsynced(before + Journal.encode(unsynced)) == unsynced,
            "written unsynced and read, it is another")
    }

    /// A first slot, so its generation is even; the rest of the payload is the input.
    private static func slot(payload bytes: [UInt8], _ version: UInt32) -> [UInt8] {
        let payload = [bytes.first.map { $0 & 0xFE } ?? 0] + bytes.dropFirst()
        let count = UInt32(payload.count)
        var slot = Array("PAWLJRNL".utf8) + [UInt8(version), 0, 0, 0]
        // The payload here includes the header's generation field.
        let length = max(Int(count) - 8, 0)
        slot += (0..<4).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) } + payload
        slot += [UInt8](repeating: 0, count: max(0, 8 - payload.count))
        let checksum = slot.withUnsafeBytes(XXHash64.hash)
        return slot + (0..<8).map { UInt8(truncatingIfNeeded: checksum >> UInt64($0 * 8)) }
    }

    /// Bytes that arrive in pieces hash like bytes that arrive at once, at any position in the file.
    static func hashes(_ bytes: [UInt8]) throws(Violation) {
        var cutter = Cutter(bytes)
        let position = cutter.position()
        let block = Int64(1) << Int64(cutter.byte() % 6)
        let total: Int64? = cutter.byte() < 128 ? nil : max(position, cutter.position())
        var pieces: [[UInt8]] = []
        while !cutter.isAtEnd { pieces.append(cutter.bytes()) }
        // Positions past the largest countable one are out of reach: a server that claims one is refused long before.
        let room = Int((total ?? .max).subtractingReportingOverflow(position).partialValue.clamped(to: 0...4096))
        let whole = Array(pieces.joined().prefix(room))

        for function in BlockHashFunction.allCases { try hashes(pieces, whole, block, total, position, function) }
    }

    private static func hashes(
        _ pieces: [[UInt8]], _ whole: [UInt8], _ block: Int64, _ total: Int64?, _ position: Int64,
        _ function: BlockHashFunction
    ) throws(Violation) {
        let atOnce = { (bytes: ArraySlice<UInt8>) in
            var hash = BlockHash(function)
            bytes.withUnsafeBytes { hash.update($0) }
            return hash.value
        }
        var hash = BlockHash(function)
        var hasher = BlockHasher(blockSize: block, total: total, position: position, function)
        var found: [Int64: UInt64] = [:]
        var rest = whole[...]
        for piece in pieces {
            let part = Array(rest.prefix(piece.count))
            rest = rest.dropFirst(piece.count)
            part.withUnsafeBytes { hash.update($0) }
            for done in part.withUnsafeBytes({ hasher.update($0) }) { found[done.index] = done.hash }
        }
        try claim(hash.value == atOnce(whole[...]), "pieces hash otherwise than the whole")
        for (index, value) in found {
            guard let range = BlockHasher.range(ofBlock: index, blockSize: block, total: total) else { continue }
            let start = Int(range.start - position)
            try claim(
                start >= 0 && start + Int(range.count) <= whole.count, "the hash of block \(index), which was not seen")
            let expected = atOnce(whole[start..<start + Int(range.count)])
            try claim(value == expected, "the hash of block \(index)")
        }
    }

    static func rangeSet(_ bytes: [UInt8]) throws(Violation) {
        var cutter = Cutter(bytes)
        var set = RangeSet()
        while !cutter.isAtEnd {
            let (one, other) = (cutter.position(), cutter.position())
            let range = ByteRange(min(one, other)..<max(one, other))
            let before = set
            if cutter.byte() < 160 {
                set.insert(range)
                try claim(set.contains(range) && before.isSubset(of: set), "\(range) inserted into \(before)")
            } else {
                set.remove(range)
                try claim(
                    set.intersection(range).isEmpty && set.isSubset(of: before), "\(range) removed from \(before)")
            }
            try claimCanonical(set)
            let gaps = RangeSet(set.gaps(upTo: range.end))
            try claim(gaps.ranges.allSatisfy { set.intersection($0).isEmpty }, "a gap that is none")
            try claim(gaps.union(set).contains(ByteRange(0..<range.end)), "neither there nor missing")
            try claim(
                gaps.count + set.intersection(ByteRange(0..<range.end)).count == range.end,
                "gaps and runs do not add up")
        }
    }

    private static func claimCanonical(_ set: RangeSet) throws(Violation) {
        try claim(set.ranges.allSatisfy { $0.start >= 0 && $0.start < $0.end }, "an empty run in \(set.ranges)")
        try claim(
            zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.end < $1.start }, "runs that touch: \(set.ranges)")
        try claim(set.count >= 0, "a negative count")
    }
}

extension Int64 {
    fileprivate func clamped(to bounds: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, bounds.lowerBound), bounds.upperBound)
    }
}
