package import PawlCore

/// A place for a file or directory, after its directory was resolved: two that are equal are one.
package struct JobTarget: Hashable, Sendable {
    package let directory: ExactText
    /// Nil: the server chooses it.
    package let name: ExactText?

    package init(directory: String, name: String?) {
        self.directory = ExactText(directory)
        self.name = name.map { ExactText($0) }
    }
}

/// Which targets the files of a run have: the one answer to "is this target taken?"
struct TargetRegistry {
    private struct Holder {
        let file: JobFileID
        /// It was there before the run, and nothing of the run has replaced it.
        let existed: Bool
    }

    private var planned: [JobTarget: JobFileID] = [:]
    private var files: [JobTarget: Holder] = [:]
    private var directories: Set<JobTarget> = []

    /// Reserves a target that has a name.
    ///
    /// - Returns: who has reserved it already.
    mutating func plan(_ target: JobTarget, for file: JobFileID) -> JobFileID? {
        guard target.name != nil else { return nil }
        if let other = planned[target] { return other }
        planned[target] = file
        return nil
    }

    /// A file of the run is there. One from before the run may be replaced by one of its files; else a target is that of one file.
    mutating func end(_ target: JobTarget, of file: JobFileID, existed: Bool) -> TargetClash? {
        guard let former = files[target], !former.existed || existed else {
            files[target] = Holder(file: file, existed: existed)
            return nil
        }
        let kind: TargetClash.Kind =
            switch (former.existed, existed) {
            case (true, _): .bothExisted
            case (false, true): .madeByOther
            case (false, false): .replacedOther
            }
        return TargetClash(kind: kind, other: former.file)
    }

    /// The run has unpacked into this directory.
    mutating func addDirectory(_ target: JobTarget) { directories.insert(target) }

    func hasMade(_ directory: JobTarget) -> Bool { directories.contains(directory) }
}

/// Two files of a run ended with one target, so that only the first counts.
package struct TargetClash: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// It was there before the run, and two URLs of the run have its name.
        case bothExisted
        /// The other file of the run made it, and this one found it there.
        case madeByOther
        /// This file replaced what the other file of the run had made.
        case replacedOther
    }

    package let kind: Kind
    package let other: JobFileID
}
