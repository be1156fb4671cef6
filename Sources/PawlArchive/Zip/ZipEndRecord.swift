/// The end of central directory record (APPNOTE 4.3.16), found in a file's tail and not yet believed.
struct EndRecord {
    /// The index of the record in the tail.
    let position: Int
    let disk: UInt16
    let directoryDisk: UInt16
    let entriesOnDisk: UInt16
    let entries: UInt16
    let directoryLength: UInt32
    let directoryOffset: UInt32
    let comment: [UInt8]
    /// Zeros behind it.
    let paddingLength: Int64

    init(_ tail: [UInt8], at position: Int) {
        self.position = position
        var fields = ZipFields(tail[(position + 4)...])
        disk = fields.u16()
        directoryDisk = fields.u16()
        entriesOnDisk = fields.u16()
        entries = fields.u16()
        directoryLength = fields.u32()
        directoryOffset = fields.u32()
        comment = Array(fields.bytes(Int(fields.u16())))
        paddingLength = Int64(fields.count)
    }

    /// Returns the position of the only record. Two possible records are two archives in one file, which programs read
    /// differently: they are refused, as is anything behind the record but zeros, to which `tar` and tapes pad.
    static func position(in tail: [UInt8]) throws(ArchiveError) -> Int {
        let earliest = max(0, tail.count - ZipEnd.length - 65_535)
        let places = signatures(in: tail, from: earliest)
        guard let last = places.last else { throw .zipTruncated("its end, which has the list of members, is missing") }
        let exact = places.filter { reach(of: $0, in: tail) == tail.count }
        if let only = exact.first {
            guard exact.count == 1 else {
                throw .zipDamaged("it has two end records, and could be read as two archives")
            }
            // Within the comment: those who look for the last signature would take it for the record.
            guard only == last else { throw .zipDamaged("a second end record hides in its comment") }
            return only
        }
        guard let reach = reach(of: last, in: tail) else { throw .zipTruncated("its end record is incomplete") }
        if tail[reach...].allSatisfy({ $0 == 0 }) { return last }
        throw .zipDamaged("data follows its end")
    }

    private static func signatures(in tail: [UInt8], from start: Int) -> [Int] {
        var found: [Int] = []
        // 65,000 places to look at for every archive: without a check of each subscript.
        tail.withUnsafeBufferPointer { bytes in
            var index = start
            while index < bytes.count - 3 {
                if bytes[index] == 0x50, bytes[index + 1] == 0x4B, bytes[index + 2] == 5, bytes[index + 3] == 6 {
                    found.append(index)
                }
                index += 1
            }
        }
        return found
    }

    /// Returns the end of the record at `position`, with its comment; nil if it is beyond the file.
    private static func reach(of position: Int, in tail: [UInt8]) -> Int? {
        guard position + ZipEnd.length <= tail.count else { return nil }
        let end = position + ZipEnd.length + Int(tail[position + 20]) + Int(tail[position + 21]) << 8
        return end <= tail.count ? end : nil
    }

    /// The directory as this record has it, and the zip64 record if there is one.
    func found(in tail: [UInt8], tailStart: Int64, length: Int64) throws(ArchiveError) -> ZipEnd.Found {
        let here = tailStart + Int64(position)
        let locatorIndex = position - ZipEnd.locatorLength
        guard locatorIndex >= 0, tail[...].isSignature(ZipSignature.zip64Locator, at: locatorIndex) else {
            try refuseSeveralDisks(
                disk: UInt32(disk), directoryDisk: UInt32(directoryDisk), entriesOnDisk: UInt64(entriesOnDisk),
                entries: UInt64(entries))
            // Without zip64 the largest numbers stand for themselves: an archive may well have 65,535 members.
            return .end(
                try end(
                    at: here, offset: UInt64(directoryOffset), size: UInt64(directoryLength), entries: UInt64(entries),
                    length: length))
        }
        return try Zip64End.find(for: self, in: tail, tailStart: tailStart, length: length)
    }

    func refuseSeveralDisks(
        disk: UInt32, directoryDisk: UInt32, entriesOnDisk: UInt64, entries: UInt64
    ) throws(ArchiveError) {
        guard disk == 0, directoryDisk == 0 else {
            throw .zipUnsupported("it is one part of an archive on several disks")
        }
        guard entriesOnDisk == entries else {
            throw .zipDamaged("its end record gives two different numbers of members")
        }
    }

    /// - Parameter position: of the record right behind the directory.
    func end(
        at position: Int64, offset: UInt64, size: UInt64, entries: UInt64, length: Int64
    ) throws(ArchiveError) -> ZipEnd {
        guard let offset = Int64(exactly: offset), let size = Int64(exactly: size), size <= position,
            offset <= position - size
        else {
            throw .zipDamaged("its end record gives an impossible position for the list of members")
        }
        return ZipEnd(
            directoryStart: position - size, directoryEnd: position, entryCount: entries,
            prefixLength: position - size - offset,
            fileLength: length, comment: comment, paddingLength: paddingLength)
    }
}
