import PawlCore
import Testing

/// Whatever a server answers, a download makes only a bounded number of requests, which `RetryPolicy` sets.
@Suite struct RequestBoundTests {
    @Test
    func
        `N23 a request lost on a kept connection after a redirect is repeated on a fresh one, at the redirect's target`()
        throws
    {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.answer(302, ["Location": "/b"])
        #expect(bench.lastAsk?.url.path == "/b" && bench.lastAsk?.isRepeat == false)
        bench.end(.failed(TransportError(.stale, "closed")))
        #expect(bench.asks.map(\.url.path) == ["/file.bin", "/b", "/b"])
        #expect(bench.lastAsk?.isRepeat == true)
        bench.answerPart(0..<1000, of: 1000)
        bench.deliver(to: 1000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    @Test
    func
        `N23 a request lost on a kept connection is repeated once with its credentials, and a second loss is a failure`()
        throws
    {
        var bench = try MachineBench { $0.credentials = Credentials(name: "u", password: "p") }
        bench.send(.begin)
        bench.end(.failed(TransportError(.stale, "closed")))
        #expect(bench.asks.count == 2 && bench.lastAsk?.isRepeat == true)
        #expect(bench.asks[0].fields == bench.asks[1].fields)
        // A fresh connection is never stale. A transport that claims so causes an ordinary failure, with a wait.
        bench.end(.failed(TransportError(.stale, "closed")))
        #expect(bench.asks.count == 2)
    }

    @Test func `N24 a server that keeps naming a short wait gets fewer and fewer requests, until the download fails`()
        throws
    {
        var bench = try MachineBench()
        bench.send(.begin)
        var answered = 0
        while !bench.phase.isTerminal, bench.asks.count < 1000 {
            while answered < bench.asks.count {
                answered += 1
                bench.answer(503, ["Retry-After": "1"])
            }
            bench.sleepUntilAsked()
        }
        #expect(bench.phase.errorCode == .refused)
        // One of them is repeated without a range (R32).
        #expect(bench.asks.count == RetryPolicy().maximumWaitsWithoutProgress + 2)
        #expect(bench.now > .zero + .seconds(600), "\(bench.now)")
    }

    @Test(arguments: 0..<200)
    func `N23 the number of requests is bounded whatever a server answers, including redirects and challenges`(
        _ seed: UInt64
    ) throws {
        var server = FickleServer(seed: seed)
        var bench = try MachineBench {
            $0.maximumConnections = server.connections
            $0.credentials = Credentials(name: "u", password: "p")
            $0.overlap = 16
            $0.seed = seed
        }
        bench.send(.begin)
        while !bench.phase.isTerminal, bench.asks.count < 20_000 {
            if bench.open.isEmpty { bench.sleepUntilAsked() } else { server.act(on: &bench) }
        }
        let policy = RetryPolicy()
        let limit = policy.maximumTries(answersWithBytes: server.answersWithBytes, connections: server.connections)
        #expect(bench.phase.isTerminal, "\(bench.asks.count) requests of \(server.kinds), and no end")
        #expect(server.tries(of: bench) <= limit, "\(server.kinds)")
        #expect(server.maximumChainLength <= RetryPolicy.maximumRequestsPerTry, "\(server.kinds)")
        #expect(bench.faults.isEmpty, "\(bench.faults)")
    }
}

/// A server with a few bad habits that it keeps.
private struct FickleServer {
    enum Kind: CaseIterable {
        case elsewhere, loop, cookie, nowhere, challenge, password, stale, cut, cutAfterHead, oneByte, whole, wholeCut,
            shortWhole, early, late, other
        case nameless, unsatisfiable, unsatisfiableElsewhere, busy, busyNow, broken, forbidden, malformed, precondition,
            noContent, silent, page
    }

    let kinds: [Kind]
    let connections: Int
    private(set) var answersWithBytes = 0
    private(set) var maximumChainLength = 1
    private var chains: [ExchangeID: Int] = [:]
    private var continued = 0
    private var random: SplitMix64
    private var counter = 0
    private static let total: Int64 = 600

    init(seed: UInt64) {
        random = SplitMix64(seed: seed &* 0x9E37_79B9 &+ 1)
        connections = [1, 1, 4].randomElement(using: &random) ?? 1
        kinds = (0..<Int.random(in: 1...3, using: &random)).map { [random] place in
            var random = random
            for _ in 0..<place { _ = random.next() }
            return Kind.allCases.randomElement(using: &random) ?? .cut
        }
    }

    /// Requests that did not follow an answer immediately.
    func tries(of bench: MachineBench) -> Int { bench.asks.count - continued }

    mutating func act(on bench: inout MachineBench) {
        guard let id = bench.open.sorted().randomElement(using: &random),
            let ask = bench.asks.last(where: { $0.id == id }),
            let kind = kinds.randomElement(using: &random)
        else { return }
        // An exchange that already flows can only break.
        guard bench.machine.segments.first(where: { $0.id == id })?.isFlowing != true else {
            return bench.cut(id.number)
        }
        let before = bench.asks.count
        counter += 1
        answer(kind, ask, &bench)
        guard [.elsewhere, .loop, .cookie, .challenge, .stale].contains(kind), bench.asks.count == before + 1,
            let next = bench.lastAsk
        else { return }
        continued += 1
        chains[next.id] = chains[id, default: 1] + 1
        maximumChainLength = max(maximumChainLength, chains[next.id] ?? 0)
    }

    private mutating func answer(_ kind: Kind, _ ask: MachineBench.Ask, _ bench: inout MachineBench) {
        let id = ask.id.number
        let start = ask.range.flatMap { Int64($0.dropFirst(6).prefix { $0.isNumber }) } ?? 0
        let total = Self.total
        switch kind {
        case .elsewhere: bench.answer(302, ["Location": "/\(counter)"], to: id)
        case .loop: bench.answer(302, ["Location": "/loop"], to: id)
        case .cookie: bench.answer(302, ["Location": ask.url.path, "Set-Cookie": "c=\(counter)"], to: id)
        case .nowhere: bench.answer(302, to: id)
        case .challenge:
            bench.answer(
                401, ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"\(counter)\", qop=\"auth\", stale=true"], to: id)
        case .password: bench.answer(401, ["WWW-Authenticate": "Basic realm=\"r\""], to: id)
        case .stale: bench.end(.failed(TransportError(ask.isRepeat ? .truncated : .stale, "closed")), of: id)
        case .cut: bench.cut(id)
        case .cutAfterHead: part(start, of: total, id, &bench)
        case .oneByte:
            part(start, of: total, id, &bench)
            let position = bench.machine.segments.first { $0.id == ask.id }?.position ?? start
            answersWithBytes += 1
            bench.advance(to: position + 1, of: id)
            bench.cut(id)
        case .whole: bench.answer(200, ["Content-Length": "\(total)", "ETag": "\"v\""], to: id)
        case .wholeCut:
            bench.answer(200, ["Content-Length": "\(total)"], to: id)
            answersWithBytes += 1
            bench.advance(to: 100, of: id)
            bench.cut(id)
        case .shortWhole:
            bench.answer(200, ["Transfer-Encoding": "chunked", "ETag": "\"\(counter)\""], to: id)
            answersWithBytes += 1
            bench.deliver(to: Int64(100 + counter % 7), of: id)
        case .early: part(max(0, start - 8), of: total, id, &bench)
        case .late: part(min(start + 8, total - 1), of: total, id, &bench)
        case .other: part(start, of: total, tag: "\"\(counter)\"", id, &bench)
        case .nameless: part(start, of: nil, tag: nil, id, &bench)
        case .unsatisfiable: bench.answer(416, to: id)
        case .unsatisfiableElsewhere: bench.answer(416, ["Content-Range": "bytes */\(start)"], to: id)
        case .busy: bench.answer(503, ["Retry-After": "5"], to: id)
        case .busyNow: bench.answer(429, ["Retry-After": "0"], to: id)
        case .broken: bench.answer(500, to: id)
        case .forbidden: bench.answer(403, to: id)
        case .malformed: bench.end(.failed(TransportError(.malformed, "no HTTP")), of: id)
        case .precondition: bench.answer(412, to: id)
        case .noContent: bench.answer(204, to: id)
        case .silent: bench.wait(.seconds(61))
        case .page: bench.answer(200, ["Content-Type": "text/html", "Content-Length": "10"], to: id)
        }
    }

    private func part(_ start: Int64, of total: Int64?, tag: String? = "\"v\"", _ id: Int, _ bench: inout MachineBench)
    {
        let end = total ?? start + 100
        guard start < end else { return bench.cut(id) }
        var fields = ["Content-Range": "bytes \(start)-\(end - 1)/\(total.map(String.init) ?? "*")"]
        fields["ETag"] = tag
        bench.answer(206, fields, to: id)
    }
}

extension MachineBench {
    /// Lets time pass up to the next request, skipping the ticks between.
    mutating func sleepUntilAsked() {
        let count = asks.count
        for _ in 0..<100_000 where asks.count == count && !phase.isTerminal {
            now = max(now + .milliseconds(50), machine.nextWakeUp.flatMap { $0.nanoseconds < .max ? $0 : nil } ?? now)
            send(.tick)
        }
    }
}
