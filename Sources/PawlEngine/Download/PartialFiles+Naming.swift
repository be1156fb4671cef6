import PawlCore
import Synchronization

/// The last step: the whole file gets its name.
extension PartialFiles {
    func rename(
        _ facts: Facts, total: Int64, _ policy: ExistingFilePolicy, isSynced: Bool
    ) throws(DownloadError) -> String {
        do throws(StorageError) {
            return try rename(names.partial, identity, policy)
        } catch {
            if isSynced || (try? file.sync()) != nil { leaveToBeRenamed(facts, total: total) }
            switch error.reason {
            case .exists, .isADirectory: throw targetExists()
            default: throw .storage(error, directory: directory.path)
            }
        }
    }

    /// FAULTS D17: all is there and synced but for the name. The next start has only the renaming to do, and asks
    /// nothing of the network.
    private func leaveToBeRenamed(_ facts: Facts, total: Int64) {
        // Without them the next start does the work anew, so an error adds nothing to the one that is being told.
        try? file.setPermissions(Self.privatePermissions)
        if !journal.hasRecord { try? journal.write(everything(of: total), facts, .verified) }
    }

    /// Writes the last record of a journal that stays beside the finished file. The hash of the first block tells that
    /// file from one that takes over its inode number.
    func describeWhole(_ total: Int64, _ facts: Facts) throws(StorageError) {
        var hasher = journal.hasher(from: 0, total: total)
        if total > 0, journal.hashes[0] == nil {
            try scan(ByteRange(0..<min(total, hasher.blockSize))) { journal.note(hasher.update($0)) }
        }
        try journal.write(everything(of: total), facts, .verified)
    }

    func rename(
        _ source: String, _ file: FileIdentity?, _ policy: ExistingFilePolicy
    ) throws(StorageError) -> String {
        if policy == .replace {
            return try finished.replacing { () throws(StorageError) in
                guard try mayBeReplaced() else {
                    throw StorageError(operation: "renameat", name: names.target, reason: .exists)
                }
                finished.note(file, as: names.target)
                try directory.rename(source, to: names.target, replacing: true)
                return names.target
            }
        }
        var name = names.target
        var attempt = 0
        while true {
            do throws(StorageError) {
                finished.note(file, as: name)
                try directory.rename(source, to: name, replacing: false)
                return name
            } catch {
                guard error.reason == .exists, policy == .rename, attempt < FileName.maximumAttempts else {
                    throw error
                }
                attempt += 1
                name = FileName.renamed(names.target, attempt: attempt)
            }
        }
    }

    /// Makes the name durable and hands the file over to the user.
    func settleName(_ permissions: UInt16, keepsJournal: Bool, syncs: Bool) throws(StorageError) {
        // A journal without a durable record claims nothing after a power cut: its name may go along with the rename.
        if !journal.hasRecord { try journal.remove() }
        if syncs {
            try directory.sync()
            adoption?.removeControl()
        }
        // FAULTS D24: from here on it is the user's alone. Not before the name is durable: should a power cut undo the
        // rename, the journal is of a partial file with its mark.
        try? file.removeMark()
        if permissions & Self.privatePermissions != Self.privatePermissions {
            try? file.setPermissions(permissions)
        }
        if keepsJournal {
            receipt.withLock { $0 = journal.fileIdentity }
        } else if journal.hasRecord, try journal.remove(), syncs {
            try directory.sync()
        }
        if layout == nil, syncs { leftover?.remove(ifRepeatedIn: file) }
    }

    /// Whether whatever has come there meanwhile, if anything, is a file that may be replaced.
    private func mayBeReplaced() throws(StorageError) -> Bool {
        // FAULTS D14: some things never are.
        if let found = try directory.status(names.target) {
            guard found.kind != .directory, found.kind != .other,
                try finished.finisher(of: found, under: names.target, in: directory) == nil
            else { return false }
        }
        // Since this one began, a partial file of ours may have got its name.
        guard let other = FileName.target(ofPartial: names.target) else { return true }
        return try directory.status(FileName.journalName(for: other)) == nil
    }

    func targetExists() -> DownloadError {
        DownloadError(
            .fileExists,
            "“\(names.target)” appeared while it was being downloaded. All bytes are kept in “\(names.partial)”.",
            remedies: [.moveExisting, .replaceExisting], recovery: .giveUp)
    }
}
