import PawlClient
import PawlCore
import PawlJobs

extension ServiceError {
    /// The failed call in the words of this command: first the failure, then the remedy.
    var text: String {
        let clauses = Hints.clauses(for: code)
        return RemedyWords.sentence(clauses).map { "\(message) \($0)" } ?? description
    }
}

extension ServiceDownload {
    /// The failure and its remedy in the words of the service, with the command that applies it; nil without an error.
    var failure: String? {
        guard let error else { return nil }
        let nextStep = error.remedies.lazy.compactMap { JobRemedy(named: $0, ofArchive: false).words?.nextStep }.first
        return [error.message, error.hint, nextStep.map(command)].compactMap(\.self).joined(separator: " ")
    }

    private func command(for nextStep: RemedyWords.NextStep) -> String {
        switch nextStep {
        case .retry: "(pawl retry \(shortID))"
        case .change(let flags): "(pawl change \(shortID) \(flags))"
        }
    }

    /// The reason for a wait, and the command that ends it; nil if the download does not wait.
    var wait: String? {
        guard let reason = whyWaiting, waiting?.code.isExactly("credentials") ?? false else {
            return whyWaiting
        }
        return "\(reason) (pawl change \(shortID), with --user, --header or --url)"
    }

    private var shortID: String { DownloadIDs.beginning(of: id, DownloadIDs.usual) }
}

/// The sentences about downloads of the service.
enum ServiceWords {
    /// Returns the display name of a download.
    static func name(_ download: ServiceDownload) -> String {
        if let name = download.fileName { return name }
        let name = JobDocument.name(of: download.url)
        return name.isEmpty ? download.url : name
    }

    static func path(_ download: ServiceDownload) -> String {
        guard let name = download.fileName else { return download.directory }
        return download.directory.utf8.last == UInt8(ascii: "/")
            ? download.directory + name : "\(download.directory)/\(name)"
    }

    /// Returns the place of an added download, and the parts of it that a restart of the service would lose.
    static func added(_ download: ServiceDownload, isNew: Bool) -> String {
        guard !download.notStored.isEmpty else { return place(download, isNew) }
        let fields = download.notStored.map { secrets[ExactText($0)] ?? $0 }.joined(separator: ", ")
        return
            "\(place(download, isNew))\nThe service is set not to store secrets. After a restart, it needs these again: \(fields)."
    }

    private static let secrets: [ExactText: String] = [
        ExactText("url"): "the link", ExactText("mirrors"): "the mirrors", ExactText("freshURL"): "the fresh link",
        ExactText("digestList"): "the list of checksums", ExactText("authentication"): "the login",
        ExactText("headers"): "the header fields", ExactText("referer"): "the referring page",
        ExactText("unpacking.password"): "the password of the archive",
    ]

    private static func place(_ download: ServiceDownload, _ isNew: Bool) -> String {
        guard isNew else { return "\(name(download)) is already listed: \(state(download))." }
        guard download.fileName != nil else {
            return "\(download.url) will be saved in “\(download.directory)”, under the name that its server gives."
        }
        return "\(name(download)) will be saved in “\(download.directory)”."
    }

    /// The permanent line of a download that has ended; nil for one that has not.
    static func ending(_ download: ServiceDownload) -> String? {
        switch download.state {
        case .completed:
            if download.wasSkipped { return "\(path(download)): already exists; left unchanged" }
            let trust =
                download.isVerified ? "verified" : download.isComplete == false ? "may be incomplete" : "complete"
            let line = "\(path(download)): \(ByteCount.text(download.bytes)), \(trust)"
            return download.failure.map { "\(line)\npawl: \($0)" } ?? line
        case .failed:
            return Severity.error.label(DisplayStyle(locale: .current, isColoured: false))
                + "\(name(download)): \(download.failure ?? "failed")"
        default: return nil
        }
    }

    /// Returns the activity of a download, in a few words.
    static func state(_ download: ServiceDownload) -> String {
        switch download.state {
        case .running: download.step.flatMap { steps[ExactText($0)] } ?? "running"
        case .completed where download.isMissing: "missing"
        case .completed where download.error != nil: "completed, with an error"
        default: download.state.rawValue
        }
    }

    private static let steps: [ExactText: String] = [
        ExactText("resolve"): "resolving", ExactText("verify"): "verifying", ExactText("unpack"): "unpacking",
        ExactText("hook"): "running its hook",
    ]

    /// Returns one line of a log about all watched downloads.
    static func line(_ run: RunProgress) -> String {
        let left = run.secondsLeft.map { ", \(TimeSpan.text($0)) left" } ?? ""
        let failed = run.failed == 0 ? "" : " (\(run.failed) failed)"
        return
            "\(run.running.count) running, \(run.ended) of \(run.total) ended\(failed), \(Rate.text(run.rate))\(left)"
    }

    /// Returns the outcome of an action, for a person.
    static func done(_ action: ServiceAction, _ names: [String]) -> String {
        guard names.count == 1 else { return done(action, names.count, of: names.count) }
        return "\(verb(action)) \(names[0])\(deletes(action) ? " and its files" : "")."
    }

    /// The same of all that matched a filter.
    static func done(_ action: ServiceAction, _ count: Int, of total: Int) -> String {
        let number = count == total ? "\(count)" : "\(count) of \(total)"
        return
            "\(verb(action)) \(number) \(total == 1 ? "download" : "downloads")\(deletes(action) ? total == 1 ? " and its files" : " and their files" : "")."
    }

    /// Says which files of removed downloads stay, as a further sentence; empty for other actions.
    ///
    /// - Parameter states: of each; nil for one that is not known.
    static func kept(_ action: ServiceAction, _ states: [ServiceDownload.State?]) -> String {
        guard action == .remove(deletesFiles: false), !states.isEmpty else { return "" }
        let isOne = states.count == 1
        if states.allSatisfy({ $0 == .completed }) { return isOne ? " The file is kept." : " The files are kept." }
        return isOne && states[0] != nil
            ? " Its partial file is kept, if there is one; add the same URL to resume."
            : " Files are kept, partial ones too; add the same URL to resume one."
    }

    /// The action as a verb.
    static func infinitive(_ action: ServiceAction) -> String {
        switch action {
        case .pause: "pause"
        case .resume: "resume"
        case .retry: "retry"
        case .remove: "remove"
        case .verify: "verify"
        case .extract: "unpack"
        case .prioritize, .move: "move"
        }
    }

    private static func deletes(_ action: ServiceAction) -> Bool { action == .remove(deletesFiles: true) }

    private static func verb(_ action: ServiceAction) -> String {
        switch action {
        case .pause: "Paused"
        case .resume: "Resumed"
        case .retry: "Retrying"
        case .remove: "Removed"
        case .verify: "Verifying"
        case .extract: "Unpacking"
        case .prioritize, .move: "Moved"
        }
    }
}
