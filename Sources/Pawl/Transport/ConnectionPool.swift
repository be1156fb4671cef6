internal import NIOCore
internal import PawlCore
internal import PawlEngine

/// The connections of one event loop, and the exchanges on them. Used on that loop only.
///
/// It decides nothing about how many there are: an exchange that finds no idle connection on its route gets a new one.
final class ConnectionPool {
    let eventLoop: any EventLoop
    private let settings: ConnectionSettings
    private let idleTimeout: TimeAmount
    private let proxies: ProxySettings
    /// The last one in is the first one out: it is the least likely to be closed by the server.
    private var idle: [Route: [HTTPConnection]] = [:]
    private var connections: [ObjectIdentifier: HTTPConnection] = [:]
    private var attempts: [ObjectIdentifier: ConnectAttempt] = [:]
    private var exchanges: [ObjectIdentifier: HTTPExchange] = [:]
    private var sweep: Scheduled<Void>?
    private var isShutDown = false

    init(_ settings: ConnectionSettings, idleTimeout: TimeAmount, proxies: ProxySettings, on eventLoop: any EventLoop) {
        self.settings = settings
        self.idleTimeout = idleTimeout
        self.proxies = proxies
        self.eventLoop = eventLoop
    }

    // MARK: - Exchanges

    func serve(_ exchange: HTTPExchange) {
        guard !isShutDown else { return exchange.finished(Self.shutDown) }
        // Cancelled before it began.
        guard !exchange.isOver else { return }
        exchanges[ObjectIdentifier(exchange)] = exchange
        let route: Route
        do throws(ProxyParseError) {
            route = Route(to: exchange.request.url, by: try proxies.server(for: exchange.request.url))
        } catch {
            exchanges.removeValue(forKey: ObjectIdentifier(exchange))
            // One that was given on purpose has been judged before.
            let detail =
                "the proxy that the environment names ($http_proxy, $https_proxy or $all_proxy) cannot be used: \(error.cause)"
            return exchange.finished(TransportError(.proxyRefused, detail))
        }
        while !exchange.request.needsFreshConnection, let connection = idle[route]?.popLast() {
            if connection.isUsable { return connection.serve(exchange) }
        }
        connect(route, for: exchange)
    }

    func ended(_ exchange: HTTPExchange) {
        exchanges.removeValue(forKey: ObjectIdentifier(exchange))
    }

    private func connect(_ route: Route, for exchange: HTTPExchange) {
        let attempt = ConnectAttempt(route, settings, pace: exchange.pace, on: eventLoop)
        attempts[ObjectIdentifier(attempt)] = attempt
        exchange.isCarried(by: attempt)
        attempt.begin { result in
            self.attempts.removeValue(forKey: ObjectIdentifier(attempt))
            switch result {
            case .success(let channel): self.use(channel, route, for: exchange)
            case .failure(let error): exchange.finished(error)
            }
        }
    }

    private func use(_ channel: any Channel, _ route: Route, for exchange: HTTPExchange) {
        do {
            let connection = try HTTPConnection.install(route, on: channel, pool: self)
            connections[ObjectIdentifier(connection)] = connection
            connection.serve(exchange)
        } catch {
            channel.close(promise: nil)
            exchange.finished(TransportError(error, isRequestSent: false, isCancelled: false))
        }
    }

    // MARK: - Connections

    /// Keeps a connection whose exchange is over, for another one.
    func keep(_ connection: HTTPConnection) {
        guard !isShutDown, idleTimeout > .zero else { return connection.close() }
        connection.idleSince = .now()
        idle[connection.route, default: []].append(connection)
        if sweep == nil { scheduleSweep(in: idleTimeout) }
    }

    /// Removes a connection that is closed.
    func remove(_ connection: HTTPConnection) {
        connections.removeValue(forKey: ObjectIdentifier(connection))
        guard var kept = idle[connection.route] else { return }
        kept.removeAll { $0 === connection }
        idle[connection.route] = kept.isEmpty ? nil : kept
    }

    /// Schedules the one timer for all idle connections, so that a connection that is used again and again costs none.
    private func scheduleSweep(in delay: TimeAmount) {
        sweep = eventLoop.assumeIsolated().scheduleTask(in: delay) { self.sweepNow() }
    }

    private func sweepNow() {
        sweep = nil
        let now = NIODeadline.now()
        for (route, kept) in idle {
            let (stale, fresh) = kept.partitioned { $0.idleSince + self.idleTimeout <= now }
            idle[route] = fresh.isEmpty ? nil : fresh
            stale.forEach { $0.close() }
        }
        // The one that has waited longest.
        if let oldest = idle.values.lazy.compactMap(\.first?.idleSince).min() {
            scheduleSweep(in: max(.milliseconds(1), oldest + idleTimeout - now))
        }
    }

    // MARK: - The end

    private static let shutDown = TransportError(.other, "the transport was shut down")

    /// Done when every socket is closed.
    func shutdown() -> EventLoopFuture<Void> {
        isShutDown = true
        sweep?.cancel()
        sweep = nil
        let sockets = attempts.values.compactMap(\.unfinished) + connections.values.map { $0.channel.closeFuture }
        attempts.values.forEach { $0.fail(Self.shutDown) }
        connections.values.forEach { $0.close() }
        // Those as well whose message is there and whose handler has not taken all of it.
        exchanges.values.forEach { $0.abort(Self.shutDown) }
        idle = [:]
        return EventLoopFuture.whenAllComplete(sockets, on: eventLoop).map { _ in }
    }
}

extension ConnectAttempt: ExchangeCarrier {
    func exchangeWantsBytes() {}

    func exchangeWasCancelled() { fail(TransportError(.other, "cancelled")) }
}

extension Array {
    fileprivate func partitioned(by belongsFirst: (Element) -> Bool) -> (first: [Element], second: [Element]) {
        (filter(belongsFirst), filter { !belongsFirst($0) })
    }
}
