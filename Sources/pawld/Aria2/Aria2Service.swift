import Logging
import Pawl
import PawlAria2
import PawlCore
import PawlEngine
import PawlJobs
import PawlServer
import PawlSystem
import Synchronization
import UnixSignals

/// `aria2c --enable-rpc`: a service without a state of its own, on the port and with the secret that aria2's options
/// name (docs/aria2.md).
enum Aria2Service {
    /// - Parameter words: with the name of the program in front.
    /// - Returns: the exit status.
    static func run(_ words: [String]) async -> Int32 {
        do {
            return Int32(try await attempt(Array(words.dropFirst())))
        } catch let problem as Aria2Failure {
            complain(problem.message)
            return Int32(problem.status)
        } catch {
            complain(ServiceLoop.text(error))
            return Int32(Aria2Status.unknown)
        }
    }

    private static func complain(_ text: String) {
        Array("aria2c: \(text)\n".utf8).withUnsafeBytes { _ = SystemCalls.writeOnce(STDERR_FILENO, $0) }
    }

    private static func attempt(_ words: [String]) async throws -> Int {
        let environment = Aria2Environment.live
        let line: Aria2CommandLine
        do throws(Aria2CommandLine.Problem) {
            line = try Aria2CommandLine(words, home: environment.home)
        } catch {
            throw Aria2Failure(error.message, status: Aria2Status.badOption)
        }
        // Its remarks were printed by the program that started this one.
        var invocation = try Aria2Invocation(line, environment)
        let printed = invocation.remarks.count
        try invocation.readDownloads()
        for remark in invocation.remarks.dropFirst(printed) { complain(remark) }
        let directory = try made(invocation.directory, environment)
        invocation.setDirectory(directory)
        try invocation.settle { (download) throws(Aria2Failure) in
            if let path = download.own["dir"], !path.isEmpty { download.own["dir"] = try made(path, environment) }
            download.options["dir"] = download.own["dir"] ?? directory
            do throws(JobSpec.Aria2Problem) { _ = try download.spec(else: directory) } catch {
                throw Aria2Failure(error.message, status: Aria2Status.badOption)
            }
        }
        let console = try Aria2Console(invocation.options)
        let display = Aria2ServiceDisplay(invocation.options, console)
        for (download, failure) in invocation.failed { display.note(failure, of: download) }
        let state = try TemporaryStateDirectory()
        defer { state.remove() }
        let configuration = try configuration(of: invocation, environment, state) { display.handle($0, $1) }
        var logger = Logger(label: "aria2c") { _ in Aria2LogHandler(console: console) }
        logger.logLevel = .warning
        let server = try ServiceServer(configuration, logger)
        return try await serve(server, configuration, invocation, console, display)
    }

    private static func serve(
        _ server: ServiceServer, _ configuration: ServiceServer.Configuration, _ invocation: Aria2Invocation,
        _ console: Aria2Console, _ display: Aria2ServiceDisplay
    ) async throws -> Int {
        let options = invocation.options
        let hasListened = Locked(false)
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        let running = Task {
            try await server.run {
                for address in configuration.addresses {
                    console.log(
                        .notice,
                        Aria2Log.listens(isIPv6: address.host.utf8.contains(UInt8(ascii: ":")), port: address.port))
                }
                hasListened.withLock { $0 = true }
                // Not before: another that has the port may have the same list.
                Task {
                    for failure in await server.start(invocation.downloads) {
                        console.log(.error, Aria2Text.shown(failure))
                    }
                }
            } atEnd: {
                guard hasListened.withLock({ $0 }) else { return }
                server.tellAria2Ends()
                display.note(unfinished: server.aria2Unfinished)
                await saveFiles(server, configuration, options)
            }
        }
        let listening = Task { for await _ in signals { running.cancel() } }
        let clocks = clocks(options, console, server) { running.cancel() }
        let ticker = Task {
            var second: Int64 = 0
            while true {
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
                second += 1
                display.draw(server.aria2Running, second: second)
            }
        }
        let ended = await running.result
        listening.cancel()
        ticker.cancel()
        for clock in clocks { clock.cancel() }
        await ticker.value
        try ended.get()
        return await display.finish()
    }

    /// `--stop`, `--stop-with-process`, `--save-session-interval`.
    private static func clocks(
        _ options: Aria2Options, _ console: Aria2Console, _ server: ServiceServer,
        _ stop: @escaping @Sendable () -> Void
    ) -> [Task<Void, Never>] {
        var clocks: [Task<Void, Never>] = []
        if let stopping = Aria2Stopping(options) {
            clocks.append(Task { if let reason = await stopping.wait() { console.log(.notice, reason); stop() } })
        }
        if let interval = options.number("save-session-interval"), interval > 0 {
            clocks.append(
                Task {
                    while true {
                        do { try await Task.sleep(for: .seconds(interval)) } catch { return }
                        do throws(Aria2Failure) { try await server.saveAria2Session() } catch {
                            console.log(.error, error.message)
                        }
                    }
                })
        }
        return clocks
    }

    /// Saves the files of the session. A file that cannot be saved is reported and does not prevent the others.
    private static func saveFiles(
        _ server: ServiceServer, _ configuration: ServiceServer.Configuration, _ options: Aria2Options
    ) async {
        do throws(Aria2Failure) { try await server.saveAria2Session() } catch { complain(error.message) }
        guard let path = options["save-cookies"], !path.isEmpty else { return }
        do throws(DownloadError) { try configuration.manager.downloader.cookies?.save(to: path) } catch {
            complain(error.message)
        }
    }

    // MARK: Configuration

    private static func configuration(
        of invocation: Aria2Invocation, _ environment: Aria2Environment, _ state: TemporaryStateDirectory,
        _ observe: @escaping @Sendable (Aria2Event, Aria2Facts) -> Void
    ) throws -> ServiceServer.Configuration {
        let options = invocation.options
        let directory = invocation.directory
        var configuration = ServiceServer.Configuration(
            stateDirectory: state.path, directory: directory, version: ProgramVersion.text)
        // What the user's own list names is where the user wants files to go.
        for download in invocation.downloads {
            if let path = download.own["dir"] { configuration.roots.append(path) }
        }
        configuration.addresses = addresses(options)
        configuration.certificate = try certificate(options)
        try configuration.manager.downloader.set(
            options, reading: NamedFiles(), home: environment.home, isFile: environment.isFile)
        configuration.manager.storesSecrets = true
        configuration.settings = settings(options, directory)
        var saved = options
        if let path = options["save-session"], !path.isEmpty {
            saved["save-session"] = path.begins(with: "/") ? path : environment.currentDirectory + "/" + path
        }
        configuration.aria2 = ServiceServer.Aria2Settings(
            options: saved, left: invocation.failed.map(\.download.entry), observe: observe)
        return configuration
    }

    private static func made(_ path: String, _ environment: Aria2Environment) throws(Aria2Failure) -> String {
        let whole = path.begins(with: "/") ? path : environment.currentDirectory + "/" + path
        guard SystemCalls.makeDirectories(whole) else {
            throw Aria2Failure(
                "The directory “\(path)” cannot be created: \(SystemCalls.text(of: errno)).",
                status: Aria2Status.noDirectory)
        }
        guard let resolved = SystemCalls.realPath(whole) else {
            throw Aria2Failure("The directory “\(path)” cannot be found: \(SystemCalls.text(of: errno)).")
        }
        return resolved
    }

    private static func addresses(_ options: Aria2Options) -> [ServiceServer.Address] {
        let port = Int(options.number("rpc-listen-port") ?? 6800)
        let hosts = options.isTrue("rpc-listen-all") ? ["0.0.0.0", "::"] : ["127.0.0.1", "::1"]
        let all = hosts.map { ServiceServer.Address(host: $0, port: port) }
        let existing = all.filter {
            $0.exists && !(options.isTrue("disable-ipv6") && $0.host.utf8.contains(UInt8(ascii: ":")))
        }
        return existing.isEmpty ? all : existing
    }

    private static func certificate(_ options: Aria2Options) throws(Aria2Failure) -> ServerCertificate? {
        guard options.isTrue("rpc-secure") else { return nil }
        guard let path = options["rpc-certificate"], !path.isEmpty else {
            throw Aria2Failure(
                "--rpc-secure needs --rpc-certificate and --rpc-private-key (PEM).", status: Aria2Status.badOption)
        }
        do throws(DownloadError) {
            return try ServerCertificate(path, key: options["rpc-private-key"])
        } catch {
            throw Aria2Failure(error.message)
        }
    }

    private static func settings(_ options: Aria2Options, _ directory: String) -> ServiceSettings {
        var settings = ServiceSettings(directory: directory)
        settings.maximumRunning = options.maximumRunning
        settings.connections = Int(options.connections ?? Int64(settings.connections))
        settings.maximumConnectionsPerHost = options.maximumConnectionsPerHost(of: [])
        settings.historyCount = Int(clamping: options.number("max-download-result") ?? 1000)
        if let limit = options.number("max-overall-download-limit"), limit > 0 { settings.speedLimit = limit }
        return settings
    }
}

/// Writes the log of the service in the form of aria2.
private struct Aria2LogHandler: LogHandler {
    let console: Aria2Console
    /// The metadata of the handler, unused: that of messages is shown, and nobody gives a handler its own.
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel = Logger.Level.warning

    init(console: Aria2Console) { self.console = console }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        console.log(
            event.level >= .error ? .error : .warn, ([event.message.description] + facts).joined(separator: " "))
    }
}
