import PawlCore
import Synchronization

/// The journals of finished files that carry no ``CompletionMarker``, because their file system keeps no attributes.
///
/// Such a journal stays beside its file until the session has recorded that the download is complete. Until then it
/// alone tells the next process that the file is this download's, and whole (FAULTS D31).
package final class Receipts: Sendable {
    struct Receipt: Sendable {
        let directory: String
        let journal: String
        let identity: FileIdentity
    }

    /// The receipts by the marker numbers of their downloads.
    private let kept = Locked<[UInt64: Receipt]>([:])

    package init() {}

    func keep(_ receipt: Receipt, of markerNumber: UInt64) { kept.withLock { $0[markerNumber] = receipt } }

    /// Removes receipts. Call it once the session has recorded that these downloads are complete, or removed. Blocks.
    func discard(of entries: [QueueEntry], removed: [QueueEntry], _ storage: any Storage) {
        for entry in entries.filter(\.state.isCompleted) + removed {
            guard let receipt = kept.withLock({ $0.removeValue(forKey: entry.markerNumber) }) else { continue }
            // One that cannot be removed only takes up room.
            try? storage.openDirectory(receipt.directory).remove(receipt.journal, ifStill: receipt.identity)
        }
    }

    /// Removes those that an earlier process has left after its session had recorded the ends. Blocks.
    func discardLeft(by entries: [QueueEntry], _ storage: any Storage) {
        let ended = Dictionary(grouping: entries.filter(\.state.isCompleted)) { ExactText($0.directory) }
        for (path, entries) in ended {
            guard let directory = try? storage.openDirectory(path.text),
                let names = try? Set(directory.names().map { ExactText($0) })
            else { continue }
            for entry in entries {
                guard case .completed(let facts) = entry.state else { continue }
                for name in Set([entry.fileName ?? facts.fileName, facts.fileName]) {
                    let journal = FileName.journalName(for: name)
                    guard names.contains(ExactText(journal)) else { continue }
                    Self.remove(journal, of: entry.markerNumber, in: directory)
                }
            }
        }
    }

    /// The same for removed downloads that an earlier process has finished without its session having recorded that.
    /// Blocks.
    func discardLeft(byRemoved entries: [QueueEntry], _ storage: any Storage) {
        for (path, entries) in Dictionary(grouping: entries, by: { ExactText($0.directory) }) {
            guard let directory = try? storage.openDirectory(path.text) else { continue }
            for entry in entries {
                guard let name = entry.fileName else { continue }
                Self.remove(FileName.journalName(for: name), of: entry.markerNumber, in: directory)
            }
        }
    }

    private static func remove(
        _ journal: String, of markerNumber: UInt64, in directory: any StorageDirectory
    ) {
        guard let file = try? directory.open(journal, writable: false) else { return }
        defer { try? file.close() }
        guard let bytes = try? file.read(Journal.fileSize, at: 0), let record = Journal.latest(bytes),
            record.state == .verified, record.isMade(by: markerNumber),
            isFree(FileName.partialName(for: record.targetName), in: directory),
            let identity = try? file.status().identity
        else { return }
        try? directory.remove(journal, ifStill: identity)
    }

    private static func isFree(_ name: String, in directory: any StorageDirectory) -> Bool {
        do throws(StorageError) { return try directory.status(name) == nil } catch { return false }
    }
}

extension QueueEntry.State {
    var isCompleted: Bool { if case .completed = self { true } else { false } }
}
