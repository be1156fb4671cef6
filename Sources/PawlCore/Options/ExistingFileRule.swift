/// The rule for an existing file that has the download's name, and is not this download's own.
package struct ExistingFileRule: Hashable, Sendable {
    /// The kind of item that has the name.
    package enum Kind: Hashable, Sendable {
        case regular, directory, symbolicLink, other
    }

    package enum Decision: Hashable, Sendable {
        /// The file is replaced once the new one is complete.
        case proceed
        /// The download ends; the file is left as it is.
        case skip
        /// The new file gets another name.
        case rename
        /// The file may be the beginning of the one to be fetched.
        case adopt
        /// The server's file is compared with this one before anything is decided.
        case compare
    }

    /// Another download that has just finished the file.
    package enum Finisher: Hashable, Sendable {
        /// Has the file under another name, which the disk takes for this one.
        case otherSpelling
        /// Belongs to the same run, and has the very name.
        case sameRun
    }

    package var policy: ExistingFilePolicy
    /// Whether only a file newer than the existing one is wanted.
    package var comparesFirst: Bool
    /// The caller says that the file may be the beginning of the one to be fetched.
    package var adopts: Bool
    /// The download that has just finished the file; nil if none has.
    package var finisher: Finisher?
    /// A digest of the caller's tells whether the file is the one to be fetched.
    package var hasDigest: Bool

    package init(
        policy: ExistingFilePolicy, comparesFirst: Bool = false, adopts: Bool, finisher: Finisher? = nil,
        hasDigest: Bool = false
    ) {
        self.policy = policy
        self.hasDigest = hasDigest
        self.comparesFirst = comparesFirst
        self.adopts = adopts
        self.finisher = finisher
    }

    package func decide(about kind: Kind, named name: String) throws(DownloadError) -> Decision {
        // Nothing of these is touched, so they cost the name only, also where a beginning might be adopted.
        if policy == .rename, kind != .regular { return .rename }
        switch kind {
        case .directory, .other:
            throw .nameTaken(
                by: kind == .directory ? .directory : .other,
                "“\(name)” exists and is \(kind == .directory ? "a directory" : "not a regular file").",
                remedies: [.chooseName, .renameIfExists])
        case .symbolicLink where policy == .fail || adopts:
            throw .nameTaken(
                by: .symbolicLink, "“\(name)” is a symbolic link, which Pawl does not follow.",
                remedies: [.chooseName, .renameIfExists, .replaceExisting])
        case .regular, .symbolicLink: break
        }
        switch finisher {
        case .otherSpelling:
            if policy == .rename { return .rename }
            throw .nameTaken(
                by: .fileOfAnother,
                "“\(name)” is, on this file system, the same name as that of a file that was just downloaded.",
                remedies: [.chooseName, .renameIfExists])
        // The first of a run that has the name keeps it. A file of another URL is not enough for this one.
        case .sameRun where policy == .rename: return .rename
        case .sameRun where policy != .fail || adopts: throw .nameHeldByAnother(name)
        case .sameRun, nil: break
        }
        if adopts { return .adopt }
        if comparesFirst, kind == .regular, policy == .rename || policy == .fail { return .compare }
        switch policy {
        case .skip: return .skip
        case .rename: return .rename
        case .replace: return .proceed
        case .fail:
            if hasDigest { return .skip }
            throw .nameTaken(by: .file, "“\(name)” already exists.", remedies: [.decideIfExists, .chooseName])
        }
    }
}

extension DownloadError {
    package static func nameTaken(by holder: NameHolder, _ message: String, remedies: [Remedy]) -> DownloadError {
        var facts = Facts()
        facts.nameHolder = holder
        return DownloadError(.fileExists, message, remedies: remedies, recovery: .giveUp, facts: facts)
    }
}
