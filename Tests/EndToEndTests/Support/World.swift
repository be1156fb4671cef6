import PawlCore
import PawlTestKit
import Testing

/// A server, a directory to download into, and expectations about its files.
struct World {
    /// The kind of server and the scheme of its URLs.
    struct Origin: CustomTestStringConvertible, Sendable {
        let kind: RealServer.Kind
        let scheme: RealServer.Scheme

        static let all = RealServer.Kind.allCases.flatMap { kind in
            RealServer.Scheme.allCases.map { Origin(kind: kind, scheme: $0) }
        }

        /// One of each kind, for what TLS has no part in.
        static let unencrypted = all.filter { $0.scheme == .http }

        static let nginx = Origin(kind: .nginx, scheme: .http)

        var testDescription: String { "\(kind.rawValue) \(scheme.rawValue)" }
    }

    let server: RealServer
    let directory: TemporaryDirectory
    let authority: CertificateAuthority?

    static let name = "file.bin"

    /// Starts a server that serves `content` as `file.bin` in each place. The download directory is made in `parent`.
    init(
        _ origin: Origin = .nginx, places: [RealServer.Place] = [.plain], asksForCertificates: Bool = false,
        in parent: String? = nil,
        content: some Collection<UInt8>
    ) async throws {
        authority = origin.scheme == .https ? try await CertificateAuthority() : nil
        server = try RealServer(
            origin.kind, origin.scheme, authority: authority, asksForCertificates: asksForCertificates, places: places)
        directory = try TemporaryDirectory("download", in: parent)
        try server.put(content, at: Self.name)
        try await server.start()
    }

    var target: String { directory.file(Self.name) }
    var partial: String { target + ".part" }
    var journal: String { target + ".pawl" }
    /// Whether the journal claims any bytes. It exists before they do.
    var hasStoredBytes: Bool {
        guard let bytes = try? Files.read(journal), let unsynced = Journal.decodeUnsynced(bytes) else { return false }
        return unsynced.record.durable.count > 0
    }
    var setAside: String { partial + ".orphan-1" }

    /// The command that a user would type, and repeat to resume.
    func get(in place: RealServer.Place = .plain, _ options: String...) -> [String] {
        ["get", server.url(Self.name, in: place), "-o", target] + trust + options
    }

    var trust: [String] { authority.map { ["--ca-certificate", $0.certificate] } ?? [] }

    /// Expects the complete target with the right bytes, and no files other than `others`.
    func expectOnly(
        _ content: [UInt8], beside others: [String] = [], at location: SourceLocation = #_sourceLocation
    ) throws {
        try expect(content, at: location)
        #expect(try Files.names(directory.path) == ([Self.name] + others).sorted(), sourceLocation: location)
    }

    func expect(_ content: [UInt8], at location: SourceLocation = #_sourceLocation) throws {
        guard Files.exists(target) else {
            Issue.record("the file is not there: \(try Files.names(directory.path))", sourceLocation: location)
            return
        }
        #expect(try Files.isEqual(target, to: content), "wrong bytes", sourceLocation: location)
    }

    /// Runs a download until its journal claims bytes, ends it as given, and returns the number of bytes from which the
    /// next run resumes. The arguments must limit the speed so that the download does not complete first.
    func interrupt(
        _ arguments: [String], ending: (Subprocess) -> Void = { $0.interrupt() },
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Int64 {
        let download = try Program.start(arguments)
        try await untilTheJournalClaimsBytes(of: download, at: location)
        ending(download)
        _ = try await download.wait(timeout: .seconds(60))
        #expect(!Files.exists(target), "a final name on a partial file", sourceLocation: location)
        let status = try await Program.status(of: target)
        return try #require(status, "no status of the partial file", sourceLocation: location).resumableBytes
    }

    /// Waits until a download that runs would leave something to resume. Before its first byte it leaves nothing.
    func untilTheJournalClaimsBytes(
        of download: Subprocess, at location: SourceLocation = #_sourceLocation
    ) async throws {
        try await until("the journal claims bytes") {
            try #require(download.running(), "it ended: \(download.standardError)", sourceLocation: location)
            guard Files.exists(journal) else { return false }
            return try await Program.status(of: target).map { $0.durableBytes > 0 } ?? false
        }
    }
}

/// Waits until a condition holds, for a minute at most by default.
func until(_ what: String, timeout: Duration = .seconds(60), _ condition: () async throws -> Bool) async throws {
    struct NeverHappened: Error, CustomStringConvertible { let description: String }
    let deadline = ContinuousClock.now + timeout
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw NeverHappened(description: "never happened: \(what)") }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// SplitMix64: the same sequence for the same seed, everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
