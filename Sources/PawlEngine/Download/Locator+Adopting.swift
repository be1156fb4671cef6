import PawlCore

/// `--adopt`: files of other programs that may be continued, and how others are recognised.
///
/// Nothing here changes a file. What is adopted stays under its name until the server has been heard: see ``Adoption``.
extension Locator {
    /// curl and wget leave partial data under the final name.
    func adoptTarget(_ names: PartialFiles.Names, _ journal: FoundJournal?) throws(DownloadError) -> Found {
        guard try disk({ () throws(StorageError) in try directory.status(names.partial) }) == nil else {
            throw DownloadError(
                .fileExists,
                "Both “\(names.target)” and “\(names.partial)” exist.", remedies: [.moveExisting, .stopAdopting],
                recovery: .giveUp)
        }
        guard let file = try open(names.target) else { return .fresh(name: names.target) }
        let status = try lock(file, names, nil)
        try confirm(status, names.target)
        return try adopt(file, status, names, foundAs: names.target, journal)
    }

    /// Whether the partial file is another program's. Pawl's own have their full length from the start, and their journals say what they hold.
    func mayAdopt(_ file: any StorageFile, _ status: FileStatus, _ names: PartialFiles.Names) throws(DownloadError) -> Bool {
        guard try disk({ () throws(StorageError) in try file.mark() }) != nil else { return true }
        guard status.size > 0, try disk({ () throws(StorageError) in try file.nextData(from: 0) }) != nil else { return false }
        throw DownloadError(
            .journal,
            "“\(names.partial)” is Pawl's own and its journal is gone, so nothing shows which of its bytes are right. Unless it is to be adopted, it can be set aside.",
            remedies: [.stopAdopting, .chooseName], recovery: .giveUp)
    }

    func adopt(
        _ file: any StorageFile, _ status: FileStatus, _ names: PartialFiles.Names, foundAs name: String, _ journal: FoundJournal?
    ) throws(DownloadError) -> Found {
        try refuseControlFiles(names, name)
        try refuseGaps(file, status, name)
        let obsolete = try journal.map { found throws(DownloadError) in
            try disk { () throws(StorageError) in try found.file.status().identity }
        }
        close(journal)
        let keeper = JournalFile(
            names.journal, in: directory,
            JournalFile.Identity(id: newID, owner: owner, targetName: names.target, partial: status.identity),
            blockSize: BlockHasher.blockSize(total: nil), isSuspended: true)
        let adoption = Adoption(file, status, foundAs: name, names, in: directory, journal: keeper, obsoleteJournal: obsolete)
        let isTarget = name.isExactly(names.target)
        return .resumable(PartialFiles(adopting: adoption), .adopted(size: status.size, name: name, isTarget: isTarget))
    }

    // MARK: Signs that a file is no prefix

    /// Of programs that fetch several parts at once into a file of full length: what they add to its name for their own journal.
    private static let controlSuffixes = [(".aria2", "aria2c"), (".st", "axel"), (".lftp-pget-status", "lftp")]

    private func refuseControlFiles(_ names: PartialFiles.Names, _ name: String) throws(DownloadError) {
        for (suffix, program) in Self.controlSuffixes {
            for control in [names.target + suffix, names.partial + suffix] {
                // A name that is too long for the file system does not exist.
                guard let found = try? directory.status(control), found.kind == .regular else { continue }
                throw DownloadError(
                    .journal,
                    "“\(control)” shows that \(program) has not finished “\(name)”: parts in its middle may be missing.",
                    remedies: [.finishElsewhere, .chooseName], recovery: .giveUp)
            }
        }
    }

    /// Bytes that were never written read as zeros. No other program's file says which they are.
    private func refuseGaps(_ file: any StorageFile, _ status: FileStatus, _ name: String) throws(DownloadError) {
        guard status.size > 0 else { return }
        // Reserved space that somebody has read counts as data while memory holds what was read.
        file.dropCache()
        let written = try disk { () throws(StorageError) in try file.nextData(from: 0) }
        if written?.start != 0 || (written?.end ?? 0) < status.size {
            let first = written?.start == 0 ? written?.end ?? 0 : 0
            throw DownloadError(
                .journal,
                "“\(name)” has gaps that were never written, the first at byte \(first), so it is not the beginning of the file.",
                remedies: [.finishElsewhere, .chooseName], recovery: .giveUp)
        }
        // Some file systems report no gaps and count only the blocks in use; others compress, and a file smaller than a block may take none.
        guard status.occupied < status.size, status.size > Self.largestInline, spec.settings.digest == nil else { return }
        throw DownloadError(
            .journal,
            "“\(name)” takes up less space than its \(status.size) bytes, so parts of it may never have been written. If the file system compresses files, the expected checksum would show at the end whether all is there.",
            remedies: [.giveDigest, .chooseName], recovery: .giveUp)
    }

    private static let largestInline: Int64 = 4096
}
