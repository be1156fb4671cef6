package import PawlCore

extension StorageFile {
    package func copy(_ range: ByteRange, from other: any StorageFile) throws(StorageError) {
        try copyThroughMemory(range, from: other)
    }

    /// Copies as ``copy(_:from:)`` does where the system offers nothing better.
    package func copyThroughMemory(_ range: ByteRange, from other: any StorageFile) throws(StorageError) {
        let buffer = WriteBuffer(capacity: 1 << 20)
        try other.scan(range, buffer) { (bytes, position) throws(StorageError) in try write(bytes, at: position) }
    }

    /// Hands out the bytes of `range` in order, a buffer full at a time, with their position.
    func scan(
        _ range: ByteRange, _ buffer: WriteBuffer, _ body: (UnsafeRawBufferPointer, Int64) throws(StorageError) -> Void
    ) throws(StorageError) {
        var position = range.start
        while position < range.end {
            let wanted = Int(min(Int64(buffer.memory.count), range.end - position))
            let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.memory[..<wanted]), at: position)
            guard count > 0 else { throw StorageError(operation: "pread", name: "", reason: .inputOutput) }
            try body(UnsafeRawBufferPointer(rebasing: buffer.memory[..<count]), position)
            position += Int64(count)
        }
    }
}
