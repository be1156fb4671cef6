import PawlCore

/// The treatment of an existing partial file: it is resumed, adopted, set aside, or left to the process that holds it.
extension TargetInspection {
    func resume(_ names: PartialFiles.Names, _ journal: FoundJournal?) throws(DownloadError) -> Found {
        guard let file = try open(names.partial) else {
            try keepOfAnother(journal, names)
            // FAULTS J07: ranges of a partial file that is gone are gone.
            try remove(journal, names)
            return .fresh(name: names.target)
        }
        let status = try lock(file, names, journal)
        // Whoever held the lock until now may have written to the journal since it was read, and given the file its
        // name.
        try confirm(status, names.partial)
        close(journal)
        let journal = try readJournal(names, mayTakeOver: true)
        if let journal, let found = try resume(names, journal, file, status) { return found }
        try keepOfAnother(journal, names)
        // Behind bytes that were adopted once, others may stand by now.
        let wasAdopted = journal?.findings.latest.map { $0.adopted > 0 } ?? false
        if plan.adoptsPartialFile, !wasAdopted, try mayAdopt(file, status, names) {
            return try adopt(file, status, names, foundAs: names.partial, journal)
        }
        try clear(file, status, names)
        try remove(journal, names)
        return .fresh(name: names.target)
    }

    /// Keeps another download's files where none of their bytes can be resumed, unless they may be replaced.
    func keepOfAnother(_ journal: FoundJournal?, _ names: PartialFiles.Names) throws(DownloadError) {
        guard let findings = journal?.findings, !findings.claimsNothing, let record = findings.latest,
            owner(of: record) == nil, plan.settings.ifExists != .replace
        else { return }
        throw ofAnother(record, names, [.replacePartialFile])
    }

    /// Resumes a partial file from its journal; nil if the journal does not describe this file.
    private func resume(
        _ names: PartialFiles.Names, _ journal: FoundJournal, _ file: any StorageFile, _ status: FileStatus
    ) throws(DownloadError) -> Found? {
        let (traits, journalTraits) = try disk { () throws(StorageError) in
            (try FileTraits(of: file, status), try FileTraits(of: journal.file))
        }
        let findings = journal.findings
        let provable = findings.provable(
            by: ports.storage.owner, onDevice: status.identity.device, file: traits, journal: journalTraits)
        let proven = provable.flatMap { record in
            (owner(of: record) != nil || record.otherURL(in: plan.settings) != nil)
                && prove(record, in: journal.file, about: file) ? record : nil
        }
        switch findings.meaning(for: traits, journal: journalTraits, proven: proven) {
        case .claims(let durable, let unsynced, let likeness):
            return try recover(durable, unsynced, likeness, journal, file, status, names)
        case .otherFile: throw notDescribed(names)
        case .nothing: return nil
        // Another download's leftover is its own to remove.
        case .nothingLasting where findings.latest.map { owner(of: $0) == nil } ?? false: return nil
        case .nothingLasting:
            // The file goes first: without its journal nothing would show any longer that it may go.
            try disk { () throws(StorageError) in
                try directory.remove(names.partial, ifStill: status.identity)
                try file.close()
            }
            try remove(journal, names)
            try disk(directory.sync)
            return .fresh(name: names.target)
        }
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
                .locked, "Another process has just finished or moved “\(name)”.", remedies: [.tryAgain],
                recovery: .retryNow)
        }
    }

    // MARK: Without a journal

    private func clear(_ file: any StorageFile, _ status: FileStatus, _ names: PartialFiles.Names) throws(DownloadError)
    {
        try disk { () throws(StorageError) in
            let found = try OrphanedPartialFile(file, size: status.size)
            switch found.fate {
            case .remove: try directory.remove(names.partial, ifStill: status.identity)
            case .setAside:
                let name = try PartialFiles.moveAside(names.partial, suffix: "orphan", in: directory)
                if found.isOwn {
                    leftover.note(PartialFiles.Aside(directory: directory, name: name, status: status))
                } else {
                    leftover.noteStranger()
                }
            }
            try directory.sync()
            if found.fate == .setAside {
                try? file.removeMark()
                if found.isOwn { AsideMark.set(on: file) }
            }
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

    private func isHeldWithoutLock(_ file: any StorageFile, _ journal: FoundJournal?) throws(StorageError) -> Bool {
        let modified = try file.status().modified
        let record = journal?.findings.latest
        return LockHolderEvidence(
            isRunning: record.flatMap { ports.storage.isRunning($0.owner) },
            last: max(modified, record?.updated ?? modified)
        )
        .showHolder(at: now)
    }

    func locked(_ names: PartialFiles.Names, _ journal: FoundJournal?) -> DownloadError {
        var who = "Another process"
        if let record = journal?.findings.latest {
            who = "Process \(record.owner.processID) on \(record.owner.hostName)"
        }
        return DownloadError(
            .locked,
            "\(who) is already downloading “\(names.target)”.",
            remedies: [.waitForOther, .chooseName], recovery: .retryAfter(nil))
    }
}
