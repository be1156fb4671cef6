#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An archive's file, read from front to end with jumps.
final class FileStream {
    private static let bufferSize = 256 << 10

    let path: String
    let length: Int64
    private(set) var offset: Int64 = 0
    /// Why the last read failed.
    private(set) var failure: ArchiveError?
    private let file: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 4096)

    /// - Throws: ``ArchiveError/Code/unreadable``, also for what is no regular file: a pipe could not be read twice.
    init(_ path: String) throws(ArchiveError) {
        self.path = path
        // Without O_NONBLOCK, opening a named pipe would wait for someone to write to it.
        file = SystemCalls.retryingInterrupts { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else {
            let reason = errno
            if file >= 0 { SystemCalls.close(file) }
            length = 0
            throw .reading(path, "open", errno: reason)
        }
        length = Int64(status.st_size)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ArchiveError(.unreadable, "\(quoted(path)) cannot be read as an archive: it is no regular file.")
        }
    }

    deinit {
        if file >= 0 { SystemCalls.close(file) }
        buffer.deallocate()
    }

    /// The next bytes, valid until the next call; none at the end. Nil after a failure.
    func next() -> UnsafeRawBufferPointer? {
        guard let count = read(into: buffer, at: offset) else { return nil }
        offset += Int64(count)
        return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }

    func jump(to offset: Int64) { self.offset = min(max(0, offset), length) }

    /// What is there at a place; fewer at the end of the file.
    func bytes(at offset: Int64, count: Int) throws(ArchiveError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var have = 0
        while have < count {
            let read = bytes.withUnsafeMutableBytes { rest in
                self.read(into: UnsafeMutableRawBufferPointer(rebasing: rest[have...]), at: offset + Int64(have))
            }
            guard let read else { throw failure ?? ArchiveError(.unreadable, "\(quoted(path)) cannot be read.") }
            if read == 0 { break }
            have += read
        }
        return Array(bytes[..<have])
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int? {
        let count = SystemCalls.retryingInterrupts { pread(file, buffer.baseAddress, buffer.count, off_t(offset)) }
        if count >= 0 { return count }
        failure = .reading(path, "pread", errno: errno)
        return nil
    }
}
