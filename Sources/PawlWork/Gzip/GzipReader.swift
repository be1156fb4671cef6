internal import CZlib
import PawlCore
package import PawlEngine

/// Reads bytes that were compressed to gzip (RFC 1952), piece by piece, in one member or in several behind each other.
package final class GzipReader {
    private var stream = z_stream()
    private let content: any FileContent
    private let length: Int64
    private var position: Int64 = 0
    private var input: [UInt8] = []
    private var start = 0
    /// A member has begun and not ended.
    private var isInside = false
    private var hasMember = false
    /// There may be more that came of the bytes so far.
    private var isFull = false
    private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 256 << 10)

    /// The content is not what it should be, or cannot be read.
    package struct Failure: Error, Hashable, Sendable {
        /// A sentence about “it”.
        package let message: String
    }

    package init(_ content: any FileContent, length: Int64) throws(Failure) {
        (self.content, self.length) = (content, length)
        // 15 bits of window, and 16 more for the frame of gzip.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw Failure(message: "There is not enough memory to read it.")
        }
    }

    deinit {
        inflateEnd(&stream)
        buffer.deallocate()
    }

    /// Returns the next bytes, at least one; nil after the last.
    ///
    /// - Throws: for an end that is missing, and a checksum that does not match.
    package func next() throws(Failure) -> [UInt8]? {
        while true {
            if start == input.count, !isFull, try !readOn() {
                guard hasMember else { throw Failure(message: "It is empty, and not gzip.") }
                guard !isInside else { throw Failure(message: "It is cut off.") }
                return nil
            }
            let (code, count) = inflate()
            (isInside, hasMember) = (code != Z_STREAM_END, true)
            isFull = isInside && count == buffer.count
            switch code {
            case Z_STREAM_END: inflateReset(&stream)
            case Z_OK, Z_BUF_ERROR: break
            case Z_MEM_ERROR: throw Failure(message: "There is not enough memory to read it.")
            default: throw Failure(message: "It is not gzip, or damaged.")
            }
            if count > 0 { return Array(buffer[..<count]) }
        }
    }

    private func inflate() -> (code: Int32, count: Int) {
        let taken = start
        return input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress.map { $0 + taken }
            stream.avail_in = UInt32(clamping: input.count - taken)
            stream.next_out = buffer.baseAddress
            stream.avail_out = UInt32(clamping: buffer.count)
            let code = CZlib.inflate(&stream, Z_NO_FLUSH)
            start = input.count - Int(stream.avail_in)
            return (code, buffer.count - Int(stream.avail_out))
        }
    }

    /// - Returns: false at the end.
    private func readOn() throws(Failure) -> Bool {
        let count = Int(clamping: min(64 << 10, length - position))
        guard count > 0 else { return false }
        do throws(StorageError) {
            input = try content.read(count, at: position)
        } catch {
            throw Failure(message: "It cannot be read: \(DownloadError.storage(error).message)")
        }
        start = 0
        position += Int64(input.count)
        return !input.isEmpty
    }
}
