import PawlCore
import Testing

/// Files modified so shortly before they were served that a second change could carry the same validators.
@Suite struct RecentlyModifiedTests {
    private static let modified = "Sat, 01 Jan 2022 00:00:00 GMT"
    private static let total: Int64 = 100_000_000

    private func answer(_ bench: inout MachineBench, secondsLater: Int, from start: Int64 = 0) {
        bench.answer(
            206,
            [
                "Content-Range": "bytes \(start)-\(Self.total - 1)/\(Self.total)", "ETag": "\"v\"",
                "Last-Modified": Self.modified,
                "Date": "Sat, 01 Jan 2022 00:00:0\(secondsLater) GMT",
            ])
    }

    @Test(arguments: [0, 1, 2])
    func
        `V08 V19 a file served within two seconds of its change is fetched by one connection, and that is reported once`(
            _ age: Int
        ) throws
    {
        var bench = try MachineBench { $0.smallestPiece = 1 << 20 }
        bench.send(.begin)
        answer(&bench, secondsLater: age)
        var position: Int64 = 0
        bench.wait(.seconds(20)) { bench in
            // The download is so fast that starting over would not pay.
            position += 200_000
            bench.advance(to: position)
        }
        #expect(bench.asks.count == 1)
        #expect(bench.reports.count { $0 == .recentlyModified } == 1)
        bench.deliver(to: Self.total)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
    }

    @Test func `V19 a file served three seconds after its change is fetched by several connections`() throws {
        var bench = try MachineBench { $0.smallestPiece = 1 << 20 }
        bench.send(.begin)
        answer(&bench, secondsLater: 3)
        bench.advance(to: 1000)
        bench.wait(.seconds(2)) { $0.advance(to: 2000) }
        #expect(bench.asks.count > 1)
        #expect(!bench.reports.contains(.recentlyModified))
    }

    @Test(arguments: ["Thu, 30 Dec 2021 00:00:00 GMT", "Fri, 31 Dec 2021 22:00:00 GMT", modified])
    func `V26 without a Date, several connections fetch a file whose modification is long past by our clock`(
        _ modified: String
    ) throws {
        for tag in ["\"v\"", nil] {
            var bench = try MachineBench { $0.smallestPiece = 1 << 20 }
            bench.send(.begin)
            var fields = [
                "Content-Range": "bytes 0-\(Self.total - 1)/\(Self.total)", "Last-Modified": modified,
            ]
            fields["ETag"] = tag
            bench.answer(206, fields)
            bench.advance(to: 1000)
            bench.wait(.seconds(2)) { $0.advance(to: 2000) }
            // The bench's clock begins with 2022.
            let isLongPast = modified.contains("30 Dec") || tag != nil && modified.contains("31 Dec")
            #expect((bench.asks.count > 1) == isLongPast, "\(tag ?? "no tag")")
            #expect(bench.reports.contains(.recentlyModified) != isLongPast)
            if isLongPast { #expect(bench.lastAsk?.fields.first("if-range") == tag ?? modified) }
        }
    }

    @Test func `V19 if one connection would take long, the download restarts with several once the file is old enough`()
        throws
    {
        var bench = try MachineBench { $0.smallestPiece = 1 << 20 }
        bench.send(.begin)
        answer(&bench, secondsLater: 0)
        var position: Int64 = 0
        bench.wait(.seconds(2)) { bench in
            position += 5000
            bench.advance(to: position)
        }
        #expect(bench.asks.count == 1, "before it could be of use")
        let again = try bench.nextAsk(within: .seconds(3)).id.number
        #expect(bench.lastAsk?.range == "bytes=0-" && bench.lastAsk?.fields.first("if-range") == nil)
        answer(&bench, secondsLater: 4)
        bench.advance(to: 10_000, of: again)
        #expect(bench.machine.written == RangeSet(ByteRange(0..<10_000)), "bytes of the first answer are left")
        bench.wait(.seconds(2)) { $0.advance(to: 20_000, of: again) }
        #expect(bench.asks.count > 2)
        #expect(bench.asks.dropFirst(2).allSatisfy { $0.fields.first("if-range") == "\"v\"" })
    }

    @Test func `V19 a recently modified file restarts at most once, however often it is modified`() throws {
        var bench = try MachineBench { $0.smallestPiece = 1 << 20 }
        bench.send(.begin)
        answer(&bench, secondsLater: 0)
        bench.wait(.seconds(4)) { $0.advance(to: 5000) }
        #expect(bench.asks.count == 2)
        answer(&bench, secondsLater: 2)
        bench.wait(.seconds(60)) { $0.advance(to: $0.machine.written.count + 5000) }
        #expect(bench.asks.count == 2)
    }

    @Test
    func `V19 after a break the bytes of a recently modified file are discarded, and the next answer is judged anew`()
        throws
    {
        var bench = try MachineBench { $0.smallestPiece = 1 << 20 }
        bench.send(.begin)
        answer(&bench, secondsLater: 1)
        bench.advance(to: 60_000_000)
        bench.cut()
        let next = try bench.nextAsk()
        #expect(next.range == "bytes=0-" && next.fields.first("if-range") == nil)
        #expect(bench.now >= .zero + .seconds(2), "before the file was old enough")
        #expect(bench.machine.written.isEmpty)
        answer(&bench, secondsLater: 5)
        bench.advance(to: 1_000_000)
        bench.cut()
        let last = try bench.nextAsk()
        #expect(last.range == "bytes=1000000-99999999" && last.fields.first("if-range") == "\"v\"")
    }

    @Test func `V19 if a digest decides at the end, several connections fetch a recently modified file`() throws {
        let digest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32))
        var bench = try MachineBench {
            $0.smallestPiece = 1 << 20
            $0.digest = digest
        }
        bench.send(.begin)
        answer(&bench, secondsLater: 0)
        bench.advance(to: 1000)
        bench.wait(.seconds(2)) { $0.advance(to: 2000) }
        #expect(bench.asks.count > 1)
        #expect(bench.lastAsk?.fields.first("if-range") == "\"v\"")
        #expect(!bench.reports.contains(.recentlyModified))
    }

    @Test func `V19 an entity tag served within the second of the change is not stored for later requests`() throws {
        let url = try HTTPURL(parsing: "http://origin.example/file.bin")
        var settings = DownloadSettings(url: url)
        settings.recordsOrigin = true
        func tag(servedAt date: String) -> String? {
            let found = Representation(
                total: 1, entityTag: EntityTag(parsing: "\"v\""), lastModified: Self.modified, date: date)
            return FileFacts(settings, found, matched: [], wallClock: 1_700_000_000).attributes
                .first { $0.name == FileFacts.entityTagName }?.value
        }
        #expect(tag(servedAt: Self.modified) == nil)
        #expect(tag(servedAt: "Sat, 01 Jan 2022 00:00:03 GMT") == "\"v\"")
    }
}
