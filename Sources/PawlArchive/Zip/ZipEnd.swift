/// The place of the central directory of a zip archive, from the records at the file's end (APPNOTE 4.3.14 to 4.3.16).
///
/// All positions are in the file, with what stands in front of the archive (a self-extracting program) already added.
package struct ZipEnd: Hashable, Sendable {
    /// The result of looking at the last bytes of a file.
    package enum Found: Hashable, Sendable {
        case end(ZipEnd)
        /// The search needs all bytes from this position of the file on.
        case needsMore(from: Int64)
    }

    /// The number of bytes that hold the end records of nearly every archive: a comment may be 65,535 bytes long
    /// (4.4.12), 22 are the record itself, 20 the locator of zip64 and 56 its record.
    package static let usualTailLength: Int64 = 65_535 + 22 + 20 + 56

    /// The records that locate the directory are 20 and 22 bytes long.
    static let length = 22
    static let locatorLength = 20
    /// The length of the zip64 end record, without the data sector that may follow.
    static let zip64Length = 56
    /// The largest size of that sector; it holds what only PKZIP knows (4.3.14.4), and nobody is known to write one.
    static let maximumSectorSize: Int64 = 65_536

    /// The first byte of the central directory, and the first behind it.
    package let directoryStart: Int64
    package let directoryEnd: Int64
    /// The number of entries that the record claims: a number to compare with, never to reserve memory by.
    package let entryCount: UInt64
    /// The number of bytes in front of the archive, which is added to each offset in it.
    package let prefixLength: Int64
    /// The length of the file.
    package let fileLength: Int64
    package let comment: [UInt8]
    /// Zeros behind the end record.
    package let paddingLength: Int64

    package var directoryLength: Int64 { directoryEnd - directoryStart }

    /// Looks for the end records in the last bytes of a file (FAULTS Z05, Z06, Z09).
    ///
    /// - Parameters:
    ///   - tail: the last bytes of the file; as many as ``usualTailLength``, or all.
    ///   - length: the file's length in bytes.
    package static func find(in tail: [UInt8], ofFileOfLength length: Int64) throws(ArchiveError) -> Found {
        guard length >= Int64(tail.count) else { throw .zipDamaged("more bytes were given than it has") }
        let tailStart = length - Int64(tail.count)
        let wanted = min(length, usualTailLength)
        guard Int64(tail.count) >= wanted else { return .needsMore(from: length - wanted) }
        let position = try EndRecord.position(in: tail)
        let record = EndRecord(tail, at: position)
        return try record.found(in: tail, tailStart: tailStart, length: length)
    }
}
