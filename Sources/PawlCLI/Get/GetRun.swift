import Pawl
import PawlCore
import PawlJobs

/// Runs the jobs of a command through the library, observes them, and stops them when the program is told to stop.
struct GetRun {
    private(set) var get: ResolvedGet
    let session: Session

    mutating func run() async throws -> ExitCode {
        defer { get.verbose?.release() }
        for warning in get.warnings {
            session.warn(warning)
            if get.writesJSON { _ = session.write(JobJSON.warning(warning).encoded + "\n") }
        }
        sayIfPaused()
        let unpacks = get.jobs.templates.contains { $0.unpacking != nil || !$0.members.isEmpty }
        let jobs = get.takeJobs()
        let display = GetDisplay(get, session)
        let verbose = get.verbose
        let run = LiveRun(consume jobs, try downloader(), configuration(display)) { event in
            if case .planned(let files, _) = event, files.count > 1 { verbose?.namesDownloads() }
        }
        session.interruption.onStop(within: unpacks ? .removal : .checkpoint) { Task { run.stop() } }
        await display.observe(run)
        run.start()
        while let events = await run.events.next() {
            await display.handle(events)
        }
        await run.finish()
        return try await display.finish()
    }

    /// Says why a run waits that has to read something before there is a file that can say so.
    private func sayIfPaused() {
        let now = LiveRuntime.weekTime(secondsSinceEpoch: LiveRuntime.wallClockSeconds)
        guard !get.isQuiet, get.jobs.templates.contains(where: { !$0.isOneFile }),
            let pause = get.configuration.speedLimit?.pause(at: now)
        else { return }
        session.say("pawl: " + pause.sentence)
    }

    /// Returns what a run would do, after reading the documents that name its downloads.
    mutating func dryRun(_ kind: DryRunKind, makesDirectories: Bool) async throws -> DryRun {
        let downloader = try downloader()
        var configuration = LiveRun.Configuration(.command)
        configuration.secrets = session.secrets
        let plan = try await RunPlan(of: get.takeJobs(), downloader, configuration)
        var get = get
        get.remarks += plan.notices + GetWords.repeated(plan.repeated)
        get.settle(plan.files)
        var outlook = RunOutlook(
            downloader, session.secrets, makesDirectories: makesDirectories, storesFiles: !get.streamsToOutput)
        return DryRun(get: get, outlooks: await outlook.files(plan.files, asks: kind == .online))
    }

    private func downloader() throws(DownloadError) -> Downloader {
        var configuration = get.configuration
        configuration.hostMemoryPath = StateDirectory.file("hosts")
        return try Downloader.forThisProcess(configuration)
    }

    private func configuration(_ display: GetDisplay) -> LiveRun.Configuration {
        var configuration = LiveRun.Configuration(.command)
        configuration.rules.failsFast = get.failsFast
        configuration.manager.namesInOrder = true
        // A single file is downloaded without a queue.
        configuration.queuesSingleFiles = false
        if get.streamsToOutput { configuration.reader = session.writeBytes }
        configuration.secrets = session.secrets
        configuration.manager.maximumRunning = get.maximumRunning
        configuration.manager.maximumConnectionsPerHost = get.maximumConnectionsPerHost
        configuration.manager.maximumSmallFiles = get.maximumSmallFiles
        configuration.manager.maximumSmallFilesPerHost = get.maximumSmallFilesPerHost
        // A download retries transient failures by itself.
        configuration.manager.maximumRetries = 0
        // One whose end was not told yet must still be known: so many may end after it, while those that ended before
        // it are told.
        configuration.manager.maximumFinished = 2 * configuration.rules.maximumFetching
        configuration.manager.downloader = get.configuration
        configuration.manager.hostMemoryPath = StateDirectory.file("hosts")
        let desk = PasswordDesk(session, display)
        configuration.password = { try await desk.next(for: $0, after: $1, given: $2) }
        return configuration
    }
}
