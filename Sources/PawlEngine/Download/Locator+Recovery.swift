import PawlCore

/// Which claims of an earlier run are trusted, and how they are verified.
extension Locator {
    /// What the unsynced record says, once a sync of the partial file has shown that nothing of it was lost. Nil when it proves nothing.
    func believable(
        _ journal: FoundJournal, about file: any StorageFile, _ status: FileStatus
    ) throws(DownloadError) -> JournalRecord? {
        guard let unsynced = journal.unsynced, unsynced.isOfUse(to: owner), unsynced.record.partialDevice == status.identity.device,
            journal.record.map({ $0.id == unsynced.record.id }) ?? true,
            try likeness(of: file, status, to: unsynced.record, in: journal) != .other
        else { return nil }
        // This sync may be the one that is told of an error, and this process may end before it can act on it.
        var doubt = UnsyncedRecord(unsynced.record, isDoubtful: true)
        doubt.record.generation = unsynced.record.generation + 1
        do throws(StorageError) {
            try journal.file.write(Journal.encode(doubt), at: Journal.unsyncedSlotOffset(generation: doubt.record.generation))
            try file.sync()
            return unsynced.record
        } catch {
            return nil
        }
    }

    func likeness(
        of file: any StorageFile, _ status: FileStatus, to record: JournalRecord, in journal: FoundJournal
    ) throws(DownloadError) -> Likeness {
        try disk { () throws(StorageError) in try record.likeness(of: file, status, describedIn: journal.file) }
    }

    /// Whether the file under the final name is the one that the journal describes: an earlier run was cut off after the rename. By then it may
    /// have lost its mark, so that only its birth tells it from another file that has got its inode number (D25).
    func isFinished(
        _ name: String, _ target: FileStatus, by record: JournalRecord, in journal: FoundJournal
    ) throws(DownloadError) -> Bool {
        guard target.identity.inode == record.partialInode, target.kind == .regular else { return false }
        // A file that we may not read is not one that we have just made.
        guard let file = try? directory.open(name, writable: false) else { return false }
        defer { try? file.close() }
        return try disk { () throws(StorageError) in
            guard try file.status().identity == target.identity else { return false }
            if let mark = try file.mark() { return mark == record.id }
            guard let created = try? file.created(), let journalCreated = try? journal.file.created() else {
                return try journal.file.mark() == nil
            }
            return created <= journalCreated
        }
    }

    /// What the journal claims, less what cannot be so. At least one record is there. Nil: nothing shows that the file is the one described.
    func recover(
        _ durable: JournalRecord?, _ unsynced: JournalRecord?, _ likeness: Likeness, _ journal: FoundJournal, _ file: any StorageFile,
        _ status: FileStatus, _ names: PartialFiles.Names
    ) throws(DownloadError) -> Found? {
        guard let record = durable ?? unsynced else { return .fresh(name: names.target) }
        let journalOwner = owner(of: record)
        // The unsynced slots are never synced, so the system may have met an error with them that it has told nobody. It is of no account: what
        // the durable slots hold was synced before it was believed.
        try? journal.file.sync()
        let keeper = JournalFile(
            names.journal, in: directory,
            JournalFile.Identity(id: record.id, owner: owner, targetName: names.target, partial: status.identity),
            found: journal.file, durable: durable, unsynced: unsynced, unsyncedGeneration: journal.unsynced.map { $0.record.generation + 1 } ?? 0)
        let layout = layout(of: record.representation)
        let claimsAny = !(durable?.durable ?? RangeSet()).isEmpty || !(unsynced?.durable ?? RangeSet()).isEmpty
        let files = PartialFiles(
            opened: file, journal: keeper, target: names.target, in: directory, identity: status.identity, layout: layout,
            origin: .earlierRun(claims: claimsAny, isProven: likeness == .same))
        // Pages whose write-back failed still read as written, and ext4, in reserved space, takes a second write to them for already
        // done: it syncs, and the file has zeros there after the next mount.
        file.dropCache()
        let evidence: Evidence? =
            if likeness == .same { nil } else { try compare([durable, unsynced].compactMap { $0 }, files) { present($0, status, layout) } }
        if let evidence, evidence.agreeing.isEmpty {
            if evidence.hasHashes { throw notDescribed(names) }
            return nil
        }
        return try disk { () throws(StorageError) in
            var claims = durable?.durable ?? RangeSet()
            var damaged: [ByteRange] = []
            if let durable {
                // After another boot the disk has been through a power cycle; within one, the last generations are looked at all the same.
                let isTrusted = durable.owner.bootID == owner.bootID && likeness == .same
                let suspects = isTrusted ? durable.recentBlocks : durable.blockHashes.keys.sorted()
                damaged += try files.damagedBlocks(durable, within: present(claims, status, layout), among: suspects)
            }
            if let unsynced {
                let news = unsynced.blockHashes.keys.sorted().filter { durable?.blockHashes[$0] == nil }
                damaged += try files.damagedBlocks(unsynced, within: present(unsynced.durable, status, layout), among: news)
                claims.formUnion(unsynced.durable)
            }
            claims = present(claims, status, layout)
            let claimed = claims
            keeper.forgetHashes(in: damaged)
            for range in damaged { claims.remove(range) }
            if let evidence { claims = RangeSet(evidence.agreeing.ranges.flatMap { claims.intersection($0).ranges }) }
            let isVerified = record.state == .verified && damaged.isEmpty && claims == claimed
            if unsynced != nil {
                // It has been synced just now, so the durable record may say it too.
                try keeper.write(claims, facts(of: record), isVerified ? .verified : .downloading)
            }
            // FAULTS D03: an earlier run may have stopped because the disk was full.
            let length = layout.map(\.length) ?? record.representation.total
            if let length, claims.count < length, layout?.isSparse != true { try files.reserve(length) }
            var facts = facts(of: record)
            facts.secondsSinceEpoch = now
            try files.takeOver(claims, facts, isVerified ? .verified : .downloading)
            return .resumable(
                files,
                .journal(
                    record.representation, durable: claims, isVerified: isVerified, of: journalOwner?.url,
                    isProven: journalOwner?.isSame ?? false))
        }
    }

    /// What speaks for a file whose inode number may be all that it shares with the one described (FAULTS D25).
    private struct Evidence {
        /// There was something to compare.
        var hasHashes = false
        /// The blocks that are what was received.
        var agreeing = RangeSet()
    }

    private func compare(
        _ records: [JournalRecord], _ files: PartialFiles, within present: (RangeSet) -> RangeSet
    ) throws(DownloadError) -> Evidence {
        var evidence = Evidence()
        for record in records {
            let (claims, indices) = (present(record.durable), record.blockHashes.keys.sorted())
            let hashed = files.hashedBlocks(record, within: claims, among: indices)
            let damaged = try disk { () throws(StorageError) in try files.damagedBlocks(record, within: claims, among: indices) }
            if !hashed.isEmpty { evidence.hasHashes = true }
            for (range, _) in hashed { evidence.agreeing.insert(range) }
            for range in damaged { evidence.agreeing.remove(range) }
        }
        return evidence
    }

    /// FAULTS D12, J07: nothing past the end of a shortened file is there.
    private func present(_ ranges: RangeSet, _ status: FileStatus, _ layout: ResultLayout?) -> RangeSet {
        guard let layout else { return ranges.intersection(ByteRange(0..<max(0, status.size))) }
        return RangeSet(layout.positions(within: status.size).ranges.flatMap { ranges.intersection($0).ranges })
    }

    /// Whose journal it is, it says itself: it may be another's, until an answer shows that it is not.
    private func facts(of record: JournalRecord) -> JournalFile.Facts {
        JournalFile.Facts(
            url: owner(of: record)?.url ?? spec.settings.url, urlHash: record.urlHash, identityHash: record.identityHash,
            representation: record.representation, digest: record.expectedDigest, secondsSinceEpoch: record.updated)
    }
}
