internal import NIOCore
package import PawlCore
package import PawlEngine
internal import Synchronization

/// The live ``Transport``: HTTP/1.1 over SwiftNIO, with its parser and its TLS, and nothing that decides.
///
/// ``shutdown()`` must be called before the last reference goes.
package final class HTTPTransport: Transport, Sendable {
    /// A pool for each event loop, so that a connection, its exchange and its timers share a thread and no part of a
    /// body hops.
    private let balance: Balance
    private let threads: ThreadExecutor

    /// Throws when a certificate file or an address named in `configuration` cannot be used.
    ///
    /// - Parameter reserve: does what may block where no thread is left.
    package init(
        configuration: TransportConfiguration, group: EventLoops, reserve: ThreadExecutor? = nil
    ) throws(TransportError) {
        let family = configuration.addressFamily
        let secureContext = try SecureContext(configuration)
        let localAddress = try configuration.bindAddress.map { (text) throws(TransportError) in
            try LocalAddress.parse(text, family: family)
        }
        // A slow name server keeps a thread for each name; connections to other names need one, too.
        let threads = ThreadExecutor(threads: 4, reserve: reserve)
        let settings = ConnectionSettings(
            connectTimeout: TimeAmount(configuration.connectTimeout), family: family,
            deniesPrivate: configuration.deniesPrivateAddresses, localAddress: localAddress,
            knownAddresses: configuration.knownAddresses, verifiesCertificates: configuration.verifiesCertificates,
            secureContext: secureContext, threads: threads)
        self.threads = threads
        let (idleTimeout, proxies) = (TimeAmount(configuration.idleTimeout), configuration.proxies)
        self.balance = Balance(group) { eventLoop in
            .makeBoxSendingValue(
                ConnectionPool(settings, idleTimeout: idleTimeout, proxies: proxies, on: eventLoop),
                eventLoop: eventLoop)
        }
    }

    /// Ends the exchanges still under way with an error and closes all connections.
    package func shutdown() async throws {
        for pool in balance.pools {
            try await pool.eventLoop.flatSubmit { pool.value.shutdown() }.get()
        }
        // Not waited for: a look-up that hangs in the system cannot be called back, and nobody needs its answer.
        Task { [threads] in await threads.shutdown() }
    }

    package func start(_ request: TransportRequest, handler: any ExchangeHandler) -> any Exchange {
        let (place, pool) = balance.take()
        let exchange = HTTPExchange(request, handler: handler, eventLoop: pool.eventLoop) { [balance] exchange in
            balance.giveBack(place)
            pool.value.ended(exchange)
        }
        let isSendable = request.fields.allSatisfy(\.isSendable)
        pool.eventLoop.execute {
            if isSendable {
                pool.value.serve(exchange)
            } else {
                exchange.finished(TransportError(.other, "a header field that cannot be sent"))
            }
        }
        return exchange
    }
}

/// Spreads exchanges over the event loops, but keeps each on its caller's loop while the loads are similar: another
/// loop costs a wake-up there and one back. Those that come one after the other find the connection that the last one
/// left. A loop more is started for an exchange that would share one.
private final class Balance: Sendable {
    typealias Pool = NIOLoopBoundBox<ConnectionPool>

    private struct Place {
        let pool: Pool
        var load = 0
    }

    private let loops: EventLoops
    private let makePool: @Sendable (any EventLoop) -> Pool
    private let places = Locked<[Place]>([])

    init(_ loops: EventLoops, makePool: @escaping @Sendable (any EventLoop) -> Pool) {
        (self.loops, self.makePool) = (loops, makePool)
    }

    var pools: [Pool] { places.withLock { $0.map(\.pool) } }

    func take() -> (place: Int, pool: Pool) {
        places.withLock { places in
            addPools(&places)
            if places.allSatisfy({ $0.load > 0 }) {
                loops.grow()
                addPools(&places)
            }
            var taken = 0
            for place in places.indices where places[place].load < places[taken].load { taken = place }
            let least = places[taken].load
            if least > 0, let preferred = places.firstIndex(where: { $0.pool.eventLoop.inEventLoop }),
                places[preferred].load <= least + least / 4
            {
                taken = preferred
            }
            places[taken].load += 1
            return (taken, places[taken].pool)
        }
    }

    /// Adds pools for the loops that have none; in the beginning, at least one has none.
    private func addPools(_ places: inout [Place]) {
        places += loops.all.dropFirst(places.count).map { Place(pool: makePool($0)) }
    }

    func giveBack(_ place: Int) {
        places.withLock { $0[place].load -= 1 }
    }
}

extension HTTPField {
    /// A line break would begin another field (RFC 9110 §5.5, CVE-2016-5699 and its kin).
    fileprivate var isSendable: Bool {
        let isControl = { (byte: UInt8) in (byte < 0x20 && byte != 0x09) || byte == 0x7F }
        return !name.isEmpty && name.allBytes(ASCII.isTokenByte) && value.allBytes { !isControl($0) }
    }
}
