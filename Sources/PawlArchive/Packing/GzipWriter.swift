internal import CArchive
package import PawlCore
import PawlSystem

/// Compresses bytes to gzip (RFC 1952), without a name or a time: the same bytes give the same.
package final class GzipWriter {
    package typealias Sink = (UnsafeRawBufferPointer) throws(StorageError) -> Void

    private let handle: OpaquePointer
    private let sink: Sink
    private var failure: StorageError?

    /// - Parameter sink: takes the compressed bytes, in order.
    package init(_ sink: @escaping Sink) throws(StorageError) {
        guard let handle = archive_write_new() else { throw Self.unavailable }
        (self.handle, self.sink) = (handle, sink)
        let own = Unmanaged.passUnretained(self).toOpaque()
        guard let entry = archive_entry_new() else { throw Self.unavailable }
        defer { archive_entry_free(entry) }
        archive_entry_set_mode(entry, S_IFREG)
        let codes = [
            archive_write_set_format_raw(handle), archive_write_add_filter_gzip(handle),
            archive_write_set_filter_option(handle, "gzip", "timestamp", nil),
            archive_write_set_bytes_per_block(handle, 64 << 10), archive_write_set_bytes_in_last_block(handle, 1),
            archive_write_open(handle, own, nil, { _, own, bytes, count in GzipWriter.take(own, bytes, count) }, nil),
            archive_write_header(handle, entry),
        ]
        guard codes.allSatisfy({ $0 == ARCHIVE_OK }) else { throw failed }
    }

    deinit {
        // Otherwise freeing it would write the end.
        archive_write_fail(handle)
        archive_write_free(handle)
    }

    package func write(_ bytes: [UInt8]) throws(StorageError) {
        let isWritten = bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = archive_write_data(handle, rest.baseAddress, rest.count)
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return true
        }
        guard isWritten else { throw failed }
    }

    /// Writes the end.
    package func close() throws(StorageError) {
        guard archive_write_close(handle) == ARCHIVE_OK else { throw failed }
    }

    private static func take(_ own: UnsafeMutableRawPointer?, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        guard let own, let bytes else { return -1 }
        let writer = Unmanaged<GzipWriter>.fromOpaque(own).takeUnretainedValue()
        do throws(StorageError) {
            try writer.sink(UnsafeRawBufferPointer(start: bytes, count: count))
            return count
        } catch {
            writer.failure = error
            return -1
        }
    }

    private static var unavailable: StorageError {
        StorageError(operation: "dlopen", name: "libarchive.so.13", reason: .notSupported)
    }

    private var failed: StorageError {
        failure ?? StorageError(operation: "archive_write", name: "gzip", reason: .inputOutput)
    }
}
