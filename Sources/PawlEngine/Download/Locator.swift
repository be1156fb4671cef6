import PawlCore

/// Finds out, before the network is touched, what an earlier run left at the target.
///
/// Where the answer is an error, nothing on disk has changed.
struct Locator {
    enum Found {
        /// Nothing to go on from; nil: the name is the server's to choose.
        case fresh(name: String?)
        case resumable(PartialFiles, DownloadMachine.Recovered)
        /// The target exists, and that is all that was wanted.
        case skipped(name: String)
        /// An earlier run was cut off after its rename: only the journal was left to remove.
        case alreadyFinished(name: String, JournalRecord)
        /// So was the program that ran this download, before its list knew: the file carries the receipt.
        case receipted(name: String, Receipt)
    }

    let spec: DownloadSpec
    let owner: Owner
    let directory: any StorageDirectory
    let newID: [UInt8]
    private let doors: Doors
    /// Seconds since 1970.
    let now: Int64

    init(_ spec: DownloadSpec, _ doors: Doors, newID: [UInt8]) throws(DownloadError) {
        self.spec = spec
        self.newID = newID
        self.doors = doors
        now = doors.runtime.secondsSinceEpoch
        owner = doors.storage.owner
        do throws(StorageError) {
            directory = try doors.storage.openDirectory(spec.directory)
        } catch {
            throw .storage(StorageError(operation: error.operation, name: spec.directory, reason: error.reason))
        }
    }

    func locate() throws(DownloadError) -> Found {
        if let name = spec.fileName { return try examine(name) }
        // What is adopted stands under the name that other tools take: the URL's.
        if spec.adopts { return try examine(FileName.choose(contentDisposition: nil, url: spec.settings.url)) }
        guard let name = try nameInJournals() else { return .fresh(name: nil) }
        return try examine(name)
    }

    func disk<Value>(_ body: () throws(StorageError) -> Value) throws(DownloadError) -> Value {
        do throws(StorageError) {
            return try body()
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    /// Without a name from the caller, the journals in the directory say whether this URL was begun here, and as what.
    private func nameInJournals() throws(DownloadError) -> String? {
        let wanted = Set(spec.settings.allURLs.map(spec.settings.identityHash))
        let names = try disk { () throws(StorageError) in try doors.journals.names(in: directory, at: doors.runtime.now) }
        for name in names {
            // A file that cannot be read is not the one looked for; the download itself has not met it.
            guard let file = try? directory.open(name, writable: false) else { continue }
            defer { try? file.close() }
            guard let bytes = try? file.read(Journal.fileSize, at: 0), let record = Journal.latest(bytes), wanted.contains(record.urlHash),
                // One that was renamed, or made by someone else, could name a file anywhere.
                FileName.journalName(for: record.targetName).utf8.elementsEqual(name.utf8)
            else { continue }
            return record.targetName
        }
        return nil
    }

    // MARK: What is there

    /// The name under which an older file is looked for: the caller's, or the one that the URL suggests.
    var presumedName: String { spec.fileName ?? FileName.choose(contentDisposition: nil, url: spec.settings.url) }

    /// Of the regular file that has this name; nil where there is none, or it does not matter.
    func version(of name: String) throws(DownloadError) -> TargetVersion? {
        guard spec.onlyIfNewer else { return nil }
        return try disk { () throws(StorageError) in
            guard let status = try directory.status(name), status.kind == .regular else { return nil }
            var version = TargetVersion(modified: status.modified)
            // One that we may not read has its time all the same.
            if let file = try? directory.open(name, writable: false) {
                let tag = (try? file.attribute(FileFacts.entityTagName)) ?? nil
                version.entityTag = tag.flatMap { EntityTag(parsing: String(decoding: $0, as: UTF8.self)) }
                try? file.close()
            }
            return version
        }
    }

    // MARK: One target

    func examine(_ name: String) throws(DownloadError) -> Found {
        guard !FileName.isReserved(name) else {
            throw DownloadError(
                .invalidArgument, "“\(name)” ends like Pawl's own files. Choose another name with -o.", recovery: .giveUp)
        }
        let names = PartialFiles.Names(name)
        let target = try disk { () throws(StorageError) in try directory.status(name) }
        let journal = try readJournal(names)
        if let target, let record = journal?.latest, record.partialInode == target.identity.inode,
            lengthOfResult(record) == target.size, record.state == .verified,
            spec.settings.digest == nil || spec.settings.digest == record.expectedDigest
        {
            return try cleanUp(after: record, journal, names)
        }
        if let target, let record = journal?.latest, try isAssembled(target, by: record, names) {
            try disk(directory.sync)
            try removeParts(record, names, of: target)
            return try cleanUp(after: record, journal, names)
        }
        if let target, let receipt = try receipt(in: name, target) {
            close(journal)
            return .receipted(name: name, receipt)
        }
        if let target {
            switch try decide(about: target, name) {
            case .proceed: break
            case .skip:
                close(journal)
                return .skipped(name: name)
            case .adopt:
                close(journal)
                return try adoptTarget(names)
            case .rename:
                // The partial file of a renamed download stands beside the next free name.
                close(journal)
                for attempt in 1...10_000 {
                    if let found = try examineSpare(FileName.renamed(name, attempt: attempt)) { return found }
                }
                throw DownloadError(.fileExists, "No free name like “\(name)” was found.", recovery: .giveUp)
            }
        }
        return try resume(names, journal)
    }

    /// A name that nobody asked for: nothing is replaced, adopted or left out for what is there. Nil: it is taken, and not by the file of
    /// this very download.
    func examineSpare(_ name: String) throws(DownloadError) -> Found? {
        if let status = try disk({ () throws(StorageError) in try directory.status(name) }) {
            return try receipt(in: name, status).map { .receipted(name: name, $0) }
        }
        let names = PartialFiles.Names(name)
        return try resume(names, try readJournal(names))
    }

    private enum Decision { case proceed, skip, rename, adopt }

    private func decide(about target: FileStatus, _ name: String) throws(DownloadError) -> Decision {
        switch target.kind {
        case .directory, .other:
            throw DownloadError(
                .fileExists,
                "“\(name)” exists and is \(target.kind == .directory ? "a directory" : "not a regular file"). Choose another name with -o.",
                recovery: .giveUp)
        case .symbolicLink where spec.ifExists == .fail || spec.adopts:
            throw DownloadError(
                .fileExists,
                "“\(name)” is a symbolic link, which Pawl does not follow. Choose another name, or use --if-exists replace to put the file in its place.",
                recovery: .giveUp)
        case .regular, .symbolicLink: break
        }
        if spec.adopts { return .adopt }
        switch spec.ifExists {
        case .skip: return .skip
        case .rename: return .rename
        case .replace: return .proceed
        case .fail:
            throw DownloadError(
                .fileExists,
                "“\(name)” exists already. Use --if-exists skip, rename or replace, or choose another name with -o.",
                recovery: .giveUp)
        }
    }

    // MARK: Journal

    struct FoundJournal {
        var file: any StorageFile
        /// Nil: it was made, and cut off before its first durable record, or while that was written.
        var record: JournalRecord?
        var isTorn = false
        var soft: SoftRecord?

        var latest: JournalRecord? { record ?? soft?.record }
    }

    /// The same URL, and not the same parts of what it names.
    private func otherParts(_ record: JournalRecord, _ names: PartialFiles.Names) -> DownloadError? {
        guard record.url == spec.settings.url.withoutSecrets.serialized else { return nil }
        let own = spec.settings.ranges.map { "the parts \($0)" } ?? "the whole file"
        return DownloadError(
            .journal,
            "“\(names.partial)” holds other parts of this file than \(own), or all of it. Choose another name with -o, or remove it and “\(names.journal)”.",
            recovery: .giveUp)
    }

    /// How long the finished file of a record is.
    private func lengthOfResult(_ record: JournalRecord) -> Int64? {
        spec.settings.ranges == nil ? record.representation.total : layout(of: record.representation)?.length
    }

    /// Where wanted parts stand in the partial file; nil for the whole.
    func layout(of representation: Representation) -> ResultLayout? {
        guard let ranges = spec.settings.ranges else { return nil }
        let resolved = representation.total.map { try? ranges.resolved(total: $0) } ?? ranges.withoutTotal
        return resolved.map { ResultLayout($0, isSparse: spec.settings.isSparse) }
    }

    private func close(_ journal: FoundJournal?) { try? journal?.file.close() }

    private func readJournal(_ names: PartialFiles.Names) throws(DownloadError) -> FoundJournal? {
        guard let file = try open(names.journal) else { return nil }
        let bytes = try disk { () throws(StorageError) in try file.read(Journal.fileSize, at: 0) }
        var found = FoundJournal(file: file, soft: Journal.decodeSoft(bytes))
        switch Journal.decode(bytes) {
        case .record(let record): found.record = record
        case .empty: break
        case .torn: found.isTorn = true
        case .corrupt:
            throw DownloadError(
                .journal,
                "“\(names.journal)” is damaged, so nothing proves what “\(names.partial)” holds. Remove the journal to begin anew, or choose another name with -o.",
                recovery: .giveUp)
        case .newerVersion(let version):
            throw DownloadError(
                .journal,
                "“\(names.journal)” was written by a newer Pawl (format version \(version), this one reads \(Journal.version)). Use that one, or choose another name with -o.",
                recovery: .giveUp)
        }
        if let record = found.latest, owner(of: record) == nil {
            if let error = otherParts(record, names) { throw error }
            throw DownloadError(
                .journal,
                "“\(names.journal)” belongs to another download (\((try? HTTPURL(parsing: record.url))?.redacted ?? "?")). Choose another name with -o, or remove it and “\(names.partial)”.",
                recovery: .giveUp)
        }
        return found
    }

    /// Of our URLs the one that a record is of.
    func owner(of record: JournalRecord) -> HTTPURL? {
        spec.settings.allURLs.first { spec.settings.identityHash(of: $0) == record.urlHash }
    }

    /// Nil when there is nothing of that name.
    private func open(_ name: String) throws(DownloadError) -> (any StorageFile)? {
        do throws(StorageError) {
            return try directory.open(name, writable: true)
        } catch where error.reason == .notFound {
            return nil
        } catch where error.reason == .notSupported {
            // A FIFO, a socket or a device.
            throw .storage(StorageError(operation: error.operation, name: name, reason: .isADirectory), directory: directory.path)
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    // MARK: Going on

    private func resume(_ names: PartialFiles.Names, _ journal: FoundJournal?) throws(DownloadError) -> Found {
        guard let file = try open(names.partial) else {
            // FAULTS J07: ranges of a partial file that is gone are gone.
            try remove(journal, names)
            return .fresh(name: names.target)
        }
        let status = try lock(file, names, journal)
        // Whoever held the lock until now may have written to the journal since it was read, and given the file its name.
        try confirm(file, status, names)
        close(journal)
        let journal = try readJournal(names)
        if let journal, let record = journal.record {
            guard try isDescribed(file, status, by: record) else {
                throw DownloadError(
                    .journal,
                    "“\(names.partial)” is not the file that “\(names.journal)” describes. Put the right one back, or remove the journal to begin anew.",
                    recovery: .giveUp)
            }
            let soft = try believable(journal, about: file, status)
            return try recover(record, soft, journal, file, status, names)
        }
        if let journal, let soft = try believable(journal, about: file, status) {
            return try recover(nil, soft, journal, file, status, names)
        }
        try remove(journal, names)
        return try withoutJournal(file, status, names, journalWasTorn: journal?.isTorn ?? false)
    }

    private func confirm(_ file: any StorageFile, _ status: FileStatus, _ names: PartialFiles.Names) throws(DownloadError) {
        let named = try disk { () throws(StorageError) in try directory.status(names.partial) }
        guard status.linkCount > 0, named?.identity == status.identity else {
            throw DownloadError(
                .locked, "Another process has just finished or moved “\(names.partial)”. Run it again.", recovery: .retryNow)
        }
    }

    private func lock(
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

    /// FAULTS D15: where the file system has no locks, the owner in the journal decides if its process would be seen from here, and
    /// else how long ago the last sign of life was.
    private func isHeldWithoutLock(_ file: any StorageFile, _ journal: FoundJournal?) throws(StorageError) -> Bool {
        var lastSign = try file.status().modified
        if let record = journal?.latest {
            if let isRunning = doors.storage.isRunning(record.owner) { return isRunning }
            lastSign = max(lastSign, record.updated)
        }
        // Clocks of two machines differ in either direction.
        return (now - Self.silenceOfTheDead..<now + Self.silenceOfTheDead).contains(lastSign)
    }

    /// In seconds: twice the longest time between two checkpoints.
    private static let silenceOfTheDead: Int64 = 120

    private func locked(_ names: PartialFiles.Names, _ journal: FoundJournal?) -> DownloadError {
        var who = "Another process"
        if let record = journal?.latest {
            who = "Process \(record.owner.processID) on \(record.owner.hostName)"
        }
        return DownloadError(
            .locked,
            "\(who) is downloading “\(names.target)” already. Wait for it, end it, or choose another name with -o.",
            recovery: .retryAfter(nil))
    }

    private func withoutJournal(
        _ file: any StorageFile, _ status: FileStatus, _ names: PartialFiles.Names, journalWasTorn: Bool
    ) throws(DownloadError) -> Found {
        let isOurs = try disk { () throws(StorageError) in try file.mark() != nil }
        // Ours has its full length from the start, so its size says nothing of what it holds: never adopted.
        if spec.adopts, !isOurs { return adopt(file, status, names) }
        try disk { () throws(StorageError) in
            if isOurs && !journalWasTorn || status.size == 0 {
                // Ours, and no checkpoint was ever made: nothing of it is known to be right. One without a byte holds nothing, whoever
                // made it; ours is so until it has its mark.
                try directory.remove(names.partial, ifStill: status.identity)
            } else {
                // FAULTS J08: another program's, or described by a journal that cannot be read. Kept, and not believed.
                try PartialFiles.moveAside(names.partial, suffix: "orphan", in: directory)
            }
            try directory.sync()
            try file.close()
        }
        return .fresh(name: names.target)
    }

    private func adopt(
        _ file: any StorageFile, _ status: FileStatus, _ names: PartialFiles.Names
    ) -> Found {
        let keeper = JournalFile(
            names.journal, in: directory,
            JournalFile.Identity(id: newID, owner: owner, targetName: names.target, partial: status.identity),
            blockSize: BlockHasher.blockSize(total: nil))
        let files = PartialFiles(
            opened: file, journal: keeper, target: names.target, in: directory, identity: status.identity)
        return .resumable(files, .adopted(size: status.size))
    }

    /// curl and wget leave the part they have under the final name.
    private func adoptTarget(_ names: PartialFiles.Names) throws(DownloadError) -> Found {
        try disk { () throws(StorageError) in
            try directory.rename(names.target, to: names.partial, replacing: false)
        }
        guard let file = try open(names.partial) else { return .fresh(name: names.target) }
        return adopt(file, try lock(file, names, nil), names)
    }

    private func remove(_ journal: FoundJournal?, _ names: PartialFiles.Names) throws(DownloadError) {
        guard let file = journal?.file else { return }
        try disk { () throws(StorageError) in
            try directory.remove(names.journal, ifStill: try file.status().identity)
            try file.close()
        }
    }

    private func cleanUp(
        after record: JournalRecord, _ journal: FoundJournal?, _ names: PartialFiles.Names
    ) throws(DownloadError) -> Found {
        // The name first: a journal that is gone while the name is not would leave nothing of what was done.
        try disk(directory.sync)
        try remove(journal, names)
        try disk(directory.sync)
        return .alreadyFinished(name: names.target, record)
    }
}
