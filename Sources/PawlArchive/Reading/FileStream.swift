/// An archive's file, read from front to end with jumps.
final class FileStream {
    private static let bufferSize = 256 << 10

    private(set) var offset: Int64 = 0
    /// Whether the end was reached and more was asked for: a failure from now on means that the rest is missing.
    private(set) var isAtEnd = false
    /// The reason why the last read failed.
    private(set) var failure: ArchiveError?
    /// The flag that stops all reading once it is set.
    var flag: StopFlag?
    private let file: ArchiveFile
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 4096)

    init(_ file: ArchiveFile) { self.file = file }

    deinit { buffer.deallocate() }

    var path: String { file.path }
    var isStopped: Bool { flag?.isUp == true }
    var length: Int64 { file.length }

    /// The next bytes, valid until the next call; none at the end. Nil after a failure.
    func next() -> UnsafeRawBufferPointer? {
        if isStopped { return nil }
        do throws(ArchiveError) {
            let count = try file.read(into: buffer, at: offset)
            isAtEnd = count == 0
            offset += Int64(count)
            return UnsafeRawBufferPointer(rebasing: buffer[..<count])
        } catch {
            failure = error
            return nil
        }
    }

    func jump(to offset: Int64) { self.offset = min(max(0, offset), length) }

    /// Returns the bytes of a range; fewer at the end of the file.
    func bytes(_ range: Range<Int64>) throws(ArchiveError) -> [UInt8] { try file.bytes(range) }
}
