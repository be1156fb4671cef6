import Pawl
import PawlAria2
import PawlCore
import PawlJobs
import PawlSystem

/// Downloads what one start of aria2c names.
struct Aria2Run {
    var invocation: Aria2Invocation
    let session: Session
    let console: Aria2Console
    let environment: Aria2Environment

    private var options: Aria2Options { invocation.options }

    /// - Returns: the exit status.
    mutating func run() async throws(Aria2Failure) -> Int {
        var specs = try specs()
        for (_, failure) in invocation.failed { console.log(.error, Aria2Text.shown(failure.message)) }
        guard !invocation.downloads.isEmpty else {
            if let failure = invocation.failed.last?.failure { return failure.status }
            console.show("No files to download.\n")
            return Aria2Status.complete
        }
        for index in specs.indices { specs[index].resumeLeftByAria2() }
        var configuration = Downloader.Configuration()
        try configuration.set(options, reading: session.files, home: environment.home, isFile: environment.isFile)
        configuration.hostMemoryPath = StateDirectory.file("hosts")
        if !configuration.verifiesCertificates {
            session.say(
                "aria2c: --check-certificate=false: downloaded data may come from anyone; verify it with a checksum."
            )
        }
        let display = Aria2Display(invocation, console)
        let run = try liveRun(specs, configuration)
        session.interruption.onStop { Task { run.stop() } }
        let stopping = Task { [console, options] in
            guard let reason = await Aria2Stopping(options)?.wait() else { return }
            console.log(.notice, reason)
            run.stop()
        }
        let saving = Task { [options, console] in
            guard let interval = options.number("save-session-interval"), interval > 0 else { return }
            while true {
                do { try await Pause.sleep(for: .seconds(interval)) } catch { return }
                Self.saveSession(await display.unfinished, options, console)
            }
        }
        defer { for task in [stopping, saving] { task.cancel() } }
        run.start()
        while let events = await run.events.next() {
            for event in events { await display.handle(event) }
        }
        await run.finish()
        await display.stopDrawing()
        saving.cancel()
        await saving.value
        saveFiles(configuration, await display.unfinished)
        return await display.finish(waitsForHooks: session.interruption.cause == nil)
    }

    /// The jobs, with their directories made.
    private mutating func specs() throws(Aria2Failure) -> [JobSpec] {
        var specs: [JobSpec] = []
        try invocation.settle { [environment] (download) throws(Aria2Failure) in
            let spec: JobSpec
            do throws(JobSpec.Aria2Problem) {
                spec = try download.spec(else: environment.currentDirectory)
            } catch {
                throw Aria2Failure(error.message, status: Aria2Status.badOption)
            }
            guard SystemCalls.makeDirectories(spec.directory) else {
                throw Aria2Failure(
                    "The directory “\(spec.directory)” cannot be created: \(SystemCalls.text(of: errno)).",
                    status: Aria2Status.noDirectory)
            }
            specs.append(spec)
        }
        return specs
    }

    private func liveRun(_ specs: [JobSpec], _ downloader: Downloader.Configuration) throws(Aria2Failure) -> LiveRun {
        var configuration = LiveRun.Configuration(.command)
        configuration.queuesSingleFiles = false
        configuration.secrets = session.secrets
        configuration.manager.maximumRunning = options.maximumRunning
        // aria2's limit is for each download.
        configuration.manager.maximumConnectionsPerHost = options.maximumConnectionsPerHost(
            of: invocation.downloads.map(\.options))
        configuration.manager.maximumRetries = 0
        configuration.manager.maximumFinished = 2 * configuration.rules.maximumFetching
        configuration.manager.downloader = downloader
        configuration.manager.hostMemoryPath = downloader.hostMemoryPath
        do throws(DownloadError) {
            return LiveRun(JobRows(specs), try Downloader.forThisProcess(downloader), configuration)
        } catch {
            throw Aria2Failure(error.message, status: Aria2Status.number(of: error.code.rawValue))
        }
    }

    // MARK: Files of its own

    /// Saves the files of the session. A file that cannot be saved is reported and does not prevent the others.
    private func saveFiles(_ configuration: Downloader.Configuration, _ unfinished: [Aria2Session.Entry]) {
        Self.saveSession(unfinished, options, console)
        if let path = options["save-cookies"], !path.isEmpty {
            do throws(DownloadError) { try configuration.cookies?.save(to: path) } catch {
                console.log(.error, error.message)
            }
        }
    }

    private static func saveSession(
        _ unfinished: [Aria2Session.Entry], _ options: Aria2Options, _ console: Aria2Console
    ) {
        guard let path = options["save-session"], !path.isEmpty else { return }
        do throws(Aria2Failure) { try Aria2Session.save(unfinished, to: path) } catch {
            console.log(.error, error.message)
        }
    }
}
