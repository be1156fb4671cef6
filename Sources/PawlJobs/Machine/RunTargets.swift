import PawlCore
import PawlEngine

/// The targets that the files of a run have reserved, and those that they have.
struct RunTargets {
    private struct Holder {
        let file: JobFileID
        /// Whether the file existed before the run and nothing of the run has replaced it.
        let existed: Bool
        let identity: FileIdentity?
    }

    private var planned = TargetRegistry<FileTarget, JobFileID>()
    /// The planned names that partial files have, too.
    private var partialNames: [FileTarget] = []
    private var files = TargetRegistry<FileTarget, Holder>()
    private var directories: Set<FileTarget> = []
    /// The targets by the identities of the files and directories found there. A disk that folds case takes two
    /// spellings for one place.
    private var places: [FileIdentity: FileTarget] = [:]

    /// Reserves a target that has a name.
    ///
    /// - Returns: who has reserved it already.
    mutating func plan(_ target: FileTarget, for file: JobFileID) -> JobFileID? {
        guard let name = target.name else { return nil }
        if FileName.isReserved(name.text) { partialNames.append(target) }
        return planned.claim(target, for: file)
    }

    /// Returns the reason why a planned file cannot have its name: it ends like a journal, or is the name of another
    /// one's partial file.
    func reservedName() -> DownloadError? {
        for target in partialNames {
            guard let name = target.name?.text else { continue }
            guard let whole = FileName.target(ofPartial: name) else { return .reservedName(name) }
            guard planned.holder(of: FileTarget(directory: target.directory.text, name: whole)) != nil else { continue }
            return DownloadError(
                .fileExists, "“\(name)” would be both a file of its own and the partial file of “\(whole)”.",
                remedies: [.chooseName], recovery: .giveUp)
        }
        return nil
    }

    /// A file of the run is there. One from before the run may be replaced by one of its files; else a target is that
    /// of one file.
    mutating func end(
        _ target: FileTarget, at identity: FileIdentity?, of file: JobFileID, existed: Bool
    ) -> TargetClash? {
        let former = files.holder(of: place(of: target, at: identity))
        // Ends may come in another order than the files: then the other one found what this one had just made.
        let wasFound = former.map { $0.existed && identity != nil && $0.identity == identity } ?? false
        guard let former, !former.existed || existed || wasFound else {
            files.give(target, to: Holder(file: file, existed: existed, identity: identity))
            if let identity { places[identity] = target }
            return nil
        }
        let kind: TargetClash.Kind =
            switch (former.existed, existed) {
            case (true, true): .bothExisted
            case (true, false): .foundByOther
            case (false, true): .madeByOther
            case (false, false): .replacedOther
            }
        return TargetClash(kind: kind, other: former.file)
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
        directories.insert(target)
        if let identity { places[identity] = target }
    }

    func hasMade(_ directory: FileTarget, at identity: FileIdentity?) -> Bool {
        directories.contains(directory) || directories.contains(place(of: directory, at: identity))
    }

    /// The target as it was spelled first. Inode numbers pass on, so the number alone says nothing.
    private func place(of target: FileTarget, at identity: FileIdentity?) -> FileTarget {
        identity.flatMap { places[$0] }.flatMap { $0.isSpelledLike(target) ? $0 : nil } ?? target
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
