import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization

@testable import PawlJobs

/// The ports of a ``JobDriver`` on a simulated machine. The real engine fetches documents and files over a simulated
/// network onto a simulated disk; unpacking is simulated as well.
struct SimulatedPorts {
    static let directory = "/d"
    static let documents = "/documents"

    let runtime: SimulatedRuntime
    let disk: SimulatedDisk
    let fetches: SimulatedFetches
    let archives: SimulatedArchives
    let hooks: SimulatedHooks
    private let engine: Ports

    init(_ network: any Transport, _ disk: SimulatedDisk, _ runtime: SimulatedRuntime) {
        self.runtime = runtime
        self.disk = disk
        engine = Ports(transport: network, storage: disk, runtime: runtime, digests: SimulatedDigests())
        fetches = SimulatedFetches(engine)
        archives = SimulatedArchives(disk, runtime)
        hooks = SimulatedHooks(disk, runtime)
    }

    var ports: JobPorts {
        JobPorts(documents: SimulatedDocuments(engine, disk), fetches: fetches, archives: archives, hooks: hooks)
    }
}

/// Reads each document as a download into its own directory. No server describes its files.
final class SimulatedDocuments: JobDocumentPort {
    private struct Reading: JobWork {
        let driver: DownloadDriver

        func stop() { driver.pause() }
    }

    private let ports: Ports
    private let disk: SimulatedDisk
    private let count = Locked(0)

    init(_ ports: Ports, _ disk: SimulatedDisk) {
        self.ports = ports
        self.disk = disk
    }

    func describe(
        _ file: JobFile, _ ended: @escaping @Sendable (Result<DescribedFile, JobFailure>) -> Void
    ) -> any JobWork {
        ended(.success(DescribedFile(file: file)))
        return NoWork()
    }

    func read(
        _ place: String, for spec: JobSpec, atMost maximumBytes: Int,
        _ ended: @escaping @Sendable (Result<JobDocument, JobFailure>) -> Void
    ) -> any JobWork {
        guard let url = try? HTTPURL(parsing: place) else {
            ended(.failure(.download(DownloadError(.invalidURL, "not a URL", recovery: .giveUp))))
            return NoWork()
        }
        let number = count.withLock { count in
            count += 1
            return count
        }
        let directory = "\(SimulatedPorts.documents)/\(ports.runtime.now.nanoseconds)-\(number)"
        disk.makeDirectory(directory)
        var settings = DownloadSettings(url: url)
        settings.maximumConnections = 1
        settings.maximumFileSize = Int64(maximumBytes)
        settings.stallTimeout = .seconds(5)
        var download = Plan(settings: settings, directory: directory)
        download.fileName = "document"
        let disk = disk
        let listener = ClosureListener { ending in
            switch ending.phase {
            case .completed:
                ended(.success(JobDocument(bytes: disk.contents(of: directory + "/document") ?? [], url: place)))
            case .failed(let error): ended(.failure(.download(error)))
            default: ended(.failure(.download(DownloadError(.network, "stopped", recovery: .retryNow))))
            }
        }
        let driver = DownloadDriver(download, ports: ports, listener: listener)
        driver.start()
        return Reading(driver: driver)
    }
}

/// A pool in which one download stands for each file.
final class SimulatedFetches: JobFetchPort {
    private struct Fetch {
        let file: JobFileID
        let tell: JobTelling
    }

    private struct State {
        var files: [String: JobFile] = [:]
        var fetches: [DownloadID: Fetch] = [:]
    }

    let pool: DownloadPool
    private let reader: PoolEvents.Reader
    private let state: Shared<State>

    init(_ ports: Ports) {
        let state = Shared(State())
        self.state = state
        let runner = SimulatedRunner(ports) { spec in
            guard let file = state.value.withLock({ $0.files[spec.settings.url.serialized] }) else { return }
            spec.settings.options = file.spec.options
            spec.settings.stallTimeout = .seconds(5)
            if case .url(_, let mirrors) = file.spec.source {
                spec.settings.mirrors = mirrors.compactMap { mirror in
                    (try? HTTPURL(parsing: mirror.url)).map { Source(url: $0) }
                }
            }
        }
        var limits = QueueMachine.Limits()
        limits.maximumFinished = .max
        limits.maximumRetries = 0
        pool = DownloadPool(ports: ports, runner: runner, limits: limits)
        reader = pool.events.makeReader()
    }

    func prepare(_ file: JobFile) throws(JobFailure) -> PreparedFile {
        guard case .url(let url, _) = file.spec.source else {
            throw .spec(JobSpecError(.missingField, ["url"], "no URL"))
        }
        return PreparedFile(
            file, identity: Array(url.utf8),
            target: FileTarget(directory: file.spec.directory, name: file.spec.fileName))
    }

    func fetch(_ id: JobFileID, _ file: JobFile, _ tell: @escaping JobTelling) {
        guard case .url(let text, _) = file.spec.source, let url = try? HTTPURL(parsing: text),
            let name = file.spec.fileName
        else {
            let error = DownloadError(.invalidURL, "no URL or name", recovery: .giveUp)
            return tell([.fetchFailed(id, .download(error))])
        }
        state.value.withLock { $0.files[url.serialized] = file }
        let plan = Plan(url, in: file.spec.directory, named: name)
        let download: DownloadID
        switch pool.add(plan, target: SimulatedRunner.target(file.spec.directory, name)) {
        case .new(let id): download = id
        case .taken(let entry):
            download = entry.id
            pool.resume(entry.id)
        case .shutDown: return tell([.fetchStopped(id)])
        }
        state.value.withLock { $0.fetches[download] = Fetch(file: id, tell: tell) }
    }

    func stop(_ id: JobFileID) {
        let download = state.value.withLock { $0.fetches.first { $0.value.file == id }?.key }
        if let download { pool.pause(download) }
    }

    /// Passes on the events that the pool has reported since the last call.
    func pump() {
        for news in reader.take() {
            switch news {
            case .event(.completed(let id, let facts, let directory)):
                let target = FileTarget(directory: directory, name: facts.fileName)
                let file = FetchedFile(
                    target: target, path: directory + "/" + facts.fileName, existed: facts.wasSkipped,
                    isVerified: facts.isVerified)
                end(id) { .fetched($0, file) }
            case .event(.failed(let id, let error)): end(id) { .fetchFailed($0, .download(error)) }
            case .state(let id, _):
                guard let entry = pool.snapshot(id)?.entry, case .paused = entry.state else { continue }
                end(id) { .fetchStopped($0) }
            case .event, .missed: break
            }
        }
    }

    private func end(_ id: DownloadID, _ event: (JobFileID) -> JobMachineEvent) {
        guard let fetch = state.value.withLock({ $0.fetches.removeValue(forKey: id) }) else { return }
        fetch.tell([event(fetch.file)])
    }
}

/// A ``Locked`` that closures can share.
final class Shared<Value: Sendable>: Sendable {
    let value: Locked<Value>

    init(_ value: Value) { self.value = Locked(value) }
}

/// Unpacks a file into one that holds its digest: wrong and missing bytes show.
final class SimulatedArchives: JobArchivePort {
    private final class Working: JobWork {
        let isStopped = Locked(false)

        func stop() { isStopped.withLock { $0 = true } }
    }

    private let disk: SimulatedDisk
    private let runtime: SimulatedRuntime

    init(_ disk: SimulatedDisk, _ runtime: SimulatedRuntime) {
        self.disk = disk
        self.runtime = runtime
    }

    static func unpacked(_ bytes: [UInt8]) -> [UInt8] { SimulatedDigests().digest(bytes)?.bytes ?? [] }

    static func path(of target: FileTarget) -> String { "\(target.directory.text)/\(target.name?.text ?? "")" }

    private static func directory(of file: FetchedFile) -> FileTarget {
        FileTarget(directory: file.target.directory.text, name: (file.target.name?.text ?? "") + ".unpacked")
    }

    private func later(_ work: @escaping @Sendable () -> Void) {
        runtime.after(.milliseconds(Int64(runtime.random(below: 400))), work)
    }

    func inspect(
        _ id: JobFileID, _ archive: ArchiveToUnpack, digest: Digest?,
        _ ended: @escaping @Sendable (JobArchiveEnd<Inspection>) -> Void
    ) -> any JobWork {
        let work = Working()
        let disk = disk
        later {
            guard !work.isStopped.withLock({ $0 }) else { return ended(.stopped) }
            let bytes = disk.contents(of: archive.fetched.path) ?? []
            let directory = Self.directory(of: archive.fetched)
            let isUnpacked = disk.contents(of: Self.path(of: directory)) == Self.unpacked(bytes)
            ended(
                .done(
                    Inspection(
                        matchesDigest: digest.map { SimulatedDigests().digest(bytes) == $0 }, directory: directory,
                        isUnpacked: isUnpacked)))
        }
        return work
    }

    func unpack(
        _ id: JobFileID, _ archive: ArchiveToUnpack, ifExists: ExtractionOptions.IfExists,
        progress: @escaping @Sendable (ArchiveProgress) -> Void,
        _ ended: @escaping @Sendable (JobArchiveEnd<UnpackedFile>) -> Void
    ) -> any JobWork {
        let work = Working()
        let disk = disk
        later {
            guard !work.isStopped.withLock({ $0 }) else { return ended(.stopped) }
            let directory = Self.directory(of: archive.fetched)
            let isThere = disk.exists(Self.path(of: directory))
            if isThere, ifExists == .skip { return ended(.done(UnpackedFile(directory, isSkipped: true))) }
            if isThere, ifExists == .fail {
                return ended(.failed(.archive(ArchiveError(.targetExists, "there", member: nil))))
            }
            disk.install(Self.path(of: directory), Self.unpacked(disk.contents(of: archive.fetched.path) ?? []))
            ended(.done(UnpackedFile(directory)))
        }
        return work
    }

    func remove(_ fetched: FetchedFile, _ ended: @escaping @Sendable (Result<Void, JobFailure>) -> Void) {
        let disk = disk
        later {
            disk.delete(Self.path(of: fetched.target))
            ended(.success(()))
        }
    }
}

/// Records each hook call with the files that it found.
final class SimulatedHooks: JobHookPort {
    struct Call: Sendable {
        let file: JobFile
        let outcome: JobOutcome
        let bytes: [UInt8]?
        let unpacked: [UInt8]?
    }

    private let disk: SimulatedDisk
    private let runtime: SimulatedRuntime
    private let noted = Locked<[Call]>([])

    init(_ disk: SimulatedDisk, _ runtime: SimulatedRuntime) {
        self.disk = disk
        self.runtime = runtime
    }

    var calls: [Call] { noted.withLock { $0 } }

    func check(_ spec: JobSpec) throws(JobFailure) {}

    func run(_ id: JobFileID, _ file: JobFile, _ outcome: JobOutcome, _ ended: @escaping @Sendable (HookEnding) -> Void)
    {
        let path = "\(file.spec.directory)/\(file.spec.fileName ?? "")"
        let call = Call(
            file: file, outcome: outcome, bytes: disk.contents(of: path),
            unpacked: disk.contents(of: path + ".unpacked"))
        noted.withLock { $0.append(call) }
        runtime.after(.milliseconds(Int64(runtime.random(below: 100)))) { ended(.exited(0)) }
    }
}
