import PawlCore

/// `--adopt`: files of other programs that may be continued, and how others are recognised.
///
/// Nothing here changes a file. What is adopted stays under its name until the server has been heard: see ``Adoption``.
extension TargetInspection {
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

    /// Whether the partial file is another program's. Pawl's own have their full length from the start, and their
    /// journals say what they hold.
    func mayAdopt(
        _ file: any StorageFile, _ status: FileStatus, _ names: PartialFiles.Names
    ) throws(DownloadError) -> Bool {
        let found = try disk { () throws(StorageError) in try OrphanedPartialFile(file, size: status.size) }
        guard found.isMarked else { return true }
        guard found.isOwnWithData else { return false }
        throw DownloadError(
            .journal,
            "“\(names.partial)” was written by Pawl, but its journal is missing, so its bytes cannot be verified. Move it away to start over.",
            remedies: [.stopAdopting, .chooseName], recovery: .giveUp)
    }

    func adopt(
        _ file: any StorageFile, _ status: FileStatus, _ names: PartialFiles.Names, foundAs name: String,
        _ journal: FoundJournal?
    ) throws(DownloadError) -> Found {
        let rule = AdoptionRule(name, hasDigest: plan.settings.digest != nil)
        let control = try controlFile(of: file, status, names, foundAs: name, rule)
        let size = control?.prefix ?? status.size
        if control == nil { try refuseGaps(file, status, rule) }
        let obsolete = try journal.map { found throws(DownloadError) in
            try disk { () throws(StorageError) in try found.file.status().identity }
        }
        close(journal)
        let keeper = JournalFile(
            names.journal, in: directory,
            JournalFile.Identity(
                id: newID, storage: ports.storage, targetName: names.target, partial: status.identity, adopted: size),
            blockSize: BlockHasher.blockSize(total: nil), isSuspended: true)
        let adoption = Adoption(
            file, status, holding: size, foundAs: name, names, in: directory, journal: keeper,
            obsoleteJournal: obsolete, control: control.map { ($0.name, $0.identity) })
        let isTarget = name.isExactly(names.target)
        return .resumable(
            PartialFiles(adopting: adoption, finished: ports.finished),
            .adopted(size: size, of: control?.total, name: name, isTarget: isTarget))
    }

    // MARK: Signs that a file is no prefix

    /// The beginning of a file that aria2 has not finished, by its control file and what there is on the disk.
    private struct Control {
        var prefix: Int64
        var total: Int64
        var name: String
        var identity: FileIdentity
    }

    /// - Returns: nil where no control file is.
    private func controlFile(
        of file: any StorageFile, _ status: FileStatus, _ names: PartialFiles.Names, foundAs name: String,
        _ rule: AdoptionRule
    ) throws(DownloadError) -> Control? {
        for (suffix, program) in AdoptionRule.controlSuffixes {
            for control in [names.target + suffix, names.partial + suffix] {
                // A name that is too long for the file system does not exist.
                guard let found = try? directory.status(control), found.kind == .regular else { continue }
                if suffix.isExactly(AdoptionRule.aria2Suffix), control.isExactly(name + suffix),
                    let read = readControl(control, found), read.total >= status.size
                {
                    let prefix = try disk { () throws(StorageError) in
                        try file.beginning(of: min(read.prefix, status.size))
                    }
                    if prefix > 0 {
                        return Control(prefix: prefix, total: read.total, name: control, identity: found.identity)
                    }
                }
                throw rule.unfinished(by: program, controlFile: control)
            }
        }
        return nil
    }

    private func readControl(_ name: String, _ status: FileStatus) -> Aria2ControlFile? {
        guard status.size <= Aria2ControlFile.maximumSize, let file = try? directory.open(name, writable: false) else {
            return nil
        }
        defer { try? file.close() }
        return (try? file.read(Int(status.size), at: 0)).flatMap { Aria2ControlFile(parsing: $0) }
    }

    private func refuseGaps(_ file: any StorageFile, _ status: FileStatus, _ rule: AdoptionRule) throws(DownloadError) {
        // Reserved space that somebody has read counts as data while memory holds what was read.
        file.dropCache()
        let written = try disk { () throws(StorageError) in try file.nextData(from: 0) }
        if let refusal = rule.refusal(size: status.size, occupied: status.occupied, written: written) { throw refusal }
    }
}

extension StorageFile {
    /// Returns the length of the beginning that has certainly been written: up to the first gap, and by
    /// ``AdoptionRule/written(_:)``.
    fileprivate func beginning(of length: Int64) throws(StorageError) -> Int64 {
        // Reserved space that somebody has read counts as data while memory holds what was read.
        dropCache()
        guard let data = try nextData(from: 0), data.start == 0 else { return 0 }
        let end = min(length, data.end)
        var position: Int64 = 0
        while position < end {
            let bytes = try read(Int(min(1 << 20, end - position)), at: position)
            let written = AdoptionRule.written(bytes)
            position += Int64(written)
            guard written > 0, written == bytes.count else { break }
        }
        return position
    }
}
