/// Chooses the name of a download's file once a server has described it, and decides what a file under that name means.
///
/// Looks at nothing itself: each step asks for one thing, and `handle(_:)` takes what came of it and answers with the
/// next step. The last step is `conclude` or `fail`.
package struct NameSearch: Sendable {
    package enum Step: Hashable, Sendable {
        /// Reserve the name for this download, unless another download of this process has it.
        case reserve(String)
        /// Find out what an earlier run left under the name. A spare name is one that nobody asked for: nothing is
        /// replaced or adopted there.
        case examine(String, isSpare: Bool)
        /// Read the version of the file that has this name.
        case compare(String)
        /// Create the partial file.
        case create(String)
        case conclude(Preparation, name: String)
        case fail(DownloadError)
    }

    package enum Finding: Hashable, Sendable {
        case reserved
        /// Another download of this process has the name.
        case reservedByAnother
        /// The name is free. It differs from the examined one if that is taken and may be changed.
        case free(String)
        /// The name is taken, but not by this download's file.
        case taken
        /// The file of this name is all that was wanted.
        case present(String)
        /// The file of this name is what an earlier process has made of this very download.
        case own(String)
        /// An earlier run was cut off after its rename: the file is complete.
        case finished
        case resumable(String, DownloadMachine.Recovered)
        /// A kept file has become the partial file of the examined name, under which nothing stood.
        case reclaimed(DownloadMachine.Recovered)
        /// The version of the existing file; nil if there is no such file.
        case version(TargetVersion?)
        case created
        /// Another process was quicker to create the partial file.
        case overtaken
    }

    private let representation: Representation
    private let suggested: String
    private let rules: NamingRules
    /// The name that the file has unless that is taken. A file under it is the one to be newer than.
    private let asked: String
    /// The name in question.
    private var name: String
    /// The name that others are derived from while it cannot be had.
    private var base: String
    /// The number of times that the name was changed.
    private var attempt = 0
    /// The name is known to be free on the disk.
    private var isFree: Bool
    /// Whether another process has taken the name that was found. From then on, only a free name will do.
    private var wasOvertaken = false
    /// Whether another download has the name. Its file may exist already, which is enough where existing files are
    /// skipped.
    package private(set) var isHeldByAnother = false

    /// - Parameters:
    ///   - representation: what the server says of its file.
    ///   - suggested: the name from the server or the URL.
    ///   - known: the name that was fixed and looked at before the server was asked.
    package init(for representation: Representation, suggested: String, known: String?, _ rules: NamingRules) {
        self.representation = representation
        self.suggested = suggested
        self.rules = rules
        asked = rules.chosen ?? known ?? suggested
        name = known ?? suggested
        base = suggested
        isFree = known != nil
    }

    package var firstStep: Step { isFree ? settle() : .reserve(name) }

    package mutating func handle(_ finding: Finding) -> Step {
        switch finding {
        case .reserved: isFree ? settle() : .examine(name, isSpare: attempt > 0)
        case .reservedByAnother: rules.mayRename ? tryNext() : heldByAnother()
        case .free(let found): take(found)
        case .taken: tryNext()
        case .present(let found): wasOvertaken ? tryNext() : .conclude(.skipped(.exists), name: found)
        case .own(let found): .conclude(.finished, name: found)
        case .finished: wasOvertaken ? tryNext() : .fail(begunMeanwhile(suggested))
        case .resumable(let found, let recovered): wasOvertaken ? tryNext() : resume(found, recovered)
        case .reclaimed(let recovered): resume(name, recovered)
        case .version(let version) where isHeldByAnother:
            version == nil ? .fail(noName) : .conclude(.skipped(.exists), name: name)
        case .version(let version): compared(with: version)
        case .created: .conclude(.ready, name: name)
        case .overtaken: overtaken()
        }
    }

    private mutating func heldByAnother() -> Step {
        guard rules.ifExists == .skip else { return .fail(noName) }
        isHeldByAnother = true
        return .compare(name)
    }

    private mutating func take(_ found: String) -> Step {
        guard !found.isExactly(name) else { return settle() }
        name = found
        isFree = true
        return .reserve(found)
    }

    private func settle() -> Step { rules.onlyIfNewer ? .compare(asked) : .create(name) }

    /// A newer file is stored as the caller's policy for existing files says.
    private mutating func compared(with version: TargetVersion?) -> Step {
        guard let version else { return .create(name) }
        if version.isCurrent(with: representation) { return .conclude(.skipped(.notNewer), name: asked) }
        // Another name was found to be free.
        guard name.isExactly(asked) else { return .create(name) }
        switch rules.ifExists {
        case .replace: return .create(name)
        case .skip: return .conclude(.skipped(.exists), name: name)
        case .rename:
            base = asked
            return tryNext()
        case .fail: return .fail(.olderExists(name))
        }
    }

    private mutating func tryNext() -> Step {
        guard attempt < FileName.maximumAttempts else { return .fail(noName) }
        attempt += 1
        name = FileName.renamed(base, attempt: attempt)
        isFree = false
        return .reserve(name)
    }

    /// Handles a process that took the name first: where names may be changed, that costs this download only the name
    /// (FAULTS M17).
    private mutating func overtaken() -> Step {
        guard rules.ifExists == .rename else { return .fail(justBegun) }
        if !wasOvertaken {
            wasOvertaken = true
            base = rules.chosen ?? (suggested.isEmpty ? name : suggested)
            attempt = 0
        }
        return tryNext()
    }

    /// The bytes may come from a URL that differs in a secret, and whose server names its file the same. They are used
    /// only if the answer, or a digest, shows that they are of the same file; otherwise they are left alone. Those from
    /// another URL are judged by the machine, unless the name may be changed.
    private mutating func resume(_ found: String, _ recovered: DownloadMachine.Recovered) -> Step {
        let relation = recovered.relation(to: representation, decidesByDigest: rules.decidesByDigest)
        if let unproven = recovered.ofOtherURL, relation != .otherFile || !rules.mayRename {
            return .conclude(
                .resumed(recovered.durable, isProven: relation == .sameFile, ofOtherURL: unproven), name: found)
        }
        return switch relation {
        case .sameFile: .conclude(.resumed(recovered.durable, isProven: true), name: found)
        case .decidedByDigest: .conclude(.resumed(recovered.durable, isProven: false), name: found)
        case .begunMeanwhile: rules.mayRename ? tryNext() : .fail(begunMeanwhile(name))
        case .otherFile: rules.mayRename ? tryNext() : .fail(otherFile)
        }
    }

    // MARK: Errors

    private var noName: DownloadError {
        wasOvertaken ? .noFreeName(like: base) : .nameHeldByAnother(suggested)
    }

    private var justBegun: DownloadError {
        DownloadError(
            .locked,
            "Another process has just started downloading “\(name)” here.",
            remedies: [.waitForOther, .chooseName], recovery: .retryAfter(nil))
    }

    private var otherFile: DownloadError {
        DownloadError(
            .journal,
            "“\(FileName.partialName(for: name))” belongs to a download with other credentials or from a similar URL, and cannot be verified to be part of this file.",
            remedies: [.chooseName, .renameIfExists, .removePartialFile], recovery: .giveUp)
    }

    private func begunMeanwhile(_ name: String) -> DownloadError {
        DownloadError(
            .locked, "Another process has just started “\(name)”.", remedies: [.tryAgain], recovery: .retryNow)
    }
}

extension DownloadError {
    /// Another download of this process has the name, and it cannot be changed.
    package static func nameHeldByAnother(_ name: String) -> DownloadError {
        DownloadError(
            .fileExists, "Another download is saved as “\(name)”.", remedies: [.renameIfExists, .chooseName],
            recovery: .giveUp)
    }

    package static func reservedName(_ name: String) -> DownloadError {
        DownloadError(
            .invalidArgument, "“\(name)” has an ending that Pawl reserves for its own files.", remedies: [.chooseName],
            recovery: .giveUp)
    }

    package static func olderExists(_ name: String) -> DownloadError {
        DownloadError(
            .fileExists, "“\(name)” already exists, and the server has a newer file.",
            remedies: [.replaceExisting, .renameIfExists, .chooseName], recovery: .giveUp)
    }

    package static func noFreeName(like name: String) -> DownloadError {
        DownloadError(.fileExists, "No free name like “\(name)” was found.", remedies: [.chooseName], recovery: .giveUp)
    }
}

/// The caller's wishes about the name of the file.
package struct NamingRules: Hashable, Sendable {
    /// The name that the caller chose; nil: the server's.
    package var chosen: String?
    package var ifExists: ExistingFilePolicy
    /// Change the server's name where another download has it.
    package var renamesTaken: Bool
    package var onlyIfNewer: Bool
    package var decidesByDigest: Bool

    package init(_ settings: DownloadSettings, chosen: String?, renamesTaken: Bool) {
        self.chosen = chosen
        self.renamesTaken = renamesTaken
        ifExists = settings.existingFilePolicy
        onlyIfNewer = settings.onlyIfNewer
        decidesByDigest = settings.decidesByDigest
    }

    var mayRename: Bool { renamesTaken || ifExists == .rename }
}
