public import PawlCore
import PawlEngine
import Synchronization

/// Downloads files, and resumes them after a pause, a crash or a power cut.
///
/// ```swift
/// let downloader = try Downloader()
/// let file = try await downloader.download("https://example.org/disk.iso", to: "disk.iso")
/// print(file.path, file.byteCount, file.isVerified)
/// ```
///
/// Create one and reuse it: it owns the connections and the threads. Call ``shutdown()`` when it is no longer needed.
public final class Downloader: Sendable {
    /// Settings for all downloads of a ``Downloader``.
    ///
    /// ```swift
    /// var configuration = Downloader.Configuration()
    /// configuration.connectTimeout = .seconds(10)
    /// configuration.proxies = try ProxySettings("socks5h://localhost:1080", exceptFor: "localhost")
    /// configuration.maximumConnectionsPerHost = 4
    /// let downloader = try Downloader(configuration: configuration)
    /// ```
    public struct Configuration: Sendable {
        /// The limit for name resolution, TCP connection, proxy and TLS handshake of each connection together.
        public var connectTimeout: Duration = .seconds(30)
        /// A PEM file of authorities to trust instead of the system's.
        public var certificateAuthorityFile: String?
        /// The authorities that the environment names, for a program that wants them; without effect beside
        /// ``certificateAuthorityFile``. Files are read with the first connection that needs them.
        public var authorityVariables: AuthorityVariables?
        /// The most connections open to one host (host and port) at any moment, across all downloads; nil for no limit
        /// but each download's own. A ``DownloadManager`` uses its own setting instead.
        public var maximumConnectionsPerHost: Int?
        /// The limit of requests to one host (host and port), across all downloads: first ones, those for further
        /// parts, retries and redirects. Nil for none.
        public var requestRatePerHost: RequestRate?
        /// A PEM file with the client certificate and its intermediate certificates, for servers that request one.
        public var clientCertificateFile: String?
        /// A PEM file with the certificate's private key, not encrypted. Nil: it is in the same file.
        public var privateKeyFile: String?
        package var pemFiles: PEMFiles?
        /// Whether server certificates are verified. False accepts any certificate: anyone on the path can then read
        /// and change what is downloaded. TLS 1.2 is required in either case.
        public var verifiesCertificates = true
        /// The proxies to use; none by default. Only ``ProxySettings/init(environment:)`` reads the environment.
        public var proxies = ProxySettings()
        /// The kind of addresses to connect to.
        public var addressFamily = AddressFamily.any
        /// Whether servers at private addresses are refused, so that a URL or a redirect of somebody else's cannot lead
        /// to this machine or its network; the address that is connected to decides. A proxy may be anywhere, and looks
        /// up names itself unless it is `socks5://`. A refused address is the error ``DownloadError/Code/refused``.
        public var deniesPrivateAddresses = false
        /// An IP address of this machine to connect from, or the name of a network interface. Nil: the system chooses.
        public var bindAddress: String?
        /// Names and passwords by host, for URLs, redirects and mirrors without their own; see ``Netrc/read(_:)``.
        public var netrc: Netrc?
        /// The store of cookies; nil if the downloader keeps its own, in memory.
        public var cookies: CookieStore?

        /// A small file that remembers hosts: how many connections they accept, whether their ranges work. Its
        /// directory must exist. Nil: nothing is stored. A ``DownloadManager`` uses its own setting instead.
        public var hostMemoryPath: String?

        /// The speed limit of all downloads together: a rate, or a timetable, which may pause them. Nil for no limit.
        /// ``Downloader/setSpeedLimit(_:)`` changes it while they run.
        public var speedLimit: SpeedSchedule?

        var observing = Observing()

        /// Whether a directory may have a symbolic link in its path. False refuses one, however late the link came
        /// there.
        package var followsDirectoryLinks = true

        /// The most event loops; nil for one each core, up to four. Each keeps connections of its own for later
        /// requests: with one, no more are open to a host than requests were under way at once.
        package var maximumEventLoops: Int?

        public init() {}
    }

    /// Cookies, shared by all downloads of this downloader.
    public let cookies: CookieStore
    let ports: Ports
    /// See ``Configuration/followsDirectoryLinks``.
    package let followsDirectoryLinks: Bool
    let netrc: Netrc?
    private let memory: HostMemoryKeeper?
    private let transport: HTTPTransport
    private let runtime: LiveRuntime
    let observers: Observers
    /// Above the limits of the downloads.
    private let limiter: SpeedLimiter
    private let running = Locked(Running())

    private struct Running {
        var downloads = TargetRegistry<FileTarget, Download>()
        /// The downloads that run or can be resumed, by the targets that they were started with, as long as somebody
        /// holds them.
        var handles: [FileTarget: [Weak]] = [:]
        var isShutDown = false

        /// The number of targets at which those without a handle are forgotten.
        private var sweepCount = 64

        /// Downloads may end with the last reference to them, so those that were looked at are returned, to be released
        /// behind the lock.
        mutating func remember(_ download: Download, _ target: FileTarget) -> [Download] {
            handles[target, default: []].append(Weak(download: download))
            var looked = forgetEnded(of: target)
            if handles.count >= sweepCount {
                for target in handles.keys { looked += forgetEnded(of: target) }
                sweepCount = max(64, 2 * handles.count)
            }
            return looked
        }

        mutating func forgetEnded(of target: FileTarget) -> [Download] {
            let downloads = (handles[target] ?? []).compactMap(\.download)
            let alive = downloads.filter(\.mayResume)
            handles[target] = alive.isEmpty ? nil : alive.map { Weak(download: $0) }
            return downloads
        }
    }

    private struct Weak {
        weak var download: Download?
    }

    /// - Throws: ``DownloadError/Code/invalidArgument`` when a certificate file, its key or the address to bind to
    ///   cannot be used; ``DownloadError/Code/tooFewThreads`` when the system has none left.
    public init(configuration: Configuration = Configuration()) throws(DownloadError) {
        POSIXStorage.ignoreFileSizeSignal()
        // FAULTS D23: an event loop that finds no descriptor ends the process. Later ones are errors that are told.
        guard ProcessFacts.canOpen(Self.descriptorsNeeded) else {
            throw DownloadError(
                .diskError,
                "Too many files are open in this process or on this system to start a download.",
                remedies: [.openFewerFiles], recovery: .retryAfter(nil))
        }
        do throws(ThreadShortage) {
            runtime = try LiveRuntime(eventLoops: configuration.maximumEventLoops)
        } catch {
            throw .tooFewThreads
        }
        let gate = HostGate(
            limit: configuration.maximumConnectionsPerHost ?? .max, rate: configuration.requestRatePerHost,
            runtime: runtime)
        limiter = SpeedLimiter(runtime: runtime) { gate.pause = $0 }
        let certificate: [UInt8]?
        do throws(TransportError) {
            let settings = TransportConfiguration(configuration)
            transport = try HTTPTransport(
                configuration: settings, group: runtime.eventLoopGroup, reserve: runtime.reserve)
            certificate = try settings.clientCertificateDigest()
        } catch {
            let runtime = runtime
            Task { await runtime.shutdown() }
            throw DownloadError(
                .invalidArgument, "\(error.detail).",
                remedies: configuration.namesClientIdentity ? [.checkClientCertificate] : [], recovery: .giveUp)
        }
        var ports = Ports(
            transport: transport, storage: POSIXStorage(followsLinks: configuration.followsDirectoryLinks),
            runtime: runtime, digests: SystemDigests(),
            gate: gate)
        ports.largestHeldFile = Self.largestHeldFile
        ports.runsSmall = true
        if let schedule = configuration.speedLimit { limiter.follow(schedule) }
        cookies = configuration.cookies ?? CookieStore()
        ports.cookies = cookies.shared
        ports.clientCertificate = certificate
        self.ports = ports
        (followsDirectoryLinks, netrc) = (configuration.followsDirectoryLinks, configuration.netrc)
        observers = Observers(configuration.observing)
        let runtime = runtime
        memory = configuration.hostMemoryPath.map { HostMemoryKeeper(HostMemoryFile(path: $0), runtime: runtime) }
    }

    /// The largest file that is held in memory, in bytes. A kill may lose as much of each download.
    private static let largestHeldFile: Int64 = 128 << 10

    /// The descriptors for an event loop, the directory, the partial file, the journal and a few connections. Loops
    /// that start later check for themselves.
    private static let descriptorsNeeded = EventLoops.descriptorsOfLoop + 8

    /// Ends connections and threads. Running and paused downloads are cancelled first; stored bytes are kept.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// _ = try await downloader.download("https://example.org/disk.iso", to: "disk.iso")
    /// await downloader.shutdown()
    /// ```
    public func shutdown() async {
        let (downloads, isFirst) = running.withLock { running in
            defer { running.isShutDown = true }
            return (
                running.downloads.all + running.handles.values.joined().compactMap(\.download), !running.isShutDown
            )
        }
        guard isFirst else { return }
        for download in downloads {
            download.cancel()
            await download.finished()
        }
        // Ends a timetable, whose next look would find no thread.
        limiter.bytesPerSecond = nil
        // A failure could only be reported by downloads, and they have ended.
        try? await transport.shutdown()
        await runtime.shutdown()
    }

    /// Limits the speed of all downloads together from now on: by a rate, or by a timetable in local time. They share
    /// it equally, and what one leaves unused goes to the others. `SpeedSchedule(bytesPerSecond: nil)` lifts the limit.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// downloader.setSpeedLimit(SpeedSchedule(bytesPerSecond: 2 << 20))
    /// downloader.setSpeedLimit(try SpeedSchedule(parsing: "08:00,512k 19:00,off"))
    /// ```
    public func setSpeedLimit(_ limit: SpeedSchedule) {
        // A timetable needs a thread to look at it.
        if !running.withLock({ $0.isShutDown }) { limiter.follow(limit) }
    }

    // MARK: Downloading

    /// Downloads one file and waits for it. After an interruption, the same call resumes where it stopped. Cancelling
    /// the task cancels the download unless another task waits for it.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let file = try await downloader.download("https://example.org/disk.iso", to: "Downloads/disk.iso")
    /// if file.resumedFrom > 0 { print("\(file.resumedFrom) bytes were already downloaded") }
    /// ```
    ///
    /// - Parameters:
    ///   - url: absolute, `http` or `https`.
    ///   - path: of the finished file. Its directory must exist.
    /// - Throws: ``DownloadError``; `CancellationError` when the task is cancelled.
    public func download(_ url: String, to path: String) async throws -> DownloadResult {
        try await start(DownloadRequest(url, to: path)).result()
    }

    /// Fetches parts of a file, one after the other in the order given, and waits for them. The same call with the same
    /// parts resumes where it stopped.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let parts = try RangeSelection(parsing: "0-499,-500")
    /// let result = try await downloader.fetch(ranges: parts, of: "https://example.org/disk.iso", to: "ends.bin")
    /// ```
    ///
    /// - Parameters:
    ///   - ranges: RFC 9110 §14.1.1. A range past the end of the file is cut there.
    ///   - url: absolute, `http` or `https`.
    ///   - path: of the finished file. Its directory must exist.
    /// - Throws: ``DownloadError``, with `invalidArgument` when the file does not have these parts; `CancellationError`
    ///   when the task is cancelled.
    public func fetch(ranges: RangeSelection, of url: String, to path: String) async throws -> DownloadResult {
        var request = DownloadRequest(url, to: path)
        request.ranges = ranges
        return try await start(request).result()
    }

    /// Starts a download and returns at once. Starting the same request (URL, header fields, user, parts) to a target
    /// in use returns the running download, provided that both ask for the same checks and limits.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// var request = DownloadRequest("https://example.org/disk.iso", to: "disk.iso")
    /// request.ifExists = .rename
    /// let download = try downloader.start(request)
    /// let file = try await download.result()
    /// ```
    ///
    /// - Throws: ``DownloadError``, before anything is touched: `invalidURL`, `invalidArgument`, or `locked` when
    ///   another request, or the same with another digest, size, ``DownloadOptions/requiresComplete``,
    ///   ``DownloadOptions/maximumFileSize``, ``DownloadOptions/onChange`` or the like, is being downloaded to this
    ///   target, or after ``shutdown()``.
    public func start(_ request: DownloadRequest) throws(DownloadError) -> Download {
        try start(try request.resolved(), refreshURL: request.refreshURL)
    }

    /// - Parameters:
    ///   - listener: a manager's, which never adopts downloads started elsewhere.
    ///   - id: that of the manager, for logs.
    ///   - handover: an exchange under way.
    func start(
        _ plan: Plan, refreshURL: (@Sendable () async -> String?)?, listener: (any RunListener)? = nil,
        id: DownloadID? = nil, takingOver handover: Handover? = nil
    ) throws(DownloadError) -> Download {
        // A digest that this system cannot compute fails before the first byte, not after the last.
        for algorithm in [plan.settings.digest?.algorithm, plan.settings.pieceHashes?.algorithm] {
            _ = try digester(for: algorithm)
        }
        var plan = plan
        plan.settings.netrc = netrc
        plan.limiter = limiter
        let memory = listener == nil ? memory : nil
        if let memory { plan.settings.takeHints(from: memory.hints) }
        let target = plan.target
        // Downloads may end with the last reference to them, which must not be under the lock.
        let (download, isNew, _) = running.withLock { running -> (Download?, Bool, [Download]) in
            guard !running.isShutDown else { return (nil, false, []) }
            let handles = listener == nil ? (running.handles[target] ?? []).compactMap(\.download) : []
            if let known = handles.first(where: { $0.mayResume && $0.canServe(plan) }) {
                return (known, false, handles)
            }
            if let known = running.downloads.holder(of: target) { return (known, false, handles) }
            let restart: Download.Restart = { download, plan throws(DownloadError) in
                try self.restart(download, target, plan, refreshURL)
            }
            let download = Download(plan, restart: listener == nil ? restart : nil)
            running.downloads.give(target, to: download)
            let looked = listener == nil ? running.remember(download, target) : []
            return (download, true, handles + looked)
        }
        guard let download else { throw .shutDown }
        guard isNew else {
            guard listener == nil, download.canServe(plan) else {
                throw .taken(
                    wanted: plan.fileName ?? plan.settings.url.redacted, by: download.url,
                    isSame: listener == nil && download.isSame(as: plan), recovery: .retryAfter(nil))
            }
            try download.continueIfPaused()
            download.share()
            return download
        }
        launch(
            download, as: target, on: ports, plan, refreshURL, memory, listener: listener, id: id, takingOver: handover)
        return download
    }

    /// Begins another run of a paused download.
    ///
    /// - Parameter target: of its first run.
    private func restart(
        _ download: Download, _ target: FileTarget, _ plan: Plan,
        _ refreshURL: (@Sendable () async -> String?)?
    ) throws(DownloadError) {
        var plan = plan
        if let memory { plan.settings.takeHints(from: memory.hints) }
        let current = plan.target
        let (mayRun, holder) = running.withLock { running -> (Bool, Download?) in
            running.isShutDown ? (false, nil) : (true, running.downloads.claim(current, for: download))
        }
        guard mayRun else {
            download.cancel()
            throw .shutDown
        }
        if let holder {
            throw .taken(
                wanted: plan.fileName ?? plan.settings.url.redacted, by: holder.url, isSame: holder.isSame(as: plan),
                recovery: .retryAfter(nil))
        }
        launch(download, as: current, first: target, on: ports, plan, refreshURL, memory)
    }

    /// Returns the short way of a manager's download; nil where it has to be a download of its own.
    func small(
        _ plan: Plan, _ listener: any RunListener,
        promotion: @escaping @Sendable (Handover?) -> Result<any RunningDownload, DownloadError>
    ) -> SmallRun? {
        // Observers hear of full downloads only.
        guard !observers.areThere else { return nil }
        var plan = plan
        plan.settings.netrc = netrc
        plan.limiter = limiter
        return SmallRun(plan, ports: ports, listener: listener, promotion: promotion)
    }

    /// - Parameters:
    ///   - target: of this run, which holds it.
    ///   - first: the target of the download's first run.
    ///   - memory: Told what is learned of hosts.
    ///   - ended: Called once nothing more is written, before anybody hears of the end.
    private func launch(
        _ download: Download, as target: FileTarget, first: FileTarget? = nil, on ports: Ports, _ plan: Plan,
        _ refreshURL: (@Sendable () async -> String?)?, _ memory: HostMemoryKeeper?, listener: (any RunListener)? = nil,
        id: DownloadID? = nil, takingOver handover: Handover? = nil, ended: @escaping @Sendable () -> Void = {}
    ) {
        let observer = observers.make(id: id, plan.settings.url, at: runtime.now)
        if listener != nil { download.hold() }
        let teller = DownloadTeller(download, listener, observer, memory, runtime) { [weak self] conclude in
            ended()
            // Only after the save: a shutdown waits for those that run, and ends the executors then.
            let end: @Sendable () -> Void = { [weak self] in
                self?.running.withLock { $0.downloads.release(target) }
                conclude()
                if !download.mayResume { _ = self?.running.withLock { $0.forgetEnded(of: first ?? target) } }
            }
            if let memory { memory.save(then: end) } else { end() }
        }
        download.start(
            ports: ports, refreshURL: refreshURL, listener: teller, observer: observer, takingOver: handover)
    }

    /// Delivers a file in order as it arrives, instead of storing it. The target of the request is ignored.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// var count = 0
    /// for try await bytes in try downloader.stream(DownloadRequest("https://example.org/log.txt")) {
    ///     count += bytes.count
    /// }
    /// ```
    ///
    /// - Throws: ``DownloadError``, before the network is touched: `invalidURL` or `invalidArgument`.
    public func stream(_ request: DownloadRequest) throws(DownloadError) -> DownloadStream {
        var plan = try resolved(request)
        if let ranges = plan.settings.ranges, !ranges.isSurelyAscending || plan.settings.isSparse {
            throw .argument(
                "A stream can only deliver parts in file order, one after the other: \(ranges)."
            )
        }
        guard request.streamWindow >= 4 << 20 else {
            throw .argument("A window of \(request.streamWindow) bytes: it must be at least 4 MiB.")
        }
        plan.settings.window = request.streamWindow
        plan.settings.overlap = 0
        // Delivered bytes cannot be taken back.
        plan.settings.onChange = .fail
        plan.settings.digest = nil
        plan.settings.pieceHashes = nil
        // The stream compares the digest itself.
        if request.digest != nil { plan.settings.requiresComplete = false }
        let digester = try digester(for: request.digest?.algorithm)
        let window = StreamWindow()
        let storage = TransientStorage { window }
        let download = try start(plan, on: storage, refreshURL: request.refreshURL) { window.end() }
        return DownloadStream(download, window: window, digest: request.digest, digester: digester)
    }

    private func digester(for algorithm: DigestAlgorithm?) throws(DownloadError) -> sending (any Digester)? {
        guard let algorithm else { return nil }
        do throws(StorageError) { return try ports.digests.makeDigester(algorithm) } catch { throw .storage(error) }
    }

    /// Starts a download whose file has no place in a file system, and so is never another's.
    ///
    /// - Parameter ended: called once nothing more is written, before anybody hears of the end.
    func start(
        _ plan: Plan, on storage: TransientStorage, refreshURL: (@Sendable () async -> String?)?,
        ended: @escaping @Sendable () -> Void = {}
    ) throws(DownloadError) -> Download {
        var plan = plan
        plan.directory = "."
        plan.fileName = Self.transientName
        plan.adoptsPartialFile = false
        plan.onlyIfNewer = false
        plan.limiter = limiter
        if let memory { plan.settings.takeHints(from: memory.hints) }
        let download = Download(plan)
        // Not even the same request again has this target.
        let target = FileTarget(directory: "", name: nil, identity: Array("\(runtime.random())".utf8))
        let mayStart = running.withLock { running in
            if !running.isShutDown { running.downloads.give(target, to: download) }
            return !running.isShutDown
        }
        guard mayStart else { throw .shutDown }
        var ports = ports
        ports.storage = storage
        launch(download, as: target, on: ports, plan, refreshURL, memory, ended: ended)
        return download
    }

    static let transientName = "-"

    /// The request, and what holds for all of this downloader's.
    func resolved(_ request: DownloadRequest) throws(DownloadError) -> Plan {
        var plan = try request.resolved()
        plan.settings.netrc = netrc
        return plan
    }

    /// Resumes a paused download, in the process that paused it or a later one. Whoever holds the ``Download`` calls
    /// ``Download/resume()`` instead.
    ///
    /// ``DownloadNotice/Code/resumed`` and ``DownloadResult/resumedFrom`` say how much was already stored.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let download = try downloader.start(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// let resumeData = try await download.pause()
    /// let file = try await downloader.resume(from: resumeData).result()
    /// print("\(file.resumedFrom) bytes were already downloaded")
    /// ```
    ///
    /// - Parameters:
    ///   - data: what ``Download/pause()`` returned.
    ///   - url: a fresh URL of the same file; needed when ``ResumeData/needsURL`` is true.
    ///   - configure: sets what is not stored: headers, limits, ``DownloadRequest/refreshURL``.
    public func resume(
        from data: ResumeData, url: String? = nil, configure: (inout DownloadRequest) -> Void = { _ in }
    ) throws(DownloadError) -> Download {
        guard url != nil || !data.needsURL else {
            throw .argument(
                "The URL of this download held credentials or a signature, which resume data does not store. Give the full URL again."
            )
        }
        var request = DownloadRequest(url ?? data.url, in: data.directory)
        request.fileName = data.fileName
        request.maximumConnections = data.maximumConnections
        if let digest = data.digest {
            do throws(DigestParseError) {
                request.digest = try Digest(parsing: digest)
            } catch {
                throw .argument(error.message)
            }
        }
        configure(&request)
        return try start(request)
    }

    // MARK: Asking only

    /// Asks a server about a URL: by the `GET` with `Range: bytes=0-` that a download would begin with, and by `HEAD`.
    ///
    /// For information only. It costs two requests, which a download never makes.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let report = try await downloader.probe("https://example.org/disk.iso")
    /// print(report.suggestedName, report.get.totalBytes ?? 0, report.acceptsRanges)
    /// ```
    ///
    /// - Throws: ``DownloadError``.
    public func probe(
        _ url: String, headers: [HTTPField] = []
    ) async throws(DownloadError) -> ProbeReport {
        var request = DownloadRequest(url)
        request.headers = headers
        return try await probe(request)
    }

    func prober(for request: DownloadRequest) throws(DownloadError) -> Prober {
        let settings = try resolved(request).settings
        return Prober(
            ports: ports, settings: settings, observer: observers.make(id: nil, settings.url, at: runtime.now))
    }

    /// Asks a server about the URL of a request, with its fields and credentials. The request's target is ignored.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// var request = DownloadRequest("https://example.org/disk.iso")
    /// request.authentication = .bearer(.value("s3cret"))
    /// let report = try await downloader.probe(request)
    /// print(report.finalURL, report.get.status)
    /// ```
    ///
    /// - Throws: ``DownloadError``.
    public func probe(_ request: DownloadRequest) async throws(DownloadError) -> ProbeReport {
        var prober = try prober(for: request)
        return try await prober.probe()
    }
}

extension DownloadError {
    fileprivate static var shutDown: DownloadError { .argument("This downloader has been shut down. Create another.") }
}

extension Plan {
    fileprivate var target: FileTarget { FileTarget(in: directory, fileName, identity: settings.identity) }
}
