package import PawlCore

/// Removes what a download has left on the disk, and nothing else.
package struct FileRemoval {
    private let storage: any Storage
    private let asker: SharedAsker

    package init(_ storage: any Storage, asker: SharedAsker = .anonymous) {
        self.storage = storage
        self.asker = asker
    }

    /// Removes the files of a download. If it is not complete: the partial file and the journal, if the journal is this
    /// download's and no process holds them. If it is complete: the file, if it is unchanged, and carries this
    /// download's completion marker where the file system keeps one. Where it does not, name and length alone prove
    /// nothing. An incomplete download may have left a finished file, too, if its last step failed.
    ///
    /// - Parameter settings: what is asked for; nil: nobody knows, and nothing but a completed file is removed.
    package func remove(_ entry: QueueEntry, _ settings: DownloadSettings?) {
        guard let name = entry.fileName, isName(name), let directory = try? storage.openDirectory(entry.directory)
        else { return }
        if case .completed(let facts) = entry.state {
            guard !facts.wasSkipped, isName(facts.fileName), let status = try? directory.status(facts.fileName),
                status.kind == .regular, status.size == facts.byteCount,
                isOurs(status, facts, entry.markerNumber, in: directory)
            else { return }
            try? directory.remove(facts.fileName, ifStill: status.identity)
        } else if let settings {
            removePartial(name, of: entry, settings, in: directory)
            removeFinished(name, of: entry, in: directory)
        }
        try? directory.sync()
    }

    /// A damaged session could name a file anywhere.
    private func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/"))
    }

    /// FAULTS D24: another file may have the name and the length by now.
    private func isOurs(
        _ status: FileStatus, _ facts: FinishedFacts, _ markerNumber: UInt64, in directory: any StorageDirectory
    ) -> Bool {
        if let trace = facts.trace, !trace.fits(FileTrace(status)) { return false }
        guard let file = try? directory.open(facts.fileName, writable: false) else { return false }
        defer { try? file.close() }
        guard (try? file.status().identity) == status.identity else { return false }
        do throws(StorageError) {
            return try marker(of: file)?.number == markerNumber
        } catch {
            // Where the file system keeps no completion markers, the trace is all there is to go by.
            return error.reason == .notSupported && facts.trace?.identity != nil
        }
    }

    private func removeFinished(_ name: String, of entry: QueueEntry, in directory: any StorageDirectory) {
        // In any other state, nothing tells when the file was finished.
        guard case .failed = entry.state, entry.markerNumber != 0, let file = try? directory.open(name, writable: false)
        else { return }
        defer { try? file.close() }
        guard let status = try? file.status(), let marker = (try? marker(of: file)) ?? nil,
            marker.number == entry.markerNumber, marker.size == status.size
        else { return }
        // Its user has changed it since. Some file systems count in steps of two seconds.
        if status.modified > entry.since + 2 { return }
        try? directory.remove(name, ifStill: status.identity)
    }

    private func marker(of file: any StorageFile) throws(StorageError) -> CompletionMarker? {
        try file.attribute(CompletionMarker.attributeName).flatMap {
            CompletionMarker(String(decoding: $0, as: UTF8.self))
        }
    }

    private func removePartial(
        _ name: String, of entry: QueueEntry, _ settings: DownloadSettings, in directory: any StorageDirectory
    ) {
        _ = try? Self.removePartial(name, in: directory) { isOurs($0, of: entry, settings) }
    }

    /// Removes the partial file of a target, and its journal. FAULTS D24: a name and a mark alone do not make a file
    /// ours to remove.
    ///
    /// - Parameter isOurs: whether the download of this journal may be removed.
    /// - Returns: whether they are gone; false for a file that the journal does not describe, that holds bytes
    ///   without a journal, or that was adopted.
    /// - Throws: `.busy` while a process holds the file.
    package static func removePartial(
        _ name: String, in directory: any StorageDirectory, isOurs: (JournalRecord) -> Bool
    ) throws(StorageError) -> Bool {
        let (partialName, journalName) = (FileName.partialName(for: name), FileName.journalName(for: name))
        let partial = try directory.open(partialName, writable: true)
        defer { try? partial.close() }
        // Where there are no locks nothing is lost that a user does not do twice at once.
        guard (try? partial.lock()) != false else {
            throw StorageError(operation: "lock", name: partialName, reason: .busy)
        }
        let status = try partial.status()
        if let journal = try? directory.open(journalName, writable: false) {
            defer { try? journal.close() }
            let bytes = try journal.read(Journal.fileSize, at: 0)
            let journalStatus = try journal.status()
            guard let record = Journal.latest(bytes), record.adopted == 0, isOurs(record),
                try record.likeness(
                    of: FileTraits(of: partial, status), describedIn: FileTraits(of: journal, journalStatus)) != .other
            else { return false }
            try directory.remove(journalName, ifStill: journalStatus.identity)
        } else {
            // It was made, and the process ended before the first byte.
            let found = try OrphanedPartialFile(partial, size: status.size)
            guard found.isMarked, found.fate == .remove else { return false }
        }
        try directory.remove(partialName, ifStill: status.identity)
        return true
    }

    /// Whether a journal belongs to the entry. A journal made under the download's completion marker shows this even
    /// without the secrets that a session left out.
    private func isOurs(_ record: JournalRecord, of entry: QueueEntry, _ settings: DownloadSettings) -> Bool {
        // A download from another URL may have gone on with the file, and it is that one's then.
        guard let owner = record.owner(in: settings, by: asker) else { return false }
        return record.isMade(by: entry.markerNumber) || owner.isSame
    }
}
