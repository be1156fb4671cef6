import PawlCore

/// The extended attribute of a file that does not match its digest (`NAME.part.bad`): a journal record of the version
/// that the server had. The next run refuses that version at once instead of fetching it again.
enum MismatchMark {
    private static let attributeName = "user.pawl.mismatch"

    /// Records the rejected version on a file. Where the file system keeps no attributes, that version is fetched
    /// again.
    static func set(_ record: [UInt8], on file: any StorageFile) {
        _ = try? file.setAttribute(attributeName, to: record)
    }

    static func remove(from file: any StorageFile) throws(StorageError) { try file.removeAttribute(attributeName) }

    static func record(of file: any StorageFile) -> JournalRecord? {
        ((try? file.attribute(attributeName)) ?? nil).flatMap(Journal.record(inSlot:))
    }
}

extension TargetInspection {
    /// Refuses a version that an earlier run of this download has fetched and found not to match the digest, as long as
    /// its file is there. Of several sources, another one may have the right file.
    func refuseMismatched(_ found: Representation, as name: String) throws(DownloadError) {
        guard let digest = plan.settings.digest, plan.settings.mirrors.isEmpty else { return }
        let names = PartialFiles.Names(name)
        for kept in PartialFiles.quarantineNames(names.partial) {
            guard let file = try? directory.open(kept, writable: false) else { return }
            defer { try? file.close() }
            guard let record = MismatchMark.record(of: file), owner(of: record)?.isSame == true,
                record.rejects(found, for: digest)
            else { continue }
            throw DownloadError(
                .digestMismatch,
                "The server's file is still the one that does not match \(digest). It is kept as “\(kept)”; to download it again, remove that file.",
                remedies: [.checkDigest], recovery: .restart)
        }
    }
}

extension TargetInspection {
    /// Resumes from the bytes that an earlier run kept because they do not match a digest, if they match the one given
    /// now: that digest was wrong, not the file. Nil where no kept file matches.
    ///
    /// A match of a digest that only detects accidents is not enough: the server must still have that version, too.
    func reclaimMismatched(
        _ found: Representation, as name: String, _ facts: PartialFiles.Facts?
    ) throws(DownloadError) -> (files: PartialFiles, recovered: DownloadMachine.Recovered)? {
        guard let digest = plan.settings.digest, let facts, plan.settings.ranges == nil, plan.settings.window == nil,
            let total = found.total, total > 0
        else { return nil }
        let names = PartialFiles.Names(name)
        for kept in PartialFiles.quarantineNames(names.partial) {
            guard let status = try? directory.status(kept) else { return nil }
            // Another name of the file is the user's, and would change with it.
            guard status.kind == .regular, status.size == total, status.linkCount == 1,
                let file = try? directory.open(kept, writable: true)
            else { continue }
            let match = try? matches(file, status, found, digest)
            var facts = facts
            if match == .digest {
                // No validator of the server identifies them: a run without the digest must not take them for its own.
                facts.representation = Representation(total: total, contentCoding: found.contentCoding)
            }
            let files =
                match == nil
                ? nil : try disk { () throws(StorageError) in try reclaim(kept, file, status, names, facts) }
            if let files {
                let all = RangeSet(ByteRange(0..<total))
                return (
                    files, .journal(facts.representation, durable: all, isVerified: false, origin: .otherSecrets)
                )
            }
            try? file.close()
        }
        return nil
    }

    private enum Match {
        case version
        /// The bytes match, whatever version of the server's file they are of.
        case digest
    }

    private func matches(
        _ file: any StorageFile, _ status: FileStatus, _ found: Representation, _ digest: Digest
    ) throws(StorageError) -> Match? {
        let record = MismatchMark.record(of: file)
        guard try file.status().identity == status.identity, record?.expectedDigest != digest else { return nil }
        let isOfVersion = record.map { $0.representation.isSameFile(as: found) && owner(of: $0)?.isSame == true }
        guard digest.algorithm.isSecure ? record != nil || AsideMark.isOn(file) : isOfVersion ?? false else {
            return nil
        }
        var digester = try ports.digests.makeDigester(digest.algorithm)
        try file.scan(ByteRange(0..<status.size), WriteBuffer(capacity: 1 << 20)) { (bytes, _) throws(StorageError) in
            digester.update(bytes)
        }
        guard digester.finalize() == digest.bytes else { return nil }
        return isOfVersion ?? false ? .version : .digest
    }

    /// Makes a kept file the partial file again. Nil: another process uses it, or has just begun this download.
    private func reclaim(
        _ kept: String, _ file: any StorageFile, _ status: FileStatus, _ names: PartialFiles.Names,
        _ facts: PartialFiles.Facts
    ) throws(StorageError) -> PartialFiles? {
        do throws(StorageError) {
            guard try file.lock() else { return nil }
        } catch {
            guard error.reason == .notSupported else { throw error }
        }
        guard try directory.status(kept)?.identity == status.identity else { return nil }
        let isOurs = AsideMark.isOn(file)
        let journal = JournalFile(
            names.journal, in: directory,
            JournalFile.Identity(
                id: newID, storage: ports.storage, targetName: names.target, partial: status.identity),
            blockSize: BlockHasher.blockSize(total: status.size))
        let whole = RangeSet(ByteRange(0..<status.size))
        var isNamed = false
        do throws(StorageError) {
            if try file.setMark(newID) { journal.noteMarked() }
            try file.sync()
            // Until the file has its name, this journal describes none, and is removed by whoever finds it.
            try journal.write(whole, facts, .downloading)
            try directory.rename(kept, to: names.partial, replacing: false)
            isNamed = true
            try MismatchMark.remove(from: file)
            try AsideMark.remove(from: file)
            try directory.sync()
            let files = PartialFiles(
                opened: file, journal: journal, target: names.target, in: directory, identity: status.identity,
                origin: .earlierRun(claims: true, isOurs: isOurs), finished: ports.finished)
            try files.takeOver(whole, facts, .downloading)
            return files
        } catch {
            // Once it has the name, the journal is true, and the next run goes on from it.
            if !isNamed {
                try? file.removeMark()
                _ = try? journal.remove()
            }
            try? journal.close()
            if error.reason == .exists || error.reason == .busy { return nil }
            throw error
        }
    }
}
