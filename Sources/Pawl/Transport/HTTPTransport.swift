package import NIOCore
package import PawlCore
package import PawlEngine
internal import AsyncHTTPClient
internal import NIOHTTP1
internal import Synchronization

/// The live ``Transport``: AsyncHTTPClient, held to HTTP/1.1 and stripped of everything that decides.
///
/// ``shutdown()`` must be called before the last reference goes.
package final class HTTPTransport: Transport, Sendable {
    /// One client for each event loop, so that a connection, its delegate and its timers share a thread and no part of a body hops. A
    /// single client could promise that only for connections which it then closes after each use.
    private let clients: [Client]
    private let balance: Balance

    /// Throws when the certificate authority file named in `configuration` cannot be used.
    package init(configuration: TransportConfiguration, group: any EventLoopGroup) throws(TransportError) {
        let clientConfiguration = try Self.makeClientConfiguration(configuration)
        self.clients = group.makeIterator().map { Client(clientConfiguration, on: $0) }
        // Proven: a group of NIO has a loop at least.
        precondition(!clients.isEmpty, "an event loop group without event loops")
        self.balance = Balance(places: clients.count)
    }

    /// Ends the exchanges still under way with an error and closes all connections.
    package func shutdown() async throws {
        for client in clients { try await client.http.shutdown() }
    }

    package func start(_ request: TransportRequest, handler: any ExchangeHandler) -> any Exchange {
        let place = balance.take()
        let client = clients[place]
        let exchange = HTTPExchange(
            handler: handler, eventLoop: client.http.eventLoopGroup.any(), connections: client.connections
        ) { [balance] in
            balance.giveBack(place)
        }
        do {
            exchange.started(client.http.execute(request: try HTTPClient.Request(request), delegate: exchange))
        } catch {
            exchange.failedToStart(error)
        }
        return exchange
    }

    private static func makeClientConfiguration(
        _ configuration: TransportConfiguration
    ) throws(TransportError) -> HTTPClient.Configuration {
        var result = HTTPClient.Configuration(
            tlsConfiguration: try configuration.makeTLSConfiguration(),
            redirectConfiguration: .disallow,
            // No read timeout: what counts as a stall is for the engine to say, which alone knows when it holds the body itself.
            timeout: .init(connect: TimeAmount(configuration.connectTimeout)),
            connectionPool: .init(idleTimeout: TimeAmount(configuration.idleTimeout)),
            decompression: .disabled
        )
        // Segments need a TCP connection each; HTTP/2 would fold them into one.
        result.httpVersion = .http1Only
        // A request waits for a free connection no longer than the connect timeout, so this must exceed what the engine ever opens.
        result.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        // Otherwise a refused connection, or a certificate not trusted, is tried again in silence until the connect timeout.
        result.connectionPool.retryConnectionEstablishment = false
        // A span would carry the whole URL, the secrets of its query included, and add fields to the request.
        result.tracing.tracer = nil
        return result
    }
}

/// The client of one event loop, and how many connections it has made.
private struct Client: Sendable {
    let http: HTTPClient
    let connections: ConnectionCount

    init(_ configuration: HTTPClient.Configuration, on eventLoop: any EventLoop) {
        let connections = ConnectionCount()
        var configuration = configuration
        configuration.http1_1ConnectionDebugInitializer = { channel in
            connections.countOne()
            return ConnectionTuning.apply(to: channel)
        }
        self.connections = connections
        self.http = HTTPClient(eventLoopGroupProvider: .shared(eventLoop), configuration: configuration)
    }
}

/// How many connections a client has made. The client does not say which of them a request goes out on; when it made none meanwhile, it was
/// one that had served before.
final class ConnectionCount: Sendable {
    private let made = Locked(0)

    var current: Int { made.withLock { $0 } }

    func countOne() { made.withLock { $0 += 1 } }
}

/// Picks the place with the fewest exchanges, the first of them on a tie: exchanges at once are spread over the event loops, while one
/// after the other they stay on a loop and find the connection that the last one left.
private final class Balance: Sendable {
    private let loads: Locked<[Int]>

    init(places: Int) {
        self.loads = Locked(Array(repeating: 0, count: places))
    }

    func take() -> Int {
        loads.withLock { loads in
            var least = 0
            for place in loads.indices where loads[place] < loads[least] { least = place }
            loads[least] += 1
            return least
        }
    }

    func giveBack(_ place: Int) {
        loads.withLock { $0[place] -= 1 }
    }
}

extension HTTPClient.Request {
    fileprivate init(_ request: TransportRequest) throws {
        try self.init(
            url: request.url.serialized,
            method: HTTPMethod(rawValue: request.method.rawValue),
            headers: HTTPHeaders(request.fields.map { ($0.name, $0.value) })
        )
    }
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        // A year is as good as never, and the sum of a deadline must not overflow.
        self = .nanoseconds(min(max(duration, .zero), .seconds(365 * 86_400)).wholeNanoseconds)
    }
}
