import Pawl
import PawlAria2
import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// The calls of aria2's RPC, on the jobs of the service (docs/aria2.md). It has no rule about downloads of its own.
struct Aria2: Sendable {
    let service: JobService
    let settings: LiveSettings
    let roots: Roots
    let memory: Aria2Memory
    /// Nothing is there after the end of the process but the session that is saved.
    let isOnlySession: Bool
    /// Until it is open, calls wait: a service that is started with downloads has them when it answers first.
    let beginning = Gateway()
    /// Stops the service.
    let shutDown: @Sendable () -> Void

    var store: Store { service.store }

    /// How much of one call that means many downloads is done at once.
    static let width = 64
    /// From the call to the end of the service, so that the answer arrives.
    private static let shutdownDelay = Duration.seconds(3)

    enum Method: String, CaseIterable {
        case addUri = "aria2.addUri"
        case addTorrent = "aria2.addTorrent"
        case getPeers = "aria2.getPeers"
        case addMetalink = "aria2.addMetalink"
        case remove = "aria2.remove"
        case pause = "aria2.pause"
        case forcePause = "aria2.forcePause"
        case pauseAll = "aria2.pauseAll"
        case forcePauseAll = "aria2.forcePauseAll"
        case unpause = "aria2.unpause"
        case unpauseAll = "aria2.unpauseAll"
        case forceRemove = "aria2.forceRemove"
        case changePosition = "aria2.changePosition"
        case tellStatus = "aria2.tellStatus"
        case getUris = "aria2.getUris"
        case getFiles = "aria2.getFiles"
        case getServers = "aria2.getServers"
        case tellActive = "aria2.tellActive"
        case tellWaiting = "aria2.tellWaiting"
        case tellStopped = "aria2.tellStopped"
        case getOption = "aria2.getOption"
        case changeUri = "aria2.changeUri"
        case changeOption = "aria2.changeOption"
        case getGlobalOption = "aria2.getGlobalOption"
        case changeGlobalOption = "aria2.changeGlobalOption"
        case purgeDownloadResult = "aria2.purgeDownloadResult"
        case removeDownloadResult = "aria2.removeDownloadResult"
        case getVersion = "aria2.getVersion"
        case getSessionInfo = "aria2.getSessionInfo"
        case shutdown = "aria2.shutdown"
        case forceShutdown = "aria2.forceShutdown"
        case getGlobalStat = "aria2.getGlobalStat"
        case saveSession = "aria2.saveSession"
        case multicall = "system.multicall"
        case listMethods = "system.listMethods"
        case listNotifications = "system.listNotifications"

        /// They tell nothing that needs a token; each call within a multicall brings its own.
        var isOpen: Bool { [.multicall, .listMethods, .listNotifications].contains(self) }
    }

    static let notifications = [
        "aria2.onDownloadStart", "aria2.onDownloadPause", "aria2.onDownloadStop", "aria2.onDownloadComplete",
        "aria2.onDownloadError",
        "aria2.onBtDownloadComplete",
    ]

    /// Whether whoever brings this token, or none, may call.
    typealias Gate = @Sendable (String?) -> Bool

    /// What is known of the client while a message of its is answered.
    struct Caller {
        /// Calls without a token in one message: their answers are longer than they are.
        static let maximumOpenCalls = 20

        let gate: Gate
        /// One of the calls has brought the right token.
        var isKnown = false
        var openCalls = 0
        /// One of the calls had no right token.
        var isUnauthorized = false

        mutating func mayCall(_ method: Method?, _ parameters: inout RPCParameters) -> Bool {
            if method?.isOpen == true {
                openCalls += 1
                return isKnown || openCalls <= Self.maximumOpenCalls
            }
            guard gate(parameters.takeToken()) else {
                isUnauthorized = true
                return false
            }
            isKnown = true
            return true
        }
    }

    // MARK: Messages

    enum Reply: Sendable {
        /// Where a call had no right token, the answer is held back.
        case one(RPCAnswer, isUnauthorized: Bool = false)
        case batch([RPCAnswer], isUnauthorized: Bool)

        var json: JSONValue {
            switch self {
            case .one(let answer, _): answer.json
            case .batch(let answers, _): .array(answers.map(\.json))
            }
        }

        var isUnauthorized: Bool {
            switch self {
            case .one(_, let isUnauthorized), .batch(_, let isUnauthorized): isUnauthorized
            }
        }

        /// A batch is always answered by 200.
        var status: Int { if case .one(let answer, _) = self { answer.status } else { 200 } }
    }

    /// Carries out what a message asks for: one call, or several, one after the other.
    func reply(to message: [UInt8], _ gate: @escaping Gate) async -> Reply {
        await beginning.pass()
        guard let value = try? JSONValue(parsing: message) else {
            return .one(RPCAnswer(.init(id: .null, error: .notJSON)))
        }
        var caller = Caller(gate: gate)
        if case .array(let calls) = value {
            var answers: [RPCAnswer] = []
            for call in calls { if let call = RPCCall.read(call) { answers.append(await answer(call, &caller)) } }
            return .batch(answers, isUnauthorized: caller.isUnauthorized)
        }
        let answer = await answer(RPCCall.read(value) ?? .failure(.init(id: .null, error: .invalidRequest)), &caller)
        return .one(answer, isUnauthorized: caller.isUnauthorized)
    }

    private func answer(_ call: Result<RPCCall, RPCAnswer.Failure>, _ caller: inout Caller) async -> RPCAnswer {
        switch call {
        case .failure(let failure): RPCAnswer(failure)
        case .success(let call):
            RPCAnswer(id: call.id, result: await outcome(of: call.method, call.parameters, &caller))
        }
    }

    private func outcome(
        of name: String, _ parameters: RPCParameters, _ caller: inout Caller
    ) async -> Result<JSONValue, RPCError> {
        var parameters = parameters
        let method = Method(exactly: name)
        do throws(RPCError) {
            guard caller.mayCall(method, &parameters) else { throw .unauthorized }
            guard let method else { throw RPCError("No such method: \(name)") }
            if case .multicall = method { return .success(try await multicall(parameters, &caller)) }
            return .success(try await perform(method, parameters))
        } catch {
            return .failure(error)
        }
    }

    private func multicall(_ parameters: RPCParameters, _ caller: inout Caller) async throws(RPCError) -> JSONValue {
        var results: [JSONValue] = []
        for call in try parameters.list(0) {
            do throws(RPCError) {
                guard case .object(let members) = call else { throw RPCError("system.multicall expected struct.") }
                func member(_ name: StaticString) -> JSONValue? { members.last { $0.key.isExactly("\(name)") }?.value }
                guard case .string(let name)? = member("methodName") else { throw RPCError("Missing methodName.") }
                if case .multicall? = Method(exactly: name) { throw RPCError("Recursive system.multicall forbidden.") }
                let values: [JSONValue] = if case .array(let values)? = member("params") { values } else { [] }
                results.append(.array([try await outcome(of: name, RPCParameters(values), &caller).get()]))
            } catch {
                results.append(error.json)
            }
        }
        return .array(results)
    }

    private func perform(_ method: Method, _ given: RPCParameters) async throws(RPCError) -> JSONValue {
        switch method {
        case .addUri: return .string(try await addURI(given).text)
        case .addTorrent: throw RPCError("Pawl does not download by BitTorrent.")
        case .addMetalink: return .array(try await addMetalink(given).map { .string($0.text) })
        case .remove, .forceRemove: return try await remove(given.text(0))
        case .pause, .forcePause: return try await pause(given.text(0))
        case .unpause: return try await resume(given.text(0))
        case .pauseAll, .forcePauseAll: return try await each(of: Self.unpaused) { try await service.pause($0) }
        case .unpauseAll:
            let answer = try await each(of: [.paused]) { if !memory.isWithoutURIs($0) { try await service.resume($0) } }
            await waitForFirst()
            return answer
        case .removeDownloadResult: return try await forget(given.text(0))
        case .purgeDownloadResult: return try await forgetAll()
        case .changePosition: return .integer(try await move(given.text(0), by: given.integer(1), from: given.text(2)))
        case .changeUri: return try await changeURIs(given)
        case .tellStatus: return try tellStatus(given.text(0), given.keys(1))
        case .tellActive: return .array(try tellActive(given.keys(0)))
        case .tellWaiting: return .array(try tellWaiting(try page(given), given.keys(2)))
        case .tellStopped: return .array(try tellStopped(try page(given), given.keys(2)))
        case .getUris: return try uris(of: given.text(0))
        case .getFiles: return try files(of: given.text(0))
        case .getServers: return try servers(of: given.text(0))
        case .getPeers: return try peers(of: given.text(0))
        case .getOption: return try options(of: given.text(0))
        case .changeOption: return try await changeOptions(of: given.text(0), given.options(1))
        case .getGlobalOption: return globalOptions.json
        case .changeGlobalOption: return try await changeGlobalOptions(given.options(0))
        case .getGlobalStat: return try globalStat
        case .getVersion:
            return [
                "version": .string(Aria2Help.version),
                "enabledFeatures": .array(Aria2Help.features.map { .string($0) }),
            ]
        case .getSessionInfo: return ["sessionId": .string(memory.session)]
        case .saveSession: return try await saveSession()
        case .shutdown, .forceShutdown:
            Task {
                try? await Task.sleep(for: Self.shutdownDelay)
                shutDown()
            }
            return Self.done
        case .listMethods: return .array(Method.allCases.map { .string($0.rawValue) })
        case .listNotifications: return .array(Self.notifications.map { .string($0) })
        case .multicall: throw .invalidRequest
        }
    }

    static let done: JSONValue = "OK"

    // MARK: Helpers

    /// - Parameter message: in place of the service's own.
    func refusing<Value>(
        _ message: String? = nil, _ body: () async throws(JobService.Refusal) -> Value
    ) async throws(RPCError) -> Value {
        do throws(JobService.Refusal) { return try await body() } catch { throw RPCError(message ?? error.sentence) }
    }

    func reading<Value>(_ body: () throws(DownloadError) -> Value) throws(RPCError) -> Value {
        do throws(DownloadError) { return try body() } catch { throw RPCError(error.message) }
    }

    /// A download that a call names.
    enum Known {
        case job(StoredJob)
        /// By its user; what it was then.
        case removed(StoredJob)

        var job: StoredJob {
            switch self {
            case .job(let job), .removed(let job): job
            }
        }

        var isRemoved: Bool { if case .removed = self { true } else { false } }

        /// One that is waiting, running or paused.
        var unfinished: StoredJob? { if case .job(let job) = self, !job.state.hasEnded { job } else { nil } }
    }

    /// - Parameter text: a GID, or the beginning of one that no other begins with.
    func known(_ text: String) throws(RPCError) -> Known {
        guard let prefix = GID.idPrefix(of: text) else { throw RPCError("Invalid GID \(text)") }
        let jobs = try reading { () throws(DownloadError) in try store.jobs(withIDPrefix: prefix, limit: 2) }
        // One that is just being removed is still a job.
        let removed = memory.removed(withIDPrefix: prefix).filter { job in !jobs.contains { $0.id.isExactly(job.id) } }
        let found = jobs.map(Known.job) + removed.map(Known.removed)
        guard let first = found.first else { throw RPCError("GID \(text) is not found") }
        guard found.count == 1 else { throw RPCError("GID \(text) is not unique") }
        return first
    }
}

extension JobService.Refusal {
    /// For a person.
    fileprivate var sentence: String {
        switch self {
        case .unknown: "The download was removed."
        case .conflict(let conflict): conflict.message
        case .failed(let failure): failure.message
        }
    }
}

/// Holds up those who come before it is open.
final class Gateway: Sendable {
    /// Nil once it is open.
    private let waiting = Locked<[CheckedContinuation<Void, Never>]?>([])

    func open() {
        let waiting = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for one in waiting { one.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = waiting.withLock { waiting in
                guard waiting != nil else { return true }
                waiting?.append(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }
}
