import PawlCore
import Testing

/// Drives the machine by hand, event by event.
@Suite struct DownloadMachineTests {
    // MARK: A complete download

    @Test func `a fresh download requests, prepares, stores and finishes, one step after the other`() throws {
        var bench = try MachineBench()
        bench.answersFiles = false
        #expect(bench.send(.begin).isAsk("bytes=0-"))
        #expect(bench.answerPart(0..<500, of: 500).contains { if case .prepare = $0 { true } else { false } })
        #expect(bench.machine.total == 500)
        #expect(bench.send(.prepared(.ready)) == [.store(ExchangeID(1), from: 0, overlap: 0, end: 500)])
        #expect(bench.advance(to: 300) == [])
        // All bytes are there, so the exchange is cancelled without waiting for the end of the message.
        #expect(bench.advance(to: 500).first == .cancel(ExchangeID(1)))
        #expect(bench.phase == .finishing)
        #expect(bench.actions.last == .finish(isVerified: false))
        #expect(bench.send(.finished) == [bench.release])
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
        #expect(bench.faults == [])
    }

    @Test(arguments: [200, 416])
    func `R22 an empty file is prepared and finished without storing a byte`(_ status: Int) throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.answer(status, status == 200 ? ["Content-Length": "0"] : ["Content-Range": "bytes */0"])
        // Without a range the file shows that it is.
        if status == 416 { bench.answer(200, ["Content-Length": "0"]) }
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
        #expect(bench.asks.count == (status == 200 ? 1 : 2))
        #expect(!bench.actions.contains { if case .store = $0 { true } else { false } })
    }

    @Test
    func
        `L10 an unknown length is settled by the end of the answer; if only the connection's end marks it, the file is not reported complete`()
        throws
    {
        for isChunked in [true, false] {
            var bench = try MachineBench()
            bench.send(.begin)
            bench.answer(200, isChunked ? ["Transfer-Encoding": "chunked"] : [:])
            #expect(bench.actions.contains(.store(ExchangeID(1), from: 0, overlap: 0, end: nil)))
            #expect(bench.machine.total == nil)
            bench.advance(to: 700)
            #expect(bench.phase == .fetching)
            bench.end(.complete)
            #expect(bench.machine.total == 700)
            #expect(bench.phase == .completed(.init(isComplete: isChunked, isVerified: false)))
        }
    }

    @Test func `L01 an answer that ends early is retried from where it ended`() throws {
        var bench = try fetching(total: 10_000)
        bench.deliver(to: 4000)
        #expect(bench.phase == .fetching)
        let ask = try bench.nextAsk()
        #expect(ask.range == "bytes=4000-9999")
        #expect(ask.fields.first("if-range") == "\"v\"")
    }

    @Test func `R08 a shorter 206 is kept, and the rest is requested at once`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.answerPart(0..<3000, of: 10_000)
        bench.deliver(to: 3000)
        #expect(bench.lastAsk?.range == "bytes=3000-9999")
    }

    @Test func `R26 each retry requests exactly the bytes still missing`() throws {
        var bench = try fetching(total: 10_000)
        for position: Int64 in [100, 250, 251, 9000] {
            bench.advance(to: position)
            bench.cut()
            let ask = try bench.nextAsk()
            #expect(ask.range == "bytes=\(position)-9999")
            bench.answerPart(position..<10_000, of: 10_000)
        }
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    @Test func `a digest is checked before the file is finished; a mismatch quarantines the file`() throws {
        let digest = try #require(Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32)))
        let mismatch = DownloadError(.digestMismatch, "not the bytes", recovery: .restart)
        for isRight in [true, false] {
            var bench = try MachineBench { $0.digest = digest }
            bench.answersFiles = false
            bench.send(.begin)
            bench.answerPart(0..<10, of: 10)
            bench.send(.prepared(.ready))
            bench.deliver(to: 10)
            #expect(bench.actions.last == .verify([digest]))
            if isRight {
                #expect(bench.send(.verified(.passed())) == [.finish(isVerified: true)])
                bench.send(.finished)
                #expect(bench.phase == .completed(.init(isComplete: true, isVerified: true)))
            } else {
                #expect(bench.send(.verified(.mismatch(mismatch))) == [.quarantine])
                #expect(bench.send(.finished) == [bench.release])
                #expect(bench.phase == .failed(mismatch))
            }
        }
    }

    @Test(arguments: [
        (refused: [DigestAlgorithm.md5], verified: [DigestAlgorithm.sha256]),
        (refused: [.md5, .sha256], verified: []),
    ])
    func `a server's digest that this system cannot compute does not keep the file from its name`(
        refused: [DigestAlgorithm], verified: [DigestAlgorithm]
    ) throws {
        let digests = try [DigestAlgorithm.sha256, .md5].map { algorithm in
            try #require(Digest(algorithm: algorithm, bytes: [UInt8](repeating: 1, count: algorithm.byteCount)))
        }
        let field = "sha-256=:\(Base64.encode(digests[0].bytes)):, md5=:\(Base64.encode(digests[1].bytes)):"
        var bench = try MachineBench(hash: { algorithm, _ in refused.contains(algorithm) ? nil : [0] })
        bench.answersFiles = false
        bench.send(.begin)
        bench.answer(206, ["content-range": "bytes 0-9/10", "content-length": "10", "repr-digest": field])
        bench.send(.prepared(.ready))
        bench.deliver(to: 10)
        let expected = digests.filter { verified.contains($0.algorithm) }
        if expected.isEmpty {
            #expect(bench.actions.last == .finish(isVerified: false))
        } else {
            #expect(bench.actions.last == .verify(expected))
        }
    }

    @Test func `D21 blocks damaged after receipt are fetched again, at most three times`() throws {
        let digest = try #require(Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32)))
        var bench = try MachineBench { $0.digest = digest }
        bench.answersFiles = false
        bench.send(.begin)
        bench.answerPart(0..<10_000, of: 10_000)
        bench.send(.prepared(.ready))
        bench.deliver(to: 10_000)
        for _ in 1...3 {
            bench.send(.verified(.damaged([ByteRange(2000..<3000)])))
            #expect(bench.lastAsk?.range == "bytes=2000-2999")
            bench.answerPart(2000..<3000, of: 10_000)
            bench.deliver(to: 3000)
        }
        #expect(bench.send(.verified(.damaged([ByteRange(2000..<3000)]))) == [.quarantine])
        bench.send(.finished)
        #expect(bench.phase.errorCode == .diskError)
    }

    // MARK: Resuming

    @Test func `only a journal's gaps are fetched, with the stored validator as the condition`() throws {
        var bench = try MachineBench(journal(0..<2000, 3000..<10_000, total: 10_000))
        bench.send(.begin)
        let ask = try #require(bench.lastAsk)
        #expect(ask.range == "bytes=2000-2999")
        #expect(ask.fields.first("if-range") == "\"v\"")
        bench.answerPart(2000..<3000, of: 10_000)
        bench.deliver(to: 3000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
        #expect(bench.asks.count == 1)
    }

    @Test func `R15 the bytes held just before the gap are requested again and compared, once per run`() throws {
        var bench = try MachineBench(journal(0..<2000, total: 10_000)) { $0.overlap = 512 }
        bench.send(.begin)
        #expect(bench.lastAsk?.range == "bytes=1488-9999")
        #expect(
            bench.answerPart(1488..<10_000, of: 10_000).contains(
                .store(ExchangeID(1), from: 2000, overlap: 512, end: 10_000)))
        bench.advance(to: 4000)
        bench.cut()
        #expect(try bench.nextAsk().range == "bytes=4000-9999")
    }

    @Test func `R15 bytes that differ from those held mean another file`() throws {
        var bench = try MachineBench(journal(0..<2000, total: 10_000)) {
            $0.overlap = 512
            $0.onChange = .fail
        }
        bench.send(.begin)
        bench.answerPart(1488..<10_000, of: 10_000)
        bench.end(.overlapDiffers)
        #expect(bench.phase.errorCode == .changed)
    }

    @Test func `R18 a file that is already complete is not requested`() throws {
        var bench = try MachineBench(journal(0..<10_000, total: 10_000))
        bench.send(.begin)
        #expect(bench.asks.isEmpty)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    @Test func `V13 V08 bytes that no validator could prove are set aside, and the download starts over`() throws {
        let young = Representation(
            total: 10_000, entityTag: EntityTag(parsing: "\"v\""), lastModified: "Sat, 01 Jan 2022 00:00:00 GMT",
            date: "Sat, 01 Jan 2022 00:00:02 GMT")
        let weak = Representation(total: 10_000, entityTag: EntityTag(parsing: "W/\"v\""))
        for known in [young, weak, Representation(total: 10_000)] {
            let recovered = DownloadMachine.Recovered.journal(
                known, durable: RangeSet(ByteRange(0..<2000)), isVerified: false)
            var bench = try MachineBench(recovered)
            bench.send(.begin)
            #expect(bench.actions.contains(.setAside(keep: true)))
            #expect(bench.lastAsk?.range == "bytes=0-")
            // With a digest to decide at the end, the download resumes instead.
            let digest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32))
            var trusting = try MachineBench(recovered) { $0.digest = digest }
            trusting.send(.begin)
            #expect(trusting.lastAsk?.range == "bytes=2000-9999")
        }
    }

    @Test
    func
        `V13 without a validator a cut restarts from zero, and the old bytes are kept until the new start has passed them`()
        throws
    {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.answerPart(0..<10_000, of: 10_000, tag: nil)
        bench.advance(to: 4000)
        bench.cut()
        let ask = try bench.nextAsk()
        #expect(bench.actions.contains(.setAside(keep: true)))
        #expect(ask.range == "bytes=0-")
        bench.answerPart(0..<10_000, of: 10_000, tag: nil)
        bench.advance(to: 3000)
        bench.cut()
        try bench.nextAsk()
        // The second try got less far, so it is dropped and the first is still there.
        #expect(bench.actions.last { if case .setAside = $0 { true } else { false } } == .setAside(keep: false))
        #expect(!bench.actions.contains(.dropAside))
        bench.answerPart(0..<10_000, of: 10_000, tag: nil)
        bench.deliver(to: 10_000)
        #expect(bench.actions.contains(.dropAside))
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    // MARK: Servers without ranges

    @Test func `R02 R23 a server that ignores ranges gets one stream from zero, and the download does not fail`() throws
    {
        var bench = try MachineBench(journal(0..<5000, total: 10_000))
        bench.send(.begin)
        // The tag is the same: the server may only have failed to understand the condition (V07).
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\""])
        let second = try #require(bench.lastAsk)
        #expect(bench.asks.count == 2)
        #expect(second.range == "bytes=5000-9999")
        #expect(second.fields.first("if-range") == nil)
        let actions = bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\""])
        #expect(actions.contains(.store(second.id, from: 0, overlap: 0, end: 10_000)))
        #expect(bench.reports.contains(.rangesIgnored))
        #expect(bench.machine.progress(at: bench.now).canResume == false)
        bench.wait(.seconds(2)) { $0.advance(to: min(10_000, ($0.now - .zero).wholeNanoseconds / 500_000)) }
        #expect(bench.asks.count == 2, "one stream")
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    @Test(arguments: ["ETag", "none", "digest"])
    func `another run can resume what a validator or a digest identifies`(identified: String) throws {
        var bench = try MachineBench {
            if identified == "digest" { $0.digest = Digest(algorithm: .sha256, bytes: Array(repeating: 0, count: 32)) }
        }
        bench.send(.begin)
        #expect(bench.machine.progress(at: bench.now).canResume == true, "nothing is known yet")
        bench.answer(
            206, ["Content-Range": "bytes 0-9999/10000"].merging(identified == "ETag" ? ["ETag": "\"v\""] : [:]) { $1 })
        #expect(bench.machine.progress(at: bench.now).canResume == (identified != "none"))
    }

    @Test func `R23 one ignored range beside a flowing connection is only a refusal`() throws {
        var bench = try twoConnections()
        bench.answer(200, ["Content-Length": "1000000000", "ETag": "\"v\""], to: 2)
        // V07 comes first: repeat the range without the condition.
        #expect(bench.asks.count == 3)
        #expect(bench.lastAsk?.fields.first("if-range") == nil)
        bench.answer(200, ["Content-Length": "1000000000", "ETag": "\"v\""])
        #expect(bench.machine.segments.contains { $0.id == ExchangeID(1) && $0.isFlowing })
        #expect(!bench.actions.contains(.cancel(ExchangeID(1))))
        #expect(!bench.reports.contains(.rangesIgnored))
        #expect(bench.phase == .fetching)
    }

    @Test func `V07 a condition that makes the server ignore ranges is never sent again`() throws {
        var bench = try MachineBench(journal(0..<5000, total: 10_000))
        bench.send(.begin)
        bench.answer(200, ["Content-Length": "10000", "ETag": "\"v\""])
        #expect(bench.lastAsk?.fields.first("if-range") == nil)
        bench.answerPart(5000..<10_000, of: 10_000)
        bench.advance(to: 7000)
        bench.cut()
        let ask = try bench.nextAsk()
        #expect(ask.range == "bytes=7000-9999")
        #expect(ask.fields.first("if-range") == nil)
    }

    @Test(arguments: [400, 403])
    func `V18 a request refused only for its If-Range is retried at once without it`(_ status: Int) throws {
        var bench = try MachineBench(journal(0..<5000, total: 10_000))
        bench.send(.begin)
        bench.answer(status)
        #expect(bench.asks.count == 2)
        #expect(bench.lastAsk?.range == "bytes=5000-9999")
        #expect(bench.lastAsk?.fields.first("if-range") == nil)
        bench.answerPart(5000..<10_000, of: 10_000)
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    @Test
    func `V18 a request for a signed link carries no condition, and another file behind it is detected by its ETag`()
        throws
    {
        var bench = try MachineBench(journal(0..<5000, total: 10_000)) {
            $0.url.query = "X-Amz-Signature=abc"
        }
        bench.send(.begin)
        #expect(bench.lastAsk?.range == "bytes=5000-9999")
        #expect(bench.lastAsk?.fields.first("if-range") == nil)
        for _ in 0..<10 where !bench.actions.contains(.setAside(keep: true)) {
            bench.answerPart(5000..<10_000, of: 10_000, tag: "\"w\"")
        }
        #expect(bench.lastAsk?.range == "bytes=0-")
        #expect(!bench.actions.contains { if case .store = $0 { true } else { false } })
    }

    /// By its Content-Range, or by a length that is not that of the file with this tag.
    @Test(arguments: [true, false], [true, false])
    func `R03 R04 a 200 that contains a slice is retried once without Range`(_ saysSo: Bool, _ holdsBytes: Bool) throws
    {
        // Without held bytes, nothing tells the length of a slice from that of the file.
        guard saysSo || holdsBytes else { return }
        var bench = try MachineBench(holdsBytes ? journal(0..<500, total: 1000) : .nothing)
        bench.send(.begin)
        let slice = ["Content-Length": "100", "ETag": "\"v\""]
        bench.answer(200, saysSo ? slice.merging(["Content-Range": "bytes 0-99/1000"]) { $1 } : slice)
        #expect(bench.asks.map(\.range) == [holdsBytes ? "bytes=500-999" : "bytes=0-", nil])
        bench.answer(200, ["Content-Length": "1000", "ETag": "\"v\""])
        bench.deliver(to: 1000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    // MARK: Several connections

    @Test func `once ranges are proven, the segment that would finish last gives up its tail`() throws {
        let bench = try twoConnections()
        let first = try #require(bench.asks.first)
        let second = try #require(bench.asks.last)
        #expect(first.range == "bytes=0-")
        let cut = try #require(bench.machine.segments.first?.end)
        #expect(bench.actions.contains(.setEnd(first.id, cut)))
        #expect(second.range == "bytes=\(cut)-999999999")
        #expect(second.fields.first("if-range") == "\"v\"")
        #expect(bench.faults == [])
    }

    @Test(arguments: [503, 403, 429, 404])
    func `N01 a refused second connection lowers the limit and does not fail the download`(_ status: Int) throws {
        var bench = try twoConnections()
        if status == 403 {
            // A 403 to a conditional request is first retried without the condition (V18).
            bench.answer(403, to: 2)
            #expect(bench.asks.count == 3)
        }
        bench.answer(status)
        #expect(bench.reports.contains(.connectionRefused(status: status, limit: 1)))
        #expect(bench.phase == .fetching)
        let asked = bench.asks.count
        bench.wait(.seconds(30)) { $0.advance(to: 600_000 + ($0.now - .zero).wholeNanoseconds / 1_000_000, of: 1) }
        #expect(bench.asks.count == asked, "the limit holds")
        #expect(bench.machine.segments.map(\.id) == [ExchangeID(1)])
    }

    @Test func `N01 a second connection closed without an answer counts as a refusal`() throws {
        var bench = try twoConnections()
        bench.cut(2)
        #expect(bench.phase == .fetching)
        let asked = bench.asks.count
        bench.wait(.seconds(30)) { $0.advance(to: 600_000 + ($0.now - .zero).wholeNanoseconds / 1_000_000, of: 1) }
        #expect(bench.asks.count == asked)
    }

    @Test func `N04 a connection without a byte for thirty seconds is dropped, and its range is requested again`()
        throws
    {
        var bench = try fetching(total: 10_000)
        bench.advance(to: 4000)
        bench.wait(.milliseconds(29_950))
        #expect(!bench.actions.contains(.cancel(ExchangeID(1))))
        bench.wait(.milliseconds(100))
        #expect(bench.actions.contains(.cancel(ExchangeID(1))))
        #expect(bench.phase == .fetching)
        if bench.asks.count == 1 { _ = try bench.nextAsk() }
        #expect(bench.lastAsk?.range == "bytes=4000-9999")
    }

    @Test func `N04 a connection held up by the disk or the speed limit does not count as stalled`() throws {
        var bench = try fetching(total: 10_000)
        bench.advance(to: 4000)
        bench.wait(.seconds(300)) {
            $0.send(.advanced(ExchangeID(1), stored: 4000, received: 4000, isHeldByUs: true))
        }
        #expect(bench.asks.count == 1)
    }

    @Test func `N07 a request whose answer has no head within a minute is dropped and retried`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.wait(.milliseconds(59_950))
        #expect(bench.asks.count == 1)
        bench.wait(.seconds(2))
        #expect(bench.actions.contains(.cancel(ExchangeID(1))))
        #expect(bench.asks.count == 2)
    }

    @Test func `N05 a connection far slower than the others is replaced after half a minute`() throws {
        var bench = try twoConnections()
        let second = try answerSecond(&bench)
        let start = bench.now
        var cancelled: Duration?
        // Of two connections, one runs at 1 MB/s and the other crawls at 10 KB/s.
        bench.wait(.seconds(45)) { bench in
            let elapsed = (bench.now - start).wholeNanoseconds / 1000
            bench.advance(to: second.start + elapsed, of: second.id)
            bench.advance(to: 500_000 + elapsed / 100, of: 1)
            if cancelled == nil, bench.actions.contains(.cancel(ExchangeID(1))) { cancelled = bench.now - start }
        }
        let moment = try #require(cancelled)
        #expect((Duration.seconds(30)...Duration.seconds(36)).contains(moment))
        #expect(bench.phase == .fetching)
    }

    @Test func `N05 the last connection is never dropped for being slow`() throws {
        var bench = try fetching(total: 1_000_000_000)
        bench.advance(to: 400_000)
        bench.wait(.seconds(120)) { $0.advance(to: 400_000 + ($0.now - .zero).wholeNanoseconds / 100_000_000) }
        #expect(!bench.actions.contains { if case .cancel = $0 { true } else { false } })
    }

    @Test(arguments: [true, false])
    func `of two answers to one range the first to finish wins, and the other is cancelled`(_ newcomerWins: Bool) throws
    {
        var (bench, hedge) = try hedged()
        let range = try #require(bench.machine.segments.first { $0.id == hedge.id }?.remaining)
        bench.answerPart(range.start..<range.end, of: 4000)
        let loser: ExchangeID
        if newcomerWins {
            bench.advance(to: range.end, of: hedge.id.number)
            loser = ExchangeID(1)
        } else {
            bench.advance(to: range.end, of: 1)
            loser = hedge.id
        }
        #expect(bench.actions.contains(.cancel(loser)))
        bench.end(.complete, of: newcomerWins ? hedge.id.number : 1)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
        #expect(bench.faults == [])
    }

    // MARK: Refusals

    @Test func `H09 an expired link is resolved again from the original URL, at most once in thirty seconds`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.answer(302, ["Location": "http://store.example/1?X-Amz-Signature=a"])
        #expect(bench.lastAsk?.url.host == "store.example")
        bench.answerPart(0..<10_000, of: 10_000)
        bench.advance(to: 3000)
        bench.cut()
        var ask = try bench.nextAsk()
        #expect(ask.url.host == "store.example", "the resolved URL as long as it works")
        bench.answer(403)
        #expect(bench.reports.contains(.refreshing))
        ask = try #require(bench.lastAsk)
        #expect(ask.url == bench.machine.settings.url)
        #expect(ask.range == "bytes=3000-9999")
        bench.answer(302, ["Location": "http://store.example/2?X-Amz-Signature=b"])
        // The link expires again soon after, so the next resolution waits.
        let refreshed = bench.now
        bench.answerPart(3000..<10_000, of: 10_000)
        bench.advance(to: 4000)
        bench.cut()
        try bench.nextAsk()
        bench.answer(403)
        while bench.waitForAsk(), bench.lastAsk?.url != bench.machine.settings.url { bench.answer(403) }
        #expect(bench.now - refreshed >= .seconds(30))
        #expect(bench.reports.count { $0 == .refreshing } == 2)
        bench.answer(302, ["Location": "http://store.example/3?X-Amz-Signature=c"])
        bench.answerPart(4000..<10_000, of: 10_000)
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    @Test
    func
        `H09 a link that is refused right after each resolution is resolved every thirty seconds until the download fails`()
        throws
    {
        var bench = try MachineBench(journal(0..<5000, total: 10_000))
        bench.send(.begin)
        for number in 1...40 where !bench.phase.isTerminal {
            let origin = try #require(bench.lastAsk)
            #expect(origin.url == bench.machine.settings.url)
            bench.answer(302, ["Location": "http://store.example/\(number)?X-Amz-Signature=a"])
            let asked = bench.now
            bench.answer(403)
            // After the first renewal the range may be the reason.
            if number == 2, bench.lastAsk?.range == nil {
                bench.answer(302, ["Location": "http://store.example/plain?X-Amz-Signature=a"])
                bench.answer(403)
            }
            guard number > 1, !bench.phase.isTerminal else { continue }
            #expect(bench.machine.segments.isEmpty)
            try bench.nextAsk()
            #expect(bench.now - asked >= .milliseconds(29_900))
        }
        guard case .failed(let error) = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
        #expect(
            error.code == .unauthorized && error.remedies == [.renewURL] && error.recovery == .reconnect, "\(error)")
        #expect((10...24).contains(bench.asks.count))
        #expect(bench.machine.durable.count == 5000)
    }

    @Test func `H09 if the URL itself has expired, the caller is asked for a fresh one`() throws {
        let fresh = try HTTPURL(parsing: "http://origin.example/file.bin?sig=new")
        for answer in [fresh, nil] {
            var bench = try MachineBench(journal(0..<5000, total: 10_000)) {
                $0.url.query = "sig=old"
                $0.canRefresh = true
            }
            bench.send(.begin)
            bench.answer(403)
            #expect(bench.actions.contains(.refresh))
            #expect(bench.phase == .refreshing)
            bench.send(.refreshed(answer))
            if let answer {
                #expect(bench.lastAsk?.url == answer)
                #expect(bench.lastAsk?.range == "bytes=5000-9999")
            } else {
                #expect(bench.phase.errorCode == .unauthorized)
            }
        }
    }

    @Test
    func `H09 a fresh link that leads to another file counts as a changed file, and the held bytes stay as they are`()
        throws
    {
        var bench = try MachineBench(journal(0..<5000, total: 10_000)) {
            $0.url.query = "sig=old"
            $0.canRefresh = true
            $0.onChange = .fail
        }
        bench.send(.begin)
        bench.answer(403)
        bench.send(.refreshed(try HTTPURL(parsing: "http://origin.example/file.bin?sig=new")))
        for _ in 0..<10 where !bench.phase.isTerminal { bench.answerPart(5000..<10_000, of: 10_000, tag: "\"w\"") }
        #expect(bench.phase.errorCode == .changed)
        #expect(bench.machine.durable == RangeSet(ByteRange(0..<5000)))
        #expect(!bench.actions.contains { if case .setAside = $0 { true } else { false } })
    }

    @Test(arguments: [401, 403, 407])
    func `a URL that has never worked and requires credentials fails at once`(_ status: Int) throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.answer(status)
        // It might only refuse ranges (R32).
        if status != 407 { bench.answer(status) }
        #expect(bench.phase.errorCode == .unauthorized)
        #expect(bench.asks.count == (status == 407 ? 1 : 2))
    }

    @Test(arguments: [1, 7, 3600])
    func `H12 the wait that a busy server names is honoured to the second`(_ seconds: Int) throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.answer(503, ["Retry-After": "\(seconds)"])
        #expect(bench.machine.nextWakeUp == .zero + .seconds(seconds))
        bench.wait(.seconds(seconds) - .milliseconds(50))
        #expect(bench.asks.count == 1)
        bench.wait(.milliseconds(50))
        #expect(bench.asks.count == 2)
    }

    @Test func `H12 a Retry-After date becomes a wait by the wall clock`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.wait(.seconds(2))
        bench.answer(429, ["Retry-After": HTTPDate(secondsSinceEpoch: 1_640_995_212).imfFixdate])
        #expect(bench.machine.nextWakeUp == .zero + .seconds(12))
    }

    @Test(arguments: ["3601", "99999999999999999999", "Fri, 01 Jan 2100 00:00:00 GMT"])
    func
        `H12 a server that asks for a wait of more than an hour fails the download, and the error says how long the wait is`(
            _ value: String
        ) throws
    {
        var bench = try MachineBench(journal(0..<5000, total: 10_000))
        bench.send(.begin)
        bench.answer(503, ["Retry-After": value])
        guard case .failed(let error) = bench.phase, case .retryAfter(let delay?) = error.recovery else {
            Issue.record("\(bench.phase)")
            return
        }
        #expect(error.code == .refused, "\(error)")
        #expect(error.message.contains("to wait \(TimeSpan.text(delay / .seconds(1))) ("), "\(error)")
        #expect(delay > .seconds(3600))
        #expect(bench.asks.count == 1)
        #expect(bench.machine.durable == RangeSet(ByteRange(0..<5000)))
    }

    @Test func `H12 waits that the server names never count as failures`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        for _ in 0..<50 {
            bench.answer(503, ["Retry-After": "1"])
            _ = try bench.nextAsk()
        }
        bench.answerPart(0..<10, of: 10)
        bench.deliver(to: 10)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    @Test func `N11 after ten attempts without progress the download fails`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.answer(500)
        bench.answer(500)
        while bench.waitForAsk() { bench.answer(500) }
        #expect(bench.phase.errorCode == .network)
        // One more without a range (R32).
        #expect(bench.asks.count == 11)
    }

    @Test func `N11 a byte of progress allows ten more attempts`() throws {
        var bench = try fetching(total: 1_000_000)
        var position: Int64 = 0
        for round in 1...40 {
            if round % 8 == 0 { position += 1 }
            bench.advance(to: position)
            bench.cut()
            guard bench.waitForAsk() else { break }
            bench.answerPart(position..<1_000_000, of: 1_000_000)
        }
        #expect(bench.phase == .fetching)
        #expect(bench.asks.count == 41)
    }

    @Test func `L20 answers without a byte count as attempts without progress`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        for _ in 0..<60 {
            guard !bench.phase.isTerminal else { break }
            bench.answer(200, ["Content-Length": "103742", "ETag": "\"v\""])
            bench.end(.complete)
            _ = bench.waitForAsk()
        }
        #expect(bench.phase.errorCode == .network)
        #expect(bench.asks.count <= 12)
    }

    @Test
    func `L20 R08 parts that break off without a byte count as attempts without progress, and what is held is kept`()
        throws
    {
        var bench = try MachineBench(journal(0..<5000, total: 10_000))
        bench.send(.begin)
        repeat {
            bench.answerPart(5000..<10_000, of: 10_000)
            bench.cut()
        } while bench.waitForAsk()
        #expect(bench.phase.errorCode == .network)
        #expect(bench.asks.count <= 11)
        // The last one shows whether the range was the reason (R32).
        #expect(bench.asks.dropLast().allSatisfy { $0.range == "bytes=5000-9999" } && bench.lastAsk?.range == nil)
        #expect(bench.machine.durable == RangeSet(ByteRange(0..<5000)))
    }

    @Test func `N01 the range of a refused connection returns to the connection it was split from`() throws {
        var bench = try twoConnections()
        let cut = try #require(bench.machine.segments.first?.end)
        bench.answer(503, to: 2)
        #expect(cut < 1_000_000_000)
        #expect(bench.machine.segments.first?.end == 1_000_000_000)
        #expect(bench.actions.contains(.setEnd(ExchangeID(1), 1_000_000_000)))
    }

    @Test func `N01 a connection that is accepted but never answered is dropped soon while another delivers bytes`()
        throws
    {
        var bench = try twoConnections()
        bench.wait(.seconds(11)) { $0.advance(to: 600_000 + ($0.now - .zero).wholeNanoseconds / 1_000_000, of: 1) }
        #expect(bench.actions.contains(.cancel(ExchangeID(2))))
        #expect(bench.machine.segments.first?.end == 1_000_000_000)
        #expect(bench.phase == .fetching)
    }

    @Test func `N01 a 403 after an extra connection was refused is retried several times before the download fails`()
        throws
    {
        var bench = try twoConnections()
        bench.answer(403, to: 2)
        bench.answer(403)
        // The server may not have noticed yet that the first connection is closed.
        bench.cut(1)
        _ = try bench.nextAsk()
        bench.answer(403)
        _ = try bench.nextAsk()
        bench.answer(403)
        #expect(bench.phase == .fetching)
        while bench.waitForAsk() { bench.answer(403) }
        #expect(bench.phase.errorCode == .unauthorized)
        #expect(bench.asks.count < 14)
    }

    @Test func `N11 connections that break at the same moment count as one failure`() throws {
        var bench = try twoConnections()
        _ = try answerSecond(&bench)
        bench.wait(.milliseconds(50))
        let before = bench.reports.count
        bench.cut(1)
        bench.cut(2)
        let failures = bench.reports[before...].compactMap {
            if case .retrying(_, let count, _, _) = $0 { count } else { nil }
        }
        #expect(failures == [1])
        var tries = 0
        while bench.waitForAsk() {
            tries += 1
            bench.cut()
        }
        #expect(tries == 9, "the break counted for more than one of ten")
        #expect(bench.phase.errorCode == .network)
    }

    @Test func `N11 the wait doubles up to a minute without progress, and new bytes shorten it, the more the shorter`()
        throws
    {
        var bench = try fetching(total: 100 << 20) { $0.maximumRetries = 20 }
        var position: Int64 = 0
        func fail(after progress: Int64, of bench: inout MachineBench) -> Duration? {
            position += progress
            bench.advance(to: position)
            bench.cut()
            guard
                case .retrying(_, _, _, let until)? = bench.reports.last(where: {
                    if case .retrying = $0 { true } else { false }
                })
            else { return nil }
            let wait = until - bench.now
            _ = bench.waitForAsk()
            bench.answerPart(position..<100 << 20, of: 100 << 20)
            return wait
        }
        for (progress, most) in [(1, 8), (1000, 4), (4000, 2), (16_000, 1), (64_000, 0.5)] {
            var longest = Duration.zero
            for failure in 0..<12 {
                let wait = try #require(fail(after: 0, of: &bench))
                #expect(wait <= min(.milliseconds(500) * (1 << (failure + 5)), .seconds(60)))
                longest = max(longest, wait)
            }
            // Twelve draws in a row below a sixth of the ceiling are practically impossible.
            #expect(longest > .seconds(10), "\(longest)")
            #expect(try #require(fail(after: Int64(progress), of: &bench)) <= .milliseconds(Int64(most * 1000)))
        }
    }

    @Test(
        arguments: [(100_000, 0..<25), (1000, 60..<200), (1, 120..<400)] as [(Int64, Range<Int64>)])
    func `N11 a server that cuts each connection is asked often for much, and less than once a second for little`(
        _ count: Int64, _ seconds: Range<Int64>
    ) throws {
        var bench = try fetching(total: 6_100_000)
        var position: Int64 = 0
        for _ in 0..<60 {
            position += count
            bench.advance(to: position)
            bench.cut()
            try bench.nextAsk()
            bench.answerPart(position..<6_100_000, of: 6_100_000)
        }
        let counts = bench.reports.compactMap { if case .retrying(_, let count, _, _) = $0 { count } else { nil } }
        #expect(counts == [Int](repeating: 1, count: 60))
        #expect(seconds.contains((bench.now - .zero).components.seconds), "\(bench.now)")
    }

    @Test func `N15 a host name that has never resolved fails after three attempts, with the name in the message`()
        throws
    {
        var bench = try MachineBench()
        bench.send(.begin)
        repeat {
            bench.end(.failed(TransportError(.nameResolution, "the host name could not be resolved")))
        } while bench.waitForAsk()
        guard case .failed(let error) = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
        #expect(error.code == .network)
        #expect(error.message.contains("origin.example was not found"))
        #expect(bench.asks.count == 3)
        #expect(bench.now < .zero + .seconds(3))
    }

    @Test func `N15 a host name that has resolved before is tried ten times if nothing is stored`() throws {
        var bench = try fetching(total: 10_000)
        bench.cut()
        var tries = 0
        while bench.waitForAsk() {
            tries += 1
            bench.end(.failed(TransportError(.nameResolution, "the host name could not be resolved")))
        }
        #expect(tries == 9)
        #expect(bench.phase.errorCode == .network)
    }

    @Test
    func `N16 a request on a closing connection is repeated at once without counting as a failure, but only once`()
        throws
    {
        var bench = try fetching(total: 10_000)
        bench.advance(to: 4000)
        bench.cut()
        let first = try bench.nextAsk()
        let failures = bench.reports.count { if case .retrying = $0 { true } else { false } }
        bench.end(.failed(TransportError(.stale, "closed")))
        #expect(bench.lastAsk?.id != first.id && bench.lastAsk?.fields == first.fields, "not at once, or not the same")
        #expect(!first.isRepeat && bench.lastAsk?.isRepeat == true, "not on a fresh connection")
        #expect(bench.reports.count { if case .retrying = $0 { true } else { false } } == failures)
        bench.end(.failed(TransportError(.stale, "closed")))
        #expect(bench.reports.count { if case .retrying = $0 { true } else { false } } == failures + 1)
    }

    @Test func `N19 a certificate that becomes invalid midway is retried ten times and then reported as a TLS error`()
        throws
    {
        var bench = try fetching(total: 10_000)
        bench.advance(to: 4000)
        bench.cut()
        while bench.waitForAsk() { bench.end(.failed(TransportError(.tls, "unknown authority"))) }
        #expect(bench.phase.errorCode == .tls)
        #expect(bench.asks.count == 10)
        #expect(bench.machine.durable == RangeSet(ByteRange(0..<4000)))
    }

    @Test func `N19 a certificate that was never accepted fails the download at once`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.end(.failed(TransportError(.tls, "unknown authority")))
        #expect(bench.phase.errorCode == .tls)
        #expect(bench.asks.count == 1)
    }

    @Test func `H05 a server that redirects without end fails the download`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        for number in 1...60 where !bench.phase.isTerminal {
            bench.answer(302, ["Location": "/\(number)"])
        }
        guard case .failed(let error) = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
        #expect(error.code == .redirect && error.message.contains("20"), "\(error)")
        // With a range, and once more without (R32).
        #expect(bench.asks.count == 42)
    }

    @Test(arguments: [["/file.bin"], ["/b", "/c", "/file.bin"]])
    func `H05 a redirect to itself, or back to an earlier URL, fails the download at once`(_ locations: [String]) throws
    {
        var bench = try MachineBench()
        bench.send(.begin)
        // With a range, and once more without (R32).
        for location in locations + locations { bench.answer(302, ["Location": location]) }
        guard case .failed(let error) = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
        #expect(error.code == .redirect && error.message.contains("loop"), "\(error)")
        #expect(bench.asks.count == locations.count * 2)
        #expect(!bench.actions.contains { if case .prepare = $0 { true } else { false } })
    }

    @Test func `a redirect that is not to be followed ends the download, and the error holds its target`() throws {
        var bench = try MachineBench { $0.followsRedirects = false }
        bench.send(.begin)
        bench.answer(302, ["Location": "//other.example/x?token=1"])
        guard case .failed(let error) = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
        #expect(error.code == .redirect && !error.message.contains("token=1"), "\(error)")
        #expect(error.facts.redirectTarget?.serialized == "http://other.example/x?token=1")
        #expect(bench.asks.count == 1)
    }

    @Test
    func
        `H03 the caller's credentials follow a redirect only within the origin, and return when the origin is asked again`()
        throws
    {
        var bench = try MachineBench {
            $0.callerFields = [HTTPField("Cookie", "a=b")]
            $0.url.userinfo = "Aladdin:open%20sesame"
        }
        bench.send(.begin)
        // RFC 7617 §2.
        #expect(bench.lastAsk?.fields.first("authorization") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(bench.lastAsk?.fields.first("cookie") == "a=b")
        bench.answer(302, ["Location": "/elsewhere"])
        #expect(bench.lastAsk?.fields.first("authorization") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        for target in ["http://origin.example:8080/x", "http://other.example/z", "https://origin.example/y"] {
            bench.answer(302, ["Location": target])
            #expect(bench.lastAsk?.url == (try HTTPURL(parsing: target)))
            #expect(bench.lastAsk?.fields.first("authorization") == nil)
            #expect(bench.lastAsk?.fields.first("cookie") == nil)
        }
        bench.cut()
        try bench.nextAsk()
        #expect(bench.lastAsk?.url == bench.machine.settings.url)
        #expect(bench.lastAsk?.fields.first("cookie") == "a=b")
    }

    @Test(arguments: [("user", "dXNlcjo="), ("a:b:c", "YTpiOmM="), ("%C3%A9:", "w6k6")])
    func `a user name without a password is sent with an empty password`(_ userinfo: String, _ encoded: String) throws {
        var bench = try MachineBench { $0.url.userinfo = userinfo }
        bench.send(.begin)
        #expect(bench.lastAsk?.fields.first("authorization") == "Basic " + encoded)
        var own = try MachineBench {
            $0.url.userinfo = userinfo
            $0.callerFields = [HTTPField("Authorization", "Bearer x")]
        }
        own.send(.begin)
        #expect(own.lastAsk?.fields.values("authorization") == ["Bearer x"])
    }

    // MARK: Changed files

    @Test func `V01 an answer with a different tag is retried, then reported as a change, if changes are to fail`()
        throws
    {
        var bench = try MachineBench(journal(0..<5000, total: 10_000)) { $0.onChange = .fail }
        bench.send(.begin)
        for _ in 0..<10 where !bench.phase.isTerminal { bench.answerPart(5000..<10_000, of: 10_000, tag: "\"w\"") }
        guard case .failed(let error) = bench.phase else {
            Issue.record("\(bench.phase)")
            return
        }
        #expect(error.code == .changed && error.remedies == [.restartOnChange], "\(error)")
        #expect((2...4).contains(bench.asks.count))
        #expect(!bench.reports.contains(.changed(.validator)), "that would say that the bytes are set aside")
        // Nothing on the disk is touched.
        #expect(!bench.actions.contains { if case .setAside = $0 { true } else { false } })
        #expect(!bench.actions.contains { if case .store = $0 { true } else { false } })
    }

    @Test
    func `V01 if changes restart the download, the old bytes are set aside and the new file is fetched from zero`()
        throws
    {
        var bench = try MachineBench(journal(0..<5000, total: 10_000))
        bench.send(.begin)
        for _ in 0..<10 where !bench.actions.contains(.setAside(keep: true)) {
            bench.answerPart(5000..<10_000, of: 10_000, tag: "\"w\"")
        }
        #expect(bench.asks.count == 5, "asked once and three times more, then anew")
        #expect(bench.lastAsk?.range == "bytes=0-")
        #expect(bench.lastAsk?.fields.first("if-range") == nil)
        #expect(bench.machine.written.isEmpty && bench.machine.durable.isEmpty)
        bench.answerPart(0..<8000, of: 8000, tag: "\"w\"")
        bench.deliver(to: 8000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    @Test func `V04 a node whose tag differs is retried up to three times, to reach another node`() throws {
        var bench = try MachineBench(journal(0..<5000, total: 10_000)) { $0.onChange = .fail }
        bench.send(.begin)
        for _ in 1...3 { bench.answerPart(5000..<10_000, of: 10_000, tag: "\"w\"") }
        #expect(bench.phase == .fetching)
        bench.answerPart(5000..<10_000, of: 10_000)
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    @Test(arguments: [9000, 11_000] as [Int64])
    func `V02 V03 a different length with a different tag is another file at once`(_ total: Int64) throws {
        var bench = try MachineBench(journal(0..<5000, total: 10_000)) { $0.onChange = .fail }
        bench.send(.begin)
        bench.answerPart(5000..<total, of: total, tag: "\"w\"")
        #expect(bench.phase.errorCode == .changed)
        #expect(bench.asks.count == 1)
    }

    // MARK: Stopping

    @Test func `a pause cancels the exchange, checkpoints the held bytes, and only then releases the files`() throws {
        var bench = try fetching(total: 10_000)
        bench.answersFiles = false
        bench.answersCancels = false
        bench.advance(to: 4000)
        #expect(bench.send(.pause) == [.cancel(ExchangeID(1))])
        // Bytes that were under way at the cancellation count too.
        let actions = bench.send(.ended(ExchangeID(1), stored: 4500, .cancelled))
        #expect(actions.last == .checkpoint(RangeSet(ByteRange(0..<4500))))
        #expect(bench.send(.checkpointed(took: .milliseconds(5))) == [bench.release])
        #expect(bench.phase == .paused)
        #expect(bench.machine.durable == RangeSet(ByteRange(0..<4500)))
        #expect(bench.send(.tick) == [])
    }

    @Test func `a pause before the first byte saves nothing`() throws {
        var bench = try MachineBench()
        bench.send(.begin)
        bench.send(.pause)
        #expect(bench.phase == .paused)
        #expect(!bench.actions.contains { if case .checkpoint = $0 { true } else { false } })
        #expect(bench.actions.last == bench.release)
    }

    @Test func `a pause waits for a running checkpoint, then starts another for the bytes stored since`() throws {
        var bench = try fetching(total: 10_000_000)
        bench.answersFiles = false
        bench.wait(.milliseconds(2500)) { $0.advance(to: ($0.now - .zero).wholeNanoseconds / 1_000_000) }
        let first = try #require(bench.actions.compactMap(\.checkpointed).first)
        bench.send(.pause)
        #expect(bench.phase == .draining(.pause))
        #expect(bench.actions.compactMap(\.checkpointed).count == 1)
        bench.send(.checkpointed(took: .milliseconds(5)))
        let all = bench.actions.compactMap(\.checkpointed)
        try #require(all.count == 2, "\(bench.phase), \(bench.machine.written), \(bench.machine.durable)")
        #expect(first.isSubset(of: all[1]) && first != all[1])
        #expect(bench.send(.checkpointed(took: .milliseconds(5))) == [bench.release])
        #expect(bench.phase == .paused)
    }

    @Test func `a cancel ends in the cancelled state even after a pause has begun`() throws {
        var bench = try fetching(total: 10_000)
        bench.answersCancels = false
        bench.advance(to: 4000)
        bench.send(.pause)
        bench.send(.cancel)
        bench.end(.cancelled)
        #expect(bench.phase == .cancelled)
        #expect(bench.machine.durable == RangeSet(ByteRange(0..<4000)), "it can still be gone on from")
    }

    @Test func `a checkpoint is due two seconds after the first byte, and claims only bytes written before it began`()
        throws
    {
        var bench = try fetching(total: 10_000_000)
        bench.answersFiles = false
        bench.wait(.seconds(2)) { $0.advance(to: ($0.now - .zero).wholeNanoseconds / 1_000_000) }
        let snapshot = bench.machine.written
        bench.wait(.seconds(3)) { $0.advance(to: ($0.now - .zero).wholeNanoseconds / 1_000_000) }
        let checkpoints = bench.actions.compactMap(\.checkpointed)
        #expect(checkpoints.count == 1, "none while one runs")
        #expect(bench.machine.durable.isEmpty)
        bench.send(.checkpointed(took: .milliseconds(5)))
        #expect(bench.machine.durable == checkpoints[0])
        #expect(checkpoints[0].isSubset(of: snapshot.union(RangeSet(ByteRange(0..<2050)))))
    }

    @Test func `D04 after a disk error nothing is synced again, and nothing since the last checkpoint is trusted`()
        throws
    {
        let error = DownloadError(.diskError, "the disk failed", recovery: .retryAfter(nil))
        var bench = try fetching(total: 10_000_000)
        bench.answersFiles = false
        bench.wait(.milliseconds(2500)) { $0.advance(to: ($0.now - .zero).wholeNanoseconds / 1_000_000) }
        bench.send(.checkpointed(took: .milliseconds(5)))
        let durable = bench.machine.durable
        #expect(!durable.isEmpty)
        let before = bench.actions.compactMap(\.checkpointed).count
        bench.send(.storageFailed(error))
        #expect(bench.phase == .failed(error))
        #expect(bench.machine.durable == durable)
        #expect(bench.machine.written == durable)
        #expect(bench.actions.compactMap(\.checkpointed).count == before)
        #expect(bench.actions.last == bench.release)
    }

    @Test func `a checkpoint that fails during a pause fails the download`() throws {
        let error = DownloadError(.diskFull, "no space", recovery: .retryAfter(nil))
        var bench = try fetching(total: 10_000)
        bench.answersFiles = false
        bench.advance(to: 4000)
        bench.send(.pause)
        #expect(bench.phase == .saving(.pause))
        #expect(bench.send(.storageFailed(error)) == [bench.release])
        #expect(bench.phase == .failed(error))
        #expect(bench.machine.durable.isEmpty)
    }

    @Test func `D01 a partial file that cannot be created fails the download before a byte is stored`() throws {
        let error = DownloadError(.diskFull, "no space", recovery: .retryAfter(nil))
        var bench = try MachineBench()
        bench.answersFiles = false
        bench.send(.begin)
        bench.answerPart(0..<10, of: 10)
        bench.send(.prepared(.failed(error)))
        #expect(bench.phase == .failed(error))
        #expect(!bench.actions.contains { if case .store = $0 { true } else { false } })
    }

    @Test func `events after the end have no effect`() throws {
        var bench = try fetching(total: 10_000)
        bench.send(.cancel)
        for event: DownloadEvent in [
            .tick, .begin, .pause, .prepared(.ready), .checkpointed(took: .zero), .finished, .setAside, .refreshed(nil),
            .verified(.passed()), .advanced(ExchangeID(1), stored: 9000, received: 9000, isHeldByUs: false),
        ] {
            #expect(bench.send(event) == [])
        }
        #expect(bench.phase == .cancelled)
    }
}

// MARK: Common beginnings

extension DownloadMachineTests {
    /// A fresh download limited to one connection, whose exchange is flowing.
    private func fetching(
        total: Int64, _ change: (inout DownloadSettings) -> Void = { _ in }
    ) throws -> MachineBench {
        var bench = try MachineBench {
            $0.maximumConnections = 1
            change(&$0)
        }
        bench.send(.begin)
        bench.answerPart(0..<total, of: total)
        return bench
    }

    private func journal(_ ranges: Range<Int64>..., total: Int64) -> DownloadMachine.Recovered {
        .journal(
            Representation(total: total, entityTag: EntityTag(parsing: "\"v\"")),
            durable: RangeSet(ranges.map { ByteRange($0) }), isVerified: false)
    }

    /// The first connection flows at 1 MB/s, and a second has just been requested. At most two are allowed.
    private func twoConnections(total: Int64 = 1_000_000_000) throws -> MachineBench {
        var bench = try MachineBench { $0.maximumConnections = 2 }
        bench.send(.begin)
        bench.answerPart(0..<total, of: total)
        for _ in 0..<20 where bench.asks.count == 1 {
            bench.wait(.milliseconds(50)) { $0.advance(to: ($0.now - .zero).wholeNanoseconds / 1000, of: 1) }
        }
        try #require(bench.asks.count == 2)
        return bench
    }

    private func answerSecond(_ bench: inout MachineBench) throws -> (id: Int, start: Int64) {
        let segment = try #require(bench.machine.segments.last)
        let range = try #require(segment.remaining)
        bench.answerPart(range.start..<range.end, of: try #require(bench.machine.total))
        return (segment.id.number, range.start)
    }

    /// A small remainder that crawls on connection 1, and the second request for the same range.
    private func hedged() throws -> (MachineBench, MachineBench.Ask) {
        var bench = try MachineBench { $0.maximumConnections = 2 }
        bench.send(.begin)
        bench.answerPart(0..<4000, of: 4000)
        for _ in 0..<40 where bench.asks.count == 1 {
            bench.wait(.milliseconds(50)) { $0.advance(to: ($0.now - .zero).wholeNanoseconds / 1_000_000, of: 1) }
        }
        let second = try answerSecond(&bench)
        bench.wait(.milliseconds(500)) {
            $0.advance(to: min(3999, second.start + ($0.now - .zero).wholeNanoseconds / 200_000), of: second.id)
        }
        bench.deliver(to: 4000, of: second.id)
        let ask = try bench.nextAsk(within: .seconds(20))
        return (bench, ask)
    }
}

extension DownloadAction {
    fileprivate var checkpointed: RangeSet? { if case .checkpoint(let ranges) = self { ranges } else { nil } }
}

extension [DownloadAction] {
    /// Whether there is exactly one request, for this range; reports may be present.
    fileprivate func isAsk(_ range: String) -> Bool {
        let asks = compactMap { if case .ask(_, _, let fields, _) = $0 { fields } else { nil } }
        return asks.count == 1 && asks[0].first("range") == range
    }
}

extension DownloadMachine.Phase {
    var errorCode: DownloadError.Code? { if case .failed(let error) = self { error.code } else { nil } }
}
