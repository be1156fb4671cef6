import Pawl
import PawlCore
import PawlEngine
import Synchronization

/// Decides who may make a request, by token or session, `Host` and `Origin` (docs/security.md).
package final class AccessRules: Sendable {
    package struct Configuration: Sendable {
        /// Names and addresses, in lower case and without a port, that `Host` may have.
        package var hosts = ["localhost", "127.0.0.1", "[::1]"]
        /// The origin of the page behind a reverse proxy.
        package var publicOrigin: String?
        /// The path of the page there.
        package var publicPath = "/"
        /// The other origins whose scripts may send the token.
        package var allowedOrigins: [String] = []
        /// Scripts of any origin may send the token.
        package var allowsAnyOrigin = false
        /// Calls of the RPC need no token. Then no page of another origin may make any: what a browser says of itself
        /// is all there is to go by.
        package var isOpen = false
        package var isTLS = false
        /// `Host` may be any numeric address: no name that leads here is one.
        package var takesAnyAddress = false

        package init() {}
    }

    let configuration: Configuration
    let token: AccessToken
    let sessions: Sessions
    private let attempts = AttemptLimit()
    let grants: Grants

    package init(_ configuration: Configuration, _ token: AccessToken, _ store: Store) {
        self.configuration = configuration
        self.token = token
        grants = Grants(token) { session in
            // A database that does not answer lets nobody in.
            (try? store.hasLogin(session.proof.text, now: LiveRuntime.wallClockSeconds)) ?? false
        }
        sessions = Sessions(store, token, grants)
    }

    // MARK: Every request

    /// - Returns: what allows the request; nil for one that needs no permission, or shows it in each of its calls.
    /// - Throws: ``Problem``, if the request may not be answered.
    func check(_ call: HTTPCall, _ route: APIRoute?) async throws(Problem) -> Grants.Grant? {
        if case .owner = call.peer { return nil }
        if route == .rpc {
            // A link or a picture of any page is asked for by GET, and without a word of where it comes from.
            guard !configuration.isOpen || !call.method.isExactly("GET") else { throw Self.foreign }
            try checkRPC(call)
            return nil
        }
        try checkHost(call)
        if route?.isPublic ?? false {
            // Another site could log its visitor in or out.
            if call.method == "POST" { try checkOrigin(call, mustBeSaid: false) }
            return nil
        }
        // Read first: a token that is renewed just now ends what was allowed by the former one.
        let generation = token.generation
        if let field = call.field("authorization") {
            try checkOrigin(call, mustBeSaid: false)
            guard let text = Self.bearer(field) else {
                throw Problem(
                    401, "tokenRequired", "The Authorization header has no bearer token.",
                    hint: "Send “Authorization: Bearer TOKEN”; pawl token shows it.")
            }
            try await check(token: text, call)
            return Grants.Grant(generation: generation)
        }
        if let session = try sessions.session(of: call, route) {
            try checkOrigin(call, mustBeSaid: call.method != "GET" && call.method != "HEAD")
            return Grants.Grant(session: session, generation: generation)
        }
        throw Problem(
            401, "tokenRequired", "The request is not authenticated.",
            hint: "Log in, or send “Authorization: Bearer TOKEN”; pawl token shows it.")
    }

    /// A name that leads here but is not ours belongs to somebody who wants a browser to talk to us (DNS rebinding).
    private func checkHost(_ call: HTTPCall) throws(Problem) {
        let host = call.field("host") ?? ""
        let name = Self.withoutPort(host)
        guard configuration.hosts.containsExactly(name) || configuration.takesAnyAddress && Self.isAddress(name) else {
            throw Problem(
                403, "unknownHost", "The service does not accept the host name “\(host)”.",
                hint: "If this is a name of the service, set host or public_url in its configuration.")
        }
    }

    /// Whether calls of the RPC may come this way. Who may make them is for each call to show, by a token that no other
    /// site knows.
    func maySpeak(_ call: HTTPCall) -> Bool { (try? checkRPC(call)) != nil }

    /// Whether a session is that of a program of this machine, or of the service's own page there, which hear
    /// notifications without the token. A proxy's connection comes from this machine, too, but its requests name the
    /// proxy's client or the public host.
    func isLocal(_ call: HTTPCall) -> Bool {
        let host = Self.withoutPort(call.field("host") ?? "")
        let isLoopback =
            host.isExactly("localhost") || host.isExactly("[::1]") || host.begins(with: "127.") && Self.isAddress(host)
        return call.isOfThisMachine && (isLoopback && !isPublic(call) || call.peer == .owner)
            && call.field("origin").map { isOwn($0, call) } ?? true
    }

    private func checkRPC(_ call: HTTPCall) throws(Problem) {
        if case .owner = call.peer { return }
        try checkHost(call)
        // The token is sent by those who know it, never by the browser itself, so it is right from any origin: that of
        // an extension, a file, the page of another client. Without one, the origin is all there is to go by.
        guard configuration.isOpen, let origin = call.field("origin") else { return }
        guard isOwn(origin, call) else { throw Self.foreign }
    }

    private func allows(origin: String) -> Bool {
        configuration.allowsAnyOrigin || configuration.allowedOrigins.containsExactly(origin)
    }

    private static func isAddress(_ host: String) -> Bool {
        let bytes = Array(host.utf8)
        let isBracketed = bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
        return IPAddress(String(decoding: isBracketed ? bytes.dropFirst().dropLast() : bytes[...], as: UTF8.self))
            != nil
    }

    static func withoutPort(_ host: String) -> String {
        let bytes = host.utf8.map(ASCII.lowercased)
        guard let end = bytes.lastIndex(of: UInt8(ascii: ":")), bytes[(end + 1)...].allSatisfy(ASCII.isDigit),
            bytes.first != UInt8(ascii: "[") || bytes[..<end].last == UInt8(ascii: "]")
        else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// - Returns: an empty text for a host without one.
    static func port(_ host: String) -> String {
        String(decoding: host.utf8.dropFirst(withoutPort(host).utf8.count).filter(ASCII.isDigit), as: UTF8.self)
    }

    private static let foreign = Problem(
        403, "foreignOrigin", "The request comes from another site.",
        hint: "Use the service's own page, or allow the origin in the configuration (allow_origin).")

    /// A page of another site may make its visitor's browser send requests with the visitor's cookies.
    ///
    /// - Parameter mustBeSaid: a browser that says neither `Origin` nor `Sec-Fetch-Site` is refused.
    private func checkOrigin(_ call: HTTPCall, mustBeSaid: Bool) throws(Problem) {
        let foreign = Self.foreign
        if let origin = call.field("origin") {
            guard isOwn(origin, call) || call.field("authorization") != nil && allows(origin: origin) else {
                throw foreign
            }
        } else if let site = call.field("sec-fetch-site") {
            guard site == "same-origin" || site == "none" else { throw foreign }
        } else if mustBeSaid {
            throw foreign
        }
    }

    private func isOwn(_ origin: String, _ call: HTTPCall) -> Bool {
        if let publicOrigin = configuration.publicOrigin {
            if origin.utf8.elementsEqual(publicOrigin.utf8) { return true }
            // There it has no other.
            if isAtPublicURL(call) { return false }
        }
        let own = (configuration.isTLS ? "https://" : "http://") + (call.field("host") ?? "")
        return origin.utf8.map(ASCII.lowercased).elementsEqual(own.utf8.map(ASCII.lowercased))
    }

    private static func bearer(_ field: String) -> String? {
        let bytes = Array(field.utf8)
        guard bytes.count > 7, bytes[..<7].map(ASCII.lowercased).elementsEqual("bearer ".utf8) else { return nil }
        return String(decoding: ASCII.trimmingBlanks(bytes[7...]), as: UTF8.self)
    }

    private func check(token text: String, _ call: HTTPCall) async throws(Problem) {
        guard let refusal = refusal(of: text, client(of: call)) else { return }
        await TokenRefusal.holdBack()
        guard case .tooManyAttempts(let seconds) = refusal else {
            throw Problem(401, refusal.code, "This is not the token of the service.", hint: "pawl token shows it.")
        }
        var problem = Problem(
            429, refusal.code, "There were too many wrong tokens from this address.", hint: "Try again in \(seconds) s."
        )
        problem.retryAfter = seconds
        throw problem
    }

    /// Compares what a client gives for the token, wherever it came, and counts a wrong one.
    ///
    /// The right one is always accepted, and at once. Whoever guesses may share the owner's address, as another user of
    /// this machine or behind the same proxy, and could otherwise lock the owner out. That is why a wrong one costs
    /// time: its refusal is held back (``TokenRefusal/holdBack()``).
    ///
    /// - Returns: nil for the right one.
    func refusal(of text: String, _ client: ClientIdentity) -> TokenRefusal? {
        if token.matches(text) { return nil }
        guard client.peer != .owner,
            let seconds = attempts.fail(client.address, at: LiveRuntime.wallClockSeconds)
        else { return .wrongToken }
        return .tooManyAttempts(seconds: seconds)
    }

    // MARK: Messages of the RPC

    /// Whether calls have to bring the token.
    func needsToken(_ peer: HTTPCall.Peer) -> Bool { peer != .owner && !configuration.isOpen }

    /// The token in a message that has not been parsed.
    enum Sight: Hashable { case right, absent, wrong(TokenRefusal) }

    /// Looks at the first text of a message that can be a token: those who know it have it in their first call.
    func token(in message: ArraySlice<UInt8>, _ client: ClientIdentity) -> Sight {
        guard needsToken(client.peer) else { return .right }
        let word = Array("\"token:".utf8)
        var start = message.startIndex
        while let quote = message[start...].firstIndex(of: word[0]) {
            if message[quote...].starts(with: word) {
                let text = message[(quote + word.count)...].prefix { $0 != UInt8(ascii: "\"") }
                // Only the parser knows what an escape stands for.
                guard !text.contains(UInt8(ascii: "\\")) else { return .absent }
                return refusal(of: String(decoding: text, as: UTF8.self), client).map { .wrong($0) } ?? .right
            }
            start = quote + 1
        }
        return .absent
    }

    /// The client behind a request.
    ///
    /// A proxy on this machine that passes the public name on is believed about its clients; of what it and others
    /// before it say, only the last address is its own word.
    func client(of call: HTTPCall) -> ClientIdentity {
        var address: String?
        if call.peer.isLocal, isPublic(call), let field = call.field("x-forwarded-for") {
            let last = field.utf8.split(separator: UInt8(ascii: ",")).last.map { ASCII.trimmingBlanks(Array($0)[...]) }
            let text = String(decoding: last ?? [], as: UTF8.self)
            if IPAddress(text) != nil { address = text }
        }
        return ClientIdentity(peer: call.peer, address: address, origin: call.field("origin"))
    }

    // MARK: The page

    /// `POST /login`.
    func logIn(_ call: HTTPCall) async throws(Problem) -> HTTPAnswer {
        var members = try RequestObject(try call.json())
        let text = try members.required("token", 1...256)
        try members.finish()
        try await check(token: text, call)
        let (keys, cookie) = try sessions.begin(cookiePlace(call), call)
        return .json(
            ["key": .string(keys.key), "fileKey": .string(keys.fileKey)], fields: [("set-cookie", cookie)])
    }

    /// `GET /login/{ticket}`: to the page, or to its form.
    func redeem(_ ticket: String, _ call: HTTPCall) throws(Problem) -> HTTPAnswer {
        guard sessions.take(ticket) else { return .empty(303, fields: [("location", "../../../login.html")]) }
        let (keys, cookie) = try sessions.begin(cookiePlace(call), call)
        // A fragment stays in the browser (RFC 9110 §10.2.2); the page takes it out of the address.
        let location = "../../../#key=\(keys.key)&fileKey=\(keys.fileKey)"
        return .empty(303, fields: [("location", location), ("set-cookie", cookie)])
    }

    /// `POST /logout`.
    func logOut(_ call: HTTPCall) throws(Problem) -> HTTPAnswer {
        try sessions.end(call)
        return .empty(204, fields: [("set-cookie", Sessions.expiredCookie(cookiePlace(call), call))])
    }

    /// A link that logs in once, within a minute.
    package func makeTicket() -> String { sessions.makeTicket() }

    /// The attributes of the cookie: the page's path where the browser found it, and `Secure` if it came over TLS. A
    /// browser does not keep a `Secure` cookie of plain HTTP (RFC 6265bis §5.7).
    private func cookiePlace(_ call: HTTPCall) -> String {
        if isAtPublicURL(call), let origin = configuration.publicOrigin {
            return "; Path=\(configuration.publicPath)" + (origin.begins(with: "https:") ? "; Secure" : "")
        }
        return "; Path=/" + (configuration.isTLS && call.peer != .owner ? "; Secure" : "")
    }

    /// Whether the browser came by the public URL. Proxies may leave the port out of `Host`; another port of the same
    /// name is a way past the proxy.
    private func isAtPublicURL(_ call: HTTPCall) -> Bool {
        guard isPublic(call), let origin = configuration.publicOrigin, let url = try? HTTPURL(parsing: origin) else {
            return false
        }
        let port = Self.port(call.field("host") ?? "")
        return port.isEmpty || port.isExactly("\(url.effectivePort)")
    }

    /// Whether the browser uses the name that the reverse proxy has.
    private func isPublic(_ call: HTTPCall) -> Bool {
        guard let origin = configuration.publicOrigin, let url = try? HTTPURL(parsing: origin) else { return false }
        return Self.withoutPort(url.authority).isExactly(Self.withoutPort(call.field("host") ?? ""))
    }

    // MARK: Scripts of other origins

    /// The fields that let a script of an allowed origin read the answer.
    func crossOriginFields(_ call: HTTPCall) -> [(name: String, value: String)] {
        guard let origin = call.field("origin"), !configuration.isOpen, allows(origin: origin) else { return [] }
        return [
            ("access-control-allow-origin", origin), ("vary", "Origin"),
            ("access-control-expose-headers", "ETag, Location, Retry-After"),
        ]
    }

    /// The answer to a preflight request; nil for any other.
    func preflight(_ call: HTTPCall, _ route: APIRoute?) -> HTTPAnswer? {
        guard call.method.utf8.elementsEqual("OPTIONS".utf8), call.field("access-control-request-method") != nil else {
            return nil
        }
        guard !crossOriginFields(call).isEmpty, let route else { return nil }
        // Those of every answer are added to this one as well.
        return .empty(
            204,
            fields: [
                ("access-control-allow-methods", route.methods.joined(separator: ", ")),
                (
                    "access-control-allow-headers",
                    "Authorization, Content-Type, Idempotency-Key, If-Match, Last-Event-ID"
                ),
                ("access-control-max-age", "600"),
            ])
    }
}
