/// The central directory of a zip archive (APPNOTE 4.3.12): what is in it, and where.
package struct ZipDirectory: Hashable, Sendable {
    /// The entries in the directory's order.
    package let entries: [ZipEntry]
    package let end: ZipEnd

    /// Reads the directory and checks it against itself and the end record: the number of members, their places in the
    /// file, that none lies within another (FAULTS Z03, Z05, Z06). It takes as much memory as the bytes justify,
    /// whatever number the record claims.
    ///
    /// - Parameter bytes: all of the directory, as `end` says where it is.
    package init(parsing bytes: [UInt8], end: ZipEnd) throws(ArchiveError) {
        guard Int64(bytes.count) == end.directoryLength else {
            throw .zipTruncated("its list of members is incomplete")
        }
        var entries: [ZipEntry] = []
        // A header is 46 bytes at least.
        entries.reserveCapacity(min(bytes.count / 46, Int(clamping: end.entryCount)))
        var rest = bytes[...]
        while rest.isSignature(ZipSignature.directoryEntry, at: rest.startIndex) {
            entries.append(try ZipEntry(takingFrom: &rest, end: end))
        }
        try Self.checkRemainder(rest)
        guard UInt64(entries.count) == end.entryCount else {
            throw .zipDamaged("its end record states \(end.entryCount) members, but its list has \(entries.count)")
        }
        try Self.bound(&entries, by: end)
        self.entries = entries
        self.end = end
    }

    /// Checks that only a digital signature (4.3.13), which nobody checks any more, follows the last member.
    private static func checkRemainder(_ rest: ArraySlice<UInt8>) throws(ArchiveError) {
        guard !rest.isEmpty else { return }
        var fields = ZipFields(rest)
        guard fields.u32() == ZipSignature.digitalSignature else {
            throw .zipDamaged("its list of members contains other data")
        }
        let length = Int(fields.u16())
        fields.skip(length)
        guard fields.fits, fields.count == 0 else { throw .zipDamaged("its list of members contains other data") }
    }

    /// Gives each member its bound, and finds those that share bytes.
    private static func bound(_ entries: inout [ZipEntry], by end: ZipEnd) throws(ArchiveError) {
        var isAscending = true
        for index in entries.indices.dropFirst() where entries[index].headerOffset <= entries[index - 1].headerOffset {
            isAscending = false
        }
        let order =
            isAscending
            ? Array(entries.indices) : entries.indices.sorted { entries[$0].headerOffset < entries[$1].headerOffset }
        var bound = end.directoryStart
        for index in order.reversed() {
            let entry = entries[index]
            let least = Int64(ZipLocalHeader.fixedLength) + Int64(entry.rawName.count)
            // Both are not negative, and the sizes were found to fit into the file.
            guard entry.headerOffset <= bound, bound - entry.headerOffset >= least,
                entry.compressedSize <= bound - entry.headerOffset - least
            else {
                throw .zipDamaged(entry.path, "its data overlaps what follows, as in zip bombs")
            }
            entries[index].dataBound = bound
            bound = entry.headerOffset
        }
    }
}
