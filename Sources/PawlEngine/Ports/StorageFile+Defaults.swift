package import PawlCore

/// Defaults for files without these features.
extension StorageDirectory {
    package func createUnnamed() throws(StorageError) -> (any StorageFile)? { nil }

    package func link(_ file: any StorageFile, to name: String) throws(StorageError) -> Bool { false }

    package func syncFileSystem() throws(StorageError) -> Bool { false }
}

extension StorageFile {
    package func startWriting() {}

    package func removeMark() throws(StorageError) {}

    package func removeAttribute(_ name: String) throws(StorageError) {}

    package func nextData(from position: Int64) throws(StorageError) -> ByteRange? {
        let size = try status().size
        return position < size ? ByteRange(position..<size) : nil
    }

    package func created() throws(StorageError) -> Int64? { nil }
}
