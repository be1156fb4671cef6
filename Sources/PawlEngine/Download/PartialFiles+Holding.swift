import PawlCore
import Synchronization

/// Small files, whose bytes are in memory until they are whole or until something has to be kept of them (decision 95).
extension PartialFiles {
    /// Puts what is held in memory into a partial file, which a journal can describe.
    func putDown() throws(DownloadError) {
        do throws(StorageError) {
            try putDownHeld()
        } catch where error.reason == .exists || error.reason == .busy {
            throw DownloadError(
                .locked, "Another process has begun “\(names.target)” meanwhile.", remedies: [.waitForOther, .chooseName],
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

    /// What is held goes into a file without a name, which gets one when it is durable: whatever cuts this off leaves nothing, or the whole
    /// file.
    ///
    /// - Returns: nil where the system has no such files, or the name is taken; it is a partial file like any other then.
    func finishHeld(
        _ held: HeldFile, _ facts: Facts, _ policy: ExistingFilePolicy, _ carried: FileFacts, _ marker: CompletionMarker?,
        _ report: (DownloadReport) -> Void
    ) throws(DownloadError) -> String? {
        guard let bytes = held.bytes else { return nil }
        var reports: [DownloadReport] = []
        // Whatever goes wrong here, the ordinary way begins anew with the same bytes, and tells what fails there.
        guard let made = (try? writeUnnamed(bytes) { carry(carried, marker, on: $0, facts) { reports.append($0) } }) ?? nil,
            let name = (try? link(made, policy)) ?? nil
        else {
            try putDown()
            return nil
        }
        defer { try? made.close() }
        do throws(StorageError) {
            // Again, now that it has a name: without a journal of its own, a file system writes down only now that it is used.
            try made.sync()
            try directory.sync()
        } catch {
            throw .storage(error, directory: directory.path)
        }
        reports.forEach(report)
        leftover?.remove(ifRepeatedIn: made)
        return name
    }

    private func writeUnnamed(_ bytes: [UInt8], _ carry: (any StorageFile) -> Void) throws(StorageError) -> (any StorageFile)? {
        guard let made = try directory.createUnnamed() else { return nil }
        do throws(StorageError) {
            try made.write(bytes, at: 0)
            carry(made)
            try made.sync()
            return made
        } catch {
            try? made.close()
            throw error
        }
    }

    private func link(_ made: any StorageFile, _ policy: ExistingFilePolicy) throws(StorageError) -> String? {
        var (name, attempt) = (names.target, 0)
        while true {
            do throws(StorageError) {
                return try directory.link(made, to: name) ? name : nil
            } catch {
                // A reply that was lost, as over a network.
                if (try? directory.names(made, name)) == true { return name }
                guard error.reason == .exists else { throw error }
                guard policy == .rename, attempt < FileName.maximumAttempts else { return nil }
                attempt += 1
                name = FileName.renamed(names.target, attempt: attempt)
            }
        }
    }
}
