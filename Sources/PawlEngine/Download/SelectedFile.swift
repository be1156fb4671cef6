import PawlCore

/// A partial file that holds only the wanted parts of a file: positions are those of the whole, and what is not wanted is not written.
struct SelectedFile: StorageFile {
    let base: any StorageFile
    let layout: ResultLayout

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        for slice in layout.slices(of: ByteRange(offset..<offset + Int64(bytes.count))) {
            // Proven: the slice lies within the bytes.
            let first = Int(slice.range.start - offset)
            try base.write(UnsafeRawBufferPointer(rebasing: bytes[first..<first + Int(slice.range.count)]), at: slice.offset)
        }
    }

    /// Stops at the end of a wanted range, as at the end of a file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        let end = offset.addingReportingOverflow(Int64(buffer.count))
        let range = ByteRange(offset..<(end.overflow ? .max : end.partialValue))
        guard let slice = layout.slices(of: range).first, slice.range.start == offset else { return 0 }
        return try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(slice.range.count)]), at: slice.offset)
    }

    func status() throws(StorageError) -> FileStatus { try base.status() }
    func allocate(_ size: Int64) throws(StorageError) -> Bool { try base.allocate(size) }
    func truncate(to size: Int64) throws(StorageError) { try base.truncate(to: size) }
    func syncData() throws(StorageError) { try base.syncData() }
    func sync() throws(StorageError) { try base.sync() }
    func dropCache() { base.dropCache() }
    func lock() throws(StorageError) -> Bool { try base.lock() }
    func setPermissions(_ mode: UInt16) throws(StorageError) { try base.setPermissions(mode) }
    func setModified(_ secondsSinceEpoch: Int64) throws(StorageError) { try base.setModified(secondsSinceEpoch) }
    func setMark(_ mark: [UInt8]) throws(StorageError) -> Bool { try base.setMark(mark) }
    func mark() throws(StorageError) -> [UInt8]? { try base.mark() }
    func removeMark() throws(StorageError) { try base.removeMark() }
    func created() throws(StorageError) -> Int64? { try base.created() }
    func setAttribute(_ name: String, to value: [UInt8]) throws(StorageError) -> Bool { try base.setAttribute(name, to: value) }
    func attribute(_ name: String) throws(StorageError) -> [UInt8]? { try base.attribute(name) }
    func close() throws(StorageError) { try base.close() }
}
