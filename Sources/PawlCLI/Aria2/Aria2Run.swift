import Pawl
import PawlAria2
import PawlCore
import PawlJobs
import PawlSystem

/// Downloads what one start of aria2c names.
struct Aria2Run {
    let invocation: Aria2Invocation
    let session: Session
    let console: Aria2Console
    let surroundings: Aria2Surroundings

    private var options: Aria2Options { invocation.options }

    /// - Returns: the exit status.
    func run() async throws(Aria2Failure) -> Int {
        for failure in invocation.failures { console.log(.error, failure) }
        guard !invocation.downloads.isEmpty else {
            if invocation.failures.isEmpty { console.show("No files to download.\n") }
            return invocation.failures.isEmpty ? Aria2Status.complete : Aria2Status.unknown
        }
        var specs = try specs()
        for index in specs.indices { specs[index].resumeLeftByAria2() }
        var configuration = Downloader.Configuration()
        try configuration.set(options, reading: session.files, home: surroundings.home, isFile: surroundings.isFile)
        configuration.hostMemoryPath = StateDirectory.file("hosts")
        if !configuration.verifiesCertificates { session.say("aria2c: --check-certificate=false: what is downloaded may come from anyone; compare it with a checksum.") }
        let display = Aria2Display(invocation, console)
        let run = try liveRun(specs, configuration)
        session.interruption.onStop { Task { run.stop() } }
        let stopping = Task { [console, options] in
            guard let reason = await Aria2Stopping(options)?.wait() else { return }
            console.log(.notice, reason)
            run.stop()
        }
        defer { stopping.cancel() }
        run.start()
        while let events = await run.events.next() {
            for event in events { await display.take(event) }
        }
        await run.finish()
        await display.stopDrawing()
        saveFiles(configuration, await display.unfinished)
        return await display.finish(waitsForHooks: session.interruption.cause == nil)
    }

    /// The jobs, with their directories made.
    private func specs() throws(Aria2Failure) -> [JobSpec] {
        var specs: [JobSpec] = []
        for download in invocation.downloads {
            do throws(JobSpec.Aria2Problem) {
                specs.append(try download.spec(else: surroundings.currentDirectory))
            } catch {
                throw Aria2Failure(error.message, status: Aria2Status.badOption)
            }
        }
        for spec in specs {
            guard SystemCalls.makeDirectories(spec.directory) else {
                throw Aria2Failure("The directory “\(spec.directory)” cannot be made: \(SystemCalls.text(of: errno)).", status: Aria2Status.noDirectory)
            }
        }
        return specs
    }

    private func liveRun(_ specs: [JobSpec], _ downloader: Downloader.Configuration) throws(Aria2Failure) -> LiveRun {
        var configuration = LiveRun.Configuration(.command)
        configuration.queuesSingleFiles = false
        configuration.secrets = session.secrets
        let atOnce = Int(clamping: min(options.number("max-concurrent-downloads") ?? 5, Self.maximumRunning))
        configuration.manager.maximumRunning = atOnce
        // aria2's limit is for each download.
        let perDownload = invocation.downloads.compactMap(\.options.connections).max().map { Int($0) }
        configuration.manager.maximumConnectionsPerHost = max(8, min((perDownload ?? 1) * atOnce, Self.maximumConnections))
        configuration.manager.maximumRetries = 0
        configuration.manager.maximumFinished = 2 * configuration.rules.maximumFetching
        configuration.manager.downloader = downloader
        configuration.manager.hostMemoryPath = downloader.hostMemoryPath
        do throws(DownloadError) {
            return LiveRun(specs, try Downloader.forThisProcess(downloader), configuration)
        } catch {
            throw Aria2Failure(error.message, status: Aria2Status.number(of: error.code.rawValue))
        }
    }

    private static let maximumRunning: Int64 = 100
    private static let maximumConnections = 64

    // MARK: Files of its own

    /// What cannot be saved is told, and keeps nothing else from being saved.
    private func saveFiles(_ configuration: Downloader.Configuration, _ unfinished: [Aria2Session.Entry]) {
        if let path = options["save-session"], !path.isEmpty {
            do throws(Aria2Failure) { try Aria2Session.save(unfinished, to: path) } catch { console.log(.error, error.message) }
        }
        if let path = options["save-cookies"], !path.isEmpty {
            do throws(DownloadError) { try configuration.cookies?.save(to: path) } catch { console.log(.error, error.message) }
        }
    }
}
