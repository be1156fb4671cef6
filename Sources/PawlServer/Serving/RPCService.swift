import Logging
import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// Answers the messages of aria2's RPC, over HTTP and WebSocket alike, and holds the one rule for clients that have not
/// shown the token.
///
/// A stranger's message is small. It is handled one at a time, and never in the way of the owner's. It ends at the
/// first entry that a stranger may not send, with one error for the rest, and that answer is held back.
struct RPCService: Sendable {
    /// The largest message of a stranger, in bytes.
    static let maximumOfStrangers = 16 << 10

    let aria2: Aria2
    let access: AccessRules
    let notifier: RPCNotifier
    let sessions = RPCSessions()
    let logger: Logger
    private let strangers = StrangerLane()

    init(aria2: Aria2, access: AccessRules, notifier: RPCNotifier, logger: Logger) {
        (self.aria2, self.access, self.notifier, self.logger) = (aria2, access, notifier, logger)
    }

    /// Whether a message that begins like this may be larger than a stranger's.
    func permits(_ beginning: ArraySlice<UInt8>, _ client: ClientIdentity) -> Bool {
        switch access.token(in: beginning.prefix(Self.maximumOfStrangers), client) {
        case .right: return true
        case .absent: log(.tokenRequired, client)
        case .wrong(let refusal): log(refusal, client)
        }
        return false
    }

    /// Carries out a message.
    ///
    /// - Parameter isKnown: an earlier message of the session has shown the token.
    /// - Returns: the reply, once it may be sent.
    func reply(to message: [UInt8], _ client: ClientIdentity, isKnown: Bool) async -> Aria2.Reply {
        var caller = Aria2.Caller { [access] in access.refusal(of: $0, client) }
        caller.needsToken = access.needsToken(client.peer)
        switch isKnown ? .right : access.token(in: message.prefix(Self.maximumOfStrangers), client) {
        case .right: caller.isKnown = true
        case .wrong(let refusal): caller.guess = refusal
        case .absent: break
        }
        let reply: Aria2.Reply
        if caller.isKnown {
            reply = await aria2.reply(to: message, &caller)
        } else if message.count > Self.maximumOfStrangers {
            reply = Self.tooLarge(caller.guess ?? .tokenRequired)
        } else {
            reply = await strangers.reply { await aria2.reply(to: message, &caller) }
        }
        if message.count >= FreedMemory.large { FreedMemory.giveBackSoon() }
        if let refusal = reply.refusal { log(refusal, client) }
        for call in caller.carriedOut { log(call, client) }
        if reply.isHeld { await TokenRefusal.holdBack() }
        return reply
    }

    private static func tooLarge(_ refusal: TokenRefusal) -> Aria2.Reply {
        let text = "A message larger than \(maximumOfStrangers >> 10) KiB must have the token near its beginning."
        return Aria2.Reply(
            body: .one(RPCAnswer(.init(id: .null, error: RPCError(text)))), isKnown: false, refusal: refusal,
            isHeld: true)
    }

    private func log(_ refusal: TokenRefusal, _ client: ClientIdentity) {
        let fields: Logger.Metadata = ["path": "/jsonrpc", "code": "\(refusal.code)"]
        logger.warning("unauthorized", metadata: client.metadata.merging(fields) { own, _ in own })
    }

    /// Logs the change that a call has made: a request of HTTP may hold many calls, and a session is a single request.
    private func log(_ call: Aria2.CarriedOut, _ client: ClientIdentity) {
        var metadata = client.metadata
        metadata.updateValue("\(call.method.rawValue)", forKey: "method")
        if let gid = call.gid { metadata.updateValue("\(Printable.word(gid.utf8.prefix(16)))", forKey: "id") }
        logger.info("call", metadata: metadata)
    }
}

/// Lets the messages of strangers in one at a time, and rests between them, so that all strangers together take no more
/// than a fifth of one core.
private struct StrangerLane: Sendable {
    private let turn = AsyncSemaphore(1)

    func reply(_ work: () async -> Aria2.Reply) async -> Aria2.Reply {
        await turn.acquire()
        let began = ContinuousClock.now
        let reply = await work()
        let rest = (ContinuousClock.now - began) * 4
        Task { [turn] in
            try? await Task.sleep(for: rest)
            await turn.release()
        }
        return reply
    }
}
