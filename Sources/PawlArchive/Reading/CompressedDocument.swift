internal import CArchive

/// A small document in memory that a server has compressed by one of the filters of tar.
package struct CompressedDocument {
    private let bytes: [UInt8]
    private let filter: TarFilter
    /// The frame of gzip is ours, and ends where the bytes do.
    private var isFramed = false

    /// - Returns: nil where the bytes do not begin as those of any filter.
    package init?(_ bytes: [UInt8]) {
        guard let filter = TarFilter(bytes) else { return nil }
        (self.bytes, self.filter) = (bytes, filter)
    }

    private init(framing deflated: ArraySlice<UInt8>) {
        // RFC 1952 §2.3. The checksum and the length at the end are not known, and nothing compares them.
        bytes = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] + deflated + [UInt8](repeating: 0, count: 8)
        (filter, isFramed) = (.gzip, true)
    }

    /// The bytes under `Content-Encoding: deflate`: with zlib's header and checksum (RFC 9110 §8.4.1.2), or bare, as
    /// some servers send them.
    ///
    /// - Throws: as ``decoded(atMost:)``.
    package static func inflated(_ bytes: [UInt8], atMost limit: Int) throws(ArchiveError) -> [UInt8] {
        guard isZlib(bytes) else { return try CompressedDocument(framing: bytes[...]).decoded(atMost: limit) }
        let decoded = try CompressedDocument(framing: bytes.dropFirst(2).dropLast(4)).decoded(atMost: limit)
        guard bytes.suffix(4).reduce(0, { $0 << 8 | UInt32($1) }) == adler32(decoded) else {
            throw ArchiveError(.damaged, "It is damaged: its checksum does not match.")
        }
        return decoded
    }

    /// Returns whether the bytes are a zlib stream (RFC 1950 §2.2): deflate, without a preset dictionary, and a number
    /// that 31 divides. No bare stream begins so.
    private static func isZlib(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 6 && bytes[0] & 0x8F == 8 && bytes[1] & 0x20 == 0
            && (UInt16(bytes[0]) << 8 | UInt16(bytes[1])).isMultiple(of: 31)
    }

    /// Returns the Adler-32 checksum (RFC 1950 §8.2).
    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (sum, sums): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            sum = (sum + UInt32(byte)) % 65_521
            sums = (sums + sum) % 65_521
        }
        return sums << 16 | sum
    }

    /// The bytes as they were.
    ///
    /// - Throws: ``ArchiveError/Code/tooLarge`` for more than `limit`; what is damaged, or cannot be read.
    package func decoded(atMost limit: Int) throws(ArchiveError) -> [UInt8] {
        let input = BytesInput(bytes)
        let handle = try LibArchiveHandle(input) { [filter.enable($0), archive_read_support_format_raw($0)] }
        func failure() -> ArchiveError {
            let kind = LibArchiveFailure(handle.message, isAtEnd: input.isAtEnd)
            // Nothing came out of the filter.
            return (kind == .notAnArchive ? .truncated : kind).error("It", handle.message)
        }
        var entry: OpaquePointer?
        guard handle.open() == ARCHIVE_OK, archive_read_next_header(handle.pointer, &entry) == ARCHIVE_OK else {
            throw failure()
        }
        // A beginning that is too short for the filter goes through as it is.
        guard archive_filter_count(handle.pointer) > 1 else { throw LibArchiveFailure.truncated.error("It", "") }
        var decoded: [UInt8] = []
        while true {
            var block: UnsafeRawPointer?
            var count = 0
            var place: la_int64_t = 0
            switch archive_read_data_block(handle.pointer, &block, &count, &place) {
            case ARCHIVE_EOF:
                guard !isFramed || archive_filter_bytes(handle.pointer, -1) == Int64(bytes.count) else {
                    throw ArchiveError(.damaged, "It is damaged: data follows its end.")
                }
                try checkGzip(decoded)
                return decoded
            case ARCHIVE_OK:
                guard count <= limit - decoded.count else {
                    throw ArchiveError(.tooLarge, "It has more than \(limit) bytes.")
                }
                decoded += UnsafeRawBufferPointer(start: block, count: count)
            default: throw failure()
            }
        }
    }

    /// Checks the checksum of gzip, which libarchive passes over.
    private func checkGzip(_ decoded: [UInt8]) throws(ArchiveError) {
        guard filter == .gzip, !isFramed else { return }
        var checksum = CRC32()
        decoded.withUnsafeBytes { checksum.update($0) }
        guard TarBytes.agrees(bytes.suffix(8), checksum, length: Int64(decoded.count)) else {
            throw ArchiveError(.damaged, "It is damaged: its checksum does not match.")
        }
    }
}

private final class BytesInput: LibArchiveInput {
    private let buffer: UnsafeMutableRawBufferPointer
    private var isGiven = false
    private(set) var isAtEnd = false

    init(_ bytes: [UInt8]) {
        buffer = .allocate(byteCount: bytes.count, alignment: 16)
        buffer.copyBytes(from: bytes)
    }

    deinit { buffer.deallocate() }

    func next() -> UnsafeRawBufferPointer? {
        isAtEnd = isGiven
        isGiven = true
        return isAtEnd ? UnsafeRawBufferPointer(start: nil, count: 0) : UnsafeRawBufferPointer(buffer)
    }

    func skip(_ count: Int64) -> Int64 { 0 }

    func seek(_ offset: Int64, from whence: Int32) -> Int64? { nil }
}
