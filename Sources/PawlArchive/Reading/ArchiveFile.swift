import PawlSystem

/// An archive on disk, open for reading; closed with its last reference.
final class ArchiveFile: ZipSource {
    let path: String
    let length: Int64
    let descriptor: Int32
    /// pread(2) moves nothing that others use.
    let isShareable = true
    private let flag: StopFlag

    /// - Parameter flag: raised, each read fails.
    init(_ path: String, until flag: StopFlag = .init()) throws(ArchiveError) {
        // A named pipe without a writer would block for ever; for a regular file the flag means nothing.
        let descriptor = SystemCalls.retryingInterrupts { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw .reading(path, "open", errno: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let number = errno
            _ = SystemCalls.close(descriptor)
            throw .reading(path, "fstat", errno: number)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            _ = SystemCalls.close(descriptor)
            throw ArchiveError(.unreadable, "\(quoted(path)) is no file, so it is no archive.")
        }
        self.path = path
        self.flag = flag
        self.descriptor = descriptor
        length = Int64(status.st_size)
        #if !canImport(Darwin)
        // Reads far ahead; nothing is lost where it is not heeded.
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        #endif
    }

    deinit { _ = SystemCalls.close(descriptor) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(ArchiveError) -> Int {
        guard let base = buffer.baseAddress, !buffer.isEmpty else { return 0 }
        if flag.isUp { throw ArchiveError(.unreadable, "\(quoted(path)) is not read any further.") }
        let count = SystemCalls.retryingInterrupts { pread(descriptor, base, buffer.count, off_t(position)) }
        guard count >= 0 else { throw .reading(path, "pread", errno: errno) }
        return count
    }
}
