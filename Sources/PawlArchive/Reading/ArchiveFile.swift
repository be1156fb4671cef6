import PawlSystem

/// An archive on disk, open for reading; closed with its last reference.
final class ArchiveFile: ZipSource {
    let path: String
    let length: Int64
    let descriptor: Int32
    /// Whether several threads may read at once: pread(2) moves nothing that others use.
    let isShareable = true
    private let flag: StopFlag

    /// - Parameters:
    ///   - followsLinks: false refuses a symbolic link anywhere in the path.
    ///   - flag: raised, each read fails.
    convenience init(
        _ path: String, followsLinks: Bool = true, until flag: StopFlag = .init()
    ) throws(ArchiveError) {
        try self.init(path, in: DirectoryEntry(path, followsLinks: followsLinks), until: flag)
    }

    /// - Parameter entry: nil, with the reason in `errno`, where the directory cannot be opened.
    init(_ path: String, in entry: DirectoryEntry?, until flag: StopFlag) throws(ArchiveError) {
        guard let entry else { throw .reading(path, "open", errno: errno) }
        // A named pipe without a writer would block for ever; for a regular file the flag means nothing.
        let descriptor = entry.open(O_RDONLY | O_NONBLOCK)
        guard descriptor >= 0 else { throw .reading(path, "openat", errno: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let number = errno
            _ = SystemCalls.close(descriptor)
            throw .reading(path, "fstat", errno: number)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            _ = SystemCalls.close(descriptor)
            throw ArchiveError(.unreadable, "\(quoted(path)) is not a file, so it is not an archive.")
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
