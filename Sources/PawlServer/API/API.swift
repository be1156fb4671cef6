import Pawl
import PawlCore
import PawlEngine
import PawlJobs
import PawlSystem
import Synchronization

/// The calls of the HTTP API (openapi.json), for those who may.
struct API: Sendable {
    let service: JobService
    let settings: LiveSettings
    let roots: Roots
    let hub: EventHub
    let version: String

    var store: Store { service.store }
    var json: DownloadJSON { DownloadJSON(service: service) }

    /// - Throws: ``Problem``.
    func answer(_ call: HTTPCall, _ route: APIRoute) async throws(Problem) -> HTTPAnswer {
        switch route {
        case .downloads: return isPost(call) ? try await add(call) : try list(call)
        case .download(let id): return try await download(call, id)
        case .action(let id, let action): return try await act(action, on: id)
        case .actions: return try await act(call)
        case .map(let id): return try map(call, id)
        case .file(let id): return try file(call, id)
        case .probe: return try await probe(call)
        case .documents: return try await documents(call)
        case .directories: return try directories(call)
        case .settings: return try await settings(call)
        case .stats: return .json(try stats())
        case .events: return try events(call)
        case .version: return .json(["name": "pawld", "version": .string(version), "api": 1])
        case .page, .health, .metrics, .rpc, .description, .login, .ticket, .logout: throw .notFound
        }
    }

    func isPost(_ call: HTTPCall) -> Bool { call.method.utf8.elementsEqual("POST".utf8) }

    /// - Throws: the problem of an id that cannot be one.
    func known(_ id: String) throws(Problem) -> StoredJob {
        guard isDownloadID(id) else { throw Problem(.unknown, id: id) }
        return try refusing(id) { () throws(JobService.Refusal) in try service.job(id) }
    }

    func refusing<Value>(_ id: String?, _ body: () throws(JobService.Refusal) -> Value) throws(Problem) -> Value {
        do throws(JobService.Refusal) { return try body() } catch { throw Problem(error, id: id) }
    }

    func refusing<Value>(
        _ id: String?, _ body: () async throws(JobService.Refusal) -> Value
    ) async throws(Problem) -> Value {
        do throws(JobService.Refusal) { return try await body() } catch { throw Problem(error, id: id) }
    }

    func reading<Value>(_ body: () throws(DownloadError) -> Value) throws(Problem) -> Value {
        do throws(DownloadError) { return try body() } catch { throw Problem(ofStore: error) }
    }

    func snapshot(_ job: StoredJob, status: Int = 200, location: String? = nil) throws(Problem) -> HTTPAnswer {
        let value = try reading { () throws(DownloadError) in try json.value(job) }
        return .json(
            value, status: status, fields: [("etag", "\"\(job.change)\"")] + (location.map { [("location", $0)] } ?? [])
        )
    }

    // MARK: The service

    func stats() throws(Problem) -> JSONValue {
        try reading { () throws(DownloadError) in try Self.stats(service, settings) }
    }

    static func stats(_ service: JobService, _ settings: LiveSettings) throws(DownloadError) -> JSONValue {
        let counts = try service.store.counts()
        let running = service.running.map(\.progress)
        let problem: JSONValue = service.problem.map { Problem(ofStore: $0).json } ?? .null
        return [
            "counts": DownloadJSON.counts(counts), "rate": .rounded(running.reduce(0) { $0 + $1.bytesPerSecond }),
            "limitNow": .optional(settings.current.limitNow), "pausedUntil": settings.current.pausedUntil,
            "connections": .integer(running.reduce(0) { $0 + $1.connections.count }),
            "fetched": .integer(service.fetched), "freeBytes": .optional(freeBytes(settings.current.directory)),
            "started": DownloadJSON.time(service.started), "problem": problem,
        ]
    }

    static func freeBytes(_ directory: String) -> Int64? {
        let file = SystemCalls.retryingInterrupts { open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard file >= 0 else { return nil }
        defer { _ = SystemCalls.close(file) }
        let bytes = SystemCalls.availableBytes(file)
        return bytes < 0 ? nil : bytes
    }

    private func settings(_ call: HTTPCall) async throws(Problem) -> HTTPAnswer {
        guard call.method.utf8.elementsEqual("PATCH".utf8) else { return settingsAnswer }
        try await settings.patch(try call.json(), roots, ifChange: try Self.expected(call))
        return settingsAnswer
    }

    private var settingsAnswer: HTTPAnswer {
        let (value, change) = (settings.current, settings.change)
        return .json(value.json(change: change, roots: roots), fields: [("etag", "\"\(change)\"")])
    }

    static let changed = Problem(412, "changed", "It has changed in the meantime.", hint: "Read it again.")

    /// The number that `If-Match` asks for; nil for any.
    static func expected(_ call: HTTPCall) throws(Problem) -> Int64? {
        guard let text = call.field("if-match"), !text.utf8.elementsEqual("*".utf8) else { return nil }
        let bytes = Array(text.utf8)
        guard bytes.count > 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\""),
            let number = Int64(String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)), number >= 0
        else { throw .parameter("If-Match", "If-Match must be an ETag from an earlier response, or *.") }
        return number
    }

    private func directories(_ call: HTTPCall) throws(Problem) -> HTTPAnswer {
        func entry(_ name: String, _ path: String) -> JSONValue {
            ["name": .string(name), "path": .string(path), "writable": .boolean(access(path, W_OK | X_OK) == 0)]
        }
        if let under = call.parameter("under"), !(1...4096).contains(under.utf8.count) {
            throw .parameter("under", "“under” must be a path of 1 to 4,096 bytes.")
        }
        guard let under = call.parameter("under") else {
            return .json([
                "path": .null, "parent": .null, "freeBytes": .null,
                "directories": .array(roots.paths.map { entry($0, $0) }),
            ])
        }
        let path: String
        do throws(Problem) {
            path = try roots.directory(under, from: settings.current.directory, field: "under")
        } catch {
            throw error.status == 422 ? Problem(404, "noSuchDirectory", error.detail, fields: ["under"]) : error
        }
        let names = Self.directories(in: path)
        let isRoot = roots.paths.contains { $0.utf8.elementsEqual(path.utf8) }
        let end = Array(path.utf8).lastIndex(of: UInt8(ascii: "/")) ?? 0
        return .json([
            "path": .string(path),
            "parent": isRoot
                ? .null : .string(end == 0 ? "/" : String(decoding: Array(path.utf8)[..<end], as: UTF8.self)),
            "freeBytes": .optional(Self.freeBytes(path)),
            "directories": .array(names.prefix(1000).map { entry($0, path + "/" + $0) }),
        ])
    }

    /// Returns whether a path is a directory; a link to one may lead anywhere and does not count.
    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func directories(in path: String) -> [String] {
        let names = SystemCalls.names(in: path).filter {
            $0.utf8.first != UInt8(ascii: ".") && isDirectory(path + "/" + $0)
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

/// The settings as they are now.
final class LiveSettings: Sendable {
    private let service: JobService
    private let initial: ServiceSettings
    private let state: Locked<(value: ServiceSettings, change: Int64)>
    private let turn = AsyncSemaphore(1)

    /// The directory that was set, which no longer is one or is outside the roots: the initial one holds.
    let refusedDirectory: String?

    /// - Parameter initial: what holds where nothing was set.
    /// - Throws: what the database says.
    init(_ service: JobService, initial: ServiceSettings, _ roots: Roots) throws(DownloadError) {
        self.service = service
        let stored = try service.store.settings()
        var refused: String?
        if let directory = stored.values["directory"] {
            do throws(Problem) { _ = try roots.directory(directory, from: initial.directory, field: "directory") } catch
            { refused = directory }
        }
        (self.initial, refusedDirectory) = (initial, refused)
        let value = Self.with(stored.values, initial, refused)
        state = Locked((value, stored.change))
        service.apply(value)
    }

    private static func with(
        _ stored: [String: String], _ initial: ServiceSettings, _ refusedDirectory: String?
    ) -> ServiceSettings {
        var value = initial
        value.take(stored)
        if let refusedDirectory, value.directory.isExactly(refusedDirectory) { value.directory = initial.directory }
        return value
    }

    /// The settings in the database, which can be a moment ahead of ``current``.
    var stored: ServiceSettings {
        (try? service.store.settings()).map { Self.with($0.values, initial, refusedDirectory) } ?? current
    }

    var current: ServiceSettings { state.withLock { $0.value } }
    /// The number of the latest change; zero before the first.
    var change: Int64 { state.withLock { $0.change } }

    /// - Parameter ifChange: nothing happens unless this is the number of the latest change.
    func patch(_ value: JSONValue, _ roots: Roots, ifChange: Int64?) async throws(Problem) {
        await turn.acquire()
        do throws(Problem) {
            if let ifChange, ifChange != change { throw API.changed }
            try await patchInTurn(value, roots)
        } catch {
            await turn.release()
            throw error
        }
        await turn.release()
    }

    private func patchInTurn(_ value: JSONValue, _ roots: Roots) async throws(Problem) {
        var fresh = current
        try fresh.patch(value, roots)
        guard fresh != current else { return }
        do throws(DownloadError) {
            // Not what was not set: it goes by the configuration.
            let before = current.stored
            try await service.store.set(
                fresh.stored.filter { name, value in before[name].map { !$0.isExactly(value) } ?? true })
            let change = try service.store.settings().change
            state.withLock { $0 = (fresh, change) }
        } catch {
            throw Problem(ofStore: error)
        }
        service.apply(fresh)
    }
}
