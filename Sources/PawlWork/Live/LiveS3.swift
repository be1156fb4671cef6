import Pawl
import PawlCore
import PawlEngine
import PawlStore
import PawlSystem
import Synchronization

/// Stores in buckets, as the environment and the files of the AWS tools say.
enum LiveS3 {
    /// - Parameters:
    ///   - network: proxies, certificates and the like.
    ///   - spool: the directory for large objects that are read. It is made if it is needed.
    static func open(
        _ place: S3Place, _ runtime: LiveRuntime, _ network: Downloader.Configuration, spool: String
    ) throws(StoreError) -> any Store {
        let settings = try Self.settings()
        let region = settings.region ?? "us-east-1"
        guard S3Correction.isRegion(region) else { throw StoreError(.refused, "“\(region)” is no name of a region.") }
        var (near, far) = (TransportConfiguration(), TransportConfiguration(network))
        // Where there is no such server, nobody answers.
        near.connectTimeout = .seconds(1)
        if far.certificateAuthorityFile == nil { far.certificateAuthorityFile = Environment.value("AWS_CA_BUNDLE") }
        let machine = try ports(near, runtime, spool), server = try ports(far, runtime, spool)
        let search = CredentialSearch(
            { () -> Result<AWSSettings, StoreError> in Result { () throws(StoreError) in try Self.settings() } },
            region: region,
            CredentialSearch.Ports(network: server, machine: machine, read: read) { run($0, runtime, $1) })
        let endpoint = S3Endpoint(url: try settings.endpoint("S3"), addressing: try settings.addressing())
        let client = S3Client(
            S3Client.Configuration(place, endpoint, region: region), CredentialProvider(runtime, ask: search.find),
            server, SystemDigests())
        return S3Store(place, client, runtime: runtime, digests: SystemDigests())
    }

    private static func settings() throws(StoreError) -> AWSSettings {
        try AWSSettings(Environment.value, read: read)
    }

    private static func ports(
        _ configuration: TransportConfiguration, _ runtime: LiveRuntime, _ spool: String
    ) throws(StoreError) -> StoreExchange.Ports {
        do throws(TransportError) {
            // Its connections are open as long as the process lives.
            let transport = try HTTPTransport(configuration: configuration, group: runtime.eventLoopGroup)
            return StoreExchange.Ports(transport: transport, runtime: runtime) { () throws(StorageError) in
                try scratch(in: spool, runtime)
            }
        } catch {
            throw StoreError(.refused, "The network cannot be used as it is set: \(error.detail).")
        }
    }

    /// Creates a file that nobody else finds, and that goes when it is closed.
    private static func scratch(in spool: String, _ runtime: LiveRuntime) throws(StorageError) -> any StorageFile {
        guard SystemCalls.makeDirectories(spool, mode: 0o700) else {
            throw StorageError(operation: "mkdir", name: spool, errno: errno)
        }
        let directory = try POSIXStorage().openDirectory(spool)
        let (file, name) = try directory.createTemporary(for: "object", runtime.random())
        try directory.remove(name, ifStill: file.status().identity)
        return file
    }

    private static let largestFile = 1 << 20

    @Sendable private static func read(_ path: String) -> [UInt8]? {
        (try? WholeFile.read(at: path, limit: largestFile))?.text.systemBytes
    }

    /// The longest time that a command may take; then it is left alone.
    private static let patience = Duration.seconds(60)

    private static func run(
        _ command: String, _ runtime: LiveRuntime, _ ended: @escaping @Sendable (CredentialSearch.Output) -> Void
    ) {
        let hasEnded = Locked(false)
        let end = { @Sendable (output: CredentialSearch.Output) in
            let isFirst = hasEnded.withLock { hasEnded in
                defer { hasEnded = true }
                return !hasEnded
            }
            if isFirst { ended(output) }
        }
        _ = runtime.schedule(after: patience, on: runtime.diskExecutor) {
            let seconds = patience.components.seconds
            let message = "The credential_process of the profile has not ended within \(seconds) seconds."
            end(.failure(StoreError(.unavailable, message)))
        }
        ShellCommand.run(command, limit: largestFile) { ending in
            switch ending {
            case .ended(let output, 0): end(.success(output))
            case .ended(_, let status):
                let cause = status & 0x7F == 0 ? "status \(status >> 8)" : "signal \(status & 0x7F)"
                end(.failure(StoreError(.refused, "The credential_process of the profile has failed (\(cause)).")))
            case .notStarted(let code):
                let cause = SystemCalls.text(of: code)
                end(.failure(StoreError(.unavailable, "The credential_process cannot be started: \(cause).")))
            }
        }
    }
}
