import PawlCore
import Testing

/// Servers and gateways that refuse a request because it names a range, and send the file to whoever names none.
@Suite struct RangeRefusalTests {
    private static let statuses = [400, 401, 402, 403, 404, 405, 406, 410, 412, 500, 501, 502, 503]
    private static let half = RangeSet(ByteRange(0..<5000))

    private func resumed() throws -> MachineBench {
        let known = Representation(total: 10_000, entityTag: EntityTag(parsing: "\"v\""))
        return try MachineBench(.journal(known, durable: Self.half, isVerified: false))
    }

    @Test(arguments: statuses)
    func `R32 a request that is refused with a range is repeated once without, and no other has one`(
        status: Int
    ) throws {
        var bench = try MachineBench()
        bench.send(.begin)
        #expect(bench.lastAsk?.range == "bytes=0-")
        bench.answer(status)
        #expect(bench.asks.count == 2 && bench.lastAsk?.range == nil)
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\""])
        bench.advance(to: 4000)
        bench.cut()
        _ = try bench.nextAsk()
        #expect(bench.lastAsk?.range == nil)
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\""])
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)), "\(bench.phase)")
        #expect(bench.asks.count == 3 && bench.faults == [])
        #expect(bench.reports.contains(.rangesIgnored))
    }

    @Test func `R32 the try after a connection that was closed in answer to a range is one without`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.cut()
        _ = try bench.nextAsk()
        #expect(bench.asks.count == 2 && bench.lastAsk?.range == nil)
        bench.answer(200, ["Content-Length": "10"])
        bench.deliver(to: 10)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)), "\(bench.phase)")
    }

    @Test(arguments: [0, 1, 2, nil])
    func `R32 connections that are closed in answer to a part say that parts are not sent, with few retries too`(
        retries: Int?
    ) throws {
        var bench = try MachineBench {
            $0.ranges = try? RangeSelection(parsing: "5000-5999")
            $0.readsWhole = false
            $0.maximumRetries = retries
        }
        bench.send(.begin)
        while bench.lastAsk?.range != nil, bench.asks.count < 9 {
            bench.cut()
            if bench.open.isEmpty, !bench.phase.isTerminal { _ = try bench.nextAsk() }
            if bench.phase.isTerminal { break }
        }
        #expect(bench.lastAsk?.range == nil && bench.asks.count == min(retries ?? 2, 2) + 2)
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\""])
        #expect(bench.phase.errorCode == .rangesNotSupported, "\(bench.phase)")
    }

    @Test(arguments: [400, 401, 403, 404, 405, 406, 410, 412, 501])
    func `R32 what is refused without a range as well fails with the second answer`(status: Int) throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.answer(status)
        bench.answer(status)
        guard case .failed(let error) = bench.phase else { return #expect(Bool(false), "\(bench.phase)") }
        #expect(error.facts.status == status)
        #expect(bench.asks.count == 2)
    }

    /// A response that refuses a request without the status of a refusal.
    enum Oddity: CaseIterable {
        case meaningless, loop, nowhere, portal, sliced

        var head: (status: Int, fields: [String: String]) {
            switch self {
            case .meaningless: (202, [:])
            case .loop: (302, ["Location": "/file.bin"])
            case .nowhere: (303, ["Location": "ftp://elsewhere.example/x"])
            case .portal: (511, [:])
            case .sliced: (200, ["Content-Length": "5000", "Content-Range": "bytes 5000-9999/10000"])
            }
        }
    }

    @Test(arguments: Oddity.allCases, [false, true])
    func `R32 no server is given up before it was asked without a range, whatever it answers to one`(
        _ oddity: Oddity, _ holds: Bool
    ) throws {
        var bench = try holds ? resumed() : MachineBench()
        bench.send(.begin)
        for _ in 0..<9 where bench.lastAsk?.range != nil {
            bench.answer(oddity.head.status, oddity.head.fields)
            if bench.open.isEmpty { _ = try bench.nextAsk() }
        }
        #expect(bench.lastAsk?.range == nil, "\(bench.phase)")
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\""])
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)), "\(bench.phase)")
        #expect(bench.faults == [])
    }

    @Test(arguments: Oddity.allCases)
    func `R32 a server that answers so in any case fails for that`(_ oddity: Oddity) throws {
        var bench = try resumed()
        bench.send(.begin)
        while !bench.open.isEmpty || bench.waitForAsk() {
            bench.answer(oddity.head.status, oddity.head.fields)
        }
        guard case .failed = bench.phase else { return #expect(Bool(false), "\(bench.phase)") }
        #expect(bench.asks.count { $0.range == nil } == 1 && bench.asks.count <= 12, "\(bench.asks.map(\.range))")
        #expect(bench.machine.durable == Self.half)
    }

    @Test func `R32 a server that takes the first range alone, and closes behind the head of others, is asked for all`()
        throws
    {
        var bench = try MachineBench { $0.maximumConnections = 1 }
        bench.send(.begin)
        bench.answerPart(0..<10_000, of: 10_000)
        bench.advance(to: 4000)
        bench.cut()
        _ = try bench.nextAsk()
        for _ in 0..<15 where bench.lastAsk?.range != nil {
            #expect(bench.lastAsk?.range == "bytes=4000-9999")
            bench.answerPart(4000..<10_000, of: 10_000)
            bench.cut()
            if bench.open.isEmpty { _ = try bench.nextAsk() }
        }
        #expect(bench.lastAsk?.range == nil)
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\""])
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)), "\(bench.phase)")
    }

    @Test(arguments: [Oddity.loop, .nowhere, .meaningless, .portal])
    func `N01 whatever is answered to one more connection, the one that brings bytes goes on`(_ oddity: Oddity) throws {
        var bench = try MachineBench { $0.maximumConnections = 2 }
        bench.send(.begin)
        bench.answerPart(0..<1_000_000_000, of: 1_000_000_000)
        for _ in 0..<20 where bench.asks.count == 1 {
            bench.wait(.milliseconds(50)) { $0.advance(to: ($0.now - .zero).wholeNanoseconds / 1000, of: 1) }
        }
        try #require(bench.asks.count == 2)
        bench.answer(oddity.head.status, oddity.head.fields)
        #expect(!bench.phase.isTerminal, "\(bench.phase)")
        bench.deliver(to: 1_000_000_000, of: 1)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)), "\(bench.phase)")
    }

    private func bench(mirror: String) throws -> MachineBench {
        let mirror = Source(url: try HTTPURL(parsing: mirror))
        return try MachineBench { $0.mirrors = [mirror] }
    }

    @Test(arguments: [400, 401, 403, 404, 406, 410, 501])
    func `R32 of two sources, one that refused a range is asked without when the other has failed`(
        status: Int
    ) throws {
        var bench = try bench(mirror: "http://mirror.example/file.bin")
        bench.send(.begin)
        bench.answer(status)
        if bench.open.isEmpty { try bench.nextAsk() }
        #expect(bench.lastAsk?.url.host == "mirror.example")
        bench.answerPart(0..<10_000, of: 10_000)
        bench.advance(to: 4000)
        bench.cut()
        try bench.nextAsk()
        #expect(bench.lastAsk?.url.host == "mirror.example")
        bench.answer(404)
        for _ in 0..<3 where bench.lastAsk?.url.host != "origin.example" || bench.lastAsk?.range != nil {
            if bench.open.isEmpty { try bench.nextAsk() } else { bench.answer(status) }
        }
        #expect(bench.lastAsk?.url.host == "origin.example" && bench.lastAsk?.range == nil)
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\""])
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)), "\(bench.phase)")
        #expect(bench.faults == [])
    }

    @Test(arguments: [400, 401, 403, 404, 405, 406, 410, 412, 501])
    func `R32 of two sources that refuse all requests, the caller's own is what the error is about`(
        status: Int
    ) throws {
        var bench = try bench(mirror: "http://mirror.example/file.bin")
        bench.send(.begin)
        while !bench.open.isEmpty || bench.waitForAsk() { bench.answer(status) }
        guard case .failed(let error) = bench.phase else { return #expect(Bool(false), "\(bench.phase)") }
        #expect(error.facts.status == status && error.facts.host == "origin.example")
        #expect(bench.asks.count <= 6, "\(bench.asks.map { ($0.url.host, $0.range) })")
    }

    @Test(arguments: [true, false], [true, false])
    func `R36 with a checksum, the file comes from either of two addresses that refuse ranges, one by 503, one by 403`(
        isBusyOwn: Bool, busySendsWhole: Bool
    ) throws {
        let mirror = Source(url: try HTTPURL(parsing: "http://mirror.example/file.bin"))
        var bench = try MachineBench {
            $0.mirrors = [mirror]
            $0.digest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32))
        }
        let busy = isBusyOwn ? "origin.example" : "mirror.example"
        bench.send(.begin)
        for _ in 0..<100 where !bench.phase.isTerminal {
            guard !bench.open.isEmpty || bench.waitForAsk() else { break }
            let isBusy = bench.lastAsk?.url.host == busy
            if bench.lastAsk?.range == nil, !isBusy || busySendsWhole {
                bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\""])
                bench.deliver(to: 10_000)
            } else {
                bench.answer(isBusy ? 503 : 403)
            }
        }
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: true)), "\(bench.phase)")
        #expect(bench.faults == [])
    }

    @Test func `R32 a server in trouble is asked for ranges again, if it was no better without`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.answer(500)
        bench.answer(500)
        for _ in 0..<3 {
            _ = try bench.nextAsk()
            #expect(bench.lastAsk?.range == "bytes=0-")
            bench.answer(500)
        }
    }

    @Test func `R32 a server that takes ranges by its own words may have been in trouble, and is asked for the rest`()
        throws
    {
        var bench = try MachineBench { $0.maximumConnections = 1 }
        bench.send(.begin)
        bench.answer(503)
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\"", "Accept-Ranges": "bytes"])
        bench.advance(to: 4000)
        bench.cut()
        _ = try bench.nextAsk()
        #expect(bench.lastAsk?.range == "bytes=4000-9999")
        // Another refusal that does not pass settles it.
        bench.answer(503)
        _ = try bench.nextAsk()
        #expect(bench.lastAsk?.range == "bytes=4000-9999")
        bench.answer(503)
        #expect(bench.lastAsk?.range == nil)
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\"", "Accept-Ranges": "bytes"])
        bench.advance(to: 6000)
        bench.cut()
        _ = try bench.nextAsk()
        #expect(bench.lastAsk?.range == nil)
    }

    @Test func `R32 with bytes held, a server in trouble is asked twice more before it is asked from the first byte`()
        throws
    {
        var bench = try resumed()
        bench.send(.begin)
        for _ in 0..<2 {
            #expect(bench.lastAsk?.range == "bytes=5000-9999")
            bench.answer(500)
            _ = try bench.nextAsk()
        }
        bench.answer(500)
        #expect(bench.asks.map(\.range) == ["bytes=5000-9999", "bytes=5000-9999", "bytes=5000-9999", nil])
        // It has recovered: only the rest is asked for.
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\"", "Accept-Ranges": "bytes"])
        #expect(bench.lastAsk?.range == "bytes=5000-9999")
        bench.answerPart(5000..<10_000, of: 10_000)
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)), "\(bench.phase)")
    }

    @Test func `R32 a range that one node of several refused is asked for once more, before held bytes are given up`()
        throws
    {
        var bench = try resumed()
        bench.send(.begin)
        bench.answer(404)
        #expect(bench.lastAsk?.range == nil)
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\"", "Accept-Ranges": "bytes"])
        #expect(bench.lastAsk?.range == "bytes=5000-9999")
        bench.answerPart(5000..<10_000, of: 10_000)
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)), "\(bench.phase)")
    }

    @Test func `R32 a page in answer to a redirect, and an error that is one, say nothing about ranges`() throws {
        for status in [302, 429] {
            var bench = try MachineBench()
            bench.send(.begin)
            bench.answer(status, ["Content-Type": "text/html", "Location": "/elsewhere.bin"])
            #expect(bench.asks.allSatisfy { $0.range == "bytes=0-" }, "\(bench.asks)")
        }
    }

    @Test func `R32 a login page that comes without the range as well leaves the range in the requests`() throws {
        var bench = try resumed()
        bench.send(.begin)
        let page = ["Content-Type": "text/html", "Content-Length": "20"]
        bench.answer(200, page)
        #expect(bench.asks.map(\.range) == ["bytes=5000-9999", nil])
        bench.answer(200, page)
        #expect(bench.phase.isTerminal && bench.machine.durable == Self.half, "\(bench.phase)")
    }

    @Test func `R32 a wait that the server names is kept, and 429 is not about the range`() throws {
        for (status, fields) in [(503, ["Retry-After": "40"]), (429, ["Retry-After": "40"]), (429, [:])] {
            var bench = try MachineBench()
            bench.send(.begin)
            bench.answer(status, fields)
            #expect(bench.asks.count == 1)
            _ = try bench.nextAsk()
            #expect(bench.lastAsk?.range == "bytes=0-")
            // The server has said once more that it is busy, although the wait was kept.
            bench.answer(status, fields)
            #expect(bench.asks.count == (status == 503 ? 3 : 2))
        }
    }

    @Test func `R32 a wrong password is not sent again for the sake of the range`() throws {
        var bench = try MachineBench { $0.credentials = Credentials(userinfo: "n:p") }
        bench.send(.begin)
        bench.answer(401, ["WWW-Authenticate": "Basic realm=\"r\""])
        guard case .failed = bench.phase else { return #expect(Bool(false), "\(bench.phase)") }
        #expect(bench.asks.count == 1)
    }

    @Test func `R32 a wrong password is not sent again after a range that was refused before`() throws {
        let mirror = Source(url: try HTTPURL(parsing: "http://mirror.example/file.bin"))
        var bench = try MachineBench { settings in
            settings.mirrors = [mirror]
            settings.credentials = Credentials(userinfo: "n:p")
        }
        bench.send(.begin)
        bench.answer(403)
        for _ in 0..<20 where !bench.phase.isTerminal {
            if bench.open.isEmpty { try bench.nextAsk() }
            bench.answer(
                bench.lastAsk?.url.host == "mirror.example" ? 404 : 401, ["WWW-Authenticate": "Basic realm=\"r\""])
        }
        #expect(bench.phase.isTerminal)
        let asked = bench.asks.filter { $0.url.host == "origin.example" }
        #expect(asked.count == 2, "\(asked.map(\.range))")
    }

    @Test(arguments: statuses)
    func `R32 a probe that is refused with a range asks once without`(status: Int) throws {
        let settings = DownloadSettings(url: try HTTPURL(parsing: "http://origin.example/file.bin"))
        var probe = ProbeMachine(settings: settings, cookies: CookieJar(), hash: nil)
        #expect(probe.begin(wallClock: 0).fields.first("range") == "bytes=0-")
        let refusal = ResponseHead(status: status, fields: [])
        guard case .ask(let request)? = probe.received(refusal, wallClock: 0).last else {
            return #expect(Bool(false), "nothing was asked")
        }
        #expect(request.fields.first("range") == nil)
        #expect(probe.received(refusal, wallClock: 0).last == .done(settings.url, refusal))
    }

    @Test func `R32 a probe whose connection is closed in answer to a range asks once without`() throws {
        let settings = DownloadSettings(url: try HTTPURL(parsing: "http://origin.example/file.bin"))
        var probe = ProbeMachine(settings: settings, cookies: CookieJar(), hash: nil)
        _ = probe.begin(wallClock: 0)
        let closed = TransportError(.truncated, "closed")
        #expect(try probe.failed(closed, wallClock: 0).fields.first("range") == nil)
        #expect(throws: DownloadError.self) { try probe.failed(closed, wallClock: 0) }
    }
}
