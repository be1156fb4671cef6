package import PawlCore

extension ByteSink {
    package func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(StorageError) in try write(buffer, at: offset) }
        }
        try result.get()
    }

    /// Writes one after the other, the first at `offset`, or throws having written an unknown part.
    func write(_ parts: [UnsafeRawBufferPointer], at offset: Int64) throws(StorageError) {
        var position = offset
        for part in parts {
            try write(part, at: position)
            position += Int64(part.count)
        }
    }
}

extension FileContent {
    /// Up to `count` bytes; fewer only at the end of the file.
    package func read(_ count: Int, at offset: Int64) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(StorageError) in try read(into: buffer, at: offset) }
        }
        return Array(bytes.prefix(try result.get()))
    }
}
