import Hummingbird
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
import NIOPosix
package import Pawl
package import PawlAria2
package import PawlCore
import PawlEngine
import PawlSystem
import ServiceLifecycle
import Synchronization

/// The whole service: the database, the downloads, and the sockets that it answers on.
package final class ServiceServer: Sendable {
    package struct Configuration: Sendable {
        /// An existing directory that only its owner can enter: the database and the token are kept there.
        package var stateDirectory: String
        /// The path of the unix socket, in a directory that only its owner can enter; nil for no socket.
        package var socket: String?
        package var addresses: [Address] = []
        /// The certificate with which all addresses speak HTTPS; nil for HTTP.
        package var certificate: ServerCertificate?
        /// The directory, beneath a root, for downloads whose job names none.
        package var directory: String
        /// The existing directories beneath which downloads are stored; ``directory`` if empty.
        package var roots: [String] = []
        package var publicOrigin: String?
        /// The path of the page behind a reverse proxy, between slashes.
        package var publicPath = "/"
        /// Names of this machine besides its addresses.
        package var hosts: [String] = []
        package var allowedOrigins: [String] = []
        package var version: String
        /// A program to run after each download, with its arguments.
        package var hook: [String] = []
        package var manager = DownloadManager.Configuration()
        /// The settings until the user changes them; nil for the defaults.
        package var settings: ServiceSettings?
        /// The settings of a service that stands for aria2c; nil for an ordinary service.
        package var aria2: Aria2Settings?

        package init(stateDirectory: String, directory: String, version: String) {
            (self.stateDirectory, self.directory, self.version) = (stateDirectory, directory, version)
        }

        /// The scheme of the addresses.
        package var scheme: String { certificate == nil ? "http" : "https" }
    }

    /// A service that stands for aria2c, and that ends with its downloads.
    package struct Aria2Settings: Sendable {
        /// The options that were given.
        package var options: Aria2Options
        /// Entries that could not be added, which are saved with the rest.
        package var left: [Aria2Session.Entry]
        /// Receives the events of downloads. Called on any thread; it must not block.
        package var observe: @Sendable (Aria2Event, Aria2Facts) -> Void

        package init(
            options: Aria2Options, left: [Aria2Session.Entry],
            observe: @escaping @Sendable (Aria2Event, Aria2Facts) -> Void
        ) {
            (self.options, self.left, self.observe) = (options, left, observe)
        }

        var secret: String? { options["rpc-secret"].flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// The time that requests being answered have once the service is told to stop.
    private static let farewell = Duration.milliseconds(1500)

    package struct Address: Hashable, Sendable {
        /// A numeric address, without brackets.
        package var host: String
        package var port: Int

        package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

        /// The machine has it: one without IPv6 may have no ::1, or have it and not resolve it (`AI_ADDRCONFIG`,
        /// getaddrinfo(3)).
        package var exists: Bool {
            guard let address = try? SocketAddress.makeAddressResolvingHost(host, port: 0) else { return false }
            let probe = SystemCalls.socket(CInt(address.protocol.rawValue))
            guard probe >= 0 else { return false }
            defer { _ = SystemCalls.close(probe) }
            return address.withSockAddr { address, length in bind(probe, address, socklen_t(length)) } == 0
        }

        /// Whether the host stands for all addresses of the machine.
        var isAny: Bool { ["0.0.0.0", "::"].containsExactly(host) }

        package var isLoopback: Bool { host.utf8.starts(with: "127.".utf8) || host.utf8.elementsEqual("::1".utf8) }

        /// The host and port as in a URL.
        package var authority: String { (host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host) + ":\(port)" }
    }

    /// The largest number of connections at once on each socket; others wait until one of them ends.
    private static let maximumConnections = 512

    private let configuration: Configuration
    private let logger: Logger
    private let service: JobService
    private let hub: EventHub
    private let stopper: Stopper
    package let access: AccessRules
    let rpc: RPCService
    private let responder: ServiceResponder

    /// Looks at what has to be there before anything is opened.
    ///
    /// - Parameter makesDirectory: the download directory will be made, so it may be missing.
    /// - Throws: for roots that are no directories and a hook that is no program.
    package static func check(_ configuration: Configuration, makesDirectory: Bool) throws(DownloadError) {
        _ = try Roots((makesDirectory ? [] : [configuration.directory]) + configuration.roots)
        if let socket = configuration.socket { try UnixSocket.check(path: socket) }
        try JobService.check(hook: configuration.hook)
    }

    /// Opens the database and resumes what ran. Nothing listens yet.
    ///
    /// - Throws: what ``JobService``, the token and the roots say.
    package init(_ configuration: Configuration, _ logger: Logger) throws(DownloadError) {
        self.configuration = configuration
        self.logger = logger
        let stopper = Stopper()
        self.stopper = stopper
        let roots = try Roots([configuration.directory] + configuration.roots)
        let directory: String
        do throws(Problem) {
            directory = try roots.directory(configuration.directory, from: configuration.directory, field: "directory")
        } catch {
            throw DownloadError(.notWritable, error.detail, recovery: .giveUp)
        }
        // Without a secret nobody has the token, which the page and the API need all the same.
        let token =
            if let aria2 = configuration.aria2 { AccessToken(text: aria2.secret ?? AccessToken.random()) } else {
                try AccessToken(configuration.stateDirectory + "/token")
            }
        var jobs = JobService.Configuration(path: configuration.stateDirectory + "/jobs.sqlite")
        jobs.manager = configuration.manager
        jobs.hook = configuration.hook
        // aria2 tells and saves them for as long as it lists a download.
        jobs.remembersSecrets = configuration.aria2 != nil
        jobs.manager.placeRefusal = { roots.refusal(of: $0) }
        // What a request named was looked at when it came.
        jobs.manager.downloader.followsDirectoryLinks = false
        let registry = MetricsRegistry()
        jobs.manager.downloader.metricsFactory = registry
        service = try JobService(jobs)
        Self.watch(service.store, logger)
        do throws(DownloadError) {
            let settings = try LiveSettings(
                service, initial: configuration.settings ?? ServiceSettings(directory: directory), roots)
            if let refused = settings.refusedDirectory {
                logger.warning(
                    "The directory in the settings is missing or outside the roots. The configured directory is used instead.",
                    metadata: ["directory": "\(refused)"])
            }
            hub = try EventHub(service.store, settings, service, roots)
            var rules = AccessRules.Configuration()
            (rules.publicOrigin, rules.publicPath) = (configuration.publicOrigin, configuration.publicPath)
            rules.allowedOrigins = configuration.allowedOrigins
            rules.isTLS = configuration.certificate != nil
            rules.hosts += (configuration.addresses.map(\.authority) + configuration.hosts).map(AccessRules.withoutPort)
            if let aria2 = configuration.aria2 {
                (rules.isOpen, rules.allowsAnyOrigin) = (
                    aria2.secret == nil, aria2.options.isTrue("rpc-allow-origin-all")
                )
            }
            rules.takesAnyAddress = configuration.addresses.contains(where: \.isAny)
            if let origin = configuration.publicOrigin, let url = try? HTTPURL(parsing: origin) {
                rules.hosts.append(AccessRules.withoutPort(url.authority))
            }
            access = AccessRules(rules, token, service.store)
            let api = API(service: service, settings: settings, roots: roots, hub: hub, version: configuration.version)
            let aria2 = Aria2(
                service: service, settings: settings, roots: roots,
                memory: Aria2Memory(
                    global: configuration.aria2?.global ?? Aria2Options(), left: configuration.aria2?.left ?? []),
                isOnlySession: configuration.aria2 != nil
            ) { stopper.stop() }
            if configuration.aria2 == nil { aria2.beginning.open() }
            let observer = configuration.aria2.map { settings -> RPCNotifier.Observer in
                { settings.observe($0, aria2.facts(of: $1)) }
            }
            rpc = RPCService(
                aria2: aria2, access: access, notifier: RPCNotifier(hub, service.store, observer: observer),
                logger: logger)
            responder = ServiceResponder(
                api: api, rpc: rpc, access: access, page: .shared, logger: logger,
                metrics: ServiceMetrics(registry: registry, service: service) { [hub] in hub.readers })
        } catch {
            let service = service
            Task { await service.shutdown() }
            throw error
        }
    }

    private static func watch(_ store: Store, _ logger: Logger) {
        store.observeHealth { problem in
            if let problem {
                logger.error(
                    "The database cannot be written. Running downloads continue; no new ones are accepted.",
                    metadata: ["reason": "\(problem.message)"])
            } else {
                logger.notice("The database can be written again.")
            }
        }
        store.observeUnreadable { row, reason in
            logger.warning(
                "A row of the database cannot be read. It is left unchanged; everything else continues.",
                metadata: [
                    "database": "\(store.path)", "table": "\(row.table)", "row": "\(row.number)", "reason": "\(reason)",
                ])
        }
    }

    /// Answers requests until ``stop()`` is called or the task is cancelled; then stops what runs, keeping all that was
    /// received.
    ///
    /// - Parameters:
    ///   - isReady: called once all sockets are open.
    ///   - atEnd: called when nothing is answered any more and nothing runs, while everything can still be read.
    /// - Throws: for a socket that cannot be opened.
    package func run(
        _ isReady: @escaping @Sendable () -> Void, atEnd: @escaping @Sendable () async -> Void = {}
    ) async throws {
        let stopped: Result<Void, any Error>
        // Nothing new is asked of it while it stops.
        do {
            try await listen(isReady)
            stopped = .success(())
        } catch is CancellationError {
            stopped = .success(())
        } catch {
            stopped = .failure(error)
        }
        hub.stop()
        // In a task of its own: in one that is cancelled, as ours is, nothing can wait.
        await Task { [service] in await service.shutdown(atEnd) }.value
        try stopped.get()
    }

    private func listen(_ isReady: @escaping @Sendable () -> Void) async throws {
        var places = configuration.addresses.map {
            (
                address: BindAddress.hostname($0.host, port: $0.port), socket: SocketBinding?.none,
                listener: ListeningPlace($0)
            )
        }
        if let socket = configuration.socket {
            let binding = try SocketBinding(socket)
            places.append((binding.address, binding, ListeningPlace(socket: socket)))
        }
        let countdown = CountdownLatch(places.count, isReady)
        let failure = Locked<DownloadError?>(nil)
        let applications = try places.map { address, socket, listener -> any Service in
            listener.running(
                try application(address, socket == nil ? configuration.certificate : nil) { [stopper] in
                    do throws(DownloadError) {
                        try socket?.finish()
                        countdown.step()
                    } catch {
                        failure.withLock { $0 = error }
                        stopper.stop()
                    }
                })
        }
        var settings = ServiceGroupConfiguration(services: applications, logger: quietLogger)
        settings.maximumGracefulShutdownDuration = Self.farewell
        let group = ServiceGroup(configuration: settings)
        let stop: @Sendable () -> Void = { [hub] in
            Task {
                hub.stop()
                await group.triggerGracefulShutdown()
            }
        }
        stopper.willStop(by: stop)
        // Not to be cancelled with us: what was asked is answered first, and readers are told.
        let listening = Task { try await group.run() }
        try await withTaskCancellationHandler {
            try await listening.value
        } onCancel: {
            stop()
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    private func application(
        _ place: BindAddress, _ certificate: ServerCertificate?, _ isRunning: @escaping @Sendable () -> Void
    ) throws -> some ApplicationProtocol {
        let rpc = rpc
        let http = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [ConnectionWatch(rpc)],
                httpDecoderConfiguration: .init(maxHeaderFieldSize: 80 << 10, maxHeaderListSize: 128 << 10)))
        return Application(
            responder: responder,
            server: try certificate.map { try .tls(http, tlsConfiguration: $0.configuration) } ?? http,
            configuration: .init(
                address: place, serverName: "pawld",
                availableConnectionsDelegate: MaximumAvailableConnections(Self.maximumConnections, logger: quietLogger)),
            onServerRunning: { _ in isRunning() }, logger: quietLogger)
    }

    private var quietLogger: Logger {
        var quiet = logger
        quiet.logLevel = max(.warning, logger.logLevel)
        return quiet
    }
}

/// Ends a service that listens.
private final class Stopper: Sendable {
    private struct Action {
        var call: (@Sendable () -> Void)?
    }

    private let action = Locked(Action())

    func willStop(by action: @escaping @Sendable () -> Void) { self.action.withLock { $0.call = action } }

    func stop() { action.withLock { $0.call }?() }
}

/// Calls once, after so many steps.
private final class CountdownLatch: Sendable {
    private let left: Locked<Int>
    private let end: @Sendable () -> Void

    init(_ count: Int, _ end: @escaping @Sendable () -> Void) {
        left = Locked(count)
        self.end = end
    }

    func step() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { end() }
    }
}

extension EventHub {
    fileprivate convenience init(
        _ store: Store, _ settings: LiveSettings, _ service: JobService, _ roots: Roots
    ) throws(DownloadError) {
        let json = DownloadJSON(service: service)
        try self.init(
            store,
            words: { (changes: [EventHub.FeedChange]) throws(DownloadError) in
                var jobs = try json.values(
                    changes.compactMap { if case .put(let job) = $0.change { job } else { nil } }
                ).makeIterator()
                return changes.map { number, change in
                    switch change {
                    case .put: API.event("change", id: number, jobs.next() ?? .null)
                    case .removed(let id): API.event("removed", id: number, ["id": .string(id)])
                    case .settings:
                        API.event("settings", id: number, settings.stored.json(change: number, roots: roots))
                    }
                }
            },
            figures: { withStats in
                let running = service.running
                let ids = service.ids(of: running.map(\.number))
                let progress = zip(ids, running).compactMap { id, run in
                    id.map { DownloadJSON.progress($0, run.progress) }
                }
                let stats = withStats ? (try? API.stats(service, settings))?.encoded : nil
                return (
                    progress.isEmpty ? nil : "event: progress\ndata: \(JSONValue.array(progress).encoded)\n\n",
                    stats.map { "event: stats\ndata: \($0)\n\n" }
                )
            })
    }
}
