import PawlCore

/// The journal beside a target: its content, its owner, and its removal.
extension TargetInspection {
    struct FoundJournal {
        var file: any StorageFile
        var findings: JournalFindings
    }

    /// The same URL, and not the same parts of what it names.
    private func otherParts(_ record: JournalRecord, _ names: PartialFiles.Names) -> DownloadError? {
        guard record.url == plan.settings.url.withoutSecrets.serialized else { return nil }
        let own = plan.settings.ranges.map { "the parts \($0)" } ?? "the whole file"
        return DownloadError(
            .journal,
            "“\(names.partial)” belongs to a download of different bytes, not of \(own).",
            remedies: [.chooseName, .removePartialFile], recovery: .giveUp)
    }

    /// Returns the length of the finished file of a record.
    func lengthOfResult(_ record: JournalRecord) -> Int64? {
        guard plan.settings.ranges == nil else { return layout(of: record.representation)?.length }
        return record.representation.total ?? (record.state == .verified ? record.durable.upperBound : nil)
    }

    /// Returns the positions of wanted parts in the partial file; nil for the whole.
    func layout(of representation: Representation) -> ResultLayout? {
        guard let ranges = plan.settings.ranges else { return nil }
        let resolved = representation.total.map { try? ranges.resolved(total: $0) } ?? ranges.withoutTotal
        return resolved.map { ResultLayout($0, isSparse: plan.settings.isSparse) }
    }

    func close(_ journal: FoundJournal?) { try? journal?.file.close() }

    /// - Parameter mayTakeOver: the journal may be that of a download from another URL.
    func readJournal(_ names: PartialFiles.Names, mayTakeOver: Bool = false) throws(DownloadError) -> FoundJournal? {
        guard let file = try open(names.journal) else { return nil }
        let bytes = try disk { () throws(StorageError) in try file.read(Journal.readSize, at: 0) }
        var findings = JournalFindings(durable: nil, unsynced: Journal.decodeUnsynced(bytes), isTorn: false)
        switch Journal.decode(bytes) {
        case .record(let record): findings.durable = record
        case .empty: break
        case .torn: findings.isTorn = true
        case .corrupt:
            throw DownloadError(
                .journal,
                "“\(names.journal)” is damaged, so the data in “\(names.partial)” cannot be verified.",
                remedies: [.removeJournal, .chooseName], recovery: .giveUp)
        case .foreign:
            throw DownloadError(
                .journal,
                "“\(names.journal)” is not a Pawl journal, but a download of “\(names.target)” needs that name.",
                remedies: [.chooseName, .renameIfExists], recovery: .giveUp)
        case .newerVersion(let version):
            throw DownloadError(
                .journal,
                "“\(names.journal)” was written by a newer Pawl (format version \(version), this one reads \(Journal.version)).",
                remedies: [.useNewerVersion, .chooseName], recovery: .giveUp)
        }
        let found = FoundJournal(file: file, findings: findings)
        if let record = findings.latest, owner(of: record) == nil, !findings.claimsNothing,
            !mayTakeOver || record.otherURL(in: plan.settings) == nil
        {
            if isHeld(names.partial) { throw locked(names, found) }
            if let error = otherParts(record, names) { throw error }
            throw ofAnother(record, names)
        }
        return found
    }

    func ofAnother(
        _ record: JournalRecord, _ names: PartialFiles.Names, _ remedies: [DownloadError.Remedy] = []
    ) -> DownloadError {
        DownloadError(
            .journal,
            "“\(names.journal)” belongs to another download (\((try? HTTPURL(parsing: record.url))?.redacted ?? "?")).",
            remedies: (plan.settings.ranges == nil ? [.addFormerURL] : []) + remedies + [.chooseName], recovery: .giveUp
        )
    }

    func owner(of record: JournalRecord) -> JournalOwner? { record.owner(in: plan.settings, by: asker) }

    /// Returns the identity hash that a journal with this id stores.
    func identityHash(of url: HTTPURL, id: [UInt8]) -> [UInt8] {
        asker.identityHash(of: url, in: plan.settings, id: id)
    }

    /// Whether a process holds the partial file, so that its user must not be told to remove it.
    private func isHeld(_ partial: String) -> Bool {
        guard let file = try? directory.open(partial, writable: true) else { return false }
        defer { try? file.close() }
        return (try? file.lock()) == false
    }

    /// Opens a file; nil if there is none of that name.
    func open(_ name: String) throws(DownloadError) -> (any StorageFile)? {
        do throws(StorageError) {
            return try directory.open(name, writable: true)
        } catch {
            switch error.reason {
            case .notFound: return nil
            // The last are a FIFO, a socket or a device.
            case .isADirectory, .symbolicLink, .notSupported:
                throw .nameTaken(
                    by: .other, "“\(name)” in “\(directory.path)” exists and is not a regular file.",
                    remedies: [.chooseName, .renameIfExists])
            default: throw .storage(error, directory: directory.path)
            }
        }
    }

    func remove(_ journal: FoundJournal?, _ names: PartialFiles.Names) throws(DownloadError) {
        guard let file = journal?.file else { return }
        try disk { () throws(StorageError) in
            try directory.remove(names.journal, ifStill: try file.status().identity)
            try file.close()
        }
    }

    func cleanUp(
        after record: JournalRecord, _ journal: FoundJournal, _ names: PartialFiles.Names, of name: String,
        _ finished: FileStatus
    ) throws(DownloadError) -> Found {
        // The name first: a journal that is gone while the name is not would leave nothing of what was done.
        try disk { () throws(StorageError) in
            try directory.sync()
            // Where a rename is a link and a removal, it was cut off between the two.
            if try directory.status(names.partial)?.identity == finished.identity {
                try directory.remove(names.partial, ifStill: finished.identity)
            }
        }
        let isMarked = takeOver(name, of: record)
        if plan.keepsReceipt, !isMarked, let number = plan.markerNumber {
            let identity = try disk { () throws(StorageError) in try journal.file.status().identity }
            ports.receipts.keep(
                Receipts.Receipt(directory: plan.directory, journal: names.journal, identity: identity), of: number)
            close(journal)
        } else {
            try remove(journal, names)
        }
        try disk(directory.sync)
        return .alreadyFinished(name: name, record)
    }

    /// A finished file is its owner's alone (FAULTS D24), and this download is now the one that finished it. One that
    /// cannot be written to keeps its mark, which then means nothing.
    ///
    /// - Returns: whether it carries the marker of this download.
    private func takeOver(_ name: String, of record: JournalRecord) -> Bool {
        guard let file = try? directory.open(name, writable: true) else { return false }
        defer { try? file.close() }
        var isMarked = false
        if let number = plan.markerNumber, let size = try? file.status().size {
            let marker = CompletionMarker(number: number, size: size, isComplete: true, isVerified: record.hasDigest)
            isMarked =
                (try? file.setAttribute(CompletionMarker.attributeName, to: Array(marker.text.utf8))) ?? false
        }
        if let mark = try? file.mark(), mark.starts(with: record.id) { try? file.removeMark() }
        return isMarked
    }
}
