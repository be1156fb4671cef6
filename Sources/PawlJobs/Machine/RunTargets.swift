import PawlCore
import PawlEngine

/// The targets that the files of a run are to have, by their names.
struct PlannedTargets: Sendable {
    private var holders: [Fingerprint: JobFileID]

    /// - Parameter count: of the files that have names.
    init(count: Int) { holders = Dictionary(minimumCapacity: count) }

    /// Reserves the target of a file that has a name.
    ///
    /// - Returns: who has reserved it already.
    mutating func reserve(_ target: Fingerprint, for file: JobFileID) -> JobFileID? {
        if let former = holders[target] { return former }
        holders[target] = file
        return nil
    }

    /// Returns the reason why a file cannot have this target, whose name is that of a partial file: it ends like
    /// a journal, or is the name of the partial file of another one.
    func refusal(of target: FileTarget) -> DownloadError? {
        guard let name = target.name?.text else { return nil }
        guard let whole = FileName.target(ofPartial: name) else { return .reservedName(name) }
        let other = FileTarget(directory: target.directory.text, name: whole)
        guard holders[Fingerprint(of: other)] != nil else { return nil }
        return DownloadError(
            .fileExists, "“\(name)” would be both a file of its own and the partial file of “\(whole)”.",
            remedies: [.chooseName], recovery: .giveUp)
    }
}

/// The targets that the files of a run have.
struct RunTargets: Sendable {
    private struct Holder: Sendable {
        let file: Int32
        /// Whether the file existed before the run and nothing of the run has replaced it.
        let existed: Bool
    }

    private var files = RunPlaces<Holder>()
    private var directories = RunPlaces<Void>()

    /// A file of the run is there. One from before the run may be replaced by one of its files; else a target is that
    /// of one file.
    mutating func end(
        _ target: FileTarget, at identity: FileIdentity?, of file: JobFileID, existed: Bool
    ) -> TargetClash? {
        let place = RunPlace(target, at: identity)
        let former = files.find(place)
        // Ends may come in another order than the files: then the other one found what this one had just made.
        let wasFound = former.map { $0.value.existed && $0.isIdentical } ?? false
        guard let former = former?.value, !former.existed || existed || wasFound else {
            files.set(Holder(file: Int32(file.number), existed: existed), for: place)
            return nil
        }
        let kind: TargetClash.Kind =
            switch (former.existed, existed) {
            case (true, true): .bothExisted
            case (true, false): .foundByOther
            case (false, true): .madeByOther
            case (false, false): .replacedOther
            }
        return TargetClash(kind: kind, other: JobFileID(Int(former.file)))
    }

    /// Takes over what an earlier process has fetched and unpacked. What has to be fetched again takes its target then.
    mutating func resume(_ file: RunRecord.File, _ id: JobFileID) {
        var (fetched, unpacked) = (file.fetched, file.unpacked)
        var isCompleted = false
        if case .completed(let whole, let directory) = file.outcome {
            (fetched, unpacked, isCompleted) = (whole, directory ?? unpacked, true)
        }
        guard let fetched else { return }
        _ = end(fetched.target, at: fetched.identity, of: id, existed: fetched.existed)
        if let unpacked {
            // What an earlier process of the run has unpacked was skipped by the one that recorded it.
            if !unpacked.isSkipped || !fetched.existed { addDirectory(unpacked.target, at: unpacked.identity) }
        } else if isCompleted, !file.file.spec.members.isEmpty, !fetched.existed {
            // Members that were fetched alone.
            addDirectory(fetched.target, at: fetched.identity)
        }
    }

    /// The run has unpacked into this directory.
    mutating func addDirectory(_ target: FileTarget, at identity: FileIdentity?) {
        directories.set((), for: RunPlace(target, at: identity))
    }

    func hasMade(_ directory: FileTarget, at identity: FileIdentity?) -> Bool {
        directories.find(RunPlace(directory, at: identity)) != nil
    }
}

/// A target and what is there, as hashes that hold in this process: 96 bits stand for the target.
private struct RunPlace {
    /// The same for all targets that some disk may take for one.
    let spelling: Int
    let exact: UInt32
    /// The identity of the file or directory; 0 if it is not known.
    let identity: Int

    init(_ target: FileTarget, at identity: FileIdentity?) {
        spelling = target.spelling
        exact = UInt32(truncatingIfNeeded: target.hashValue)
        self.identity = identity?.hashValue ?? 0
    }
}

/// Values by the places of files or directories, in little memory: there may be a million.
///
/// A disk that folds case takes two spellings for one place. What is found there under one is then the same file as
/// under the other; its inode number alone says nothing, since such numbers pass on.
private struct RunPlaces<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let identity: Int
        let exact: UInt32
        let value: Value

        func isIdentical(to place: RunPlace) -> Bool { identity != 0 && identity == place.identity }
    }

    /// The entries by their spelling.
    private var entries: [Int: Entry] = [:]
    /// Places that are spelled like one above, and are others.
    private var others: [Int: [Entry]] = [:]

    /// - Returns: what was set for this place, and whether the same file or directory is still there.
    func find(_ place: RunPlace) -> (value: Value, isIdentical: Bool)? {
        guard let first = entries[place.spelling] else { return nil }
        let all = [first] + (others[place.spelling] ?? [])
        let found = all.first { $0.isIdentical(to: place) } ?? all.first { $0.exact == place.exact }
        return found.map { ($0.value, $0.isIdentical(to: place)) }
    }

    mutating func set(_ value: Value, for place: RunPlace) {
        let entry = Entry(identity: place.identity, exact: place.exact, value: value)
        func isReplaced(_ former: Entry) -> Bool { former.exact == entry.exact || former.isIdentical(to: place) }
        if let first = entries[place.spelling], !isReplaced(first) {
            others[place.spelling, default: []].removeAll(where: isReplaced)
            others[place.spelling, default: []].append(entry)
        } else {
            entries[place.spelling] = entry
        }
    }
}

/// Two files of a run ended with one target, so that only the first counts.
package struct TargetClash: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The file existed before the run, and two URLs of the run have its name.
        case bothExisted
        /// The other file of the run made it, and this one found it there.
        case madeByOther
        /// This file of the run made it, and the other one found it there.
        case foundByOther
        /// This file replaced what the other file of the run had made.
        case replacedOther
    }

    package let kind: Kind
    package let other: JobFileID
}
