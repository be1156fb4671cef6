/// The bytes of a zip archive, or of those members of one that were fetched. Blocks, and is used from one thread at a
/// time unless it says that it may be shared.
package protocol ZipSource: AnyObject {
    /// The length of the source, in bytes.
    var length: Int64 { get }

    /// Whether several threads may read at once.
    var isShareable: Bool { get }

    /// Reads at most as many bytes as fit into the buffer.
    ///
    /// - Returns: how many; zero only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(ArchiveError) -> Int
}

extension ZipSource {
    package var isShareable: Bool { false }

    /// Reads until the buffer is full.
    ///
    /// - Returns: how many bytes; fewer than fit only at the end.
    func readFully(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(ArchiveError) -> Int {
        var count = 0
        while count < buffer.count {
            let more = try read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), at: position + Int64(count))
            if more == 0 { break }
            count += more
        }
        return count
    }

    /// - Returns: those bytes, or fewer where it ends before.
    func bytes(_ range: Range<Int64>) throws(ArchiveError) -> [UInt8] {
        let wanted = Int(range.upperBound - range.lowerBound)
        var failure: ArchiveError?
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            do throws(ArchiveError) {
                count = try readFully(into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
