internal import CZlib
package import PawlCore

/// Compresses bytes to gzip (RFC 1952), without a name or a time: the same bytes give the same.
package final class GzipWriter {
    /// Takes the compressed bytes, in order.
    package typealias Sink = (UnsafeRawBufferPointer) throws(StorageError) -> Void

    private var stream = z_stream()
    private let sink: Sink
    private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 256 << 10)

    package init(_ sink: @escaping Sink) throws(StorageError) {
        self.sink = sink
        // 15 bits of window, and 16 more for the frame of gzip.
        let code = deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw Self.failure(code) }
    }

    deinit {
        deflateEnd(&stream)
        buffer.deallocate()
    }

    package func write(_ bytes: [UInt8]) throws(StorageError) { try deflate(bytes, Z_NO_FLUSH) }

    /// Writes the end.
    package func close() throws(StorageError) { try deflate([], Z_FINISH) }

    private func deflate(_ bytes: [UInt8], _ flush: Int32) throws(StorageError) {
        var input = bytes
        let result = input.withUnsafeMutableBufferPointer { input in
            Result { () throws(StorageError) in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(clamping: input.count)
                while true {
                    stream.next_out = buffer.baseAddress
                    stream.avail_out = UInt32(clamping: buffer.count)
                    let code = CZlib.deflate(&stream, flush)
                    guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw Self.failure(code) }
                    let count = buffer.count - Int(stream.avail_out)
                    if count > 0 {
                        try sink(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
                    }
                    if flush == Z_FINISH ? code == Z_STREAM_END : stream.avail_in == 0 && stream.avail_out > 0 {
                        return
                    }
                }
            }
        }
        try result.get()
    }

    private static func failure(_ code: Int32) -> StorageError {
        StorageError(operation: "deflate", name: "gzip", reason: code == Z_MEM_ERROR ? .other(errno: 12) : .inputOutput)
    }
}
