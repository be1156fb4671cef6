internal import CArchive

/// A small document in memory that a server has compressed by one of the filters of tar.
package struct CompressedDocument {
    private let bytes: [UInt8]
    private let filter: TarFilter

    /// - Returns: nil where the bytes do not begin as those of any filter.
    package init?(_ bytes: [UInt8]) {
        guard let filter = TarFilter(bytes) else { return nil }
        (self.bytes, self.filter) = (bytes, filter)
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

    /// libarchive passes over the checksums of gzip.
    private func checkGzip(_ decoded: [UInt8]) throws(ArchiveError) {
        guard filter == .gzip else { return }
        var checksum = CRC32()
        decoded.withUnsafeBytes { checksum.update($0) }
        guard TarBytes.agrees(bytes.suffix(8), checksum, length: Int64(decoded.count)) else {
            throw ArchiveError(.damaged, "It is damaged: its bytes do not have their checksum.")
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
