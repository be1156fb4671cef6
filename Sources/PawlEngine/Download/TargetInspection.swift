import PawlCore

/// Finds out, before the network is touched, what an earlier run left at the target.
///
/// If it throws, nothing on disk has changed.
struct TargetInspection {
    enum Found {
        /// The directory has nothing to resume from; a nil name means that the server chooses it.
        case fresh(name: String?)
        case resumable(PartialFiles, DownloadMachine.Recovered)
        /// The target exists, which is enough.
        case skipped(name: String, size: Int64)
        /// An earlier run was cut off after its rename: only the journal was left to remove.
        case alreadyFinished(name: String, JournalRecord)
        /// The process ended after the rename and before it saved its session: the file carries the completion marker.
        case finishedBefore(name: String, CompletionMarker)
    }

    let plan: Plan
    let directory: any StorageDirectory
    let newID: [UInt8]
    let ports: Ports
    let asker: SharedAsker
    /// The files without a journal that this run found and set aside.
    let leftover = Leftover()
    /// Seconds since 1970.
    let now: Int64

    init(_ plan: Plan, _ ports: Ports, newID: [UInt8]) throws(DownloadError) {
        self.plan = plan
        self.newID = newID
        self.ports = ports
        asker = SharedAsker(ports)
        now = ports.runtime.secondsSinceEpoch
        do throws(StorageError) {
            directory = try ports.storage.openDirectory(plan.directory)
        } catch {
            throw .storage(StorageError(operation: error.operation, name: plan.directory, reason: error.reason))
        }
    }

    /// Known without a look: where the server chooses the name and no journal is, nothing can be resumed. The directory
    /// is opened when the name is known.
    static func findsNothing(_ plan: Plan, _ ports: Ports) -> Bool {
        plan.fileName == nil && !plan.adoptsPartialFile && !plan.onlyIfNewer && plan.nameToLeave == nil
            && ports.journals.hasNone(in: plan.directory, at: ports.runtime.now) == true
    }

    func locate() throws(DownloadError) -> Found {
        if let name = try knownName() { return try examine(name) }
        guard let name = try nameOfFileToLeave() else { return .fresh(name: nil) }
        return try examine(name)
    }

    /// The name that the URL gives, if a file has it and is left as it is.
    func nameOfFileToLeave() throws(DownloadError) -> String? {
        guard let name = plan.nameToLeave else { return nil }
        return try disk { () throws(StorageError) in
            guard let target = try directory.status(name), target.kind == .regular,
                // The server says whose name it is, if something unfinished has it.
                try directory.status(FileName.journalName(for: name)) == nil,
                try ports.finished.finisher(of: target, under: name, in: directory) == nil
            else { return nil }
            return name
        }
    }

    /// The name of the file, where it is known before the server is asked.
    func knownName() throws(DownloadError) -> String? {
        if let name = plan.fileName { return name }
        // An adopted file has the name that other tools take: the URL's.
        if plan.adoptsPartialFile { return FileName.choose(contentDisposition: nil, url: plan.settings.url) }
        return try nameInJournals()
    }

    func disk<Value>(_ body: () throws(StorageError) -> Value) throws(DownloadError) -> Value {
        do throws(StorageError) {
            return try body()
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    /// Returns the name under which a journal in the directory shows that this URL was begun, for a request without a
    /// name.
    private func nameInJournals() throws(DownloadError) -> String? {
        let names = try disk { () throws(StorageError) in try ports.journals.names(in: directory) { ports.runtime.now }
        }
        for name in names {
            // A file that cannot be read is not the one looked for; the download itself has not met it.
            guard let file = try? directory.open(name, writable: false) else { continue }
            defer { try? file.close() }
            guard let bytes = try? file.read(Journal.fileSize, at: 0), let record = Journal.latest(bytes),
                owner(of: record)?.isSame == true,
                // One that was renamed, or made by someone else, could name a file anywhere.
                FileName.journalName(for: record.targetName).utf8.elementsEqual(name.utf8)
            else { continue }
            return record.targetName
        }
        return nil
    }

    // MARK: What is there

    /// The name under which an older file is looked for: the caller's, or the one that the URL suggests.
    var presumedName: String { plan.fileName ?? FileName.choose(contentDisposition: nil, url: plan.settings.url) }

    /// Returns the version of the regular file that has this name; nil if there is none.
    func version(of name: String) throws(DownloadError) -> TargetVersion? {
        try disk { () throws(StorageError) in
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

    /// Examines a name. Where names may be changed, a name that another download holds costs this one only the name
    /// (FAULTS M17).
    func examine(_ name: String) throws(DownloadError) -> Found {
        do throws(DownloadError) {
            return try examineAsked(name)
        } catch  where plan.existingFilePolicy == .rename && Self.isHeld(error) {
            return try examineSpares(of: name)
        }
    }

    private func examineAsked(_ name: String) throws(DownloadError) -> Found {
        try refuseOwnName(name)
        let names = PartialFiles.Names(name)
        let target = try disk { () throws(StorageError) in try directory.status(name) }
        let journal = try readJournal(names, mayTakeOver: plan.existingFilePolicy != .rename)
        let ownRecord = journal?.findings.latest.flatMap { owner(of: $0)?.isSame == true ? $0 : nil }
        if let found = try finished(names, target, journal) { return found }
        if let target, let journal, let record = ownRecord, try isAssembled(target, by: record, names) {
            try disk(directory.sync)
            try removeParts(record, journal, names, of: target)
            return try cleanUp(after: record, journal, names, of: name, target)
        }
        if let target, let marker = try completionMarker(in: name, target) {
            close(journal)
            return .finishedBefore(name: name, marker)
        }
        if let target {
            switch try decision(about: target, named: name) {
            case .proceed: break
            case .skip:
                close(journal)
                ports.finished.note(target.identity, as: name, isMade: false)
                return .skipped(name: name, size: target.size)
            case .adopt: return try adoptTarget(names, journal)
            case .compare:
                close(journal)
                return .fresh(name: name)
            case .rename:
                // The partial file of a renamed download stands beside the next free name.
                close(journal)
                return try examineSpares(of: name)
            }
        }
        return try resume(names, journal)
    }

    /// Decides about the file that has this name and is not this download's own.
    func decision(about target: FileStatus, named name: String) throws(DownloadError) -> ExistingFileRule.Decision {
        let finisher = try disk { () throws(StorageError) in
            try ports.finished.finisher(of: target, under: name, in: directory)
        }
        let rule = ExistingFileRule(
            policy: plan.existingFilePolicy, comparesFirst: plan.onlyIfNewer, adopts: plan.adoptsPartialFile,
            finisher: finisher, hasDigest: plan.settings.digest != nil)
        return try rule.decide(about: target.kind, named: name)
    }

    /// Whether a file has this name, and is to be left as it is.
    func leaves(_ name: String) -> Bool {
        guard let target = (try? directory.status(name)) ?? nil,
            let decision = try? decision(about: target, named: name)
        else { return false }
        return decision == .skip
    }

    /// Other programs call their own partial files `NAME.part`, and want Pawl to write them; but not where that is a
    /// partial file of ours.
    func refuseOwnName(_ name: String) throws(DownloadError) {
        guard FileName.isReserved(name) else { return }
        guard let target = FileName.target(ofPartial: name) else { throw .reservedName(name) }
        let journal = try disk { () throws(StorageError) in try directory.status(FileName.journalName(for: target)) }
        guard journal != nil else { return }
        throw DownloadError(
            .invalidArgument, "“\(name)” is the partial file of “\(target)”, which is not finished.",
            remedies: [.chooseName], recovery: .giveUp)
    }

    private func examineSpares(of name: String) throws(DownloadError) -> Found {
        for attempt in 1...FileName.maximumAttempts {
            if let found = try examineSpare(FileName.renamed(name, attempt: attempt)) { return found }
        }
        throw .noFreeName(like: name)
    }

    /// A name that nobody asked for: nothing is replaced, adopted or left out for what is there. Nil: it is taken, and
    /// not by the file of this very download.
    func examineSpare(_ name: String) throws(DownloadError) -> Found? {
        let names = PartialFiles.Names(name)
        let status = try disk { () throws(StorageError) in try directory.status(name) }
        if let status, let marker = try completionMarker(in: name, status) {
            return .finishedBefore(name: name, marker)
        }
        do throws(DownloadError) {
            let journal = try readJournal(names)
            guard let status else { return try resume(names, journal) }
            if let found = try finished(names, status, journal) { return found }
            close(journal)
            return nil
        } catch  where Self.isHeld(error) {
            return nil
        }
    }

    /// Whether an error means that a name is held: by a running download, by a journal that describes something else,
    /// or by a file of neither kind.
    static func isHeld(_ error: DownloadError) -> Bool {
        error.code == .locked || error.code == .journal || error.facts.nameHolder != nil
    }
}
