import Testing

@testable import PawlCore

@Suite("Files whose completeness nothing shows")
struct RequireCompleteTests {
    private static func bench(
        _ url: String = "http://origin.example/file.bin", _ change: (inout DownloadSettings) -> Void = { _ in }
    ) throws -> MachineBench {
        let url = try HTTPURL(parsing: url)
        var bench = try MachineBench { settings in
            settings.url = url
            settings.requiresComplete = true
            change(&settings)
        }
        bench.send(.begin)
        return bench
    }

    @Test func `L24 a body that ends with its connection fails, and its length stays unknown`() throws {
        var bench = try Self.bench()
        bench.answer(200, ["ETag": "\"v\""])
        bench.deliver(to: 5000)
        guard case .failed(let error) = bench.phase else {
            Issue.record("it did not fail: \(bench.phase)")
            return
        }
        #expect(error.code == .incomplete && error.remedies == [.giveDigest, .acceptIncomplete])
        #expect(bench.asks.count == 1)
        // The received bytes are kept by a journal that does not give the file's length.
        #expect(bench.machine.durable.count == 5000 && bench.machine.hasJournal)
        #expect(bench.machine.total == nil && bench.machine.record?.representation.total == nil)
        #expect(!bench.machine.isWhole)
        #expect(bench.faults.isEmpty)
    }

    @Test func `L24 the next run does not take the kept bytes for the complete file`() throws {
        let known = Representation(total: nil, entityTag: EntityTag(parsing: "\"v\""))
        let kept = DownloadMachine.Recovered.journal(known, durable: RangeSet(ByteRange(0..<5000)), isVerified: false)
        var bench = try MachineBench(kept) { $0.requiresComplete = true }
        bench.send(.begin)
        #expect(bench.asks.count == 1 && !bench.machine.isWhole)
        // The server names no length, sends the whole file whatever is requested, and now sends more.
        bench.answer(200, ["ETag": "\"v\""])
        #expect(bench.asks.count == 2)
        bench.answer(200, ["ETag": "\"v\""])
        bench.deliver(to: 6000)
        guard case .failed(let error) = bench.phase, error.code == .incomplete else {
            Issue.record("it did not fail: \(bench.phase)")
            return
        }
        #expect(bench.machine.total == nil)
    }

    @Test func `L24 a length, a last chunk or the end of TLS proves a file complete`() throws {
        for (url, fields) in [
            ("http://origin.example/f", ["Content-Length": "5000"]),
            ("http://origin.example/f", ["Transfer-Encoding": "chunked"]),
            ("https://origin.example/f", [:]),
        ] {
            var bench = try Self.bench(url)
            bench.answer(200, fields)
            bench.deliver(to: 5000)
            #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)), "\(url) \(fields)")
        }
    }

    @Test func `L24 a matching digest proves a file complete`() throws {
        let digest = try Digest(parsing: "sha-256:" + String(repeating: "0a", count: 32))
        var bench = try Self.bench { $0.digest = digest }
        bench.answer(200)
        bench.deliver(to: 5000)
        guard case .completed(let outcome) = bench.phase else {
            Issue.record("it did not complete: \(bench.phase)")
            return
        }
        #expect(outcome.isVerified)
    }

    @Test func `L24 without the requirement a possibly truncated file gets its final name`() throws {
        var bench = try Self.bench { $0.requiresComplete = false }
        bench.answer(200)
        bench.deliver(to: 5000)
        #expect(bench.phase == .completed(.init(isComplete: false, isVerified: false)))
    }

    @Test func `L24 a mirror that sends the length takes the place of a server that does not`() throws {
        let mirror = Source(url: try HTTPURL(parsing: "http://mirror.example/file.bin"), priority: 2)
        var bench = try Self.bench { $0.mirrors = [mirror] }
        bench.answer(200)
        bench.deliver(to: 4000)
        #expect(bench.lastAsk?.url.host == "mirror.example")
        bench.answer(200, ["Content-Length": "5000"])
        bench.deliver(to: 5000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }
}
