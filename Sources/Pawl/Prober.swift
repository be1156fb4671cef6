import PawlCore
import PawlEngine
import Synchronization

/// What a server says of a URL.
public struct ProbeReport: Hashable, Sendable {
    /// What one method was told.
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
    let transport: any Transport
    let runtime: any Runtime
    let settings: DownloadSettings

    func probe() async throws(DownloadError) -> ProbeReport {
        var url = settings.url
        var visited: [HTTPURL] = []
        var cookies = CookieJar()
        while true {
            let request = RangeRequest(start: 0, end: nil)
            let response = try await ask(.get, url, request.fields, cookies)
            let hasNewCookie = cookies.store(
                response.fields.values("set-cookie"), from: url, wallClock: runtime.secondsSinceEpoch)
            if case .redirect(let location) = ResponseRule(request: request, known: nil).judge(response) {
                let target = try RedirectPolicy(allowsInsecure: settings.allowsInsecureRedirect)
                    .target(of: location, from: url, visited: visited, isKnownBetter: hasNewCookie)
                visited.append(url)
                url = target
                continue
            }
            // HEAD often fails where GET works; that is worth showing, and no error.
            let head = try? await ask(.head, url, [HTTPField("Accept-Encoding", "identity")], cookies)
            return report(url, visited.count, response, head)
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

    private static func answer(_ head: ResponseHead) -> ProbeReport.Answer {
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

    private func ask(
        _ method: TransportRequest.Method, _ url: HTTPURL, _ fields: [HTTPField], _ cookies: CookieJar
    ) async throws(DownloadError) -> ResponseHead {
        let all = settings.fields(for: url, asking: fields, cookies: cookies, wallClock: runtime.secondsSinceEpoch)
        let handler = HeadHandler()
        let exchange = transport.start(TransportRequest(method: method, url: url, fields: all), handler: handler)
        let timer = runtime.schedule(after: settings.headTimeout, on: runtime.makeControlLane()) { exchange.cancel() }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await handler.head()
        } onCancel: {
            exchange.cancel()
        }
        exchange.cancel()
        do throws(TransportError) {
            return try result.get()
        } catch {
            throw DownloadError(
                error.reason == .tls ? .tls : .network, "\(url.host): \(error.detail). Check the URL and the network.",
                recovery: .retryNow, underlying: error.detail)
        }
    }
}

/// Waits for a head and wants no body.
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
