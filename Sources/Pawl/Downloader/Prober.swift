import PawlCore
import PawlEngine
import Synchronization

/// A server's answers about a URL.
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

    /// The URL after redirects, redacted.
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

/// Performs what a ``ProbeMachine`` asks for.
struct Prober {
    let ports: Ports
    let settings: DownloadSettings
    private let observer: DownloadRecorder?
    private var machine: ProbeMachine
    private var requests = 0
    private var redirects = 0
    private var runtime: any Runtime { ports.runtime }

    init(ports: Ports, settings: DownloadSettings, observer: DownloadRecorder?) {
        self.ports = ports
        self.observer = observer
        var settings = settings
        settings.seed = ports.runtime.random()
        self.settings = settings
        let digests = ports.digests
        machine = ProbeMachine(
            settings: settings, cookies: ports.cookies.jar,
            hash: { algorithm, bytes in digests.digest(algorithm, of: bytes) })
    }

    mutating func probe() async throws(DownloadError) -> ProbeReport {
        let (url, response) = try await lastAnswer()
        // HEAD often fails where GET works; that is worth showing, and is no error.
        let head = try? await answer(to: machine.askHead(wallClock: runtime.secondsSinceEpoch))
        return report(url, response, head)
    }

    /// - Parameter tell: called for each answer that is no challenge.
    mutating func lastAnswer(
        _ tell: (HTTPURL, ResponseHead) -> Void = { _, _ in }
    ) async throws(DownloadError) -> (url: HTTPURL, head: ResponseHead) {
        var request = machine.begin(wallClock: runtime.secondsSinceEpoch)
        while true {
            let response = try await answer(to: request)
            if ports.cookies.needsSuffixes(for: response) { await loadSuffixes() }
            // Another download may have read the list meanwhile.
            if let list = ports.cookies.suffixes { machine.use(list) }
            for action in machine.received(response, wallClock: runtime.secondsSinceEpoch) {
                switch action {
                case .ask(let next): request = next
                case .keepCookies(let lines, let url):
                    ports.cookies.store(lines, from: url, wallClock: runtime.secondsSinceEpoch)
                case .answered(let url, let head): tell(url, head)
                case .redirected(let target):
                    redirects += 1
                    observer?.reported(.redirected(target), at: runtime.now)
                case .done(let url, let head): return (url, head)
                case .failed(let error): throw error
                }
            }
        }
    }

    private func report(_ url: HTTPURL, _ get: ResponseHead, _ head: ResponseHead?) -> ProbeReport {
        let answer = Self.answer(get)
        let representation = Representation(
            fields: get.fields, total: answer.totalBytes, received: runtime.secondsSinceEpoch)
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

    private func loadSuffixes() async {
        await withCheckedContinuation { continuation in
            ports.runtime.diskExecutor.submit { [ports] in
                ports.cookies.loadSuffixes()
                continuation.resume()
            }
        }
    }

    private mutating func answer(to request: ProbeMachine.Request) async throws(DownloadError) -> ResponseHead {
        var request = request
        while true {
            do throws(TransportError) {
                return try await exchange(request).get()
            } catch {
                request = try machine.failed(error, wallClock: runtime.secondsSinceEpoch)
            }
        }
    }

    private mutating func exchange(_ asked: ProbeMachine.Request) async -> Result<ResponseHead, TransportError> {
        let handler = HeadHandler()
        let request = TransportRequest(
            method: asked.isHead ? .head : .get, url: asked.url, fields: asked.fields,
            needsFreshConnection: asked.isRepeat)
        requests += 1
        let id = ExchangeID(requests)
        observer?.observe(.asked(id, ObservedRequest(request)), at: runtime.now)
        let exchange = ports.transport.start(request, handler: handler)
        let timer = runtime.schedule(after: settings.responseTimeout, on: runtime.makeControlExecutor()) {
            exchange.cancel()
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await handler.head()
        } onCancel: {
            exchange.cancel()
        }
        exchange.cancel()
        observe(result, of: id)
        return result
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

    func received(body: UnsafeRawBufferPointer, memory: (any ReceivedMemory)?) -> Bool { true }

    func ended(_ error: TransportError?) {
        settle(.failure(error ?? TransportError(.malformed, "the connection ended without a response")))
    }
}
