import PawlCore
import Synchronization

/// A partial file that this run found without a journal and set aside, such as a kill leaves within the first moments
/// of a small download.
///
/// It is removed once the finished file contains all of its bytes: then nothing is lost, whoever wrote it.
final class Leftover: Sendable {
    private let aside = Locked<PartialFiles.Aside?>(nil)
    private let news = Locked<DownloadMachine.Keeping?>(nil)

    /// Takes the news of how long the file set aside since the last call is kept; nil if none was set aside.
    func takeNews() -> DownloadMachine.Keeping? {
        news.withLock { news in
            defer { news = nil }
            return news
        }
    }

    /// Notes that the file may not be Pawl's, so that it is never removed.
    func noteStranger() { news.withLock { $0 = .always } }

    /// Comparing more would delay the end of the download.
    private static let maximumCompared: Int64 = 16 << 20

    func note(_ aside: PartialFiles.Aside) {
        self.aside.withLock { $0 = aside }
        news.withLock { $0 = .untilPassed }
    }

    /// Removes the file that was set aside if `finished` repeats it. Call it when `finished` has its name. A file that
    /// cannot be read or removed only takes up room.
    func remove(ifRepeatedIn finished: any StorageFile) {
        guard let aside = aside.withLock({ $0 }) else { return }
        guard let file = try? aside.directory.open(aside.name, writable: false) else { return }
        defer { try? file.close() }
        guard (try? isRepeated(file, in: finished)) == true else { return }
        try? aside.remove()
    }

    private func isRepeated(_ file: any StorageFile, in finished: any StorageFile) throws(StorageError) -> Bool {
        let buffer = WriteBuffer(capacity: 1 << 20)
        let end = try file.status().size
        var (position, compared): (Int64, Int64) = (0, 0)
        while let stretch = try file.nextData(from: position) {
            compared += stretch.count
            guard compared <= Self.maximumCompared else { return false }
            position = stretch.end
            guard let stretch = stretch.intersection(ByteRange(0..<end)) else { break }
            guard try isRepeated(stretch, of: file, in: finished, buffer) else { return false }
        }
        return true
    }

    private func isRepeated(
        _ stretch: ByteRange, of file: any StorageFile, in finished: any StorageFile, _ buffer: WriteBuffer
    ) throws(StorageError) -> Bool {
        var isRepeated = true
        try file.scan(stretch, buffer) { (bytes, position) throws(StorageError) in
            guard isRepeated else { return }
            let other = try finished.read(bytes.count, at: position)
            // What lies beyond the end can only be zeros, as whatever was not written reads.
            isRepeated = bytes.indices.allSatisfy { bytes[$0] == 0 || $0 < other.count && bytes[$0] == other[$0] }
        }
        return isRepeated
    }
}
