import Pawl
import PawlCore
import PawlEngine
import Synchronization

/// The sessions of the page.
///
/// A session is a cookie and a key. Browsers send cookies to every port of a host, so another user's server on this
/// machine receives them; the key is in the page's storage, which belongs to the port, and the page sends it with each
/// request. Neither opens anything without the other.
final class Sessions: Sendable {
    /// The secrets that the page keeps.
    struct Keys {
        /// The key for all requests, sent in a header field.
        var key: String
        /// The key for finished files alone, sent in the URL: a link cannot have header fields.
        var fileKey: String

        init(key: String) {
            self.key = key
            fileKey = Base64URL.encode(SHA256.hash(Array("file \(key)".utf8)))
        }
    }

    /// A link that logs in, until a moment and with the token of its time.
    private struct Ticket {
        var until: Int64
        var generation: Int
    }

    static let keyField = "x-pawl-session-key"
    static let keyParameter = "key"
    /// The lifetime of a session, in seconds.
    private static let lifetime: Int64 = 30 * 86_400

    private let store: Store
    private let token: AccessToken
    private let grants: Grants
    private let tickets = Locked<[ExactText: Ticket]>([:])

    init(_ store: Store, _ token: AccessToken, _ grants: Grants) {
        (self.store, self.token, self.grants) = (store, token, grants)
    }

    /// The name of the cookie, with the port that the browser uses: services on several ports of a host keep theirs
    /// apart.
    private static func cookieName(_ call: HTTPCall) -> String {
        let port = AccessRules.port(call.field("host") ?? "")
        return "pawl_session" + (port.isEmpty ? "" : "_" + port)
    }

    /// - Returns: the request's session; nil if it has none, or only a part of one.
    func session(of call: HTTPCall, _ route: APIRoute?) throws(Problem) -> Grants.Grant.Session? {
        guard let cookie = call.cookie(Self.cookieName(call)) else { return nil }
        let proof: String
        if let key = call.field(Self.keyField) {
            proof = hash(cookie, key: key)
        } else if case .file? = route, let key = call.parameter(Self.keyParameter) {
            proof = hash(cookie, fileKey: key)
        } else {
            return nil
        }
        do throws(DownloadError) {
            guard try store.hasLogin(proof, now: LiveRuntime.wallClockSeconds) else { return nil }
            return Grants.Grant.Session(cookie: ExactText(token.hash(ofSession: cookie)), proof: ExactText(proof))
        } catch {
            throw Problem(ofStore: error)
        }
    }

    private func hash(_ cookie: String, key: String) -> String { token.hash(ofSession: "\(cookie) key \(key)") }

    private func hash(_ cookie: String, fileKey: String) -> String {
        token.hash(ofSession: "\(cookie) file \(fileKey)")
    }

    private func hashes(_ cookie: String, _ keys: Keys) -> [String] {
        [hash(cookie, key: keys.key), hash(cookie, fileKey: keys.fileKey)]
    }

    /// - Parameter place: the attributes of the cookie.
    func begin(_ place: String, _ call: HTTPCall) throws(Problem) -> (keys: Keys, cookie: String) {
        let (cookie, keys) = (AccessToken.random(), Keys(key: AccessToken.random()))
        let now = LiveRuntime.wallClockSeconds
        do throws(DownloadError) {
            for hash in hashes(cookie, keys) { try store.addLogin(hash, until: now + Self.lifetime, now: now) }
        } catch {
            throw Problem(ofStore: error)
        }
        return (keys, Self.cookie(cookie, seconds: Self.lifetime, place, call))
    }

    /// Ends the session of the request, and what it holds.
    ///
    /// - Throws: ``Problem``, if the database does not say so; then the session goes on.
    func end(_ call: HTTPCall) throws(Problem) {
        guard let cookie = call.cookie(Self.cookieName(call)), let key = call.field(Self.keyField),
            let session = try session(of: call, nil)
        else { return }
        do throws(DownloadError) {
            // That of the key last: as long as it is there, a log-out can be tried again.
            for hash in hashes(cookie, Keys(key: key)).reversed() { try store.removeLogin(hash) }
        } catch {
            throw Problem(ofStore: error)
        }
        grants.end(cookie: session.cookie)
    }

    private static func cookie(_ value: String, seconds: Int64, _ place: String, _ call: HTTPCall) -> String {
        "\(cookieName(call))=\(value)\(place); Max-Age=\(seconds); HttpOnly; SameSite=Strict"
    }

    /// The cookie that takes the browser's away.
    static func expiredCookie(_ place: String, _ call: HTTPCall) -> String { cookie("", seconds: 0, place, call) }

    // MARK: Links that log in

    func makeTicket() -> String {
        let ticket = AccessToken.random()
        let now = LiveRuntime.wallClockSeconds
        let fresh = Ticket(until: now + 60, generation: token.generation)
        tickets.withLock { tickets in
            tickets = tickets.filter { $0.value.until > now }
            tickets[ExactText(ticket)] = fresh
        }
        return ticket
    }

    /// - Returns: false for a ticket that is used, too old or unknown.
    func take(_ text: String) -> Bool {
        guard let ticket = tickets.withLock({ $0.removeValue(forKey: ExactText(text)) }) else { return false }
        return ticket.until > LiveRuntime.wallClockSeconds && ticket.generation == token.generation
    }
}
