import PawlCore
import PawlEngine

/// The bytes of a file from a position on.
struct PartOfFile: FileContent {
    private let file: any FileContent
    private let start: Int64

    init(_ file: any FileContent, from start: Int64) { (self.file, self.start) = (file, start) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        try file.read(into: buffer, at: start + offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        throw StorageError(operation: "write", name: "spool", reason: .readOnly)
    }
}
