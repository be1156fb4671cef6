internal import CArchive

/// The source of a libarchive handle's bytes.
protocol LibArchiveInput: AnyObject {
    /// Returns the next bytes, valid until the next call; empty at the end, and nil after a failure.
    func next() -> UnsafeRawBufferPointer?
    /// Passes over bytes without reading them; may pass over fewer, and over none.
    func skip(_ count: Int64) -> Int64
    /// Moves to an offset and returns the new one; nil where seeking is impossible.
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
        guard let base, case let (place, overflow) = base.addingReportingOverflow(offset), !overflow, place >= 0 else {
            return nil
        }
        jump(to: place)
        return self.offset
    }
}

extension ArchiveError {
    /// - Parameters:
    ///   - code: for a system that has libarchive, and no memory.
    ///   - shortage: says so.
    static func noHandle(_ code: Code, _ shortage: String) -> ArchiveError {
        guard carchive_is_available() == 0 else { return ArchiveError(code, shortage) }
        return ArchiveError(
            .unsupported,
            "This needs libarchive 3.3.3 or newer, which cannot be loaded here. Its package is libarchive13t64, libarchive13 or libarchive.",
            underlying: "dlopen: libarchive.so.13")
    }
}

/// A handle of libarchive's that reads, with nothing enabled but what is asked for.
final class LibArchiveHandle {
    let pointer: OpaquePointer
    private let input: any LibArchiveInput

    /// - Parameter enable: turns on filters and formats, and returns libarchive's answers. One that is not there, or is
    ///   there only as a program that libarchive would start, is an error.
    init(_ input: any LibArchiveInput, _ enable: (OpaquePointer) -> [Int32]) throws(ArchiveError) {
        self.input = input
        guard let pointer = archive_read_new() else {
            throw .noHandle(.unreadable, "There is not enough memory to read an archive.")
        }
        self.pointer = pointer
        guard enable(pointer).allSatisfy({ $0 == ARCHIVE_OK }) else {
            throw ArchiveError(
                .unsupported, "The libarchive of this system cannot read this kind of archive.",
                remedies: [.installLibArchive])
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

    /// The message of libarchive for its last failure, for logs, and to tell kinds of failures apart.
    var message: String { archive_error_string(pointer).map { String(cString: $0) } ?? "" }

    private static func from(_ context: UnsafeMutableRawPointer?) -> LibArchiveHandle? {
        context.map { Unmanaged<LibArchiveHandle>.fromOpaque($0).takeUnretainedValue() }
    }
}
