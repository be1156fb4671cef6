import PawlCore
package import PawlEngine
import Synchronization

/// A network of many servers that counts the open exchanges to each, and the files they are for.
package final class SimulatedHosts: Transport {
    private struct State {
        var networks: [String: SimulatedNetwork] = [:]
        var open: [String: Int] = [:]
        var files: [String: Int] = [:]
        var mostOfFile: [String: Int] = [:]
        var maximumOpen = 0
        var maximumFiles = 0
        var requests = 0
        /// The times of the requests to each host.
        var times: [String: [Instant]] = [:]
    }

    private let state: Locked<State>

    /// - Parameters:
    ///   - origins: by `host:port`. Requests to any other host fail as if no server existed there.
    ///   - files: those that some hosts have besides, by name.
    package init(
        _ origins: [String: SimulatedOrigin], files: [String: SimulatedOrigin] = [:], runtime: SimulatedRuntime
    ) {
        state = Locked(State(networks: origins.mapValues { SimulatedNetwork($0, runtime: runtime) }))
        self.files = files.mapValues { SimulatedNetwork($0, runtime: runtime) }
        self.runtime = runtime
    }

    private let files: [String: SimulatedNetwork]

    private let runtime: SimulatedRuntime

    /// The most exchanges ever open to one host at the same time.
    package var maximumOpen: Int { state.withLock { $0.maximumOpen } }

    /// The most files that ever had open exchanges at the same time.
    package var maximumFiles: Int { state.withLock { $0.maximumFiles } }

    /// Returns the most exchanges that one file ever had open at the same time: `host:port/name`.
    package func maximumOpen(of file: String) -> Int { state.withLock { $0.mostOfFile[file] ?? 0 } }

    package var requestCount: Int { state.withLock { $0.requests } }

    /// Returns the most requests that came to one host within a second.
    package var mostRequestsInASecond: Int {
        state.withLock { state in
            state.times.values.map { times in
                var (first, most) = (0, 0)
                for (index, time) in times.enumerated() {
                    while time - times[first] >= .seconds(1) { first += 1 }
                    most = max(most, index - first + 1)
                }
                return most
            }.max() ?? 0
        }
    }

    package func start(_ request: TransportRequest, handler: any ExchangeHandler) -> any Exchange {
        let host = request.url.hostKey
        // Redirects only add to the path, so its first component identifies the file.
        let name = request.url.path.split(separator: "/").first.map(String.init) ?? ""
        let file = host + "/" + name
        let network = state.withLock { state in
            state.requests += 1
            state.times[host, default: []].append(runtime.now)
            state.open[host, default: 0] += 1
            state.files[file, default: 0] += 1
            state.maximumOpen = max(state.maximumOpen, state.open[host] ?? 0)
            state.mostOfFile[file] = max(state.mostOfFile[file] ?? 0, state.files[file] ?? 0)
            state.maximumFiles = max(state.maximumFiles, state.files.count)
            return files[name] ?? state.networks[host]
        }
        let counting = CountingHandler(handler) { [self] in
            state.withLock { state in
                state.open[host, default: 1] -= 1
                state.files[file, default: 1] -= 1
                if state.files[file] == 0 { state.files[file] = nil }
            }
        }
        guard let network else {
            let exchange = NobodyThere(counting)
            runtime.after(.milliseconds(20)) { exchange.cancel() }
            return exchange
        }
        return network.start(request, handler: counting)
    }
}

private final class CountingHandler: ExchangeHandler {
    private let base: any ExchangeHandler
    private let closed: @Sendable () -> Void

    init(_ base: any ExchangeHandler, closed: @escaping @Sendable () -> Void) {
        self.base = base
        self.closed = closed
    }

    func received(head: ResponseHead) { base.received(head: head) }

    func received(body: UnsafeRawBufferPointer, memory: (any ReceivedMemory)?) -> Bool {
        base.received(body: body, memory: memory)
    }

    func ended(_ error: TransportError?) {
        closed()
        base.ended(error)
    }
}

private final class NobodyThere: Exchange {
    private let handler: any ExchangeHandler
    private let hasEnded = Locked(false)

    init(_ handler: any ExchangeHandler) { self.handler = handler }

    func proceed() {}

    func cancel() {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        if isFirst { handler.ended(TransportError(.connect, "connection refused")) }
    }
}
