import PawlCore

/// What happens to an existing partial file: it is resumed, adopted, set aside, or left to the process that holds it.
extension Locator {
    func resume(_ names: PartialFiles.Names, _ journal: FoundJournal?) throws(DownloadError) -> Found {
        guard let file = try open(names.partial) else {
            // FAULTS J07: ranges of a partial file that is gone are gone.
            try remove(journal, names)
            return .fresh(name: names.target)
        }
        let status = try lock(file, names, journal)
        // Whoever held the lock until now may have written to the journal since it was read, and given the file its name.
        try confirm(status, names.partial)
        close(journal)
        let journal = try readJournal(names)
        if let journal, let found = try resume(names, journal, file, status) { return found }
        if spec.adoptsPartialFile, try mayAdopt(file, status, names) { return try adopt(file, status, names, foundAs: names.partial, journal) }
        try clear(file, status, names)
        try remove(journal, names)
        return .fresh(name: names.target)
    }

    /// Nil: the journal says nothing of this file.
    private func resume(
        _ names: PartialFiles.Names, _ journal: FoundJournal, _ file: any StorageFile, _ status: FileStatus
    ) throws(DownloadError) -> Found? {
        if let record = journal.record {
            let likeness = try likeness(of: file, status, to: record, in: journal)
            guard likeness != .other else { throw notDescribed(names) }
            let unsynced = try believable(journal, about: file, status)
            return try recover(record, unsynced, likeness, journal, file, status, names)
        }
        guard let unsynced = journal.unsynced?.record else { return nil }
        let likeness = try likeness(of: file, status, to: unsynced, in: journal)
        if !unsynced.durable.isEmpty, let unsynced = try believable(journal, about: file, status) {
            return try recover(nil, unsynced, likeness, journal, file, status, names)
        }
        // A torn record may have claimed more than the unsynced one.
        guard likeness == .same, !journal.isTorn else { return nil }
        // The journal is of this very file, and claims nothing that outlasted the process. The file goes first: without its journal nothing
        // would show any longer that it may go.
        try disk { () throws(StorageError) in
            try directory.remove(names.partial, ifStill: status.identity)
            try file.close()
        }
        try remove(journal, names)
        try disk(directory.sync)
        return .fresh(name: names.target)
    }

    func notDescribed(_ names: PartialFiles.Names) -> DownloadError {
        DownloadError(
            .journal,
            "“\(names.partial)” is not the file that “\(names.journal)” describes.",
            remedies: [.removeJournal], recovery: .giveUp)
    }

    func confirm(_ status: FileStatus, _ name: String) throws(DownloadError) {
        let named = try disk { () throws(StorageError) in try directory.status(name) }
        guard status.linkCount > 0, named?.identity == status.identity else {
            throw DownloadError(
                .locked, "Another process has just finished or moved “\(name)”.", remedies: [.tryAgain], recovery: .retryNow)
        }
    }

    // MARK: Without a journal

    /// FAULTS D24, J08: nothing shows what the file holds, so it is set aside. Its name and its mark say no more than that some Pawl made it
    /// once: it may have been finished, renamed or written over since. Only a file that holds nothing is removed.
    private func clear(_ file: any StorageFile, _ status: FileStatus, _ names: PartialFiles.Names) throws(DownloadError) {
        try disk { () throws(StorageError) in
            let isMarked = try file.mark() != nil
            // Reserved space that somebody has read counts as data while memory holds what was read.
            file.dropCache()
            let hasData = try file.nextData(from: 0) != nil
            let isEmpty = status.size == 0 || isMarked && !hasData
            if isEmpty {
                try directory.remove(names.partial, ifStill: status.identity)
            } else {
                let name = try PartialFiles.moveAside(names.partial, suffix: "orphan", in: directory)
                if isMarked {
                    leftover.note(PartialFiles.Aside(directory: directory, name: name, status: status))
                } else {
                    leftover.noteStranger()
                }
            }
            try directory.sync()
            if !isEmpty { try? file.removeMark() }
            try file.close()
        }
    }

    // MARK: Locks

    func lock(
        _ file: any StorageFile, _ names: PartialFiles.Names, _ journal: FoundJournal?
    ) throws(DownloadError) -> FileStatus {
        let isLocked = try disk { () throws(StorageError) in
            do throws(StorageError) {
                return try file.lock()
            } catch {
                guard error.reason == .notSupported else { throw error }
                return try !isHeldWithoutLock(file, journal)
            }
        }
        guard isLocked else { throw locked(names, journal) }
        return try disk { () throws(StorageError) in try file.status() }
    }

    /// FAULTS D15: where the file system has no locks, the owner in the journal decides if its process would be seen from here, and
    /// else how long ago the last sign of life was.
    private func isHeldWithoutLock(_ file: any StorageFile, _ journal: FoundJournal?) throws(StorageError) -> Bool {
        var lastSign = try file.status().modified
        if let record = journal?.latest {
            if let isRunning = ports.storage.isRunning(record.owner) { return isRunning }
            lastSign = max(lastSign, record.updated)
        }
        // Clocks of two machines differ in either direction.
        return (now - Self.silenceOfTheDead..<now + Self.silenceOfTheDead).contains(lastSign)
    }

    /// In seconds: twice the longest time between two checkpoints.
    private static let silenceOfTheDead: Int64 = 120

    func locked(_ names: PartialFiles.Names, _ journal: FoundJournal?) -> DownloadError {
        var who = "Another process"
        if let record = journal?.latest {
            who = "Process \(record.owner.processID) on \(record.owner.hostName)"
        }
        return DownloadError(
            .locked,
            "\(who) is downloading “\(names.target)” already.",
            remedies: [.waitForOther, .chooseName], recovery: .retryAfter(nil))
    }
}
