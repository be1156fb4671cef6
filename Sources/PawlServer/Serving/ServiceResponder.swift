import Hummingbird
import HTTPTypes
import Logging
import NIOCore
import PawlCore
import PawlEngine
import PawlSystem

/// The connection that a request came on.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    func peer() async -> HTTPCall.Peer? { await Self.peer(of: channel) }

    /// Returns the peer of a connection; nil for a process of another user.
    static func peer(of channel: any Channel) async -> HTTPCall.Peer? {
        guard case .unixDomainSocket? = channel.localAddress else {
            return .address(channel.remoteAddress?.ipAddress ?? "")
        }
        #if canImport(Darwin)
        // The socket's mode and that of its directory keep others away.
        return .owner
        #else
        guard let options = channel as? any SocketOptionProvider else { return nil }
        let found: PeerCredentials? = try? await options.unsafeGetSocketOption(
            level: .socket, name: .init(rawValue: CInt(SO_PEERCRED))
        ).get()
        guard let found, found.uid == geteuid() || found.uid == 0 else { return nil }
        return .owner
        #endif
    }
}

#if !canImport(Darwin)
/// `struct ucred` of unix(7), which the headers show to GNU programs only.
private struct PeerCredentials {
    var pid: pid_t = 0
    var uid: uid_t = 0
    var gid: gid_t = 0
}
#endif

/// Answers each request: who may, which call, and how the answer is sent.
struct ServiceResponder: HTTPResponder {
    /// The longest body of any other request, in bytes.
    private static let maximumBody = 2 << 20
    /// The longest body of a request to a public route, in bytes.
    private static let maximumPublicBody = 4 << 10
    private static let maximumHeader = 64 << 10

    let api: API
    let rpc: RPCService
    let access: AccessRules
    let page: Page
    let logger: Logger
    let metrics: ServiceMetrics

    func respond(to request: Request, context: ServiceContext) async throws -> Response {
        let began = ContinuousClock.now
        let target = request.head.path ?? ""
        let answer: HTTPAnswer
        var problem: Problem?
        var crossOrigin: [(name: String, value: String)] = []
        var grant: Grants.Grant?
        var client = ClientIdentity(peer: .address(context.channel.remoteAddress?.ipAddress ?? ""))
        do throws(Problem) {
            guard let peer = await context.peer() else {
                throw Problem(403, "tokenRequired", "This socket belongs to another user.")
            }
            guard let fields = Self.fields(request) else {
                throw Problem(431, "malformed", "The header section is larger than 64 KiB.")
            }
            guard var call = HTTPCall(method: request.method.rawValue, target: target, fields: fields, peer: peer)
            else {
                throw Problem(400, "malformed", "The request target is not valid.")
            }
            client = access.client(of: call)
            crossOrigin = access.crossOriginFields(call)
            answer = try await self.answer(&call, request, client, &grant)
        } catch {
            problem = error
            answer = error.answer
        }
        metrics.answered(answer.status)
        log(request.method, target, client, answer, problem, ContinuousClock.now - began)
        return response(answer, isHead: request.method == .head, crossOrigin, grant)
    }

    /// - Parameter grant: set to what allows the request.
    private func answer(
        _ call: inout HTTPCall, _ request: Request, _ client: ClientIdentity, _ grant: inout Grants.Grant?
    ) async throws(Problem) -> HTTPAnswer {
        let route = APIRoute(path: call.path)
        if let answer = access.preflight(call, route) { return answer }
        grant = try await access.check(call, route)
        guard let route else { throw .notFound }
        guard route.methods.containsExactly(call.method) else {
            var problem = Problem(405, "wrongMethod", "The method \(call.method) is not allowed here.")
            problem.allow = route.methods.joined(separator: ", ")
            throw problem
        }
        do throws(Problem) {
            call.body = try await Self.body(
                of: request, atMost: route.isPublic ? Self.maximumPublicBody : Self.maximumBody
            ) {
                route != .rpc || rpc.permits($0, client)
            }
        } catch {
            // In words that its clients can read.
            guard case .rpc = route else { throw error }
            if error.status == 413 { await TokenRefusal.holdBack() }
            let answer = RPCAnswer(.init(id: .null, error: RPCError(error.detail))).text
            return HTTPAnswer(
                status: error.status, fields: [("content-type", "application/json")], body: .bytes(answer.bytes))
        }
        switch route {
        case .page(let path): return try page.answer(path, call)
        case .description: return page.description
        case .health: return health
        case .metrics:
            return HTTPAnswer(
                status: 200, fields: [("content-type", "text/plain; version=0.0.4; charset=utf-8")],
                body: .text(metrics.text))
        case .rpc: return await self.answer(call, client)
        case .login: return try await access.logIn(call)
        case .ticket(let ticket): return try access.redeem(ticket, call)
        case .logout: return try access.logOut(call)
        default: return try await api.answer(call, route)
        }
    }

    /// A call of aria2's RPC.
    private func answer(_ call: HTTPCall, _ client: ClientIdentity) async -> HTTPAnswer {
        guard let message = RPCMessage(call) else { return .empty(200) }
        return message.answer(await rpc.reply(to: message.body, client, isKnown: false))
    }

    private var health: HTTPAnswer {
        guard let problem = api.service.problem else { return .json(["status": "ok"]) }
        var answer = Problem(ofStore: problem)
        // What those who ask in a rhythm go by.
        (answer.status, answer.code, answer.retryAfter) = (503, "storeFailed", 5)
        return answer.answer
    }

    // MARK: In

    /// Returns the header fields; nil if they are too large.
    private static func fields(_ request: Request) -> [(name: String, value: String)]? {
        var fields = request.headers.map { (name: $0.name.rawName, value: $0.value) }
        if let host = request.head.authority { fields.append(("host", host)) }
        let size = fields.reduce(request.head.path?.utf8.count ?? 0) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 4
        }
        return size <= maximumHeader ? fields : nil
    }

    /// - Parameter permits: asked once there is more than strangers may send, with the beginning.
    private static func body(
        of request: Request, atMost limit: Int, _ permits: (ArraySlice<UInt8>) -> Bool
    ) async throws(Problem) -> [UInt8] {
        let tooLarge = Problem(
            413, "tooLarge", "The body is larger than \(limit >> 10) KiB.", hint: "Split it over several requests.")
        if let text = request.headers[.contentLength], let length = Int(text), length > limit { throw tooLarge }
        var body: [UInt8] = []
        do {
            for try await part in request.body {
                guard body.count + part.readableBytes <= limit else { throw tooLarge }
                let before = body.count
                body += part.readableBytesView
                let free = RPCService.maximumOfStrangers
                guard before > free || body.count <= free || permits(body[...]) else {
                    throw Problem(
                        413, "tooLarge",
                        "A message larger than \(free >> 10) KiB must have the token near its beginning.")
                }
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(408, "tooSlow", "The body was not received in time.")
        }
        return body
    }

    // MARK: Out

    private static let always: [(name: String, value: String)] = [
        ("content-security-policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
        ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"), ("x-frame-options", "DENY"),
        ("cross-origin-resource-policy", "same-origin"), ("cross-origin-opener-policy", "same-origin"),
    ]

    private func response(
        _ answer: HTTPAnswer, isHead: Bool, _ crossOrigin: [(name: String, value: String)], _ grant: Grants.Grant?
    ) -> Response {
        var fields = HTTPFields()
        var given = Self.always + answer.fields + crossOrigin
        if !given.contains(where: { $0.name == "cache-control" }) { given.append(("cache-control", "no-store")) }
        for (name, value) in given {
            if let name = HTTPField.Name(name) { fields.append(HTTPTypes.HTTPField(name: name, value: value)) }
        }
        // What is left of a body that nobody reads would be taken for the next request.
        if [400, 408, 413, 431].contains(answer.status) { fields[.connection] = "close" }
        return Response(
            status: .init(code: answer.status), headers: fields,
            body: isHead ? head(answer.body) : body(answer.body, grant))
    }

    private func body(_ body: HTTPAnswer.Body, _ grant: Grants.Grant?) -> ResponseBody {
        switch body {
        case .empty: ResponseBody()
        case .text(let text): Self.body(Array(text.utf8))
        case .bytes(let bytes): Self.body(bytes)
        case .fixed(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes.bytes))
        case .stream(let length, let write):
            ResponseBody(contentLength: length) { [grants = access.grants, hub = api.hub] writer in
                let hold = grant.map { grants.hold($0) { hub.wakeReaders() } }
                defer { hold?.release() }
                var guarded: any ResponseBodyWriter = GuardedWriter(base: writer, hold: hold)
                try await write(&guarded)
            }
        }
    }

    /// A large body is written in parts, as fast as the client reads.
    private static func body(_ bytes: [UInt8]) -> ResponseBody {
        let partLength = FreedMemory.large
        guard bytes.count > partLength else { return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)) }
        return ResponseBody(contentLength: bytes.count) { writer in
            defer { FreedMemory.giveBackSoon() }
            for start in stride(from: 0, to: bytes.count, by: partLength) {
                let part = bytes[start..<min(start + partLength, bytes.count)]
                try await writer.write(ByteBuffer(bytes: part))
            }
            try await writer.finish(nil)
        }
    }

    /// The length, and nothing else.
    private func head(_ body: HTTPAnswer.Body) -> ResponseBody {
        let length: Int? =
            switch body {
            case .empty: 0
            case .text(let text): text.utf8.count
            case .bytes(let bytes): bytes.count
            case .fixed(let bytes): bytes.bytes.count
            case .stream(let length, _): length
            }
        return ResponseBody(contentLength: length) { writer in try await writer.finish(nil) }
    }

    /// Logs a request in one line; a possible attack is a warning. Queries are left out, as they may hold secrets.
    private func log(
        _ method: HTTPRequest.Method, _ target: String, _ client: ClientIdentity, _ answer: HTTPAnswer,
        _ problem: Problem?, _ time: Duration
    ) {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }.prefix(200)
        let isTicket = path.starts(with: "/api/v1/login/".utf8)
        var metadata = client.metadata
        metadata["method"] = "\(method.rawValue)"
        metadata["path"] = "\(isTicket ? "/api/v1/login/…" : Printable.word(path))"
        metadata["status"] = "\(answer.status)"
        metadata["milliseconds"] = "\(Int((time / .milliseconds(1)).rounded()))"
        if let problem { metadata["code"] = "\(problem.code)" }
        let added = answer.status == 201 ? answer.fields.first { $0.name == "location" }?.value : nil
        let segments = (added.map { Array($0.utf8) } ?? Array(path)).split(separator: UInt8(ascii: "/"))
        if let id = segments.lazy.map({ String(decoding: $0, as: UTF8.self) }).first(where: isDownloadID) {
            metadata["id"] = "\(id)"
        }
        let isAttack = [401, 403, 429, 431].contains(answer.status)
        logger.log(level: isAttack ? .warning : answer.status >= 500 ? .error : .info, "request", metadata: metadata)
    }
}

/// Writes only while what allowed the answer is not revoked.
private struct GuardedWriter: ResponseBodyWriter {
    var base: any ResponseBodyWriter
    let hold: Grants.Hold?

    private struct Revoked: Error {}

    mutating func write(_ buffer: ByteBuffer) async throws {
        guard hold?.isValid ?? true else { throw Revoked() }
        // An empty chunk would be the last one.
        if buffer.readableBytes > 0 { try await base.write(buffer) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await base.finish(trailingHeaders) }
}
