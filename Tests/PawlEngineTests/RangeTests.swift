import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite("Parts of a file, simulated")
struct RangeTests {
    private static func slices(_ text: String, of bytes: [UInt8]) throws -> [UInt8] {
        try RangeSelection(parsing: text).resolved(total: Int64(bytes.count)).pieces
            .flatMap { bytes[Int($0.start)..<Int($0.end)] }
    }

    @Test(
        arguments: [
            "0-499", "500-999", "99000-", "-700", "500-599,800-899", "800-899,500-599", "0-99,50-149", "-1,0-0", "0-",
            "10-20,30-40,50-60,-10",
        ],
        [1, 8])
    func `each form of range brings its bytes, in the requested order, and no others`(
        text: String, connections: Int
    ) throws {
        var bench = try EngineBench()
        bench.settings.ranges = try RangeSelection(parsing: text)
        bench.settings.maximumConnections = connections
        let run = bench.run()
        let expected = try Self.slices(text, of: bench.bytes)
        #expect(run.outcome?.isComplete == true)
        #expect(bench.contents("file.bin") == expected)
        #expect(run.ending?.total == Int64(expected.count))
        #expect(bench.names == ["file.bin"])
        #expect(run.bodyBytes <= Int64(expected.count) + 8192, "fetched \(run.bodyBytes)")
    }

    @Test func `the first request covers the wanted parts, from their first byte or from the end`() throws {
        for (text, field) in [
            ("500-599,0-1", "bytes=0-1,500-599"), ("500-599,-1", "bytes=500-599"), ("-300", "bytes=-300"),
            ("70000-", "bytes=70000-"),
        ] {
            var bench = try EngineBench()
            bench.settings.ranges = try RangeSelection(parsing: text)
            #expect(bench.run().requests.first?.fields.first("range") == field)
        }
    }

    @Test(arguments: SimulatedOrigin.Several.allCases)
    func `several small parts go into one request, and the result is right whatever the server answers`(
        _ kind: SimulatedOrigin.Several
    ) throws {
        for text in ["500-599,800-899,5000-5999", "5000-5999,500-599,-10", "10-19,20-29,99000-"] {
            var bench = try EngineBench()
            bench.origin.several = kind
            bench.settings.ranges = try RangeSelection(parsing: text)
            let run = bench.run()
            #expect(run.outcome?.isComplete == true, "\(text): \(String(describing: run.ending?.phase))")
            #expect(bench.contents("file.bin") == (try Self.slices(text, of: bench.bytes)))
            if text.hasPrefix("500-") {
                #expect(run.requests.first?.fields.first("range") == "bytes=500-599,800-899,5000-5999")
                if kind == .parts || kind == .merged { #expect(run.requests.count == 1) }
            }
            #expect(run.took < .seconds(5), "\(run.took)")
        }
    }

    @Test func `of many small parts ten go into each request, in sequence on one connection`() throws {
        var bench = try EngineBench()
        let text = (0..<25).map { "\($0 * 3000)-\($0 * 3000 + 99)" }.joined(separator: ",")
        bench.settings.ranges = try RangeSelection(parsing: text)
        let run = bench.run()
        #expect(bench.contents("file.bin") == (try Self.slices(text, of: bench.bytes)))
        #expect(run.requests.map { $0.fields.first("range")?.split(separator: ",").count } == [10, 10, 5])
        #expect(run.requests[1].fields.first("if-range") == bench.origin.versions[0].entityTag)
    }

    @Test func `a large part is requested alone, and the small ones after it together`() throws {
        var bench = try EngineBench()
        bench.settings.maximumConnections = 1
        bench.settings.ranges = try RangeSelection(parsing: "0-19999,30000-30009,40000-40009")
        let run = bench.run()
        #expect(run.requests.map { $0.fields.first("range") } == ["bytes=0-19999", "bytes=30000-30009,40000-40009"])
        #expect(bench.contents("file.bin") == (try Self.slices("0-19999,30000-30009,40000-40009", of: bench.bytes)))
    }

    @Test
    func
        `a server that answers several ranges with the whole large file is remembered, and asked for one range at a time`()
        throws
    {
        var bench = try EngineBench(size: 30 << 20)
        bench.origin.several = .whole
        bench.settings.maximumConnections = 1
        let text = "0-99,10000000-10000099,20000000-20000099,30000000-30000099"
        bench.settings.ranges = try RangeSelection(parsing: text)
        let run = bench.run()
        #expect(bench.contents("file.bin") == (try Self.slices(text, of: bench.bytes)))
        #expect(run.requests.count == 5)
        #expect(run.requests.count { $0.fields.first("range")?.contains(",") ?? false } == 1)
        #expect(run.bodyBytes < 1 << 20, "fetched \(run.bodyBytes)")
    }

    @Test func `in a sparse result the parts keep their positions, and the rest is holes`() throws {
        var bench = try EngineBench()
        bench.settings.ranges = try RangeSelection(parsing: "1000-1999,50000-50999")
        bench.settings.isSparse = true
        _ = bench.run()
        let contents = try #require(bench.contents("file.bin"))
        #expect(contents.count == 51_000)
        #expect(contents[1000..<2000] == bench.bytes[1000..<2000])
        #expect(contents[50_000..<51_000] == bench.bytes[50_000..<51_000])
        #expect(contents[..<1000].allSatisfy { $0 == 0 } && contents[2000..<50_000].allSatisfy { $0 == 0 })
    }

    @Test(arguments: [true, false])
    func `a server without ranges is read as far as needed, and only the parts are kept`(sendsLength: Bool) throws {
        for (text, isSparse) in [("500-599,800-899", false), ("500-599,800-899", true)] {
            var bench = try EngineBench()
            bench.origin.ranges = .ignored
            bench.origin.sendsLength = sendsLength
            bench.settings.ranges = try RangeSelection(parsing: text)
            bench.settings.isSparse = isSparse
            let run = bench.run()
            #expect(run.outcome != nil, "\(String(describing: run.ending?.phase))")
            let contents = try #require(bench.contents("file.bin"))
            if isSparse {
                #expect(
                    contents.count == 900 && contents[..<500].allSatisfy { $0 == 0 }
                        && contents[500..<600] == bench.bytes[500..<600])
            } else {
                #expect(contents == (try Self.slices(text, of: bench.bytes)))
            }
            #expect(run.bodyBytes < 30_000)
        }
    }

    @Test func `a server without ranges is refused if too much would have to be read for nothing`() throws {
        var bench = try EngineBench()
        bench.origin.versions[0].bytes = [UInt8](repeating: 7, count: 17 << 20)
        bench.origin.ranges = .ignored
        bench.settings.ranges = try RangeSelection(parsing: "-10")
        let run = bench.run()
        #expect(run.errorCode == .rangesNotSupported)
        #expect(run.bodyBytes < 1 << 20)
        #expect(bench.names.isEmpty)
    }

    @Test(arguments: ["100000-", "0-9,200000-200001", "-5"])
    func `parts beyond the file's end are an error that gives the file's length`(text: String) throws {
        for ranges in [SimulatedOrigin.Ranges.honoured, .ignored] {
            var bench = try EngineBench(size: text == "-5" ? 0 : 100_000)
            bench.origin.ranges = ranges
            bench.settings.ranges = try RangeSelection(parsing: text)
            let run = bench.run()
            guard case .failed(let error)? = run.ending?.phase else {
                Issue.record("\(String(describing: run.ending?.phase))")
                continue
            }
            #expect(error.code == .invalidArgument)
            #expect(error.message.contains(text == "-5" ? "0 bytes" : "100000 bytes"), "\(error.message)")
            #expect(!bench.names.contains("file.bin"))
        }
    }

    @Test func `the caller's digest applies to the parts, and the server's digest of the whole file is ignored`() throws
    {
        for text in ["500-599,100-199", "100-199,500-599"] {
            var bench = try EngineBench()
            bench.origin.sendsDigest = true
            bench.settings.ranges = try RangeSelection(parsing: text)
            let plain = bench.run()
            #expect(plain.outcome?.isComplete == true && plain.outcome?.isVerified == false)
            var other = try EngineBench(seed: 2)
            other.settings.ranges = bench.settings.ranges
            other.settings.digest = SimulatedDigests().digest(try Self.slices(text, of: other.bytes))
            #expect(other.run().outcome?.isVerified == true)
            var wrong = try EngineBench(seed: 3)
            wrong.settings.ranges = bench.settings.ranges
            wrong.settings.digest = SimulatedDigests().digest(wrong.bytes)
            #expect(wrong.run().errorCode == .digestMismatch)
        }
    }

    @Test func `the same parts resume, but other parts or the whole file are refused`() throws {
        var bench = try EngineBench()
        bench.settings.ranges = try RangeSelection(parsing: "10000-39999,60000-89999")
        bench.origin.bytesPerSecond = 10_000
        bench.settings.maximumConnections = 1
        _ = bench.run(during: { driver, runtime in runtime.after(.seconds(2)) { driver.pause() } })
        let held = try #require(bench.contents("file.bin.part")?.count)
        #expect(held <= 60_000)
        for other in [nil, try RangeSelection(parsing: "10000-39999")] {
            let ranges = bench.settings.ranges
            bench.settings.ranges = other
            let run = bench.run()
            #expect(run.errorCode == .journal)
            #expect(run.requests.isEmpty)
            bench.settings.ranges = ranges
        }
        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        #expect(run.bodyBytes < 60_000, "what was held is not fetched again")
        #expect(bench.contents("file.bin") == (try Self.slices("10000-39999,60000-89999", of: bench.bytes)))
    }

    @Test func `a single part of a file without any validator is accepted, because nothing is added to it`() throws {
        var bench = try EngineBench()
        bench.origin.validator = .none
        bench.settings.ranges = try RangeSelection(parsing: "90000-90999")
        let run = bench.run()
        #expect(bench.contents("file.bin") == (try Self.slices("90000-90999", of: bench.bytes)))
        #expect(run.requests.count == 1)
    }

    @Test(arguments: 0..<40)
    func
        `whatever parts are requested, whatever fails and however often the program is killed, the result is exactly these parts`(
            seed: Int
        ) throws
    {
        var random = SplitMix64(seed: UInt64(seed))
        func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
        let size = 1 + pick(100_000)
        let texts = (0..<(1 + pick(5))).map { _ -> String in
            switch pick(4) {
            case 0: return "-\(1 + pick(size))"
            case 1: return "\(pick(size))-"
            default:
                let start = pick(size)
                return "\(start)-\(start + pick(20_000))"
            }
        }
        let text = texts.joined(separator: ",")
        var bench = try EngineBench(size: size, seed: UInt64(seed) &+ 1)
        bench.settings.ranges = try RangeSelection(parsing: text)
        bench.settings.maximumConnections = 1 + pick(6)
        bench.origin.bytesPerSecond = Int64(20_000 + pick(200_000))
        bench.origin.chunk = [700, 4096][pick(2)]
        if pick(4) == 0 { bench.origin.ranges = .sometimes }
        if pick(3) == 0 { bench.origin.diesMidBody = 0.3 }
        if pick(4) == 0 { bench.origin.dropsContentRange = 0.2 }
        if pick(4) == 0 { bench.origin.answersShort = 0.3 }
        let expected = try Self.slices(text, of: bench.bytes)
        for life in 0..<6 where bench.contents("file.bin") == nil {
            if life == 5 { bench.origin = bench.origin.healed }
            let limit: Duration = life == 5 ? .seconds(3600) : .milliseconds(100 + pick(3000))
            _ = bench.run(limit: limit)
            if bench.contents("file.bin") == nil { bench.disk.kill() }
        }
        #expect(bench.contents("file.bin") == expected, "\(text) of \(size)")
    }

    /// Assembling parts makes a second file, so the partial file still exists when the final name appears.
    @Test(arguments: [true, false], [true, false])
    func `after a cut anywhere while parts are assembled, the next run ends right and leaves nothing`(
        isPowerCut: Bool, isSlow: Bool
    ) throws {
        let text = "50000-59999,0-9999"
        var operation = 0
        var cutsAfterTheName = 0
        var hasCompleted = false
        while !hasCompleted {
            operation += 1
            var bench = try EngineBench(size: 60_000, seed: UInt64(operation))
            bench.settings.ranges = try RangeSelection(parsing: text)
            bench.settings.maximumConnections = 2
            // Slow enough for a checkpoint, or so fast that there is no journal before the end.
            if isSlow { bench.origin.bytesPerSecond = 3000 }
            let expected = try Self.slices(text, of: bench.bytes)
            bench.disk.stopAfter(operations: operation)
            hasCompleted = bench.run().outcome != nil
            if isPowerCut { bench.disk.crash() } else { bench.disk.kill() }
            if let found = bench.contents("file.bin") {
                #expect(found == expected, "cut \(operation)")
                if !hasCompleted { cutsAfterTheName += 1 }
            }
            guard !hasCompleted else { continue }
            let wasThere = bench.contents("file.bin") != nil
            let run = bench.run()
            // If only the final name is left, the download is as finished as can be, and a new run reports the existing
            // file.
            let isDone = wasThere && run.errorCode == .fileExists && bench.names == ["file.bin"]
            #expect(
                isDone || run.outcome?.isComplete == true,
                "cut \(operation): \(run.ending.map { "\($0.phase)" } ?? "no end")")
            #expect(bench.contents("file.bin") == expected, "cut \(operation)")
            // Bytes that a torn journal described are set aside, not believed.
            #expect(bench.names.filter { !$0.hasSuffix(".orphan-1") } == ["file.bin"], "cut \(operation)")
        }
        #expect(cutsAfterTheName >= 3)
    }

    @Test func `a file assembled from parts has the requested time and attributes`() throws {
        var bench = try EngineBench()
        bench.settings.ranges = try RangeSelection(parsing: "500-599,0-99")
        bench.settings.keepsRemoteTime = true
        bench.settings.recordsOrigin = true
        #expect(bench.run().outcome?.isComplete == true)
        let directory = try bench.disk.openDirectory(EngineBench.directory)
        let file = try directory.open("file.bin", writable: false)
        #expect(try file.status().modified == 1_640_995_200)
        #expect(try file.attribute("user.xdg.origin.url") != nil)
    }
}
