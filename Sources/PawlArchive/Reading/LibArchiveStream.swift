internal import CArchive

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where a handle of libarchive has its bytes from.
protocol LibArchiveInput: AnyObject {
    /// Valid until the next call; empty at the end. Nil after a failure.
    func next() -> UnsafeRawBufferPointer?
    /// Passes over bytes without reading them; may pass over fewer, and over none.
    func skip(_ count: Int64) -> Int64
    /// Nil where one cannot go elsewhere.
    func seek(_ offset: Int64, from whence: Int32) -> Int64?
}

extension FileStream: LibArchiveInput {
    func skip(_ count: Int64) -> Int64 {
        let from = offset
        jump(to: from.addingReportingOverflow(max(0, count)).overflow ? length : from + max(0, count))
        return offset - from
    }

    func seek(_ offset: Int64, from whence: Int32) -> Int64? {
        // SEEK_SET, SEEK_CUR, SEEK_END
        let base: Int64? = [0: 0, 1: self.offset, 2: length][whence]
        guard let base, case let (place, overflow) = base.addingReportingOverflow(offset), !overflow, place >= 0 else { return nil }
        jump(to: place)
        return self.offset
    }
}

/// A handle of libarchive's that reads, with nothing enabled but what is asked for.
final class LibArchiveHandle {
    let pointer: OpaquePointer
    private let input: any LibArchiveInput

    /// - Parameter enable: turns on filters and formats, and returns libarchive's answers. One that is not there, or is there only as a
    ///   program that libarchive would start, is an error.
    init(_ input: any LibArchiveInput, _ enable: (OpaquePointer) -> [Int32]) throws(ArchiveError) {
        self.input = input
        guard let pointer = archive_read_new() else { throw ArchiveError(.unreadable, "There is no memory left to read an archive.") }
        self.pointer = pointer
        guard enable(pointer).allSatisfy({ $0 == ARCHIVE_OK }) else {
            throw ArchiveError(.unsupported, "The libarchive of this system cannot read this kind of archive. Install one that was built with it.")
        }
        archive_read_set_callback_data(pointer, Unmanaged.passUnretained(self).toOpaque())
        archive_read_set_read_callback(pointer) { _, context, block in
            guard let handle = LibArchiveHandle.from(context), let bytes = handle.input.next() else { return -1 }
            block?.pointee = bytes.baseAddress
            return la_ssize_t(bytes.count)
        }
        archive_read_set_skip_callback(pointer) { _, context, count in
            LibArchiveHandle.from(context)?.input.skip(count) ?? 0
        }
        archive_read_set_seek_callback(pointer) { _, context, offset, whence in
            LibArchiveHandle.from(context)?.input.seek(offset, from: whence) ?? la_int64_t(ARCHIVE_FATAL)
        }
    }

    deinit { archive_read_free(pointer) }

    /// Reads the beginning.
    func open() -> Int32 { archive_read_open1(pointer) }

    /// What libarchive says of its last failure, for logs, and to tell the kinds apart.
    var message: String { archive_error_string(pointer).map { String(cString: $0) } ?? "" }

    private static func from(_ context: UnsafeMutableRawPointer?) -> LibArchiveHandle? {
        context.map { Unmanaged<LibArchiveHandle>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// The filters a tar may be in.
enum TarFilter: String, CaseIterable {
    case gzip, bzip2, xz, zstd

    /// - Parameter head: the first bytes of the file.
    init?(_ head: some Collection<UInt8>) {
        let magic: [(TarFilter, [UInt8])] = [
            (.gzip, [0x1F, 0x8B]), (.bzip2, Array("BZh".utf8)), (.xz, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]), (.zstd, [0x28, 0xB5, 0x2F, 0xFD]),
        ]
        guard let found = magic.first(where: { head.starts(with: $0.1) }) else { return nil }
        self = found.0
    }

    func enable(_ handle: OpaquePointer) -> Int32 {
        switch self {
        case .gzip: archive_read_support_filter_gzip(handle)
        case .bzip2: archive_read_support_filter_bzip2(handle)
        case .xz: archive_read_support_filter_xz(handle)
        case .zstd: archive_read_support_filter_zstd(handle)
        }
    }
}

/// The bytes of a tar: those of the file, or what comes out of its filter. Remembers where the last byte was that is not zero, by which the
/// end of a tar is known.
final class TarBytes: LibArchiveInput {
    private let file: FileStream
    /// Nil for a plain tar.
    private let filter: LibArchiveHandle?
    /// Of the tar, not the file.
    private(set) var offset: Int64 = 0
    private(set) var endOfLastNonZero: Int64 = 0
    private(set) var isAtEnd = false
    private(set) var failure: String?
    /// libarchive passes over the checksums of gzip.
    private var checksum: CRC32?

    init(_ file: FileStream, filter: TarFilter?) throws(ArchiveError) {
        self.file = file
        checksum = filter == .gzip ? CRC32() : nil
        guard let filter else {
            self.filter = nil
            return
        }
        // "raw": one member, which is whatever comes out of the filters. Apart from the handle that reads the tar, as that one stops at the
        // tar's end, and what is damaged behind it would not be seen.
        let handle = try LibArchiveHandle(file) { [filter.enable($0), archive_read_support_format_raw($0)] }
        var entry: OpaquePointer?
        guard handle.open() == ARCHIVE_OK, archive_read_next_header(handle.pointer, &entry) == ARCHIVE_OK else {
            throw LibArchiveFailure.error(handle.message, path: file.path, file: file)
        }
        self.filter = handle
    }

    func next() -> UnsafeRawBufferPointer? {
        // A little of a file may become very much by its filter.
        if file.isStopped { return nil }
        guard let bytes = filter == nil ? file.next() : filtered() else { return nil }
        isAtEnd = bytes.isEmpty
        if !Self.areZeros(bytes), let last = bytes.lastIndex(where: { $0 != 0 }) { endOfLastNonZero = offset + Int64(last) + 1 }
        offset += Int64(bytes.count)
        checksum?.update(bytes)
        return bytes
    }

    /// All are like the one before, and the first is zero.
    private static func areZeros(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
        return bytes[0] == 0 && memcmp(start, start + 1, bytes.count - 1) == 0
    }

    /// After everything was read. A gzip file ends with the checksum and the length of what it holds (RFC 1952 §2.3.1). One that was put
    /// together of several has those of the last only, which shows by the length.
    func hasRightChecksum() throws(ArchiveError) -> Bool {
        guard let checksum, file.length >= 8 else { return true }
        let end = try file.bytes(file.length - 8..<file.length)
        func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
        guard number(end.suffix(4)) == UInt32(truncatingIfNeeded: offset) else { return true }
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
        return skipped
    }

    func seek(_ offset: Int64, from whence: Int32) -> Int64? { nil }
}

/// What libarchive's words mean.
enum LibArchiveFailure {
    static func error(_ message: String, path: String, file: FileStream, member: String? = nil) -> ArchiveError {
        if let failure = file.failure { return failure }
        let words = message.lowercased()
        let what = member.map { "The member \(quoted($0)) of \(quoted(path))" } ?? quoted(path)
        func error(_ code: ArchiveError.Code, _ text: String) -> ArchiveError {
            ArchiveError(code, text, member: member, underlying: message.isEmpty ? nil : "libarchive: \(message)")
        }
        if words.contains("encrypt") || words.contains("crypto") || words.contains("passphrase") {
            return error(.unsupported, "\(what) is encrypted in a way that cannot be decrypted here. Use the program that made it, such as 7z.")
        }
        if words.contains("unrecognized archive format") {
            return error(.notAnArchive, "\(quoted(path)) is no archive of a kind that is known: zip, 7z, or tar.")
        }
        if file.isAtEnd || words.contains("truncated") || words.contains("unexpected end") || words.contains("premature end") {
            return error(.truncated, "\(what) is cut off: its end is missing. Fetch it again.")
        }
        if words.contains("unsupported") || words.contains("not supported") {
            return error(.unsupported, "\(what) is stored in a way that is not known here. Use the program that made it.")
        }
        return error(.damaged, "\(what) is damaged. Fetch it again.")
    }
}
