import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// One target on a real disk and a server that misbehaves, with the live transport, storage and engine. Only waits are
/// skipped.
///
/// A trial may run several times; each run acts as a new process. Waits that the download announces are skipped
/// automatically; a script that needs time to pass calls ``SkippedTime/skip(_:)``.
final class Trial: Sendable {
    let server: ScriptedServer
    let directory: TemporaryDirectory
    let time: SkippedTime
    /// The file that the server serves when all is well.
    let content: [UInt8]

    /// Holds the certificates that a client must trust. It is separate from `directory`, whose files are checked.
    private let trust: TemporaryDirectory?

    static let name = "file.bin"

    /// - Parameters:
    ///   - tls: Makes the server speak HTTPS, and every run trust it; ``ServerTLS/shared()`` makes one.
    ///   - parent: Where the target's directory is made; by default, beside other temporary ones.
    init(
        _ content: [UInt8] = FileBehaviour.pattern(count: 300_000), time: SkippedTime = SkippedTime(),
        tls: ServerTLS? = nil,
        in parent: String? = nil,
        admit: @escaping @Sendable (_ open: Int) -> ScriptedServer.Admission = { _ in .serve },
        script: @escaping ScriptedServer.Script
    ) throws {
        self.content = content
        self.time = time
        server = try ScriptedServer(tls: tls, admit: admit, script: script)
        directory = try TemporaryDirectory("fault", in: parent)
        trust = try tls.map(Self.makeTrust)
    }

    /// A server that is correct except for the changes that `change` makes.
    init(
        _ content: [UInt8] = FileBehaviour.pattern(count: 300_000), time: SkippedTime = SkippedTime(),
        tls: ServerTLS? = nil,
        in parent: String? = nil, _ change: (inout FileBehaviour) -> Void = { _ in }
    ) throws {
        self.content = content
        self.time = time
        var behaviour = FileBehaviour(content: content)
        change(&behaviour)
        server = try ScriptedServer(tls: tls, file: behaviour)
        directory = try TemporaryDirectory("fault", in: parent)
        trust = try tls.map(Self.makeTrust)
    }

    private static func makeTrust(in tls: ServerTLS) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory("trust")
        try Files.write(tls.authority, to: directory.file("ca.pem"))
        return directory
    }

    deinit { server.stop() }

    var target: String { directory.file(Self.name) }
    var partial: String { target + ".part" }
    var journal: String { target + ".pawl" }

    /// The default configuration of a run: it trusts this trial's server.
    var transport: TransportConfiguration {
        var configuration = TransportConfiguration()
        configuration.certificateAuthorityFile = trust?.file("ca.pem")
        return configuration
    }

    // MARK: Running

    /// Runs a download from start to end. Pieces and the overlap are small, so that a small file is fetched like a
    /// large one.
    ///
    /// - Parameters:
    ///   - path: The path and query of the URL on the server.
    ///   - url: A different URL, in place of the server's.
    ///   - during: Runs beside the download; once it returns, the download runs to its end.
    func run(
        path: String = "/file.bin", url: String? = nil, _ change: (inout Plan) -> Void = { _ in },
        transport configuration: TransportConfiguration? = nil,
        storage: any Storage = POSIXStorage(), largestHeldFile: Int64 = 0, cookies: CookieJar = CookieJar(),
        certificate: [UInt8]? = nil, eventLoops: Int? = nil,
        refresh: (@Sendable () async -> HTTPURL?)? = nil,
        timeout: Duration = .seconds(20),
        during: (DownloadDriver) async throws -> Void = { _ in }
    ) async throws -> Aftermath {
        var settings = DownloadSettings(url: try HTTPURL(parsing: url ?? server.url(path)))
        settings.smallestPiece = 16 * 1024
        settings.overlap = 4096
        var plan = Plan(settings: settings, directory: directory.path)
        plan.fileName = Self.name
        change(&plan)

        let live = try eventLoops.map { try LiveRuntime(eventLoops: $0) } ?? LiveRuntime()
        let runtime = SkippingRuntime(live, time)
        let transport = try HTTPTransport(configuration: configuration ?? self.transport, group: live.eventLoopGroup)
        let requestsBefore = server.requests.count
        let bytesBefore = server.bodyBytesSent
        let began = runtime.now

        let record = Locked(Record())
        var ports = Ports(transport: transport, storage: storage, runtime: runtime, digests: SystemDigests())
        ports.cookies.change { $0 = cookies }
        ports.clientCertificate = certificate
        ports.largestHeldFile = largestHeldFile
        let driver = DownloadDriver(
            plan, ports: ports,
            listener: ClosureListener(
                progress: { progress in
                    var until: Instant?
                    if case .waiting(let wait) = progress.state, progress.connections.isEmpty {
                        until = runtime.now + .seconds(wait.secondsUntilRetry ?? 0)
                    }
                    record.withLock { $0.waitsUntil = until }
                },
                report: { report in record.withLock { $0.reports.append(report) } },
                ended: { ending in record.withLock { $0.ending = ending } }),
            refreshURL: refresh)
        driver.start()
        try await during(driver)

        let deadline = ContinuousClock.now + timeout
        var lastSkip = ContinuousClock.now
        while record.withLock({ $0.ending == nil }), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(1))
            // Do not skip from inside the report: the driver sets its timer only after it. A report made while time was
            // skipped may still announce the wait that has just ended; the delay lets the event that ends it arrive
            // first.
            guard ContinuousClock.now - lastSkip >= .milliseconds(20) else { continue }
            let until = record.withLock { record in
                defer { record.waitsUntil = nil }
                return record.waitsUntil
            }
            guard let until, until > runtime.now else { continue }
            time.skip(until - runtime.now)
            lastSkip = .now
        }
        let took = runtime.now - began
        let hasEnded = record.withLock { $0.ending != nil }
        if !hasEnded { driver.cancel() }
        while record.withLock({ $0.ending == nil }), ContinuousClock.now < deadline + .seconds(5) {
            try await Task.sleep(for: .milliseconds(1))
        }
        runtime.end()
        try await transport.shutdown()
        await live.shutdown()
        try #require(hasEnded, "the download had not ended after \(timeout): \(record.withLock { $0.reports })")
        return try Aftermath(
            ending: try #require(record.withLock { $0.ending }), reports: record.withLock { $0.reports },
            requests: Array(server.requests.dropFirst(requestsBefore)), bodyBytes: server.bodyBytesSent - bytesBefore,
            took: took, directory: directory)
    }

    private struct Record {
        var ending: DownloadDriver.Ending?
        var reports: [DownloadReport] = []
        var waitsUntil: Instant?
    }

    // MARK: Files of an earlier run

    /// Leaves a partial file and a journal as a killed run would: `durable` ranges hold the content, the rest is zeros.
    func leave(
        durable: Range<Int>..., entityTag: String? = "\"v1\"", lastModified: String? = "Wed, 01 Jan 2020 00:00:00 GMT",
        path: String = "/file.bin", _ change: (inout JournalRecord) -> Void = { _ in }
    ) throws {
        var bytes = [UInt8](repeating: 0, count: content.count)
        for range in durable { bytes.replaceSubrange(range, with: content[range]) }
        try Files.write(bytes, to: partial)
        let url = try HTTPURL(parsing: server.url(path))
        let opened = try POSIXStorage().openDirectory(directory.path)
        let identity = try #require(try opened.status(Self.name + ".part")).identity
        var record = JournalRecord(
            generation: 1, id: [UInt8](repeating: 5, count: 16), owner: POSIXStorage().owner, state: .downloading,
            url: url.withoutSecrets.serialized, urlHash: URLHash(of: JournalRecord.urlIdentity(of: url)),
            targetName: Self.name,
            representation: Representation(
                total: Int64(content.count), entityTag: entityTag.flatMap(EntityTag.init(parsing:)),
                lastModified: lastModified, date: "Fri, 01 May 2026 12:00:00 GMT"),
            partialDevice: identity.device, partialInode: identity.inode, expectedDigest: nil, updated: 0,
            blockSize: BlockHasher.blockSize(total: Int64(content.count)),
            durable: RangeSet(durable.map { ByteRange(Int64($0.lowerBound)..<Int64($0.upperBound)) }), blockHashes: [:],
            recentBlocks: [])
        let settings = DownloadSettings(url: url)
        record.identityHash = SHA256.hash(record.id + settings.journalIdentity(of: url, cookies: nil, certificate: nil))
        change(&record)
        try Files.write(Journal.file(holding: record), to: journal)
    }

    /// Leaves a journal with only an unsynced record, for an existing partial file.
    func leaveSoft(claiming ranges: RangeSet, id: [UInt8], inode: UInt64) throws {
        let url = try HTTPURL(parsing: server.url("/file.bin"))
        let device = try POSIXStorage().openDirectory(directory.path).identity().device
        let record = JournalRecord(
            generation: 1, id: id, owner: POSIXStorage().owner, state: .downloading, url: url.withoutSecrets.serialized,
            urlHash: URLHash(of: JournalRecord.urlIdentity(of: url)), targetName: Self.name,
            representation: Representation(total: Int64(content.count), entityTag: EntityTag(parsing: "\"v1\"")),
            partialDevice: device,
            partialInode: inode, expectedDigest: nil, updated: 0,
            blockSize: BlockHasher.blockSize(total: Int64(content.count)),
            durable: ranges, blockHashes: [:], recentBlocks: [])
        var file = [UInt8](repeating: 0, count: Journal.fileSize)
        let slot = Journal.encode(UnsyncedRecord(record))
        let start = Int(Journal.unsyncedSlotOffset(generation: 1))
        file.replaceSubrange(start..<start + slot.count, with: slot)
        try Files.write(file, to: journal)
    }
}
