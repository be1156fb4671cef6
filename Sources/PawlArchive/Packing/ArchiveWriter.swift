internal import CArchive
import PawlSystem

/// Writes an archive by libarchive into an open file, member by member. Used from one thread, within
/// ``TextLocale/withUTF8(_:)``.
///
/// The same members give the same bytes: no owner, no times but those of modification, no time of its own (in gzip's
/// header).
final class ArchiveWriter {
    /// The bytes so far, which include what the file system will learn with the next large write.
    private(set) var written: Int64 = 0

    /// The size of a write. Large ones are cheaper: their number decides what writing costs.
    private static let blockSize: Int32 = 1 << 20
    /// The sizes at which a member is stored without compression: data that cannot be compressed grows by five bytes in
    /// 16 KiB (RFC 1951 §3.2.4) and would pass 4 GiB after its header has promised that it needs no zip64 (APPNOTE
    /// 4.3.9.2).
    static let nearLimit = Int64(UInt32.max) - (4 << 20)...Int64(UInt32.max)

    private let handle: OpaquePointer
    private let entry: OpaquePointer
    private let format: PackingFormat
    private let descriptor: Int32
    private let path: String
    private let storedSizes: ClosedRange<Int64>
    private var failure: ArchiveError?

    /// - Parameters:
    ///   - descriptor: of a file that is written from where it stands; stays the caller's.
    ///   - path: of the archive, for messages.
    ///   - storedSizes: files of such a length are stored in a zip as they are.
    init(
        _ format: PackingFormat, level: Int?, to descriptor: Int32, path: String,
        storedSizes: ClosedRange<Int64> = nearLimit
    ) throws(ArchiveError) {
        guard let handle = archive_write_new() else { throw Self.noMemory }
        guard let entry = archive_entry_new() else {
            archive_write_free(handle)
            throw Self.noMemory
        }
        self.handle = handle
        self.entry = entry
        self.format = format
        self.descriptor = descriptor
        self.path = path
        self.storedSizes = storedSizes
        try configure(level: level)
        archive_write_set_bytes_per_block(handle, Self.blockSize)
        // Otherwise the end is filled with zeros up to a whole block.
        archive_write_set_bytes_in_last_block(handle, 1)
        let own = Unmanaged.passUnretained(self).toOpaque()
        try check(
            archive_write_open(
                handle, own, nil, { _, own, bytes, count in ArchiveWriter.write(own, bytes, count) }, nil))
    }

    deinit {
        // Otherwise freeing it would write the end of the archive.
        archive_write_fail(handle)
        archive_write_free(handle)
        archive_entry_free(entry)
    }

    private func configure(level: Int?) throws(ArchiveError) {
        switch format {
        case .zip: try check(archive_write_set_format_zip(handle))
        // POSIX.1-2001 pax headers only where a member needs them; all else is readable by every tar.
        case .tar, .tarGzip, .tarBzip2, .tarXz, .tarZstandard:
            try check(archive_write_set_format_pax_restricted(handle))
        }
        switch format {
        case .zip, .tar: break
        case .tarGzip:
            try check(archive_write_add_filter_gzip(handle))
            // RFC 1952 §2.3.1: MTIME zero means no time stamp is available.
            try check(archive_write_set_filter_option(handle, "gzip", "timestamp", nil))
        case .tarBzip2: try check(archive_write_add_filter_bzip2(handle))
        case .tarXz: try check(archive_write_add_filter_xz(handle))
        case .tarZstandard: try check(archive_write_add_filter_zstd(handle))
        }
        guard let level else { return }
        if format == .zip {
            try check(archive_write_set_format_option(handle, "zip", "compression-level", "\(level)"))
        } else {
            try check(archive_write_set_filter_option(handle, nil, "compression-level", "\(level)"))
        }
    }

    // MARK: Members

    enum Kind {
        case file(size: Int64, isExecutable: Bool)
        case directory
        case symbolicLink(target: [UInt8])
    }

    /// Begins a member; of a file exactly its size has to follow by ``write(_:)``.
    func begin(_ member: [UInt8], _ kind: Kind, modified seconds: Int64) throws(ArchiveError) {
        archive_entry_clear(entry)
        Self.withPointer(member) { archive_entry_copy_pathname(entry, $0) }
        switch kind {
        case .file(let size, let isExecutable):
            archive_entry_set_mode(entry, S_IFREG | (isExecutable ? 0o755 : 0o644))
            archive_entry_set_size(entry, size)
            if format == .zip, storedSizes.contains(size) {
                try check(archive_write_zip_set_compression_store(handle))
            } else if format == .zip {
                try check(archive_write_zip_set_compression_deflate(handle))
            }
        case .directory:
            archive_entry_set_mode(entry, S_IFDIR | 0o755)
            archive_entry_set_size(entry, 0)
        case .symbolicLink(let target):
            archive_entry_set_mode(entry, S_IFLNK | 0o777)
            Self.withPointer(target) { archive_entry_copy_symlink(entry, $0) }
            archive_entry_set_size(entry, 0)
        }
        // Zip has 32 bits for it, with a sign (Info-ZIP's extended time stamp), and what does not fit would come back
        // as another time.
        archive_entry_set_mtime(entry, time_t(format == .zip ? Int64(Int32(clamping: seconds)) : seconds), 0)
        // A warning: the path of a tar is not UTF-8 and was stored as the bytes it is.
        try check(archive_write_header(handle, entry), warnsWell: true)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = archive_write_data(handle, rest.baseAddress, rest.count)
            guard count > 0 else { throw failed() }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Writes the end of the archive.
    func close() throws(ArchiveError) { try check(archive_write_close(handle)) }

    // MARK: The file

    private static func write(_ own: UnsafeMutableRawPointer?, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        guard let own, let bytes else { return -1 }
        return Unmanaged<ArchiveWriter>.fromOpaque(own).takeUnretainedValue().store(
            UnsafeRawBufferPointer(start: bytes, count: count))
    }

    private func store(_ bytes: UnsafeRawBufferPointer) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            let count = SystemCalls.writeOnce(descriptor, rest)
            guard count >= 0 else {
                failure = ArchiveError.writing(path, "write", errno: errno)
                return -1
            }
            written += Int64(count)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return bytes.count
    }

    // MARK: Failures

    private static var noMemory: ArchiveError {
        .noHandle(.diskError, "There is not enough memory to create an archive.")
    }

    private func check(_ code: Int32, warnsWell: Bool = false) throws(ArchiveError) {
        if code == ARCHIVE_OK || (warnsWell && code == ARCHIVE_WARN) { return }
        throw failed()
    }

    /// Returns the error of a failed call. An error of the file takes precedence over libarchive's account of it.
    private func failed() -> ArchiveError {
        if let failure { return failure }
        let text = archive_error_string(handle).map { String(cString: $0) } ?? "no reason was given"
        return ArchiveError(
            .diskError, "\(quoted(path)) could not be created: \(quoted(text)).", underlying: "libarchive: \(text)")
    }

    private static func withPointer(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Void) {
        (bytes + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { $0.baseAddress.map(body) }
        }
    }
}
