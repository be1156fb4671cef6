import Pawl
import PawlCore
import PawlJobs

extension GetWords {
    /// The number of failures of a long run that are repeated at its end; those of a short run are still visible.
    private static let maximumFailures = 20
    private static let shortRun = 10

    /// The final summary.
    ///
    /// - Parameter columns: of the terminal, in which listed failures are broken between words. All else is broken by
    ///   whoever writes it, and commands not at all.
    func lines(for summary: RunSummary, columns: Int = .max) -> [String] {
        guard !get.isAlone else { return farewell(summary).map { $0.shown(in: locale) } }
        return ["pawl: " + account(summary).shown(in: locale)] + recount(summary, columns)
            + advice(summary).map { $0.shown(in: locale) }
    }

    // MARK: One file

    private func farewell(_ summary: RunSummary) -> [String] {
        if let failure = summary.failures.first?.reason, summary.saved > 0, !get.streamsToOutput {
            // The error says that another link is needed; the same command would fail again.
            if case .download(let error) = failure, error.remedies.contains(.renewURL) {
                return ["pawl: \(amount(summary)) stored."]
            }
            return withCommand(
                "\(amount(summary)) stored.", "To try again:", else: "Run the same command to try again.")
        }
        guard summary.stopped > 0 else { return [] }
        // Of a stream nothing is saved, and whoever closed the pipe knows.
        if get.streamsToOutput { return [] }
        if summary.useless > 0 {
            return withCommand(
                "Stopped. This download may have to start over.", "To run it again:",
                else: "Run the same command again.")
        }
        let saved = summary.saved > 0 ? "Stopped; \(amount(summary)) saved." : "Stopped."
        let same =
            get.listCannotBeNamed ? "Run it again with the same list to resume." : "Run the same command to resume."
        return withCommand(saved, "To resume:", else: same)
    }

    /// Adds the command to a sentence, if the command may be shown.
    private func withCommand(_ sentence: String, _ invitation: String, else advice: String) -> [String] {
        guard let command = retry.again else { return ["pawl: \(sentence) \(advice)"] }
        return ["pawl: \(sentence) \(invitation)", "  \(command)"]
    }

    private func amount(_ summary: RunSummary) -> String {
        guard let total = summary.savedTotal else { return ByteCount.text(summary.saved) }
        return "\(ByteCount.text(summary.saved)) of \(ByteCount.text(total))"
    }

    // MARK: Several

    /// Returns the number of completed files, as part of a line.
    func account(_ summary: RunSummary) -> String {
        if summary.skipped == summary.total {
            let all = summary.total == 2 ? "Both files already exist" : "All \(summary.total) files already exist"
            return "\(all); nothing was downloaded."
        }
        var parts = ["\(summary.completed) of \(summary.total) files"]
        if summary.skipped > 0 {
            parts.append(summary.skipped == 1 ? "1 already existed" : "\(summary.skipped) already existed")
        }
        if summary.incomplete > 0 { parts.append("\(summary.incomplete) may be incomplete") }
        if !summary.failures.isEmpty { parts.append("\(summary.failures.count) failed") }
        if summary.stopped > 0 { parts.append("\(summary.stopped) stopped") }
        let notUnpacked = summary.notUnpacked + summary.stoppedUnpackings
        if notUnpacked > 0 { parts.append("\(notUnpacked) not unpacked") }
        let files = parts.joined(separator: ", ")
        guard summary.fetched > 0 else { return files }
        return "\(files); \(ByteCount.text(summary.fetched))\(Self.speed(summary.fetched, summary.elapsed))"
    }

    private func recount(_ summary: RunSummary, _ columns: Int) -> [String] {
        guard summary.total > Self.shortRun, !summary.failures.isEmpty else { return repetitions(summary) }
        let groups = FailureGroup.groups(of: summary.failures)
        let rest = groups.dropFirst(Self.maximumFailures).reduce(0) { $0 + $1.failures.count }
        return ["pawl: Failed:"]
            + groups.prefix(Self.maximumFailures).map { item(line(for: $0).shown(in: locale), columns) }
            + (rest > 0 ? ["  and \(rest) more"] : [])
    }

    /// Returns an item of a list, whose further lines are indented more than its first.
    private func item(_ text: String, _ columns: Int) -> String {
        let lines = text.wrapped(to: columns - 4).utf8.split(separator: UInt8(ascii: "\n"))
        return "  " + lines.map { String(Substring($0)) }.joined(separator: "\n    ")
    }

    private func line(for group: FailureGroup) -> String {
        let words = group.failures[0].reason.text
        guard let host = group.host, group.failures.count > 1 else {
            return withURL(words, of: download(group.failures[0].id))
        }
        return "\(group.failures.count) files from \(HTTPURL.shown(host: host)): \(words)"
    }

    /// The failures that were not told one by one, as each said the same of one host.
    func repetitions(_ summary: RunSummary) -> [String] {
        guard !get.isAlone else { return [] }
        return FailureGroup.groups(of: summary.failures).compactMap { group in
            guard let host = group.host, group.failures.count > 1 else { return nil }
            let count = group.failures.count - 1
            return
                "pawl: \(count) more \(count == 1 ? "file" : "files") from \(HTTPURL.shown(host: host)) failed for the same reason."
                .shown(in: locale)
        }
    }

    private func advice(_ summary: RunSummary) -> [String] {
        if summary.stopped > 0 {
            let mayStartOver = summary.saved == 0 && summary.useless > 0
            let stored =
                summary.saved > 0 ? "Progress is saved. " : mayStartOver ? "The downloads may have to start over. " : ""
            guard let command = retry.again else {
                return ["pawl: \(stored)Run it again with the same list\(mayStartOver ? "" : " to resume")."]
            }
            return ["pawl: \(stored)To \(mayStartOver ? "run it again" : "resume"):", "  \(command)"]
        }
        let failures = summary.failures.filter { mayEndOtherwise($0.reason) }
        let shared = sharedPaths(failures)
        let isForRenaming = { (failure: RunSummary.Failure) in
            isNameTaken(failure.reason) || shared.contains(folded(download(failure.id)))
        }
        let taken = missing(failures.filter(isForRenaming))
        let others = missing(failures.filter { !isForRenaming($0) })
        var commands: [String?] = []
        if !others.isEmpty { commands.append(retry.text(for: others)) }
        if !taken.isEmpty { commands.append(retry.renamingText(for: taken)) }
        guard !commands.isEmpty else { return [] }
        let shown = commands.compactMap(\.self)
        if shown.count == commands.count { return ["pawl: To try those again:"] + shown.map { "  \($0)" } }
        return [
            "pawl: To try those again, run it again with \(taken.isEmpty ? "the same URLs: existing files are skipped." : "their URLs and --if-exists rename.")"
        ]
    }

    /// Whether the same request can succeed. A file that is left unchanged matches its checksum no better the next
    /// time.
    private func mayEndOtherwise(_ failure: JobFailure) -> Bool {
        switch failure {
        case .download(let error): !(error.code == .digestMismatch && error.remedies.contains(.replaceExisting))
        default: true
        }
    }

    /// The downloads whose files are not there after these failures: where one has replaced another's, the other.
    private func missing(_ failures: [RunSummary.Failure]) -> [PlannedDownload] {
        var replacers: [JobFileID: [JobFileID]] = [:]
        for failure in failures {
            if let other = replaced(by: failure.reason) { replacers[other, default: []].append(failure.id) }
        }
        let ids = failures.flatMap { failure in
            // Nobody knows which of two URLs a file that existed is from.
            if case .clash(let clash, _, _) = failure.reason, clash.kind == .bothExisted {
                return [clash.other, failure.id]
            }
            guard let other = replaced(by: failure.reason) else { return [failure.id] }
            // Nobody knows which of several came last.
            return (replacers[other]?.count ?? 0) > 1 ? [other, failure.id] : [other]
        }
        return Set(ids).sorted().map(download)
    }

    private func replaced(by failure: JobFailure) -> JobFileID? {
        if case .clash(let clash, _, _) = failure, clash.kind == .replacedOther { clash.other } else { nil }
    }

    /// Paths of these failures that several downloads of the run are likely to have. By the same command one would
    /// replace the other's file, or fail again.
    private func sharedPaths(_ failures: [RunSummary.Failure]) -> Set<String> {
        var counts = Dictionary(failures.map { (folded(download($0.id)), 0) }) { first, _ in first }
        guard !counts.isEmpty else { return [] }
        for path in get.downloads.lazy.map(folded) { counts[path]? += 1 }
        return Set(counts.filter { $0.value > 1 }.keys)
    }

    private func folded(_ download: PlannedDownload) -> String { FileName.folded(download.file.likelyPath) }

    private func isNameTaken(_ failure: JobFailure) -> Bool {
        switch failure {
        case .download(let error):
            error.remedies.contains(.renameIfExists) || error.remedies.contains(.decideIfExists)
        case .clash: true
        default: false
        }
    }

    private func download(_ id: JobFileID) -> PlannedDownload { get.downloads[id] }

    private var retry: RetryCommand { RetryCommand(command: command, get: get) }
}
