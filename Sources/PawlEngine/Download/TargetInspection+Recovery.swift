import PawlCore

/// The claims of an earlier run that are trusted, and their verification.
extension TargetInspection {
    /// Whether a sync of the partial file shows that nothing of what the unsynced record says was lost.
    func prove(_ unsynced: JournalRecord, in journal: any StorageFile, about file: any StorageFile) -> Bool {
        // This sync may be the one that is told of an error, and this process may end before it can act on it.
        var doubt = UnsyncedRecord(unsynced, isDoubtful: true)
        doubt.record.generation = unsynced.generation + 1
        do throws(StorageError) {
            try journal.write(
                Journal.encode(doubt), at: Journal.unsyncedSlotOffset(generation: doubt.record.generation))
            try file.sync()
            return true
        } catch {
            return false
        }
    }

    /// An earlier run of this download was cut off after the file got its name; nil if there was none.
    ///
    /// - Parameter target: what has the name asked for.
    func finished(
        _ names: PartialFiles.Names, _ target: FileStatus?, _ journal: FoundJournal?
    ) throws(DownloadError) -> Found? {
        guard let journal, let record = journal.findings.latest,
            let found = try finishedFile(names, target, journal)
        else { return nil }
        return try cleanUp(after: record, journal, names, of: found.name, found.status)
    }

    /// The file that an earlier run of this download has finished; nil if there is none.
    func finishedFile(
        _ names: PartialFiles.Names, _ target: FileStatus?, _ journal: FoundJournal?
    ) throws(DownloadError) -> (name: String, status: FileStatus)? {
        // A file finished from a URL that differs in a secret belongs to another download, whatever its name.
        guard let journal, let record = journal.findings.latest, owner(of: record)?.isSame == true,
            record.isVerified(for: plan.settings.digest)
        else { return nil }
        return try finishedFile(names, target, by: record, in: journal)
    }

    /// The finished file that the journal describes. Its name may be another than the one asked for, which the policy
    /// for existing files led to.
    private func finishedFile(
        _ names: PartialFiles.Names, _ target: FileStatus?, by record: JournalRecord, in journal: FoundJournal
    ) throws(DownloadError) -> (name: String, status: FileStatus)? {
        if let target, try isFinished(names.target, target, by: record, in: journal) { return (names.target, target) }
        let (partial, present) = try disk { () throws(StorageError) in
            (try directory.status(names.partial), Set(try directory.names().map { ExactText($0) }))
        }
        // While it has its partial name, it either has no other yet, or both: then a link stands for a rename.
        guard partial.map({ $0.linkCount > 1 && $0.identity.inode == record.partialInode }) ?? true else { return nil }
        for attempt in 1...FileName.maximumAttempts {
            let name = FileName.renamed(names.target, attempt: attempt)
            guard present.contains(ExactText(name)),
                let status = try disk({ () throws(StorageError) in try directory.status(name) }),
                try isFinished(name, status, by: record, in: journal)
            else { continue }
            return (name, status)
        }
        return nil
    }

    /// Whether the file under a final name is the one that the journal describes.
    private func isFinished(
        _ name: String, _ target: FileStatus, by record: JournalRecord, in journal: FoundJournal
    ) throws(DownloadError) -> Bool {
        guard target.kind == .regular, target.identity.inode == record.partialInode,
            target.size == lengthOfResult(record)
        else { return false }
        // A file that we may not read is not one that we have just made.
        guard let file = try? directory.open(name, writable: false) else { return false }
        defer { try? file.close() }
        return try disk { () throws(StorageError) in
            guard try file.status().identity == target.identity else { return false }
            let (traits, journalTraits) = (try FileTraits(of: file, target), try FileTraits(of: journal.file))
            guard record.isFinished(traits, describedIn: journalTraits) else { return false }
            let isProven = traits.mark != nil || traits.created != nil && journalTraits.created != nil
            if isProven || plan.settings.ranges != nil { return true }
            return try agrees(file, with: record)
        }
    }

    /// Whether a file of which only the inode number and the length are known has all hashes of the record. One without
    /// any hash is not taken for the finished file.
    private func agrees(_ file: any StorageFile, with record: JournalRecord) throws(StorageError) -> Bool {
        let blocks = record.hashedBlocks(within: record.durable, among: record.blockHashes.keys.sorted())
        let buffer = WriteBuffer(capacity: 1 << 20)
        for block in blocks {
            var hash = BlockHash(block.function)
            try file.scan(block.range, buffer) { (bytes, _) throws(StorageError) in hash.update(bytes) }
            guard hash.value == block.hash else { return false }
        }
        return !blocks.isEmpty
    }

    /// Recovers the ranges that the journal claims, except those that cannot be true. At least one record is there.
    /// Returns nil if nothing shows that the file is the one described.
    func recover(
        _ durable: JournalRecord?, _ unsynced: JournalRecord?, _ likeness: Likeness, _ journal: FoundJournal,
        _ file: any StorageFile,
        _ status: FileStatus, _ names: PartialFiles.Names
    ) throws(DownloadError) -> Found? {
        guard let older = durable ?? unsynced else { return .fresh(name: names.target) }
        let record = unsynced.flatMap { $0.isLater(than: older) ? $0 : nil } ?? older
        // The unsynced slots are never synced, so the system may have met an error with them that it has told nobody.
        // It is of no account: what the durable slots hold was synced before it was believed.
        try? journal.file.sync()
        let keeper = JournalFile(
            names.journal, in: directory,
            JournalFile.Identity(
                id: record.id, storage: ports.storage, targetName: names.target, partial: status.identity,
                adopted: record.adopted),
            found: journal.file, durable: durable, unsynced: unsynced,
            unsyncedGeneration: journal.findings.unsynced.map { $0.record.generation + 1 } ?? 0)
        let layout = layout(of: record.representation)
        let claimsAny = !(durable?.durable ?? RangeSet()).isEmpty || !(unsynced?.durable ?? RangeSet()).isEmpty
        let files = PartialFiles(
            opened: file, journal: keeper, target: names.target, in: directory, identity: status.identity,
            layout: layout,
            origin: .earlierRun(claims: claimsAny, isOurs: likeness == .same && record.adopted == 0),
            finished: ports.finished)
        // Pages whose write-back failed still read as written, and ext4, in reserved space, takes a second write to
        // them for already done: it syncs, and the file has zeros there after the next mount.
        file.dropCache()
        let reach =
            layout.map { RangeSet($0.positions(within: status.size).ranges) }
            ?? RangeSet(ByteRange(0..<max(0, status.size)))
        func verdict(doubts: Bool) throws(DownloadError) -> PartialFileOwnership.Verdict {
            let review = PartialFileOwnership(
                durable: durable, unsynced: unsynced, likeness, bootID: ports.storage.owner.bootID, reach: reach,
                doubts: doubts)
            return review.verdict(
                isRight: try disk { () throws(StorageError) in
                    try review.blocks.map { (block) throws(StorageError) in
                        try files.hash(of: block.range, by: block.function) == block.hash
                    }
                })
        }
        var found = try verdict(doubts: false)
        if found == .doubtful { found = try verdict(doubts: true) }
        switch found {
        case .doubtful, .unproven: return nil
        case .otherFile: throw notDescribed(names)
        case .claims(let claims, _, _) where claims.isEmpty && owner(of: record) == nil: return nil
        case .claims(let claims, let damaged, let isVerified):
            keeper.forgetHashes(in: damaged)
            // Unsynced claims that are passed over must not be believed later, when other bytes stand there.
            let isNews =
                unsynced != nil || journal.findings.unsynced.map { !$0.record.durable.isEmpty } ?? false
                || claims != durable?.durable ?? RangeSet()
            return try takeOver(claims, isVerified: isVerified, of: record, isNews: isNews, files, keeper, layout)
        }
    }

    private func takeOver(
        _ claims: RangeSet, isVerified: Bool, of record: JournalRecord, isNews: Bool, _ files: PartialFiles,
        _ keeper: JournalFile,
        _ layout: ResultLayout?
    ) throws(DownloadError) -> Found {
        let journalOwner = owner(of: record)
        let otherURL = claims.isEmpty ? nil : record.otherURL(in: plan.settings, ownedBy: journalOwner)
        var facts = facts(of: record, journalOwner?.url ?? otherURL)
        let state: JournalRecord.State = isVerified ? .verified : .downloading
        return try disk { () throws(StorageError) in
            // All of it has been synced. What is not believed any more must not be read again from the old record,
            // whatever happens to this run.
            if isNews { try keeper.write(claims, facts, state) }
            // FAULTS D03: an earlier run may have stopped because the disk was full.
            let length = layout.map(\.length) ?? record.representation.total
            if let length, claims.count < length, layout?.isSparse != true { try files.reserve(length) }
            facts.secondsSinceEpoch = now
            try files.takeOver(claims, facts, state)
            return .resumable(
                files,
                .journal(
                    record.representation, durable: claims, isVerified: isVerified, of: journalOwner?.url,
                    origin: origin(of: record, otherURL)))
        }
    }

    private func origin(of record: JournalRecord, _ otherURL: HTTPURL?) -> DownloadMachine.Origin {
        if let otherURL { return .otherURL(otherURL) }
        guard owner(of: record)?.isSame ?? false else { return .otherSecrets }
        // A record of bytes from several mirrors names no version either.
        let restsOnDigest =
            record.expectedDigest != nil && !record.representation.isIdentified && plan.settings.mirrors.isEmpty
        return restsOnDigest ? .restingOnDigest : .sameRequest
    }

    /// Returns the facts of a journal. The record names its own URL: it may be another's, until a response shows that
    /// it is not.
    private func facts(of record: JournalRecord, _ owner: HTTPURL?) -> JournalFile.Facts {
        JournalFile.Facts(
            url: owner ?? plan.settings.url, urlHash: record.urlHash, identityHash: record.identityHash,
            representation: record.representation, digest: record.expectedDigest, secondsSinceEpoch: record.updated)
    }
}
