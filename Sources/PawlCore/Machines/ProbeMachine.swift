/// Sends a request without reading the body, to learn a file's name, size and validators. Follows redirects, answers
/// challenges and keeps cookies as a download does.
///
/// Pure: each call returns what to do next. One request is under way at a time.
package struct ProbeMachine: Sendable {
    package struct Request: Hashable, Sendable {
        package let url: HTTPURL
        package let fields: [HTTPField]
        /// `HEAD`; otherwise `GET`, for the whole file as a range unless such a request was refused.
        package let isHead: Bool
        /// A kept connection lost the request, which is sent again on a fresh one.
        package let isRepeat: Bool
    }

    package enum Action: Hashable, Sendable {
        case ask(Request)
        /// Add these `Set-Cookie` lines to the shared cookie jar.
        case keepCookies([String], from: HTTPURL)
        /// An answer that is no challenge, a redirect included.
        case answered(HTTPURL, ResponseHead)
        case redirected(to: HTTPURL)
        /// The last answer has been reported.
        case done(HTTPURL, ResponseHead)
        case failed(DownloadError)
    }

    private let settings: DownloadSettings
    private var authenticator: RequestAuthenticator
    private var url: HTTPURL
    private var visited: [HTTPURL] = []
    private var request: Request?
    private var proof: Authenticator.Proof = .none
    /// The range to request; none once a request with one was refused: some gateways refuse any (FAULTS R32).
    private var range = RangeRequest(start: 0, end: nil)

    /// - Parameter hash: the digest functions, for challenges of servers.
    package init(settings: DownloadSettings, cookies: CookieJar, hash: DigestAuth.Hash?) {
        self.settings = settings
        url = settings.askedURL
        authenticator = RequestAuthenticator(of: settings, hash: hash)
        authenticator.replaceCookies(by: cookies)
    }

    package mutating func use(_ list: PublicSuffixList) { authenticator.use(list) }

    // MARK: Asking

    package mutating func begin(wallClock: Int64) -> Request { ask(wallClock) }

    /// The same of the URL of the last answer, by `HEAD`.
    package mutating func askHead(wallClock: Int64) -> Request { ask(wallClock, isHead: true) }

    private mutating func ask(_ wallClock: Int64, isHead: Bool = false, isRepeat: Bool = false) -> Request {
        let authorization: HTTPField?
        (authorization, proof) = authenticator.authorization(
            for: url, method: isHead ? "HEAD" : "GET", with: settings.secret(for: url))
        let asked = isHead ? [HTTPField("Accept-Encoding", "identity")] : range.fields
        let fields = settings.fields(
            for: url, asking: asked, cookies: authenticator.cookies, authorization: authorization, wallClock: wallClock)
        let request = Request(url: url, fields: fields, isHead: isHead, isRepeat: isRepeat)
        self.request = request
        return request
    }

    // MARK: Answers to `GET`

    package mutating func received(_ head: ResponseHead, wallClock: Int64) -> [Action] {
        let lines = authenticator.storeCookies(of: head, from: url, wallClock: wallClock)
        let kept = lines.map { [Action.keepCookies($0, from: url)] } ?? []
        if case .askAgain? = authenticator.judge(head, at: url, after: proof, with: settings.secret(for: url)) {
            return kept + [.ask(ask(wallClock))]
        }
        let answered = kept + [.answered(url, head)]
        switch ResponseRule(request: range, known: nil).judge(head) {
        case .redirect(let location): return answered + follow(location, isKnownBetter: lines != nil, wallClock)
        case .refused(let refusal) where range.isRanged && refusal.mayConcernRange(of: proof):
            range.isRanged = false
            return kept + [.ask(ask(wallClock))]
        default: return answered + [.done(url, head)]
        }
    }

    private mutating func follow(_ location: String, isKnownBetter: Bool, _ wallClock: Int64) -> [Action] {
        do throws(DownloadError) {
            let target = try RedirectPolicy(allowsInsecure: settings.allowsInsecureRedirect)
                .target(of: location, from: url, visited: visited, isKnownBetter: isKnownBetter)
            visited.append(url)
            url = target
            return [.redirected(to: target), .ask(ask(wallClock))]
        } catch {
            return [.failed(error)]
        }
    }

    /// The request under way failed below HTTP. Returns it if it should be repeated.
    package mutating func failed(_ error: TransportError, wallClock: Int64) throws(DownloadError) -> Request {
        if error.reason == .stale, let request, !request.isRepeat {
            // Made anew: no two answers to a Digest challenge may have one count.
            return ask(wallClock, isHead: request.isHead, isRepeat: true)
        }
        if [.stale, .truncated].contains(error.reason), range.isRanged, request?.isHead == false {
            range.isRanged = false
            return ask(wallClock)
        }
        throw DownloadError(error, at: url)
    }
}
