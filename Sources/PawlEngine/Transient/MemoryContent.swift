package import PawlCore
import Synchronization

/// The bytes of a small file in memory. Those never written read as zeros.
package final class MemoryContent: FileContent {
    private let held = Locked<[UInt8]>([])
    private let maximumSize: Int

    /// - Parameter maximumSize: Writes beyond it fail with `fileTooLarge`.
    package init(maximumSize: Int) { self.maximumSize = maximumSize }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        guard offset <= maximumSize, bytes.count <= maximumSize - Int(offset) else {
            throw StorageError(operation: "write", name: "-", reason: .fileTooLarge)
        }
        // Proven: no larger than an `Int`.
        let start = Int(offset)
        held.withLock { held in
            let missing = start + bytes.count - held.count
            if missing > 0 { held.append(contentsOf: repeatElement(0, count: missing)) }
            held.withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[start...]).copyMemory(from: bytes)
            }
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        held.withLock { held in
            let start = min(Int(clamping: offset), held.count)
            let count = min(buffer.count, held.count - start)
            held.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
            return count
        }
    }
}
