import PawlCore
import Synchronization

/// Whether the partial file is still what this run has made of it.
extension PartialFiles {
    /// FAULTS D12: someone may have moved, replaced, deleted or shortened the file meanwhile. A shortened one soon has
    /// its length again, from a write near its end, but not its space. One that is compressed in the background takes
    /// less space, too, and has no holes in what was written.
    ///
    /// - Parameter written: what the file certainly holds.
    func checkUntouched(expecting size: Int64, holding written: RangeSet = RangeSet()) throws(DownloadError) {
        guard !isHeld else { return }
        do throws(StorageError) {
            let own = try file.status()
            let named = try directory.status(currentName)
            let shape = shape.withLock { $0 }
            guard own.linkCount > 0, named?.identity == identity else {
                throw StorageError(operation: "fstat", name: names.partial, reason: .notFound)
            }
            let hasItsSpace = own.occupied >= shape.occupied ? true : try isCompressed(shape, own, written)
            guard own.size >= max(size, shape.size), hasItsSpace else {
                // What was claimed of it is not there any more, and its length will not tell.
                try journal.remove()
                try directory.sync()
                throw StorageError(operation: "fstat", name: names.partial, reason: .notFound)
            }
        } catch  where error.reason == .notFound {
            throw DownloadError(
                .partialFileChanged,
                "“\(currentName)” was moved, replaced or shortened while it was being written.",
                remedies: [.tryAgain], recovery: .restart, underlying: error.operation)
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    private func isCompressed(
        _ shape: Shape, _ status: FileStatus, _ written: RangeSet
    ) throws(StorageError) -> Bool {
        guard shape.tellsHoles, layout == nil, !written.isEmpty else { return false }
        for range in written.ranges {
            var position = range.start
            while position < range.end {
                guard let data = try file.nextData(from: position), data.start <= position, position < data.end else {
                    return false
                }
                position = data.end
            }
        }
        self.shape.withLock { $0.occupied = status.occupied }
        return true
    }
}
