/// The zip64 end of central directory record and its locator (APPNOTE 4.3.14, 4.3.15).
enum Zip64End {
    /// Reads them, given that the locator stands right in front of the end record, and checks them against it (FAULTS
    /// Z06).
    ///
    /// Some programs write both even where nothing is large, and leave the true numbers in the end record; some put
    /// there the largest number although the true one would fit. Each number of the end record is thus either the
    /// largest or the same.
    static func find(
        for end: EndRecord, in tail: [UInt8], tailStart: Int64, length: Int64
    ) throws(ArchiveError) -> ZipEnd.Found {
        let locatorIndex = end.position - ZipEnd.locatorLength
        var locator = ZipFields(tail[(locatorIndex + 4)..<end.position])
        let recordDisk = locator.u32()
        let claimed = locator.u64()
        let disks = locator.u32()
        // Some write no disk where there is one.
        guard recordDisk == 0, disks <= 1 else {
            throw .zipUnsupported("it is one part of an archive on several disks")
        }

        let locatorPosition = tailStart + Int64(locatorIndex)
        guard let position = try position(claimed, before: locatorPosition, in: tail, tailStart: tailStart) else {
            return .needsMore(from: max(0, locatorPosition - ZipEnd.maximumSectorSize))
        }
        return .end(try read(at: position, claimed: claimed, for: end, in: tail, tailStart: tailStart, length: length))
    }

    /// Returns the position of the record in the file: right before the locator, as all write it, also behind a
    /// self-extracting program; or with a data sector in between, and then where the locator says. Nil if it is before
    /// the tail.
    private static func position(
        _ claimed: UInt64, before locator: Int64, in tail: [UInt8], tailStart: Int64
    ) throws(ArchiveError) -> Int64? {
        let usual = locator - Int64(ZipEnd.zip64Length)
        guard usual >= 0 else { throw missing }
        guard usual >= tailStart else { return nil }
        if tail[...].isSignature(ZipSignature.zip64End, at: Int(usual - tailStart)) { return usual }
        guard let claimed = Int64(exactly: claimed), claimed < usual, claimed >= locator - ZipEnd.maximumSectorSize
        else { throw missing }
        guard claimed >= tailStart else { return nil }
        guard tail[...].isSignature(ZipSignature.zip64End, at: Int(claimed - tailStart)) else { throw missing }
        return claimed
    }

    private static var missing: ArchiveError { .zipDamaged("its zip64 end record is not where it should be") }

    private static func read(
        at position: Int64, claimed: UInt64, for end: EndRecord, in tail: [UInt8], tailStart: Int64, length: Int64
    ) throws(ArchiveError) -> ZipEnd {
        let locatorPosition = tailStart + Int64(end.position - ZipEnd.locatorLength)
        var fields = ZipFields(tail[(Int(position - tailStart) + 4)...])
        let size = fields.u64()
        // “The value stored … should be the size of the remaining record and should not include the leading 12 bytes”
        // (4.3.14.1).
        guard size == UInt64(locatorPosition - position - 12) else {
            throw .zipDamaged("its zip64 end record has a wrong length")
        }
        fields.skip(4)
        let disk = fields.u32()
        let directoryDisk = fields.u32()
        let entriesOnDisk = fields.u64()
        let entries = fields.u64()
        let directoryLength = fields.u64()
        let directoryOffset = fields.u64()
        try end.refuseSeveralDisks(
            disk: disk, directoryDisk: directoryDisk, entriesOnDisk: entriesOnDisk, entries: entries)
        guard agrees(end.disk, disk), agrees(end.directoryDisk, directoryDisk),
            agrees(end.entriesOnDisk, entriesOnDisk),
            agrees(end.entries, entries), agrees(end.directoryLength, directoryLength),
            agrees(end.directoryOffset, directoryOffset)
        else { throw .zipDamaged("its two end records differ") }
        let result = try end.end(
            at: position, offset: directoryOffset, size: directoryLength, entries: entries, length: length)
        // The locator counts from the archive's beginning, as all offsets do.
        guard claimed == UInt64(position - result.prefixLength) else { throw missing }
        return result
    }

    private static func agrees<Short: FixedWidthInteger>(_ short: Short, _ long: some FixedWidthInteger) -> Bool {
        short == .max || long == short
    }
}
