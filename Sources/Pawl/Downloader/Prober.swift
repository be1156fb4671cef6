import PawlCore
import PawlEngine
import Synchronization

/// What a server says about a URL.
public struct ProbeReport: Hashable, Sendable {
    /// The answer to one method.
    public struct Answer: Hashable, Sendable {
        public let status: Int
        /// The whole length in bytes, from `Content-Range` or `Content-Length`.
        public let totalBytes: Int64?
        public let entityTag: String?
        public let lastModified: String?
        public let contentType: String?
        public let acceptRanges: String?
    }

    /// After redirects, redacted.
    public let finalURL: String
    public let redirects: Int
    /// The answer to `GET` with `Range: bytes=0-`.
    public let get: Answer
    /// The answer to `HEAD`; nil when there was none.
    public let head: Answer?
    /// The server answered a range with a range: a download can be resumed and split.
    public let acceptsRanges: Bool
    /// The validator can prove that later bytes belong to the same file (RFC 9110 §8.8.1).
    public let hasStrongValidator: Bool
    public let suggestedName: String
}

struct Prober {
    let ports: Ports
    let settings: DownloadSettings
    private let observer: DownloadRecorder?
    private var authenticator: Authenticator
    private var requests = 0
    private var runtime: any Runtime { ports.runtime }

    init(ports: Ports, settings: DownloadSettings, observer: DownloadRecorder?) {
        self.ports = ports
        self.settings = settings
        self.observer = observer
        let digests = ports.digests
        authenticator = Authenticator(
            hash: { algorithm, bytes in digests.digest(algorithm, of: bytes) }, allowsOnlyDigest: settings.allowsOnlyDigest)
    }

    mutating func probe() async throws(DownloadError) -> ProbeReport {
        var redirects = 0
        let (url, response) = try await lastAnswer { answer in redirects += answer.isLast ? 0 : 1 }
        // HEAD often fails where GET works; that is worth showing, and is no error.
        let head = try? await ask(.head, url, [HTTPField("Accept-Encoding", "identity")]).head
        return report(url, redirects, response, head)
    }

    struct Answer {
        let url: HTTPURL
        let head: ResponseHead
        let isLast: Bool
    }

    /// Follows redirects and answers challenges, and tells of each answer that was neither of a challenge nor to be asked for again.
    mutating func lastAnswer(_ tell: (Answer) -> Void) async throws(DownloadError) -> (url: HTTPURL, head: ResponseHead) {
        var url = settings.url
        var visited: [HTTPURL] = []
        while true {
            let request = RangeRequest(start: 0, end: nil)
            let (response, proof) = try await ask(.get, url, request.fields)
            let before = ports.cookies.jar
            if ports.cookies.needsSuffixes(for: response) { await loadSuffixes() }
            ports.cookies.store(response.fields.values("set-cookie"), from: url, wallClock: runtime.secondsSinceEpoch)
            let hasNewCookie = ports.cookies.jar != before
            if response.status == 401, isChallengeAnswered(response, url, proof) { continue }
            guard case .redirect(let location) = ResponseRule(request: request, known: nil).judge(response) else {
                tell(Answer(url: url, head: response, isLast: true))
                return (url, response)
            }
            tell(Answer(url: url, head: response, isLast: false))
            let target = try RedirectPolicy(allowsInsecure: settings.allowsInsecureRedirect)
                .target(of: location, from: url, visited: visited, isKnownBetter: hasNewCookie)
            observer?.reported(.redirected(target), at: runtime.now)
            visited.append(url)
            url = target
        }
    }

    private func report(_ url: HTTPURL, _ redirects: Int, _ get: ResponseHead, _ head: ResponseHead?) -> ProbeReport {
        let answer = Self.answer(get)
        let representation = Representation(fields: get.fields, total: answer.totalBytes)
        return ProbeReport(
            finalURL: url.redacted, redirects: redirects, get: answer, head: head.map(Self.answer),
            acceptsRanges: get.status == 206,
            hasStrongValidator: representation.strongEntityTag != nil || representation.strongDate != nil,
            suggestedName: FileName.suggested(by: get, from: url, asked: settings.url))
    }

    static func answer(_ head: ResponseHead) -> ProbeReport.Answer {
        var total: Int64?
        if let value = head.fields.first("content-range"), let range = try? ContentRange(parsing: value) {
            switch range {
            case .range(_, let length): total = length
            case .unsatisfied(let length): total = length
            }
        } else if head.status != 206,
            case .valid(let length) = ContentLength(fieldValues: head.fields.values("content-length"))
        {
            total = length
        }
        return ProbeReport.Answer(
            status: head.status, totalBytes: total, entityTag: head.fields.first("etag"),
            lastModified: head.fields.first("last-modified"), contentType: head.fields.first("content-type"),
            acceptRanges: head.fields.first("accept-ranges"))
    }

    private mutating func isChallengeAnswered(_ head: ResponseHead, _ url: HTTPURL, _ proof: Authenticator.Proof) -> Bool {
        let clientNonce = DigestAuth.hexadecimal((0..<16).map { _ in UInt8(truncatingIfNeeded: runtime.random()) })
        return authenticator.challenged(
            by: head, at: url, after: proof, with: settings.secret(for: url), clientNonce: clientNonce) == .askAgain
    }

    private func loadSuffixes() async {
        await withCheckedContinuation { continuation in
            ports.runtime.diskExecutor.submit { [ports] in
                ports.cookies.loadSuffixes()
                continuation.resume()
            }
        }
    }

    private mutating func ask(
        _ method: TransportRequest.Method, _ url: HTTPURL, _ fields: [HTTPField], isRepeat: Bool = false
    ) async throws(DownloadError) -> (head: ResponseHead, proof: Authenticator.Proof) {
        let (authorization, proof) = authenticator.authorization(
            for: url, method: method.rawValue, with: settings.secret(for: url))
        let all = settings.fields(
            for: url, asking: fields, cookies: ports.cookies.jar, authorization: authorization, wallClock: runtime.secondsSinceEpoch)
        let handler = HeadHandler()
        let request = TransportRequest(method: method, url: url, fields: all, needsFreshConnection: isRepeat)
        requests += 1
        let id = ExchangeID(requests)
        observer?.observe(.asked(id, ObservedRequest(request)), at: runtime.now)
        let exchange = ports.transport.start(request, handler: handler)
        let timer = runtime.schedule(after: settings.responseTimeout, on: runtime.makeControlExecutor()) { exchange.cancel() }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await handler.head()
        } onCancel: {
            exchange.cancel()
        }
        exchange.cancel()
        observe(result, of: id)
        do throws(TransportError) {
            return (try result.get(), proof)
        } catch where error.reason == .stale && !isRepeat {
            return try await ask(method, url, fields, isRepeat: true)
        } catch {
            throw DownloadError(
                error.reason == .tls ? .tls : .network, "\(url.host): \(error.detail).",
                remedies: error.reason == .tls ? [.checkCertificate, .nameAuthority] : [.checkURL, .checkNetwork],
                recovery: .retryNow, underlying: error.detail, facts: .init(host: url.host))
        }
    }
}

extension Prober {
    private func observe(_ result: Result<ResponseHead, TransportError>, of id: ExchangeID) {
        guard let observer else { return }
        switch result {
        case .success(let head):
            observer.observe(.answered(id, ObservedAnswer(head), nil), at: runtime.now)
            observer.observe(.ended(id, stored: 0, received: 0, .cancelled), at: runtime.now)
        case .failure(let error): observer.observe(.ended(id, stored: 0, received: 0, .failed(error)), at: runtime.now)
        }
    }
}

/// Waits for a head and discards the body.
private final class HeadHandler: ExchangeHandler {
    private struct State {
        var result: Result<ResponseHead, TransportError>?
        var waiter: CheckedContinuation<Result<ResponseHead, TransportError>, Never>?
    }

    private let state = Locked(State())

    func head() async -> Result<ResponseHead, TransportError> {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    private func settle(_ result: Result<ResponseHead, TransportError>) {
        let waiter = state.withLock { state -> CheckedContinuation<Result<ResponseHead, TransportError>, Never>? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: result)
    }

    func received(head: ResponseHead) { settle(.success(head)) }

    func received(body: UnsafeRawBufferPointer) -> Bool { true }

    func ended(_ error: TransportError?) {
        settle(.failure(error ?? TransportError(.malformed, "the connection ended without an answer")))
    }
}
