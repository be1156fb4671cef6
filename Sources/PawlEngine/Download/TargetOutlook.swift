package import PawlCore

/// The state of a download's target, and what the download would do about it.
package enum TargetOutlook: Hashable, Sendable {
    /// Nothing is there.
    case begins
    /// An earlier run has stored so many bytes of `total`.
    case resumes(stored: Int64, total: Int64?)
    /// Another URL has stored so many bytes, which would be resumed if the server's file is the same.
    ///
    /// - Parameter proof: the proof that the server's answer leaves to the download; nil if it was not asked.
    case takesOver(stored: Int64, from: HTTPURL, proof: UnprovenBytes.Evidence?)
    /// A file of another program has the name of the partial file, and would be moved to another name.
    case setsAside(String)
    /// The file of another program would be resumed.
    case adopts
    /// The existing file would be replaced.
    case replaces
    /// The existing file is compared with the server's before anything is decided.
    case compares
    /// The name is taken, and the file would be saved under this one.
    case renames(String)
    /// The existing file would be left as it is.
    case skips
    /// The server's file is not newer than the existing one.
    case isCurrent
    /// An earlier run has finished the file.
    case isFinished
    case fails(DownloadError)
}

extension TargetOutlook {
    /// Looks at the target of a download as the download would, by the same rules, and changes nothing.
    ///
    /// - Parameters:
    ///   - answer: the server's name for the file, and its description; nil if it was not asked.
    ///   - isTaken: whether another download before this one gets this name.
    /// - Returns: also the name that was looked at, and whether the server may still choose another.
    package static func look(
        at plan: Plan, _ ports: Ports, after answer: (name: String, file: Representation)?,
        isTaken: (String) -> Bool
    ) -> (name: String, isNameFixed: Bool, outlook: TargetOutlook) {
        let presumed = plan.fileName ?? answer?.name ?? FileName.choose(contentDisposition: nil, url: plan.settings.url)
        let isFixed = plan.fileName != nil || answer != nil
        do throws(DownloadError) {
            let inspection = try TargetInspection(plan, ports, newID: [])
            var known = try inspection.knownName()
            if known == nil, answer == nil { known = try inspection.nameOfFileToLeave() }
            let name = known ?? presumed
            let isNameFixed = isFixed || known != nil
            return (name, isNameFixed, try inspection.outlook(of: name, after: answer?.file, isTaken: isTaken))
        } catch {
            return (presumed, isFixed, .fails(error))
        }
    }
}

extension TargetInspection {
    fileprivate func outlook(
        of name: String, after found: Representation?, isTaken: (String) -> Bool
    ) throws(DownloadError) -> TargetOutlook {
        if isTaken(name) {
            if plan.renamesTaken || plan.existingFilePolicy == .rename { return try spareOutlook(of: name, isTaken) }
            throw .nameHeldByAnother(name)
        }
        do throws(DownloadError) {
            return try outlookAsked(name, found, isTaken)
        } catch  where plan.existingFilePolicy == .rename && Self.isHeld(error) {
            return try spareOutlook(of: name, isTaken)
        }
    }

    private func outlookAsked(
        _ name: String, _ found: Representation?, _ isTaken: (String) -> Bool
    ) throws(DownloadError) -> TargetOutlook {
        try refuseOwnName(name)
        let names = PartialFiles.Names(name)
        let target = try disk { () throws(StorageError) in try directory.status(name) }
        let journal = try readJournal(names, mayTakeOver: plan.existingFilePolicy != .rename)
        defer { close(journal) }
        if try isFinished(names, target, journal) { return .isFinished }
        guard let target else { return try outlook(of: names, journal, found) }
        switch try decision(about: target, named: name) {
        case .proceed where !plan.onlyIfNewer: return .replaces
        case .proceed, .compare: return try comparison(with: found, name, isTaken)
        case .skip: return compared(name)
        case .adopt: return .adopts
        case .rename: return try spareOutlook(of: name, isTaken)
        }
    }

    /// Returns the outlook of a file that is wanted only if the server's is newer.
    private func comparison(
        with found: Representation?, _ name: String, _ isTaken: (String) -> Bool
    ) throws(DownloadError) -> TargetOutlook {
        guard let found else { return .compares }
        if let version = try version(of: name), version.isCurrent(with: found) { return .isCurrent }
        switch plan.existingFilePolicy {
        case .replace: return .replaces
        case .skip: return .skips
        case .rename: return try spareOutlook(of: name, isTaken)
        case .fail: throw .olderExists(name)
        }
    }

    private func isFinished(
        _ names: PartialFiles.Names, _ target: FileStatus?, _ journal: FoundJournal?
    ) throws(DownloadError) -> Bool {
        if try finishedFile(names, target, journal) != nil { return true }
        guard let target else { return false }
        if let record = journal?.findings.latest, owner(of: record)?.isSame == true,
            try isAssembled(target, by: record, names)
        {
            return true
        }
        return try completionMarker(in: names.target, target) != nil
    }

    /// By the partial file, if there is one.
    private func outlook(
        of names: PartialFiles.Names, _ journal: FoundJournal?, _ found: Representation? = nil
    ) throws(DownloadError) -> TargetOutlook {
        guard let file = try open(names.partial) else {
            try keepOfAnother(journal, names)
            return .begins
        }
        defer { try? file.close() }
        let status = try lock(file, names, journal)
        guard let findings = journal?.findings, let record = findings.latest,
            owner(of: record) != nil || !findings.claimsNothing
        else {
            if plan.adoptsPartialFile, try mayAdopt(file, status, names) { return .adopts }
            let orphan = try disk { () throws(StorageError) in try OrphanedPartialFile(file, size: status.size) }
            return orphan.fate == .setAside ? .setsAside(names.partial) : .begins
        }
        if owner(of: record) == nil, let url = record.otherURL(in: plan.settings) {
            return try outlook(of: record, from: url, found)
        }
        return .resumes(stored: record.durable.count, total: record.representation.total)
    }

    /// By the server's answer, what becomes of the bytes that another URL has stored.
    private func outlook(
        of record: JournalRecord, from url: HTTPURL, _ found: Representation?
    ) throws(DownloadError) -> TargetOutlook {
        let stored = record.durable.count
        guard let found else { return .takesOver(stored: stored, from: url, proof: nil) }
        let bytes = UnprovenBytes(journal: record.representation, otherURL: url)
        switch bytes.judge(found, heldCount: stored, by: plan.settings) {
        case .evident(let evidence): return .takesOver(stored: stored, from: url, proof: evidence)
        case .comparable: return .takesOver(stored: stored, from: url, proof: .samples)
        case .doubtful(let doubt):
            if plan.existingFilePolicy == .replace { return .begins }
            guard let error = plan.settings.refusal(of: bytes, doubt, mayCompare: found.isCombinable) else {
                return .begins
            }
            throw error
        }
    }

    private func spareOutlook(of name: String, _ isTaken: (String) -> Bool) throws(DownloadError) -> TargetOutlook {
        for attempt in 1...FileName.maximumAttempts {
            let spare = FileName.renamed(name, attempt: attempt)
            if !isTaken(spare), let outlook = try spareOutlook(spare) { return outlook }
        }
        throw .noFreeName(like: name)
    }

    /// Returns nil if the name is taken, too.
    private func spareOutlook(_ name: String) throws(DownloadError) -> TargetOutlook? {
        let names = PartialFiles.Names(name)
        let status = try disk { () throws(StorageError) in try directory.status(name) }
        do throws(DownloadError) {
            let journal = try readJournal(names)
            defer { close(journal) }
            if try isFinished(names, status, journal) { return .isFinished }
            guard status == nil else { return nil }
            _ = try outlook(of: names, journal)
            return .renames(name)
        } catch  where Self.isHeld(error) {
            return nil
        }
    }

    /// An existing file that would be left still has to match the caller's digest.
    private func compared(_ name: String) -> TargetOutlook {
        guard let expected = plan.settings.digest else { return .skips }
        var summary = DownloadMachine.Summary.skipped(plan.settings)
        do throws(StorageError) {
            let bytes = try ports.digest(expected.algorithm, of: name, in: directory)
            summary.noteDigest(bytes, of: name, expected: expected, plan.existingFilePolicy)
        } catch {
            summary.noteUnreadable(name, in: plan.directory, error)
        }
        if case .failed(let error) = summary.phase { return .fails(error) }
        return .skips
    }
}

extension Ports {
    fileprivate func digest(
        _ algorithm: DigestAlgorithm, of name: String, in directory: any StorageDirectory
    ) throws(StorageError) -> [UInt8] {
        let file = try directory.open(name, writable: false)
        defer { try? file.close() }
        var digester = try digests.makeDigester(algorithm)
        let size = try file.status().size
        if size > 0 {
            try file.scan(ByteRange(0..<size), WriteBuffer(capacity: 1 << 20)) { bytes, _ in digester.update(bytes) }
        }
        return digester.finalize()
    }
}
