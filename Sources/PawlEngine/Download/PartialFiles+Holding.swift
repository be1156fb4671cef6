import PawlCore
import Synchronization

/// Small files, whose bytes are in memory until they are whole or until something has to be kept of them (decision 95).
extension PartialFiles {
    /// Puts what is held in memory into a partial file, which a journal can describe.
    func putDown() throws(DownloadError) {
        do throws(StorageError) {
            try putDownHeld()
        } catch  where error.reason == .exists || error.reason == .busy {
            throw DownloadError(
                .locked, "Another process has just started “\(names.target)”.", remedies: [.waitForOther, .chooseName],
                recovery: .retryAfter(nil))
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    private func putDownHeld() throws(StorageError) {
        guard let held, let bytes = held.bytes else { return }
        let made = try directory.create(names.partial)
        let identity = try made.status().identity
        latestIdentity.withLock { $0 = identity }
        journal.describe(identity)
        do throws(StorageError) {
            try own(made, identity)
            try reserve(Int64(bytes.count), in: made)
            try held.move(to: made)
        } catch {
            // The bytes are still in memory.
            latestIdentity.withLock { $0 = nil }
            try? directory.remove(names.partial, ifStill: identity)
            try? made.close()
            throw error
        }
    }
}
