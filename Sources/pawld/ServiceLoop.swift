import Logging
import Pawl
import PawlConfiguration
import PawlServer
import PawlSystem
import UnixSignals

/// The parts of the service that one configuration defines.
struct ServiceSetup: Sendable {
    var configuration: ServiceServer.Configuration
    var logger: Logger

    init(_ source: ConfigurationSource) throws(ConfigurationError) {
        let (options, given) = try source.read()
        logger = Logger(label: "pawld")
        do throws(ConfigurationError) {
            configuration = try options.configuration()
            logger.logLevel = try options.level()
        } catch {
            throw source.placed(error, given)
        }
    }

    /// The directories that the service cannot do without.
    func makeDirectories() throws(ConfigurationError) {
        try Places.makePrivate(configuration.stateDirectory)
        if let runtime = Places.runtime, configuration.socket?.utf8.starts(with: (runtime + "/").utf8) == true {
            try Places.makePrivate(runtime)
        }
        guard mkdir(configuration.directory, 0o777) == 0 || errno == EEXIST else {
            throw ConfigurationError("“\(configuration.directory)” cannot be created: \(SystemCalls.text(of: errno))")
        }
    }
}

/// Runs the service until a signal ends it. SIGHUP reads the configuration anew.
struct ServiceLoop {
    let source: ConfigurationSource
    let printsLink: Bool

    private enum Event: Sendable {
        case signal(UnixSignal)
        case ready(start: Int)
        /// The service ended by itself.
        case ended(start: Int)
    }

    func run(_ first: ServiceSetup) async throws {
        let (events, teller) = AsyncStream<Event>.makeStream()
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        let listening = Task { for await signal in signals { teller.yield(.signal(signal)) } }
        let watching = Task { await ServiceNotification.keepWatchdogAwake() }
        defer {
            listening.cancel()
            watching.cancel()
        }
        var setup = first
        /// The latest that has worked, until the next does.
        var previous: ServiceSetup?
        var starts = 1
        var running = start(setup, starts, teller, printsLink: printsLink)
        for await event in events {
            switch event {
            case .ready(let start), .ended(let start): if start < starts { continue }
            case .signal: break
            }
            switch event {
            case .ready: previous = nil
            case .ended:
                guard let old = previous else { return try await running.value }
                if case .failure(let error) = await running.result {
                    setup.logger.error(
                        "the service cannot start with the new configuration; the old one stays in force",
                        metadata: ["reason": "\(Self.text(error))"])
                }
                (setup, previous) = (old, nil)
                starts += 1
                running = start(setup, starts, teller)
            case .signal(.sighup):
                ServiceNotification.sendReloading()
                do throws(ConfigurationError) {
                    let next = try ServiceSetup(source)
                    running.cancel()
                    _ = await running.result
                    (setup, previous) = (next, previous ?? setup)
                    starts += 1
                    running = start(setup, starts, teller)
                } catch {
                    setup.logger.error(
                        "the new configuration is not valid; the old one stays in force",
                        metadata: ["reason": "\(error.message)"])
                    ServiceNotification.send("READY=1")
                }
            case .signal:
                ServiceNotification.send("STOPPING=1")
                running.cancel()
                return try await running.value
            }
        }
    }

    /// - Parameter number: of the starts of this process.
    private func start(
        _ setup: ServiceSetup, _ number: Int, _ teller: AsyncStream<Event>.Continuation, printsLink: Bool = false
    ) -> Task<Void, any Error> {
        Task {
            defer { if !Task.isCancelled { teller.yield(.ended(start: number)) } }
            let (configuration, logger) = (setup.configuration, setup.logger)
            try setup.makeDirectories()
            let server = try ServiceServer(configuration, logger)
            try await server.run {
                for address in configuration.addresses {
                    logger.notice("listening", metadata: ["address": "\(configuration.scheme)://\(address.authority)/"])
                }
                if let socket = configuration.socket { logger.notice("listening", metadata: ["socket": "\(socket)"]) }
                if let first = configuration.addresses.first, printsLink {
                    print("\(configuration.scheme)://\(first.authority)/api/v1/login/\(server.access.makeTicket())")
                    // Also into a pipe or a file, at once.
                    fflush(nil)
                }
                ServiceNotification.send("READY=1")
                teller.yield(.ready(start: number))
            }
        }
    }

    static func text(_ error: any Error) -> String {
        switch error {
        case let error as ConfigurationError: error.message
        case let error as DownloadError: error.message
        default: "\(error)"
        }
    }
}
