import PawlCore
package import PawlEngine
import Synchronization

/// A network with one or several servers, driven by a ``SimulatedRuntime``.
package final class SimulatedNetwork: Transport {
    struct State {
        var origins: [String: SimulatedOrigin]
        /// Open connections, by host.
        var open: [String: Int] = [:]
        /// Idle connections that the client keeps, by host.
        var kept: [String: Int] = [:]
        var maximumOpen = 0
        var requests: [TransportRequest] = []
        var bodyBytes: [String: Int64] = [:]
        var linksIssued: [String: Instant] = [:]
        /// Body positions sent so far, by route and version.
        var sent: [String: RangeSet] = [:]
        /// Numbers of the requests that brought at least one new byte.
        var fruitful: Set<Int> = []
        var wholeAnswers = 0
    }

    let runtime: SimulatedRuntime
    let state: Locked<State>
    private let route: @Sendable (TransportRequest) -> String

    /// - Parameters:
    ///   - origin: Answers every request whose route `others` does not name.
    ///   - route: Selects one of `others` for a request; the host by default.
    package init(
        _ origin: SimulatedOrigin, others: [String: SimulatedOrigin] = [:], runtime: SimulatedRuntime,
        route: @escaping @Sendable (TransportRequest) -> String = { $0.url.host }
    ) {
        self.runtime = runtime
        self.route = route
        state = Locked(State(origins: others.merging(["": origin]) { first, _ in first }))
    }

    package var requests: [TransportRequest] { state.withLock { $0.requests } }

    package var requestCount: Int { state.withLock { $0.requests.count } }

    /// How many requests brought at least one new byte.
    package var fruitfulCount: Int { state.withLock { $0.fruitful.count } }

    /// How many answers with status 200 were sent to their clean end.
    package var wholeAnswerCount: Int { state.withLock { $0.wholeAnswers } }

    /// The most connections ever open at the same time.
    package var maximumOpen: Int { state.withLock { $0.maximumOpen } }

    package var bodyBytesSent: Int64 { state.withLock { $0.bodyBytes.values.reduce(0, +) } }

    /// Body bytes sent by one host.
    package func bodyBytesSent(by host: String) -> Int64 { state.withLock { $0.bodyBytes[host] ?? 0 } }

    package func start(_ request: TransportRequest, handler: any ExchangeHandler) -> any Exchange {
        let (host, route) = (request.url.host, route(request))
        let (origin, number) = state.withLock { state in
            state.requests.append(request)
            state.open[host, default: 0] += 1
            state.maximumOpen = max(state.maximumOpen, state.open.values.reduce(0, +))
            return (state.origins[route] ?? state.origins[""], state.requests.count)
        }
        // The main origin always remains, so this finds one.
        guard let origin else { preconditionFailure("a network without a server") }
        let isReused = !request.needsFreshConnection && takeKept(host)
        let pace = SimulatedExchange.Pace(origin, request: number) { [self] in open(host) }
        let exchange = SimulatedExchange(runtime: runtime, handler: handler, pace: pace) { [self] range, version in
            count(range, of: "\(route) \(version)", request: number, host)
        } closed: { [self] end in
            close(host, end, keeping: origin.closesKept)
        }
        runtime.after(origin.latency) { [self] in
            exchange.answer(isReused ? .failure(TransportError(.stale, "closed")) : reply(to: request, origin))
        }
        return exchange
    }

    func open(_ host: String) -> Int { state.withLock { $0.open[host] ?? 0 } }

    private func count(_ range: ByteRange, of file: String, request number: Int, _ host: String) {
        state.withLock { state in
            state.bodyBytes[host, default: 0] += range.count
            if state.sent[file, default: RangeSet()].intersection(range).count < range.count {
                state.fruitful.insert(number)
            }
            state.sent[file, default: RangeSet()].insert(range)
        }
    }

    private func takeKept(_ host: String) -> Bool {
        state.withLock { state in
            guard let kept = state.kept[host], kept > 0 else { return false }
            state.kept[host] = kept - 1
            return true
        }
    }

    private func close(_ host: String, _ end: SimulatedExchange.End, keeping most: Int) {
        state.withLock { state in
            state.open[host, default: 0] -= 1
            if end.isWhole { state.wholeAnswers += 1 }
            if end.isKept, most > 0 { state.kept[host] = min(most, state.kept[host, default: 0] + 1) }
        }
    }
}
