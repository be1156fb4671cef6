import Pawl
import PawlCore
import PawlJobs

extension IndexCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let (job, configuration) = try server.settled(words, for: url, in: session)
        let documents = LiveDocuments(try Downloader.forThisProcess(configuration), session.secrets)
        let start: HTTPURL
        guard case .url(let place, _) = job.source else { return .usage }
        do throws(HTTPURLError) { start = try HTTPURL(parsing: place) } catch { throw UsageError(error.message) }
        // The lines of -v show each page.
        let display = IndexDisplay(session, isDrawn: server.verbosity == 0 && Terminal.canRedraw)
        let reading = Task {
            defer { display.clear() }
            return try await read(IndexWalk(beneath: start, maximumDepth: depth), for: job, documents, display)
        }
        session.interruption.onStop { reading.cancel() }
        let ending = await reading.result
        if let cause = session.interruption.cause {
            session.say(
                "pawl: Stopped; nothing is listed, because the list is not complete. Pages read: \(display.readPages).")
            return cause.exitCode
        }
        let (walk, skipped) = try ending.get()
        try server.finish(configuration)
        return report(walk, skipped, in: session)
    }

    /// - Returns: also the exit code for the first page beneath that cannot be read.
    private func read(
        _ walk: IndexWalk, for job: JobSpec, _ documents: LiveDocuments, _ display: IndexDisplay
    ) async throws -> (IndexWalk, skipped: ExitCode?) {
        var skipped: ExitCode?
        let walk = try await documents.links(walk, for: job) {
            display.show($0)
        } skipped: { page, error in
            display.warn("\(page) is left out: \(error.message)")
            skipped = skipped ?? ExitCode(error.code)
        }
        return (walk, skipped)
    }

    private func report(_ walk: IndexWalk, _ skipped: ExitCode?, in session: Session) -> ExitCode {
        if let refusal = walk.refusal {
            session.complain(Self.sentence(refusal, of: walk.start))
            return .refused
        }
        for file in walk.files {
            var file = file
            // A list needs no password: it is for the one who reads the page.
            file.userinfo = nil
            guard session.output.write(file.serialized + "\n") else { return .outputClosed }
        }
        if walk.files.isEmpty { session.warn("The page has no links to files beneath \(walk.start.redacted).") }
        if walk.unfollowed > 0 { session.warn("Directories not read: \(walk.unfollowed). --depth reads more.") }
        if walk.forbidden > 0 { session.warn("Links that robots.txt keeps out: \(walk.forbidden).") }
        guard walk.isCutShort else { return skipped ?? .done }
        session.complain("The list is not complete: the server has more than it lists, or than Pawl reads.")
        return skipped ?? .failure
    }

    private static func sentence(_ refusal: IndexWalk.Refusal, of start: HTTPURL) -> String {
        switch refusal {
        case .robots: "The robots.txt of \(start.shownHost) does not let programs read this page."
        case .otherHost(let url):
            "The page is on another server, \(url.shownHost). "
                + (ShellWords.join(["pawl", "index", url.redacted]).map { "To list the links there, run: \($0)" } ?? "")
        }
    }
}
