internal import CArchive
package import PawlEngine

/// Reads the lines of a text that was compressed to gzip (RFC 1952), piece by piece.
package final class GzipReader {
    private let handle: LibArchiveHandle
    private let input: ContentInput
    private let length: Int64
    private var checksum = CRC32()
    private var count: Int64 = 0

    /// - Throws: what is no gzip, or cannot be read.
    package init(_ content: any FileContent, length: Int64) throws(ArchiveError) {
        input = ContentInput(content)
        self.length = length
        handle = try LibArchiveHandle(input) {
            [TarFilter.gzip.enable($0), archive_read_support_format_raw($0)]
        }
        var entry: OpaquePointer?
        guard handle.open() == ARCHIVE_OK, archive_read_next_header(handle.pointer, &entry) == ARCHIVE_OK else {
            throw failure
        }
        guard archive_filter_count(handle.pointer) > 1 else { throw ArchiveError(.notAnArchive, "It is not gzip.") }
    }

    /// Returns the next bytes; nil after the last.
    ///
    /// - Throws: for an end that is missing, and a checksum that does not match.
    package func next() throws(ArchiveError) -> [UInt8]? {
        while true {
            var block: UnsafeRawPointer?
            var size = 0
            var place: la_int64_t = 0
            switch archive_read_data_block(handle.pointer, &block, &size, &place) {
            case ARCHIVE_EOF:
                let end = (try? input.content.read(8, at: max(0, length - 8))) ?? []
                guard TarBytes.agrees(end[...], checksum, length: count) else {
                    throw ArchiveError(.damaged, "It is damaged: its checksum does not match.")
                }
                return nil
            case ARCHIVE_OK:
                guard size > 0 else { continue }
                let bytes = UnsafeRawBufferPointer(start: block, count: size)
                checksum.update(bytes)
                count += Int64(size)
                return Array(bytes)
            default: throw failure
            }
        }
    }

    private var failure: ArchiveError {
        let kind = LibArchiveFailure(handle.message, isAtEnd: input.isAtEnd)
        return (kind == .notAnArchive && count > 0 ? .truncated : kind).error("It", handle.message)
    }
}

private final class ContentInput: LibArchiveInput {
    let content: any FileContent
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    private var offset: Int64 = 0
    private(set) var isAtEnd = false

    init(_ content: any FileContent) { self.content = content }

    deinit { buffer.deallocate() }

    func next() -> UnsafeRawBufferPointer? {
        guard let count = try? content.read(into: buffer, at: offset) else { return nil }
        isAtEnd = count == 0
        offset += Int64(count)
        return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }

    func skip(_ count: Int64) -> Int64 { 0 }

    func seek(_ offset: Int64, from whence: Int32) -> Int64? { nil }
}
