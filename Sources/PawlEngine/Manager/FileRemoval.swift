package import PawlCore

/// Removes what a download has left on the disk, and nothing else.
package struct FileRemoval {
    private let storage: any Storage

    package init(_ storage: any Storage) { self.storage = storage }

    /// Of one that is not complete: the partial file and the journal, if the journal is of this URL and no process holds them. Of a
    /// completed one: the file, if it has the length that it had, and no other receipt than this download's.
    ///
    /// - Parameter identityHash: of what is asked for; nil: nobody knows, and nothing but a completed file is removed.
    package func remove(_ entry: QueueEntry, identityHash: UInt64?) {
        guard let name = entry.fileName, isName(name), let directory = try? storage.openDirectory(entry.directory) else { return }
        if case .completed(let facts) = entry.state {
            guard !facts.wasSkipped, isName(facts.fileName), let status = try? directory.status(facts.fileName),
                status.kind == .regular, status.size == facts.byteCount, isOurs(facts.fileName, status, entry, in: directory)
            else { return }
            try? directory.remove(facts.fileName, ifStill: status.identity)
        } else if let identityHash {
            removePartial(name, of: identityHash, in: directory)
        }
        try? directory.sync()
    }

    /// A session could name a file anywhere.
    private func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/"))
    }

    /// Where there is no receipt, or the file system keeps none, the length is all there is to go by.
    private func isOurs(_ name: String, _ status: FileStatus, _ entry: QueueEntry, in directory: any StorageDirectory) -> Bool {
        guard entry.receipt != 0 else { return true }
        guard let file = try? directory.open(name, writable: false) else { return false }
        defer { try? file.close() }
        guard (try? file.status().identity) == status.identity else { return false }
        guard let bytes = (try? file.attribute(Receipt.attributeName)) ?? nil else { return true }
        return Receipt(String(decoding: bytes, as: UTF8.self))?.number == entry.receipt
    }

    private func removePartial(_ name: String, of identityHash: UInt64, in directory: any StorageDirectory) {
        let (partialName, journalName) = (FileName.partialName(for: name), FileName.journalName(for: name))
        guard let partial = try? directory.open(partialName, writable: true) else { return }
        defer { try? partial.close() }
        guard (try? partial.lock()) != false, let identity = try? partial.status().identity else { return }
        if let journal = try? directory.open(journalName, writable: false) {
            defer { try? journal.close() }
            guard let bytes = try? journal.read(Journal.fileSize, at: 0), let record = Journal.latest(bytes),
                record.urlHash == identityHash, let journalIdentity = try? journal.status().identity
            else { return }
            try? directory.remove(journalName, ifStill: journalIdentity)
        } else if (try? partial.mark()) == nil {
            // Neither a journal nor our mark: another program's.
            return
        }
        try? directory.remove(partialName, ifStill: identity)
    }
}
