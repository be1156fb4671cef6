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
    /// Whether only the saved session outlasts the process.
    let isOnlySession: Bool
    /// A barrier at which calls wait: a service that is started with downloads has them by its first answer.
    let beginning = StartBarrier()
    /// Stops the service.
    let shutDown: @Sendable () -> Void

    var store: Store { service.store }

    /// The number of downloads changed in one commit when a call concerns many.
    static let batch = 2000
    /// The time from a call to the end of the service, which lets the answer arrive.
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

        /// Whether a call needs no token: these reveal nothing, and each call within a multicall brings its own.
        var isOpen: Bool { [.multicall, .listMethods, .listNotifications].contains(self) }

        /// Whether a call changes nothing. Any other has already been carried out when its answer turns out too long to
        /// send.
        var isRead: Bool { rawValue.begins(with: "aria2.tell") || rawValue.begins(with: "aria2.get") || isOpen }
    }

    static let notifications = [
        "aria2.onDownloadStart", "aria2.onDownloadPause", "aria2.onDownloadStop", "aria2.onDownloadComplete",
        "aria2.onDownloadError",
        "aria2.onBtDownloadComplete",
    ]

    /// Compares text with the token, and returns why it is refused. Each comparison counts as an attempt.
    typealias Gate = @Sendable (String) -> TokenRefusal?

    /// The client that sent a message, as far as the message has shown.
    struct Caller {
        /// The calls without a token that a stranger's message may hold: their answers are longer than they are.
        static let maximumOpenCalls = 20

        let gate: Gate
        /// Whether calls need a token; not on the owner's socket, nor in a service without a secret.
        var needsToken = true
        /// The token has been shown, by this message or by an earlier one of the session.
        var isKnown = false
        /// The refusal of the first wrong token in the message; nothing else in it is compared.
        var guess: TokenRefusal?
        /// Whether the rest of the message is ignored.
        var isStopped = false
        /// The first call that was refused for its token.
        var refusal: TokenRefusal?
        /// The calls that have changed something.
        var carriedOut: [CarriedOut] = []
        /// The bytes that may still be answered.
        var room = RPCText.limit
        private var openCalls = 0

        init(gate: @escaping Gate) { self.gate = gate }

        mutating func mayCall(_ method: Method?, _ parameters: inout RPCParameters) -> Bool {
            if method?.isOpen == true {
                openCalls += 1
                return isKnown || openCalls <= Self.maximumOpenCalls || refuse(.tokenRequired)
            }
            let token = parameters.takeToken()
            if !needsToken { return true }
            guard let token else { return refuse(.tokenRequired) }
            guess = guess ?? gate(token)
            if let guess { return refuse(guess) }
            isKnown = true
            return true
        }

        /// Ends the message after a wrong token, and that of a stranger after any entry that it may not send.
        private mutating func refuse(_ refusal: TokenRefusal) -> Bool {
            self.refusal = self.refusal ?? refusal
            isStopped = isStopped || refusal != .tokenRequired || !isKnown
            return false
        }

        /// Ends the message at an answer for which there is no room.
        ///
        /// - Returns: the error, or the one for the rest of the message.
        mutating func fits(_ error: RPCError) -> RPCError {
            let error = room > 0 ? error : .tooLarge
            if error == .tooLarge { isStopped = true }
            // With the members around it; the id is the client's own.
            room -= error.message.utf8.count + 64
            return error
        }

        /// Ends a stranger's message at an entry that is no call.
        mutating func meetNoCall() { if !isKnown { isStopped = true } }
    }

    /// A call that has changed something.
    struct CarriedOut: Sendable {
        var method: Method
        /// The download that it was about, or that it added.
        var gid: String?

        init(_ method: Method, _ parameters: RPCParameters, _ answer: RPCText) {
            self.method = method
            if case .addUri = method {
                gid = String(decoding: answer.bytes.dropFirst().dropLast(), as: UTF8.self)
            } else if let text = try? parameters.text(0), GID.idPrefix(of: text) != nil {
                gid = text
            }
        }
    }

    // MARK: Messages

    struct Reply: Sendable {
        enum Body: Sendable {
            case one(RPCAnswer)
            case batch([RPCAnswer])
        }

        var body: Body
        /// The token has been shown.
        var isKnown: Bool
        var refusal: TokenRefusal?
        /// The answer is held back for a moment: a stranger's message that was not answered in full, or a wrong token.
        var isHeld = false

        var text: RPCText {
            switch body {
            case .one(let answer): answer.text
            case .batch(let answers): RPCText(list: answers.map(\.text))
            }
        }

        /// A batch is always answered by 200, but for too many guesses.
        var status: Int {
            if retryAfter != nil { return 429 }
            if case .one(let answer) = body { return answer.status } else { return 200 }
        }

        /// The seconds until a client whose address has sent too many wrong tokens may guess again; nil for all others.
        var retryAfter: Int? {
            guard case .tooManyAttempts(let seconds)? = refusal, !isKnown else { return nil }
            return seconds
        }
    }

    /// Carries out what a message asks for: one call, or several, one after the other.
    func reply(to message: [UInt8], _ caller: inout Caller) async -> Reply {
        await beginning.pass()
        let body = await body(of: message, &caller)
        return Reply(
            body: body, isKnown: caller.isKnown, refusal: caller.refusal,
            isHeld: caller.refusal != nil || caller.isStopped && !caller.isKnown)
    }

    private func body(of message: [UInt8], _ caller: inout Caller) async -> Reply.Body {
        guard let value = try? JSONValue(parsing: message) else {
            caller.meetNoCall()
            return .one(RPCAnswer(.init(id: .null, error: .notJSON)))
        }
        guard case .array(let calls) = value else {
            return .one(await answer(RPCCall.read(value) ?? .failure(.noCall), &caller))
        }
        var answers: [RPCAnswer] = []
        for value in calls {
            // A batch skips what is no object, as in aria2, but for a stranger it is the end.
            guard let call = RPCCall.read(value) ?? (caller.isKnown ? nil : .failure(.noCall)) else { continue }
            answers.append(await answer(call, &caller))
            if caller.isStopped { break }
        }
        return .batch(answers)
    }

    private func answer(_ call: Result<RPCCall, RPCAnswer.Failure>, _ caller: inout Caller) async -> RPCAnswer {
        switch call {
        case .failure(let failure):
            caller.meetNoCall()
            return RPCAnswer(.init(id: failure.id, error: caller.fits(failure.error)))
        case .success(let call):
            return RPCAnswer(id: call.id, result: await outcome(of: call.method, call.parameters, &caller))
        }
    }

    private func outcome(
        of name: String, _ parameters: RPCParameters, _ caller: inout Caller
    ) async -> Result<RPCText, RPCError> {
        var parameters = parameters
        let method = Method(exactly: name)
        do throws(RPCError) {
            guard caller.mayCall(method, &parameters) else { throw .unauthorized }
            guard let method else { throw RPCError("No such method: \(name)") }
            guard caller.room > 0 else { throw .tooLarge }
            if case .multicall = method { return .success(try await multicall(parameters, &caller)) }
            let text = try await perform(method, parameters, room: caller.room)
            guard !method.isRead || text.bytes.count <= caller.room else { throw .tooLarge }
            caller.room -= text.bytes.count
            if !method.isRead { caller.carriedOut.append(CarriedOut(method, parameters, text)) }
            return .success(text)
        } catch {
            return .failure(caller.fits(error))
        }
    }

    private func multicall(_ parameters: RPCParameters, _ caller: inout Caller) async throws(RPCError) -> RPCText {
        var results: [RPCText] = []
        for call in try parameters.list(0) {
            switch Self.call(in: call) {
            case .success(let (name, values)):
                switch await outcome(of: name, RPCParameters(values), &caller) {
                case .success(let text): results.append(RPCText(list: [text]))
                case .failure(let error): results.append(RPCText(error.json))
                }
            case .failure(let error):
                caller.meetNoCall()
                results.append(RPCText(caller.fits(error).json))
            }
            if caller.isStopped { break }
        }
        return RPCText(list: results)
    }

    /// The method and the parameters of an entry of `system.multicall`.
    private static func call(in entry: JSONValue) -> Result<(name: String, values: [JSONValue]), RPCError> {
        guard case .object(let members) = entry else { return .failure(RPCError("system.multicall expected struct.")) }
        func member(_ name: StaticString) -> JSONValue? { members.last { $0.key.isExactly("\(name)") }?.value }
        guard case .string(let name)? = member("methodName") else { return .failure(RPCError("Missing methodName.")) }
        if case .multicall? = Method(exactly: name) {
            return .failure(RPCError("Recursive system.multicall forbidden."))
        }
        if case .array(let values)? = member("params") { return .success((name, values)) }
        return .success((name, []))
    }

    private func perform(_ method: Method, _ given: RPCParameters, room: Int) async throws(RPCError) -> RPCText {
        switch method {
        case .tellActive: try tellActive(given.keys(0), room)
        case .tellWaiting: try tellWaiting(try page(given), given.keys(2), room)
        case .tellStopped: try tellStopped(try page(given), given.keys(2), room)
        default: RPCText(try await perform(method, given))
        }
    }

    private func perform(_ method: Method, _ given: RPCParameters) async throws(RPCError) -> JSONValue {
        switch method {
        case .addUri: return .string(try await addURI(given).text)
        case .addTorrent: throw RPCError("Pawl does not download by BitTorrent.")
        case .addMetalink: return .array(try await addMetalink(given).map { .string($0.text) })
        case .remove, .forceRemove: return try await remove(given.text(0))
        case .pause, .forcePause: return try await pause(given.text(0))
        case .unpause: return try await resume(given.text(0))
        case .pauseAll, .forcePauseAll: return try await each(of: Self.unpaused) { await service.pause($0) }
        case .unpauseAll:
            let answer = try await each(of: [.paused]) { await service.resume($0.filter { !memory.isWithoutURIs($0) }) }
            await waitForFirst()
            return answer
        case .removeDownloadResult: return try await forget(given.text(0))
        case .purgeDownloadResult: return try await forgetAll()
        case .changePosition: return .integer(try await move(given.text(0), by: given.integer(1), from: given.text(2)))
        case .changeUri: return try await changeURIs(given)
        case .tellStatus: return try tellStatus(given.text(0), given.keys(1))
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
        // Others answer these.
        case .multicall, .tellActive, .tellWaiting, .tellStopped: throw .invalidRequest
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
        /// The user removed the job; this is its last state.
        case removed(StoredJob)

        var job: StoredJob {
            switch self {
            case .job(let job), .removed(let job): job
            }
        }

        var isRemoved: Bool { if case .removed = self { true } else { false } }

        /// The job, if it is waiting, running or paused.
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
    /// The sentence for a person.
    fileprivate var sentence: String {
        switch self {
        case .unknown: "The download was removed."
        case .conflict(let conflict): conflict.message
        case .failed(let failure): failure.message
        }
    }
}

/// Holds up callers that come before it is open.
final class StartBarrier: Sendable {
    /// The calls that wait for the opening; nil once the gateway is open.
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
