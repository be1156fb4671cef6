internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import PawlCore
internal import PawlEngine

/// The settings that all connections of a transport share.
struct ConnectionSettings: Sendable {
    let connectTimeout: TimeAmount
    let family: AddressFamily
    let deniesPrivate: Bool
    let localAddress: SocketAddress?
    let knownAddresses: [String: String]
    let verifiesCertificates: Bool
    let secureContext: SecureContext
    /// The threads for work that may block: looking up names, reading certificates.
    let threads: ThreadExecutor

    /// A socket that is bound to an address can only reach those of its kind.
    var usableFamily: AddressFamily {
        switch localAddress?.protocol {
        case .inet: .ipv4
        case .inet6: .ipv6
        default: family
        }
    }
}

/// One connection being made: name, socket, proxy, TLS. Used on its event loop only.
///
/// It ends once, by ``ended``: with a channel that is ready for its first request, or with an error and nothing left
/// behind.
final class ConnectAttempt {
    let route: Route
    private let target: Route.Server?
    private let settings: ConnectionSettings
    private let pace: Pace?
    private let eventLoop: any EventLoop
    private var ended: ((Result<any Channel, TransportError>) -> Void)?
    private var deadline: Scheduled<Void>?
    private var lookups: [AddressLookup] = []
    /// Candidates that have not been chosen, and then the one that has been.
    private var channels: [any Channel] = []
    /// The work that will still call back to the event loop, whatever becomes of the attempt.
    private(set) var unfinished: EventLoopFuture<Void>?

    /// - Parameter pace: of the exchange that it is made for.
    init(_ route: Route, _ settings: ConnectionSettings, pace: Pace?, on eventLoop: any EventLoop) {
        self.route = route
        target = route.server
        self.settings = settings
        self.pace = pace
        self.eventLoop = eventLoop
    }

    private var isOver: Bool { ended == nil }

    func begin(_ ended: @escaping (Result<any Channel, TransportError>) -> Void) {
        self.ended = ended
        deadline = eventLoop.assumeIsolated().scheduleTask(in: settings.connectTimeout) { self.fail(self.noAnswer) }
        guard route.isSecure, settings.secureContext.result == nil else { return resolveForProxy() }
        let prepared = eventLoop.makePromise(of: Void.self)
        settings.threads.submit { [secureContext = settings.secureContext] in
            secureContext.make()
            prepared.succeed()
        }
        unfinished = prepared.futureResult
        prepared.futureResult.assumeIsolated().whenSuccess { self.resolveForProxy() }
    }

    /// Gives up and closes what is under way.
    func fail(_ error: TransportError) {
        guard let ended = finish() else { return }
        lookups.forEach { $0.cancelQueries() }
        channels.forEach { $0.close(promise: nil) }
        ended(.failure(error))
    }

    private func finish() -> ((Result<any Channel, TransportError>) -> Void)? {
        defer { ended = nil }
        deadline?.cancel()
        deadline = nil
        return ended
    }

    private var noAnswer: TransportError {
        route.proxy == nil
            ? TransportError(.connect, "no answer within the connect timeout")
            : TransportError(.proxy, "no answer through the proxy within the connect timeout")
    }

    // MARK: - Name and socket

    /// Resolves the target's name for a `socks5` proxy, which is given an address.
    private func resolveForProxy() {
        guard !isOver else { return }
        guard let proxy = route.proxy, proxy.kind == .socks5, let target, IPAddress(target.host) == nil else {
            if let address = target.flatMap({ IPAddress($0.host) }), !mayAsk(address) { return fail(.privateAddress) }
            return connect(
                to: target.flatMap { IPAddress($0.host) }.map { .address($0) } ?? target.map { .name($0.host) })
        }
        let lookup = makeLookup(settings.family, isTarget: true)
        // Both are completed at once. IPv4 first: what the proxy's own network carries is not known.
        let sixes = lookup.initiateAAAAQuery(host: target.host, port: target.port)
        lookup.initiateAQuery(host: target.host, port: target.port).and(sixes).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let (fours, sixes)):
                guard let address = (fours + sixes).first?.ipAddress.flatMap({ IPAddress($0) }) else {
                    return self.fail(
                        self.unresolved(TransportError(.nameResolution, "the host name could not be resolved"), proxy))
                }
                self.connect(to: .address(address))
            case .failure(let error):
                self.fail(self.unresolved(TransportError(error, isRequestSent: false, isCancelled: false), proxy))
            }
        }
    }

    /// The proxy was never asked, though it might know the name.
    private func unresolved(_ error: TransportError, _ proxy: ProxyServer) -> TransportError {
        guard error.reason == .nameResolution else { return error }
        return TransportError(
            .nameResolution,
            "\(error.detail) on this machine, as socks5:// requires. With socks5h://, the proxy \(proxy.authority) resolves it"
        )
    }

    private func mayAsk(_ address: IPAddress) -> Bool { !settings.deniesPrivate || address.isPublic }

    /// - Parameter isTarget: not of the proxy.
    private func makeLookup(_ family: AddressFamily, isTarget: Bool) -> AddressLookup {
        let lookup = AddressLookup(
            family: family, deniesPrivate: isTarget && settings.deniesPrivate, threads: settings.threads,
            eventLoop: eventLoop)
        lookups.append(lookup)
        return lookup
    }

    /// - Parameter destination: what a SOCKS proxy is told.
    private func connect(to destination: SOCKS5.Destination?) {
        guard !isOver else { return }
        let me = NIOLoopBound(self, eventLoop: eventLoop)
        var bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(settings.connectTimeout)
            .channelInitializer { channel in
                me.value.isOver
                    ? channel.eventLoop.makeFailedFuture(TransportError(.other, "cancelled"))
                    : channel.eventLoop.makeCompletedFuture { me.value.began(channel) }
            }
        if let localAddress = settings.localAddress { bootstrap = bootstrap.bind(to: localAddress) }
        let socket: EventLoopFuture<any Channel>
        let host = settings.knownAddresses[route.host] ?? route.host
        if let address = try? SocketAddress(ipAddress: host, port: route.port) {
            guard settings.usableFamily.allows(address) else {
                return fail(TransportError(.connect, "the address \(settings.usableFamily.exclusion)"))
            }
            guard
                route.proxy != nil
                    || address.ipAddress.flatMap({ IPAddress($0) }).map(mayAsk) ?? !settings.deniesPrivate
            else { return fail(.privateAddress) }
            socket = bootstrap.connect(to: address)
        } else {
            socket = bootstrap.resolver(makeLookup(settings.usableFamily, isTarget: route.proxy == nil)).connect(
                host: route.host, port: route.port)
        }
        unfinished = socket.map { _ in }
        socket.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel): self.connected(channel, destination)
            case .failure(let error): self.fail(self.socketProblem(error))
            }
        }
    }

    private func began(_ channel: any Channel) {
        ConnectionTuning.apply(to: channel)
        if let pace { ConnectionPacing.prepare(channel, for: pace) }
        channels.append(channel)
    }

    private func socketProblem(_ error: any Error) -> TransportError {
        let error = TransportError(error, isRequestSent: false, isCancelled: false)
        guard let proxy = route.proxy, error.reason != .other else { return error }
        return TransportError(.proxy, "the proxy \(proxy.authority) cannot be reached: \(error.detail)")
    }

    // MARK: - Proxy and TLS

    private func connected(_ channel: any Channel, _ destination: SOCKS5.Destination?) {
        guard !isOver else { return channel.close(promise: nil) }
        channels = [channel]
        do {
            let setup = ConnectionSetup(try steps(destination)) { result in
                switch result {
                case .success: self.finish()?(.success(channel))
                case .failure(let error): self.fail(self.naming(error))
                }
            }
            try channel.pipeline.syncOperations.addHandler(setup)
            setup.begin()
        } catch {
            fail(TransportError(error, isRequestSent: false, isCancelled: false))
        }
    }

    /// Adds the trusted authorities to the message, unless they are those of the system.
    private func naming(_ error: TransportError) -> TransportError {
        guard error == .untrusted, let trust = settings.secureContext.unusualTrust else { return error }
        return TransportError(error.reason, "\(error.detail); \(trust)")
    }

    private func steps(_ destination: SOCKS5.Destination?) throws -> [ConnectionSetup.Step] {
        var steps: [ConnectionSetup.Step] = []
        if let proxy = route.proxy {
            switch proxy.kind {
            case .https:
                steps.append(try secure(proxy.host, isProxy: true))
                fallthrough
            case .http:
                if let target {
                    steps.append(
                        .tunnel(ProxyConnect(host: target.host, port: target.port, credentials: proxy.credentials)))
                }
            case .socks5, .socks5h:
                if let destination, let port = target.flatMap({ UInt16(exactly: $0.port) }) {
                    steps.append(.tunnel(SOCKS5(destination, port: port, credentials: proxy.credentials)))
                }
            }
        }
        if let target, target.isSecure {
            steps.append(try secure(target.host, isProxy: false))
        }
        return steps
    }

    private func secure(_ host: String, isProxy: Bool) throws -> ConnectionSetup.Step {
        guard let context = try settings.secureContext.result?.get() else {
            throw TransportError(.other, "TLS could not be set up")
        }
        let peer = PeerIdentity(host)
        let handler = try NIOSSLClientHandler(context: context, serverHostname: peer.serverName)
        return .secure(handler, peer: settings.verifiesCertificates ? peer : nil, isProxy: isProxy)
    }
}
