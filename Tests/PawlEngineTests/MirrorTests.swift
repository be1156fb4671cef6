import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Several sources of one file, on a simulated machine.
@Suite struct MirrorTests {
    /// The bytes of `origin`, also served by mirrors with tags of their own.
    private func bench(_ mirrors: Int, size: Int = 1_000_000, seed: UInt64 = 1) throws -> EngineBench {
        var bench = try EngineBench(size: size, seed: seed)
        bench.settings.maximumConnections = 8
        for number in 1...mirrors {
            bench.mirrors["mirror\(number).example"] = Self.origin(bench.bytes, tag: "\"m\(number)\"")
            bench.settings.mirrors.append(
                Source(url: try HTTPURL(parsing: "http://mirror\(number).example/other/name")))
        }
        return bench
    }

    private static func origin(_ bytes: [UInt8], tag: String = "\"other\"") -> SimulatedOrigin {
        SimulatedOrigin(versions: [.init(bytes: bytes, entityTag: tag, lastModified: "Sun, 02 Jan 2022 00:00:00 GMT")])
    }

    private static func digest(_ bytes: [UInt8]) -> Digest? { SimulatedDigests().digest(bytes) }

    private static func pieces(_ bytes: [UInt8], _ length: Int) throws -> PieceHashes {
        try #require(SimulatedDigests().pieces(bytes, length: length))
    }

    /// The bytes with one changed, by default in the second half.
    private static func spoilt(_ bytes: [UInt8], at place: Int? = nil) -> [UInt8] {
        var bytes = bytes
        bytes[place ?? bytes.count * 3 / 4] ^= 1
        return bytes
    }

    // MARK: Concurrent sources

    @Test func `V15 with a digest all sources are used at once, and no source receives another's condition`() throws {
        var bench = try bench(2)
        bench.settings.digest = Self.digest(bench.bytes)
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: true))
        #expect(bench.listing == ["file.bin": bench.bytes])
        #expect(run.bytesByHost.count == 3)
        #expect(run.bytesByHost.values.allSatisfy { $0 > 100_000 })
        #expect(run.ending?.sources.count == 3)
        for request in run.requests {
            let own = ["origin.example": "\"one\"", "mirror1.example": "\"m1\"", "mirror2.example": "\"m2\""][
                request.url.host]
            #expect(request.fields.first("if-range").map { $0 == own } ?? true, "\(request)")
        }
        #expect(run.bodyBytes < 1_150_000)
    }

    @Test(arguments: 0..<5)
    func `mirrors of unequal speed finish within a twentieth of the time that their total rate allows`(
        _ seed: UInt64
    ) throws {
        var bench = try bench(2, size: 14_000_000, seed: seed)
        bench.settings.digest = Self.digest(bench.bytes)
        bench.settings.maximumConnections = 3
        bench.settings.smallestPiece = 65_536
        (bench.origin.bytesPerSecond, bench.origin.chunk, bench.origin.maximumConnections) = (800_000, 8000, 1)
        for (host, rate) in [("mirror1.example", 400_000), ("mirror2.example", 200_000)] as [(String, Int64)] {
            bench.mirrors[host]?.bytesPerSecond = rate
            bench.mirrors[host]?.chunk = 4000
            bench.mirrors[host]?.maximumConnections = 1
        }
        let run = bench.run()
        #expect(bench.listing == ["file.bin": bench.bytes])
        #expect(run.took < .milliseconds(10_500), "\(run.took)")
        #expect(run.bodyBytes < 14_700_000, "\(run.bodyBytes)")
    }

    @Test func `V15 without a digest no mirror is used while the first source works`() throws {
        var bench = try bench(2)
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: false))
        #expect(Set(run.requests.map(\.url.host)) == ["origin.example"])
    }

    @Test func `V15 without a digest the next mirror starts from zero when the source in use has failed`() throws {
        var bench = try bench(2)
        bench.origin.refusal = 404
        bench.mirrors["mirror1.example"]?.refusal = 410
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: false))
        #expect(bench.listing == ["file.bin": bench.bytes])
        #expect(run.requests.prefix(3).map(\.url.host) == ["origin.example", "mirror1.example", "mirror2.example"])
        #expect(run.requests[2].fields.first("range") == "bytes=0-" && run.requests[2].fields.first("if-range") == nil)
        #expect(run.reports.count { if case .sourceFailed = $0 { true } else { false } } == 2)
    }

    @Test(arguments: [0.3, 0.7])
    func `V15 without a digest a mirror never adds to another source's bytes`(_ share: Double) throws {
        var bench = try bench(1)
        // A byte at the beginning differs, so mixed bytes would show.
        let other = Self.spoilt(bench.bytes, at: 5)
        bench.mirrors["mirror1.example"] = Self.origin(other, tag: "\"one\"")
        bench.settings.retry.maximumTriesWithoutProgress = 2
        bench.settings.maximumConnections = 1
        bench.origin.bytesPerSecond = 200_000
        let cut = Duration.seconds(5 * share)
        let first = bench.run { _ in
        } during: { driver, runtime in
            runtime.after(cut) { driver.pause() }
        }
        #expect(first.ending?.phase == .paused)
        bench.origin.refusal = 404
        let second = bench.run()
        #expect(second.outcome?.isComplete == true)
        #expect(bench.contents("file.bin") == other)
        #expect(second.requests.last { $0.url.host == "mirror1.example" } != nil)
    }

    @Test func `V15 without a digest, bytes from one mirror are resumed from that mirror alone`() throws {
        var bench = try bench(1)
        let other = Self.spoilt(bench.bytes, at: 5)
        // Tag and length equal the first source's: only the record of the source tells them apart.
        bench.mirrors["mirror1.example"] = Self.origin(other, tag: "\"one\"")
        bench.mirrors["mirror1.example"]?.bytesPerSecond = 200_000
        bench.settings.maximumConnections = 1
        bench.origin.refusal = 404
        let first = bench.run { _ in
        } during: { driver, runtime in
            runtime.after(.seconds(3)) { driver.pause() }
        }
        #expect(first.ending?.phase == .paused)
        bench.origin.refusal = nil
        let second = bench.run()
        #expect(second.outcome?.isComplete == true)
        #expect(bench.contents("file.bin") == other)
        #expect(Set(second.requests.map(\.url.host)) == ["mirror1.example"])
        #expect(second.bodyBytes < 500_000)
    }

    @Test func `V15 equal digests from two servers show that they have the same file`() throws {
        var bench = try bench(3)
        bench.origin.sendsDigest = true
        bench.mirrors["mirror1.example"]?.sendsDigest = true
        // The second mirror has another file and says so; the third gives no digest.
        bench.mirrors["mirror2.example"] = Self.origin(Self.spoilt(bench.bytes))
        bench.mirrors["mirror2.example"]?.sendsDigest = true
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: true))
        #expect(bench.listing == ["file.bin": bench.bytes])
        #expect((run.bytesByHost["mirror1.example"] ?? 0) > 100_000)
        #expect(run.ending?.sources.map(\.host) == ["origin.example", "mirror1.example"])
        #expect(run.reports.count { if case .mirrorDiffers = $0 { true } else { false } } == 2)
    }

    // MARK: Mirrors with wrong bytes

    @Test(arguments: [999_999, 1_000_001, 0])
    func `V15 a mirror whose file has a different length is dropped and reported`(_ size: Int) throws {
        var bench = try bench(1)
        bench.settings.digest = Self.digest(bench.bytes)
        bench.mirrors["mirror1.example"] = Self.origin(EngineBench.bytes(size, 7))
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: true))
        #expect(bench.listing == ["file.bin": bench.bytes])
        #expect(run.ending?.sources.map(\.host) == ["origin.example"])
        #expect(run.reports.contains { if case .mirrorDiffers = $0 { true } else { false } })
    }

    @Test(arguments: 0..<5)
    func
        `V15 when only the whole digest reveals a mirror's wrong bytes, the file is fetched again from a single source`(
            _ seed: UInt64
        ) throws
    {
        var bench = try bench(2, seed: seed)
        bench.settings.digest = Self.digest(bench.bytes)
        var lies = bench.bytes
        for place in stride(from: 0, to: lies.count, by: 1000) { lies[place] ^= 1 }
        bench.mirrors["mirror1.example"] = Self.origin(lies)
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: true))
        #expect(bench.contents("file.bin") == bench.bytes)
        #expect(run.reports.contains { if case .startedAlone = $0 { true } else { false } })
        #expect(run.bodyBytes < 2_300_000)
    }

    @Test(arguments: [1, 3])
    func `V15 when the first source itself is wrong, the next one is used, and if all are wrong the download fails`(
        _ liars: Int
    ) throws {
        var bench = try bench(2)
        let bytes = bench.bytes
        bench.settings.digest = Self.digest(bytes)
        func lie(_ seed: UInt64) -> SimulatedOrigin { Self.origin(EngineBench.bytes(bytes.count, 70 + seed)) }
        bench.origin = lie(0)
        if liars > 1 { bench.mirrors = ["mirror1.example": lie(1), "mirror2.example": lie(2)] }
        let run = bench.run()
        if liars == 1 {
            #expect(run.outcome == .init(isComplete: true, isVerified: true))
            #expect(bench.contents("file.bin") == bytes)
        } else {
            #expect(run.errorCode == .digestMismatch)
            #expect(bench.contents("file.bin") == nil)
            #expect(run.bodyBytes < 6_000_000)
        }
    }

    @Test func `a mirror that ignores ranges is dropped, and nothing of its answer is stored`() throws {
        var bench = try bench(1)
        bench.settings.digest = Self.digest(bench.bytes)
        bench.mirrors["mirror1.example"]?.ranges = .ignored
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: true))
        #expect(run.ending?.sources.map(\.host) == ["origin.example"])
        #expect(run.requests.count { $0.url.host == "mirror1.example" } == 1)
        #expect(run.reports.contains { if case .mirrorDiffers = $0 { true } else { false } })
    }

    @Test func `mirrors with ranges help a first source without them`() throws {
        var bench = try bench(2)
        bench.settings.digest = Self.digest(bench.bytes)
        bench.origin.ranges = .ignored
        bench.origin.bytesPerSecond = 100_000
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: true))
        #expect(run.took < .seconds(4), "\(run.took)")
    }

    // MARK: Faults

    @Test(arguments: [404, 503, 429, 500, 403, 401, 416])
    func `a source that is gone, busy or dead costs only its own share`(_ status: Int) throws {
        for isFirst in [true, false] {
            var bench = try bench(2)
            bench.settings.digest = Self.digest(bench.bytes)
            if isFirst { bench.origin.refusal = status } else { bench.mirrors["mirror1.example"]?.refusal = status }
            bench.origin.bytesPerSecond = 200_000
            let run = bench.run()
            #expect(
                run.outcome == .init(isComplete: true, isVerified: true), "\(run.ending.map { "\($0.phase)" } ?? "")")
            #expect(bench.listing == ["file.bin": bench.bytes])
            #expect(run.took < .seconds(60), "\(run.took)")
            guard status == 404, !isFirst else { continue }
            #expect(
                run.reports.contains {
                    if case .sourceFailed(_, let error) = $0 { error.code == .notFound } else { false }
                })
        }
    }

    @Test(arguments: 0..<3)
    func `the last bytes do not wait for a mirror that dies, stalls or crawls`(_ fault: Int) throws {
        var bench = try bench(2, size: 2_000_000)
        bench.settings.digest = Self.digest(bench.bytes)
        bench.origin.bytesPerSecond = 400_000
        bench.mirrors["mirror2.example"]?.bytesPerSecond = 200_000
        switch fault {
        case 0: bench.mirrors["mirror1.example"]?.diesMidBody = 1
        case 1: bench.mirrors["mirror1.example"]?.stalls = 1
        default: bench.mirrors["mirror1.example"]?.bytesPerSecond = 1000
        }
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: true))
        #expect(run.took < .seconds(7), "\(run.took)")
    }

    @Test func `the error for the failure of all sources says so`() throws {
        var bench = try bench(2)
        bench.origin.refusal = 404
        for host in bench.mirrors.keys { bench.mirrors[host]?.refusal = 404 }
        let run = bench.run()
        #expect(run.errorCode == .notFound)
        guard case .failed(let error)? = run.ending?.phase else { return }
        #expect(error.message.contains("The other 2 sources failed as well"))
        #expect(bench.listing.isEmpty)
    }

    @Test func `an expected size rejects another file before a byte of it is stored`() throws {
        var bench = try EngineBench()
        bench.settings.expectedSize = 12_345
        let run = bench.run()
        #expect(run.errorCode == .changed)
        #expect(bench.listing.isEmpty)
    }

    @Test(arguments: [0, 128 << 10] as [Int64])
    func `a body without a length that is longer than the expected size is another file, and never cut to that size`(
        _ largestHeldFile: Int64
    ) throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            var bench = try EngineBench(seed: seed)
            bench.largestHeldFile = largestHeldFile
            (bench.origin.sendsLength, bench.origin.ranges, bench.origin.bytesPerSecond) = (false, .ignored, 40_000)
            bench.settings.expectedSize = Int64(bench.bytes.count - 2000)
            let run = bench.run()
            #expect(run.errorCode == .changed, "seed \(seed): \(run.ending.map { "\($0.phase)" } ?? "no end")")
            #expect(!bench.names.contains("file.bin"), "seed \(seed)")
        }
    }

    // MARK: Resuming

    @Test(arguments: [true, false])
    func `bytes mixed from several sources resume from any source with a digest; without one the file restarts`(
        _ hasDigest: Bool
    ) throws {
        var bench = try bench(2)
        bench.settings.digest = Self.digest(bench.bytes)
        bench.origin.bytesPerSecond = 50_000
        for host in bench.mirrors.keys { bench.mirrors[host]?.bytesPerSecond = 50_000 }
        let first = bench.run { _ in
        } during: { driver, runtime in
            runtime.after(.seconds(3)) { driver.pause() }
        }
        #expect(first.ending?.phase == .paused)
        let held = first.ending?.stored ?? 0
        #expect(held > 200_000)
        if hasDigest { bench.origin.refusal = 404 } else { bench.settings.digest = nil }
        let second = bench.run()
        #expect(second.outcome == .init(isComplete: true, isVerified: hasDigest))
        #expect(bench.contents("file.bin") == bench.bytes)
        #expect(hasDigest ? second.bodyBytes < 1_100_000 - held : second.bodyBytes >= 1_000_000)
    }

    // MARK: Pieces

    @Test(arguments: 0..<5)
    func `a wrong piece costs one piece, is fetched from another source, and marks the source that sent it`(
        _ seed: UInt64
    ) throws {
        var bench = try bench(2, seed: seed)
        let length = 20_000
        bench.settings.pieceHashes = try Self.pieces(bench.bytes, length)
        let lies = Self.spoilt(bench.bytes)
        bench.mirrors["mirror1.example"] = Self.origin(lies)
        bench.mirrors["mirror2.example"] = Self.origin(lies)
        // Most bytes come from the two mirrors with the wrong byte.
        bench.origin.bytesPerSecond = 100_000
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: true))
        #expect(bench.listing == ["file.bin": bench.bytes])
        let wrong = run.reports.compactMap { if case .pieceWrong(let index, _, _) = $0 { index } else { nil } }
        #expect(Set(wrong).isSubset(of: [37]))
        #expect(run.bodyBytes <= 1_000_000 + Int64(wrong.count * length) + 150_000, "\(run.bodyBytes) \(wrong)")
    }

    @Test func `a mirror that is wrong everywhere is dropped after two pieces, and no right bytes are lost`() throws {
        var bench = try bench(1)
        bench.settings.pieceHashes = try Self.pieces(bench.bytes, 20_000)
        bench.settings.digest = Self.digest(bench.bytes)
        bench.mirrors["mirror1.example"] = Self.origin(EngineBench.bytes(1_000_000, 8))
        bench.origin.bytesPerSecond = 200_000
        bench.mirrors["mirror1.example"]?.bytesPerSecond = 200_000
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: true))
        #expect(bench.listing == ["file.bin": bench.bytes])
        #expect((run.bytesByHost["mirror1.example"] ?? 0) < 400_000)
        #expect((run.bytesByHost["origin.example"] ?? 0) < 1_100_000)
    }

    @Test func `a single source that is always wrong fails with the piece and the host, and right pieces are kept`()
        throws
    {
        var bench = try EngineBench(size: 200_000)
        bench.settings.pieceHashes = try Self.pieces(Self.spoilt(bench.bytes), 20_000)
        let run = bench.run()
        #expect(run.errorCode == .digestMismatch)
        guard case .failed(let error)? = run.ending?.phase else { return }
        #expect(error.message.contains("Piece 7 ") && error.message.contains("origin.example"), "\(error.message)")
        #expect(bench.names == ["file.bin.part", "file.bin.pawl"])
        #expect(run.ending?.stored == 180_000)
        bench.settings.pieceHashes = try Self.pieces(bench.bytes, 20_000)
        let second = bench.run()
        #expect(second.outcome == .init(isComplete: true, isVerified: true))
        #expect(second.bodyBytes < 60_000)
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    @Test func `the pieces of an earlier run are verified before they are used`() throws {
        var bench = try EngineBench(size: 200_000)
        bench.settings.pieceHashes = try Self.pieces(bench.bytes, 20_000)
        bench.install("file.bin.part", Self.spoilt(bench.bytes, at: 30_000))
        try bench.installJournal(durable: RangeSet(ByteRange(0..<150_000)))
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: true))
        #expect(bench.listing == ["file.bin": bench.bytes])
        #expect(run.bodyBytes < 50_000 + 20_000 + 40_000, "\(run.bodyBytes)")
    }

    // MARK: Server-named mirrors

    @Test(arguments: [true, false])
    func `RFC 6249 mirrors that a server names with a digest are used only if the caller allows them`(
        _ isAsked: Bool
    ) throws {
        var bench = try EngineBench(size: 1_000_000)
        bench.mirrors["near.example"] = Self.origin(bench.bytes)
        let digest = Base64.encode(Self.digest(bench.bytes)?.bytes ?? [])
        bench.origin.fields = [
            HTTPField("Link", "<http://near.example/x>; rel=duplicate; pri=1, <ftp://far.example/x>; rel=duplicate"),
            HTTPField("Digest", "SHA-256=\(digest)"),
        ]
        bench.settings.usesServerMirrors = isAsked
        let run = bench.run()
        #expect(run.outcome == .init(isComplete: true, isVerified: isAsked))
        #expect(((run.bytesByHost["near.example"] ?? 0) > 100_000) == isAsked)
        #expect(bench.listing == ["file.bin": bench.bytes])
    }

    @Test func `RFC 6249 §6 server-named mirrors without a digest are not used`() throws {
        var bench = try EngineBench(size: 1_000_000)
        bench.origin.fields = [HTTPField("Link", "<http://near.example/x>; rel=duplicate")]
        bench.settings.usesServerMirrors = true
        let run = bench.run()
        #expect(run.outcome?.isComplete == true)
        #expect(Set(run.requests.map(\.url.host)) == ["origin.example"])
    }
}
