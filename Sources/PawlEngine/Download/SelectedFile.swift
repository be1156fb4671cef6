import PawlCore

/// A partial file that holds only the wanted parts of a file: positions are those of the whole, and what is not wanted
/// is not written.
struct SelectedFile: FileContent {
    let base: any FileContent
    let layout: ResultLayout

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        for slice in layout.slices(of: ByteRange(offset..<offset + Int64(bytes.count))) {
            // Proven: the slice lies within the bytes.
            let first = Int(slice.range.start - offset)
            try base.write(
                UnsafeRawBufferPointer(rebasing: bytes[first..<first + Int(slice.range.count)]), at: slice.offset)
        }
    }

    /// Stops at the end of a wanted range, as at the end of a file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        let end = offset.addingReportingOverflow(Int64(buffer.count))
        let range = ByteRange(offset..<(end.overflow ? .max : end.partialValue))
        guard let slice = layout.slices(of: range).first, slice.range.start == offset else { return 0 }
        return try base.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(slice.range.count)]), at: slice.offset)
    }
}
