package import NIOCore
package import PawlCore
package import PawlEngine
internal import Synchronization

/// The live ``Transport``: HTTP/1.1 over SwiftNIO, with its parser and its TLS, and nothing that decides.
///
/// ``shutdown()`` must be called before the last reference goes.
package final class HTTPTransport: Transport, Sendable {
    /// A pool for each event loop, so that a connection, its exchange and its timers share a thread and no part of a
    /// body hops.
    private let pools: [NIOLoopBoundBox<ConnectionPool>]
    private let balance: Balance
    private let threads: ThreadExecutor

    /// Throws when a certificate file or an address named in `configuration` cannot be used.
    package init(configuration: TransportConfiguration, group: any EventLoopGroup) throws(TransportError) {
        let family = configuration.addressFamily
        let secureContext = SecureContext(try configuration.makeTLSConfiguration())
        let localAddress = try configuration.bindAddress.map { (text) throws(TransportError) in
            try LocalAddress.parse(text, family: family)
        }
        // A slow name server keeps a thread for each name; connections to other names need one, too.
        let threads = ThreadExecutor(threads: 4)
        let settings = ConnectionSettings(
            connectTimeout: TimeAmount(configuration.connectTimeout), family: family,
            deniesPrivate: configuration.deniesPrivateAddresses, localAddress: localAddress,
            knownAddresses: configuration.knownAddresses, verifiesCertificates: configuration.verifiesCertificates,
            secureContext: secureContext, threads: threads)
        self.threads = threads
        self.pools = group.makeIterator().map { eventLoop in
            .makeBoxSendingValue(
                ConnectionPool(
                    settings, idleTimeout: TimeAmount(configuration.idleTimeout), proxies: configuration.proxies,
                    on: eventLoop),
                eventLoop: eventLoop)
        }
        // Proven: a group of NIO has a loop at least.
        precondition(!pools.isEmpty, "an event loop group without event loops")
        self.balance = Balance(places: pools.count)
    }

    /// Ends the exchanges still under way with an error and closes all connections.
    package func shutdown() async throws {
        for pool in pools {
            try await pool.eventLoop.flatSubmit { pool.value.shutdown() }.get()
        }
        // Not waited for: a look-up that hangs in the system cannot be called back, and nobody needs its answer.
        Task { [threads] in await threads.shutdown() }
    }

    package func start(_ request: TransportRequest, handler: any ExchangeHandler) -> any Exchange {
        let place = balance.take(preferred: pools.firstIndex { $0.eventLoop.inEventLoop })
        let pool = pools[place]
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
/// left.
private final class Balance: Sendable {
    private let loads: Locked<[Int]>

    init(places: Int) {
        self.loads = Locked(Array(repeating: 0, count: places))
    }

    func take(preferred: Int?) -> Int {
        loads.withLock { loads in
            var taken = 0
            for place in loads.indices where loads[place] < loads[taken] { taken = place }
            let least = loads[taken]
            if let preferred, least > 0, loads[preferred] <= least + least / 4 { taken = preferred }
            loads[taken] += 1
            return taken
        }
    }

    func giveBack(_ place: Int) {
        loads.withLock { $0[place] -= 1 }
    }
}

extension HTTPField {
    /// A line break would begin another field (RFC 9110 §5.5, CVE-2016-5699 and its kin).
    fileprivate var isSendable: Bool {
        let isControl = { (byte: UInt8) in (byte < 0x20 && byte != 0x09) || byte == 0x7F }
        return !name.isEmpty && name.utf8.allSatisfy(ASCII.isTokenByte) && !value.utf8.contains(where: isControl)
    }
}
