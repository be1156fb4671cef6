internal import CArchive
import PawlSystem

/// The bytes of a tar: those of the file, or what comes out of its filter. Remembers where the last byte was that is
/// not zero, by which the end of a tar is known.
final class TarBytes: LibArchiveInput {
    private let file: FileStream
    /// The filter that decompresses the tar; nil for a plain tar.
    private let filter: LibArchiveHandle?
    /// The offset in the tar, not in the file.
    private(set) var offset: Int64 = 0
    private(set) var endOfLastNonZero: Int64 = 0
    private var firstNonZero: Int64?
    private var firstHeader: Int64?
    /// The last block that looks like a header, by its beginning; below 0 if there was none.
    private(set) var lastHeader: Int64 = -1
    /// The last bytes before ``offset``: a magic may be divided.
    private var carried: [UInt8] = []
    private(set) var isAtEnd = false
    private(set) var failure: String?
    /// The checksum of gzip, which libarchive passes over.
    private var checksum: CRC32?

    init(_ file: FileStream, filter: TarFilter?) throws(ArchiveError) {
        self.file = file
        checksum = filter == .gzip ? CRC32() : nil
        guard let filter else {
            self.filter = nil
            return
        }
        // "raw": one member, which is whatever comes out of the filters. Apart from the handle that reads the tar, as
        // that one stops at the tar's end, and what is damaged behind it would not be seen.
        let handle = try LibArchiveHandle(file) { [filter.enable($0), archive_read_support_format_raw($0)] }
        var entry: OpaquePointer?
        guard handle.open() == ARCHIVE_OK, archive_read_next_header(handle.pointer, &entry) == ARCHIVE_OK else {
            throw LibArchiveFailure.error(handle.message, path: file.path, file: file)
        }
        self.filter = handle
    }

    /// The first bytes that are not zero look like a header. Zeros alone make no tar: images of disks begin with them.
    var beginsWithHeader: Bool {
        guard let firstNonZero, let firstHeader else { return false }
        return firstHeader == firstNonZero - firstNonZero % Self.blockLength
    }

    func next() -> UnsafeRawBufferPointer? {
        // A little of a file may become very much by its filter.
        if file.isStopped { return nil }
        guard let bytes = filter == nil ? file.next() : filtered() else { return nil }
        isAtEnd = bytes.isEmpty
        if !Self.areZeros(bytes), let last = bytes.lastIndex(where: { $0 != 0 }) {
            endOfLastNonZero = offset + Int64(last) + 1
            if firstNonZero == nil { firstNonZero = bytes.firstIndex { $0 != 0 }.map { offset + Int64($0) } }
            findHeaders(in: bytes)
        }
        carried = Array((carried + bytes.suffix(Self.magic.count - 1)).suffix(Self.magic.count - 1))
        offset += Int64(bytes.count)
        checksum?.update(bytes)
        return bytes
    }

    /// The magic at offset 257 of each header since POSIX.1-1988, and of those of GNU tar.
    private static let magic = Array("ustar".utf8)
    private static let magicOffset: Int64 = 257
    private static let blockLength: Int64 = 512

    private func findHeaders(in bytes: UnsafeRawBufferPointer) {
        let first = offset - Int64(carried.count)
        func byte(at place: Int64) -> UInt8 {
            place < offset ? carried[Int(place - first)] : bytes[Int(place - offset)]
        }
        let (last, length) = (offset + Int64(bytes.count - Self.magic.count), Self.blockLength)
        var place = first + (Self.magicOffset - first % length + length) % length
        while place <= last {
            if Self.magic.indices.allSatisfy({ byte(at: place + Int64($0)) == Self.magic[$0] }) {
                lastHeader = place - Self.magicOffset
                firstHeader = firstHeader ?? lastHeader
            }
            place += length
        }
    }

    /// Returns whether all bytes are zero: the first is, and each equals the one before.
    private static func areZeros(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
        return bytes[0] == 0 && memcmp(start, start + 1, bytes.count - 1) == 0
    }

    /// Checks the checksum and the length at the end of a gzip file (RFC 1952 §2.3.1), after everything was read. A
    /// file put together of several has those of the last only, which shows by the length.
    func hasRightChecksum() throws(ArchiveError) -> Bool {
        guard let checksum, file.length >= 8 else { return true }
        return Self.agrees(try file.bytes(file.length - 8..<file.length)[...], checksum, length: offset)
    }

    /// - Parameter end: the last eight bytes of a gzip file.
    static func agrees(_ end: ArraySlice<UInt8>, _ checksum: CRC32, length: Int64) -> Bool {
        func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
        guard number(end.suffix(4)) == UInt32(truncatingIfNeeded: length) else { return true }
        return number(end.prefix(4)) == checksum.value
    }

    private func filtered() -> UnsafeRawBufferPointer? {
        guard let filter else { return nil }
        while true {
            var block: UnsafeRawPointer?
            var count = 0
            var place: la_int64_t = 0
            switch archive_read_data_block(filter.pointer, &block, &count, &place) {
            case ARCHIVE_EOF: return UnsafeRawBufferPointer(start: nil, count: 0)
            case ARCHIVE_OK: if count > 0 { return UnsafeRawBufferPointer(start: block, count: count) }
            default:
                failure = filter.message
                return nil
            }
        }
    }

    func skip(_ count: Int64) -> Int64 {
        guard filter == nil else { return 0 }
        let skipped = file.skip(count)
        offset += skipped
        if skipped > 0 { carried = [] }
        return skipped
    }

    func seek(_ offset: Int64, from whence: Int32) -> Int64? { nil }
}
