import Testing

@testable import PawlCore

@Suite("The list of a download's sources")
struct SourceListTests {
    private let error = DownloadError(.notFound, "There is no such file.", recovery: .giveUp)

    private func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

    private func source(_ name: String, _ scheme: String = "http") throws -> Source {
        Source(url: try HTTPURL(parsing: "\(scheme)://\(name).example/file.bin"))
    }

    /// The caller's own URL and its mirrors.
    private func list(_ count: Int) throws -> SourceList {
        SourceList(try (0..<count).map { SourceState(try source("host\($0)"), maximumConnections: 4) })
    }

    @Test func `a single source offers no choice; several offer one until only one may be used`() throws {
        #expect(try !list(1).offersChoice)
        var sources = try list(2)
        #expect(sources.offersChoice)
        let continues = sources.continueAlone(after: error, isFromThisRun: true)
        #expect(continues && sources.isSingleSource && !sources.offersChoice && sources.lead == .own)
    }

    @Test func `after a digest mismatch, a source that gave every byte is abandoned; among several givers, none is`()
        throws
    {
        for (givers, isFromThisRun, lead) in [([0], true, 1), ([0], false, 0), ([0, 1], true, 0)] {
            var sources = try list(2)
            for giver in givers { sources[SourceID(giver)].file.given = RangeSet(ByteRange(0..<10)) }
            let continues = sources.continueAlone(after: error, isFromThisRun: isFromThisRun)
            #expect(continues && sources.lead == SourceID(lead) && sources[sources.lead].isUsable)
        }
        var sources = try list(2)
        for id in sources.indices { sources[id].standing = .failed(error) }
        let continues = sources.continueAlone(after: error, isFromThisRun: true)
        #expect(!continues, "none is left")
    }

    @Test func `the lead passes to a usable source, and to one that differed only as a last resort`() throws {
        var sources = try list(3)
        sources[.own].standing = .failed(error)
        sources[SourceID(1)].standing = .different
        var isPassed = [sources.passLead()]
        #expect(sources.lead == SourceID(2))
        sources[SourceID(2)].standing = .failed(error)
        isPassed.append(sources.passLead())
        #expect(sources.lead == SourceID(1))
        sources[SourceID(1)].standing = .failed(error)
        isPassed.append(sources.passLead())
        #expect(isPassed == [true, true, false])
    }

    @Test func `a lead that is unusable or has to wait is replaced by a source that is ready`() throws {
        var sources = try list(3)
        sources.replaceUnusableLead(where: \.isUsable)
        sources.replaceWaitingLead(at: at(0))
        #expect(sources.lead == .own)
        sources[.own].retry.rest(until: at(60))
        sources.replaceWaitingLead(at: at(0))
        #expect(sources.lead == SourceID(1))
        sources[SourceID(1)].standing = .different
        sources.replaceUnusableLead(where: \.isUsable)
        #expect(sources.lead == .own)
    }

    @Test func `when sources share the file, the first that is free sets the next start; otherwise only the lead does`()
        throws
    {
        var sources = try list(2)
        sources[.own].retry.rest(until: at(60))
        #expect(sources.nextStart(isSharing: true) == nil)
        #expect(sources.nextStart(isSharing: false) == at(60))
        sources[SourceID(1)].retry.rest(until: at(30))
        #expect(sources.nextStart(isSharing: true) == at(30))
        sources[SourceID(1)].standing = .failed(error)
        #expect(sources.nextStart(isSharing: true) == at(60))
    }

    @Test func `waits end on time, and a second chance comes only when others share the file`() throws {
        var sources = try list(2)
        sources[.own].retry.rest(until: at(10))
        sources[SourceID(1)].standing = .failed(error)
        sources[SourceID(1)].retry.secondChance = at(20)
        sources.endRests(at: at(9), isSharing: true)
        #expect(sources.nextStart(isSharing: true) == at(10))
        sources.endRests(at: at(20), isSharing: false)
        #expect(sources.nextStart(isSharing: true) == nil && !sources[SourceID(1)].isUsable)
        sources.endRests(at: at(20), isSharing: true)
        #expect(sources[SourceID(1)].isUsable)
    }

    @Test func `the givers of bytes are known by range, and forgotten with the file`() throws {
        var sources = try list(3)
        sources[.own].file.given = RangeSet(ByteRange(0..<10))
        sources[SourceID(2)].file.given = RangeSet(ByteRange(5..<20))
        (sources[.own].received, sources[SourceID(2)].received) = (10, 15)
        #expect(sources.givers == [.own, SourceID(2)] && sources.received == 25)
        #expect(sources.givers(of: ByteRange(0..<5)) == [.own] && sources.givers(of: ByteRange(20..<30)).isEmpty)
        sources[SourceID(1)].standing = .different
        sources.forgetRepresentation()
        #expect(sources.givers.isEmpty && sources.received == 25 && sources[SourceID(1)].isUsable)
    }

    @Test func `server-named mirrors are added once, up to a limit, and never lead from TLS to clear text`() throws {
        var sources = try list(1)
        let named = [try source("host0"), try source("plain"), try source("secret", "https")]
        sources.add(serverMirrors: named, isSecure: true)
        #expect(sources.map(\.source.url.host) == ["host0.example", "secret.example"])
        #expect(sources.map(\.isServerSuggested) == [false, true])
        sources.add(serverMirrors: try (0..<50).map { try source("mirror\($0)") }, isSecure: false)
        #expect(sources.count == 1 + SourceList.maximumServerMirrors)
    }

    @Test func `when all sources have failed, the first error is reported with the number of the others`() throws {
        var sources = try list(3)
        #expect(sources.combinedError.code == .network)
        sources[.own].standing = .failed(error)
        #expect(sources.combinedError == error)
        sources[SourceID(1)].standing = .failed(error)
        #expect(sources.combinedError.message == "There is no such file. The other source failed as well.")
        sources[SourceID(2)].standing = .failed(error)
        #expect(sources.combinedError.message == "There is no such file. The other 2 sources failed as well.")
    }
}
