import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization

/// One simulated machine with a disk and a server, on which whole downloads run in sequence.
struct EngineBench {
    struct Run {
        /// The end of the driver; nil if it had not ended within the limit of virtual time.
        var ending: DownloadDriver.Ending?
        var requests: [TransportRequest]
        var bodyBytes: Int64
        var maximumOpen: Int
        /// Body bytes by host.
        var bytesByHost: [String: Int64]
        var took: Duration
        var reports: [DownloadReport]

        var errorCode: DownloadError.Code? {
            if case .failed(let error)? = ending?.phase { error.code } else { nil }
        }

        var outcome: DownloadMachine.Outcome? {
            if case .completed(let outcome)? = ending?.phase { outcome } else { nil }
        }
    }

    static let directory = "/downloads"
    static let target = directory + "/file.bin"

    let disk: SimulatedDisk
    var origin: SimulatedOrigin
    /// Mirrors, by host.
    var mirrors: [String: SimulatedOrigin] = [:]
    var settings: DownloadSettings
    /// A layer between the engine and the disk; nil for none.
    var storage: (any Storage)?
    /// The finished files that the runs of one process share; nil: each run is a process.
    var finished: FinishedFiles?
    private let seed: UInt64
    private var now = Instant.zero
    /// Up to this size, files are held in memory until they are whole.
    var largestHeldFile: Int64 = 0
    private var runs: UInt64 = 0

    init(size: Int = 100_000, seed: UInt64 = 1, capacity: Int64 = .max) throws {
        self.seed = seed
        disk = SimulatedDisk(seed: seed, capacity: capacity)
        disk.makeDirectory(Self.directory)
        origin = SimulatedOrigin(versions: [
            .init(bytes: Self.bytes(size, 1), entityTag: "\"one\"", lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
        ])
        settings = DownloadSettings(url: try HTTPURL(parsing: "http://origin.example/file.bin"))
        settings.smallestPiece = 4096
        settings.overlap = 4096
    }

    var bytes: [UInt8] { origin.versions[0].bytes }

    static func bytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// Runs a driver to its end, or to `limit`; in the latter case the caller decides how the process or the machine
    /// ended. `during` may schedule events for the run.
    mutating func run(
        limit: Duration = .seconds(3600), _ change: (inout Plan) -> Void = { _ in },
        progress: @escaping @Sendable (DownloadProgress, Instant) -> Void = { _, _ in },
        during: (DownloadDriver, SimulatedRuntime) -> Void = { _, _ in }
    ) -> Run {
        runs += 1
        let runtime = SimulatedRuntime(seed: seed &* 1000 &+ runs, now: now)
        let network = SimulatedNetwork(origin, others: mirrors, runtime: runtime)
        let ending = Locked<DownloadDriver.Ending?>(nil)
        let reports = Locked<[DownloadReport]>([])
        var plan = Plan(settings: settings, directory: Self.directory)
        plan.fileName = "file.bin"
        change(&plan)
        var ports = Ports(transport: network, storage: storage ?? disk, runtime: runtime, digests: SimulatedDigests())
        ports.largestHeldFile = largestHeldFile
        if let finished { ports.finished = finished }
        let driver = DownloadDriver(
            plan, ports: ports,
            listener: ClosureListener(
                progress: { value in progress(value, runtime.now) },
                report: { report in reports.withLock { $0.append(report) } },
                ended: { value in ending.withLock { $0 = value } }))
        let start = runtime.now
        driver.start()
        during(driver, runtime)
        _ = runtime.run(limit: limit) { ending.withLock { $0 != nil } }
        let took = runtime.now - start
        runtime.halt()
        now = runtime.now + .seconds(1)
        return Run(
            ending: ending.withLock { $0 }, requests: network.requests, bodyBytes: network.bodyBytesSent,
            maximumOpen: network.maximumOpen,
            bytesByHost: Dictionary(
                uniqueKeysWithValues: Set(network.requests.map(\.url.host)).map { ($0, network.bodyBytesSent(by: $0)) }),
            took: took,
            reports: reports.withLock { $0 })
    }

    // MARK: The directory

    var names: [String] { disk.names(in: Self.directory) }

    func contents(_ name: String) -> [UInt8]? { disk.contents(of: Self.directory + "/" + name) }

    func install(_ name: String, _ bytes: [UInt8]) { disk.install(Self.directory + "/" + name, bytes) }

    /// All names with the contents of the files.
    var listing: [String: [UInt8]?] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, contents($0)) })
    }

    /// Installs a journal that describes the current partial file and claims `durable` of it.
    func installJournal(
        durable: RangeSet, url: HTTPURL? = nil, _ change: (inout JournalRecord) -> Void = { _ in }
    ) throws {
        let status = try disk.openDirectory(Self.directory).status("file.bin.part")
        var record = JournalRecord(
            generation: 1, id: [UInt8](repeating: 5, count: 16), owner: disk.owner, state: .downloading,
            url: (url ?? settings.url).serialized,
            urlHash: URLHash(of: JournalRecord.urlIdentity(of: url ?? settings.url)),
            targetName: "file.bin",
            representation: Representation(total: Int64(bytes.count), entityTag: EntityTag(parsing: "\"one\"")),
            partialDevice: status?.identity.device ?? 0, partialInode: status?.identity.inode ?? 0, expectedDigest: nil,
            updated: 0, blockSize: BlockHasher.smallestBlock, durable: durable, blockHashes: [:], recentBlocks: [])
        change(&record)
        install("file.bin.pawl", Journal.file(holding: record))
    }

    /// Whether the partial file holds all bytes that the journal claims, with the right content.
    var journalIsTrue: Bool {
        guard let journal = contents("file.bin.pawl"), case .record(let record) = Journal.decode(journal),
            let held = contents("file.bin.part")
        else { return true }
        return record.durable.ranges.allSatisfy { range in
            let claimed = Int(range.start)..<Int(range.end)
            return claimed.upperBound <= held.count && held[claimed] == bytes[claimed]
        }
    }
}
