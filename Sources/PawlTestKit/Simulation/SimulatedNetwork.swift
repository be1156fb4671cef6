import PawlCore
package import PawlEngine
import Synchronization

/// A network with one server on it, or several by their hosts, driven by a ``SimulatedRuntime``.
package final class SimulatedNetwork: Transport {
    private struct State {
        var origins: [String: SimulatedOrigin]
        /// Connections that are open, by host.
        var open: [String: Int] = [:]
        var mostOpen = 0
        var requests: [TransportRequest] = []
        var bodyBytes: [String: Int64] = [:]
        var linksIssued: [String: Instant] = [:]
    }

    private let runtime: SimulatedRuntime
    private let state: Locked<State>

    /// `origin` is what every host is that `others` does not name.
    package init(_ origin: SimulatedOrigin, others: [String: SimulatedOrigin] = [:], runtime: SimulatedRuntime) {
        self.runtime = runtime
        state = Locked(State(origins: others.merging(["": origin]) { first, _ in first }))
    }

    package var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// At once, at any time.
    package var mostOpen: Int { state.withLock { $0.mostOpen } }

    package var bodyBytesSent: Int64 { state.withLock { $0.bodyBytes.values.reduce(0, +) } }

    /// Of one host.
    package func bodyBytesSent(by host: String) -> Int64 { state.withLock { $0.bodyBytes[host] ?? 0 } }

    package func start(_ request: TransportRequest, handler: any ExchangeHandler) -> any Exchange {
        let host = request.url.host
        let (origin, number) = state.withLock { state in
            state.requests.append(request)
            state.open[host, default: 0] += 1
            state.mostOpen = max(state.mostOpen, state.open.values.reduce(0, +))
            return (state.origins[host] ?? state.origins[""], state.requests.count)
        }
        // There is always the one that it was made with.
        guard let origin else { preconditionFailure("a network without a server") }
        let pace = SimulatedExchange.Pace(origin, request: number) { [self] in open(host) }
        let exchange = SimulatedExchange(runtime: runtime, handler: handler, pace: pace) { [self] bytes in
            state.withLock { $0.bodyBytes[host, default: 0] += bytes }
        } closed: { [self] in
            state.withLock { $0.open[host, default: 0] -= 1 }
        }
        runtime.after(origin.latency) { [self] in
            exchange.answer(reply(to: request, origin))
        }
        return exchange
    }

    private func open(_ host: String) -> Int { state.withLock { $0.open[host] ?? 0 } }

    // MARK: The server

    enum Reply: Sendable {
        case failure(TransportError)
        case silence
        case response(ResponseHead, body: ArraySlice<UInt8>, ending: SimulatedExchange.Ending)
    }

    private func reply(to request: TransportRequest, _ origin: SimulatedOrigin) -> Reply {
        if runtime.chance(origin.refuses) { return .failure(TransportError(.connect, "connection refused")) }
        if runtime.chance(origin.dies) { return .failure(TransportError(.truncated, "connection reset")) }
        if open(request.url.host) > origin.mostConnections {
            switch origin.excess {
            case .status(let code): return status(code)
            case .reset: return .failure(TransportError(.truncated, "connection reset"))
            case .hang: return .silence
            }
        }
        if let refusal = origin.refusal { return status(refusal) }
        if runtime.chance(origin.answersBusy) {
            return status(runtime.chance(0.5) ? 429 : 503, [HTTPField("Retry-After", "\(runtime.random(below: 5))")])
        }
        if let redirect = redirect(request, origin) { return redirect }
        let hasCondition = request.fields.first("if-range") != nil
        if origin.refusesIfRange, hasCondition { return status(403) }
        return file(request, origin)
    }

    private func redirect(_ request: TransportRequest, _ origin: SimulatedOrigin) -> Reply? {
        let hops = request.url.path.split(separator: "/").count - 1
        if hops < origin.redirects {
            let target = request.url.path + "/\(runtime.random(below: 1 << 30))"
            state.withLock { $0.linksIssued[target] = runtime.now }
            return status(302, [HTTPField("Location", target)])
        }
        if let lifetime = origin.linkLifetime, origin.redirects > 0 {
            let issued = state.withLock { $0.linksIssued[request.url.path] }
            if runtime.now - (issued ?? .zero) > lifetime { return status(403) }
        }
        return nil
    }

    private func status(_ code: Int, _ fields: [HTTPField] = []) -> Reply {
        let page = Array("<html>\(code)</html>".utf8)
        return .response(
            ResponseHead(status: code, fields: fields + [HTTPField("Content-Length", "\(page.count)")]),
            body: page[...], ending: .complete)
    }

    private func file(_ request: TransportRequest, _ origin: SimulatedOrigin) -> Reply {
        let version = origin.version(at: runtime.now)
        let total = version.bytes.count
        var fields = origin.fields + [HTTPField("Date", HTTPDate(secondsSinceEpoch: runtime.secondsSinceEpoch).imfFixdate)]
        switch origin.validator {
        case .strong: fields += [HTTPField("ETag", version.entityTag), HTTPField("Last-Modified", version.lastModified)]
        case .weakAndDate:
            fields += [HTTPField("ETag", "W/" + version.entityTag), HTTPField("Last-Modified", version.lastModified)]
        case .weakOnly: fields.append(HTTPField("ETag", "W/" + version.entityTag))
        case .dateOnly: fields.append(HTTPField("Last-Modified", version.lastModified))
        case .none: break
        }
        if origin.sendsDigest, let digest = SimulatedDigests().digest(version.bytes) {
            fields.append(HTTPField("Repr-Digest", "sha-256=:\(Base64.encode(digest.bytes)):"))
        }
        if let since = request.fields.first("if-unmodified-since"), since != version.lastModified { return status(412) }
        if let ranges = severalRanges(request.fields.first("range"), total: total), origin.ranges == .honoured {
            if let reply = several(ranges, version, fields, origin) { return reply }
        }
        var asked = parseRange(request.fields.first("range"), total: total)
        if let condition = request.fields.first("if-range"), origin.honoursIfRange,
            condition != version.entityTag, condition != version.lastModified
        {
            asked = nil
        }
        if origin.ranges == .ignored || (origin.ranges == .sometimes && runtime.chance(0.3)) { asked = nil }
        if let asked, asked.start > 0, runtime.chance(origin.answersPage) {
            let page = [UInt8](repeating: UInt8(ascii: "<"), count: 1 + Int(runtime.random(below: 20_000)))
            let framing = HTTPField("Transfer-Encoding", "chunked")
            return .response(ResponseHead(status: 200, fields: [framing]), body: page[...], ending: .complete)
        }
        guard let asked else { return whole(version, fields, origin) }
        let claims416 = runtime.chance(origin.claims416)
        if total == 0 || asked.start >= total || claims416 {
            return total == 0
                ? whole(version, fields, origin) : status(416, [HTTPField("Content-Range", "bytes */\(total)")])
        }
        return part(version, fields, asked.start, min(asked.last ?? .max, total - 1), origin)
    }

    private func severalRanges(_ value: String?, total: Int) -> [ClosedRange<Int>]? {
        guard let value, value.contains(",") else { return nil }
        return value.dropFirst("bytes=".count).split(separator: ",").compactMap { text in
            let bounds = text.split(separator: "-").compactMap { Int($0) }
            guard bounds.count == 2, bounds[0] < total else { return nil }
            return bounds[0]...min(bounds[1], total - 1)
        }
    }

    private func several(
        _ asked: [ClosedRange<Int>], _ version: SimulatedOrigin.Version, _ fields: [HTTPField], _ origin: SimulatedOrigin
    ) -> Reply? {
        var ranges = asked
        var total = version.bytes.count
        switch origin.several {
        case .parts, .cut, .otherTotalLater, .shortPart, .unended: break
        case .reversed: ranges.reverse()
        case .merged: ranges = [asked[0].lowerBound...asked[1].upperBound] + asked[2...]
        case .firstOnly: return part(version, fields, asked[0].lowerBound, asked[0].upperBound, origin)
        case .whole: return whole(version, fields, origin)
        case .refused: return status(400)
        case .unsatisfiable: return status(416)
        case .otherParts: ranges[0] = ranges[0].lowerBound + 1...ranges[0].upperBound + 1
        case .otherTotal: total += 1
        }
        var body: [UInt8] = []
        for (index, range) in ranges.enumerated() {
            if origin.several == .otherTotalLater, index == ranges.count - 1 { total += 1 }
            body += Array("\r\n--a b\r\nContent-Type: x/y\r\nContent-Range: bytes \(range.lowerBound)-\(range.upperBound)/\(total)\r\n\r\n".utf8)
            body += version.bytes[range.lowerBound...min(range.upperBound, version.bytes.count - 1)]
            if origin.several == .shortPart, index == 0 { body.removeLast(min(7, range.count)) }
        }
        if origin.several == .cut { body.removeLast(min(body.count, 3)) } else if origin.several != .unended { body += Array("\r\n--a b--\r\n".utf8) }
        let type = HTTPField("Content-Type", "multipart/byteranges; boundary=\"a b\"")
        return .response(
            ResponseHead(status: 206, fields: fields + [type, HTTPField("Content-Length", "\(body.count)")]), body: body[...],
            ending: ending(body.count, origin))
    }

    private func parseRange(_ value: String?, total: Int) -> (start: Int, last: Int?)? {
        guard let bounds = value?.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false),
            bounds.count == 2
        else { return nil }
        if bounds[0].isEmpty, let suffix = Int(bounds[1]) { return (max(0, total - suffix), nil) }
        guard let start = Int(bounds[0]) else { return nil }
        return (start, Int(bounds[1]))
    }

    private func whole(_ version: SimulatedOrigin.Version, _ fields: [HTTPField], _ origin: SimulatedOrigin) -> Reply {
        let framing =
            origin.sendsLength
            ? HTTPField("Content-Length", "\(version.bytes.count)") : HTTPField("Transfer-Encoding", "chunked")
        return .response(
            ResponseHead(status: 200, fields: fields + [framing]), body: version.bytes[...],
            ending: ending(version.bytes.count, origin))
    }

    private func part(
        _ version: SimulatedOrigin.Version, _ fields: [HTTPField], _ start: Int, _ last: Int, _ origin: SimulatedOrigin
    ) -> Reply {
        var (start, last, total) = (start, last, version.bytes.count)
        if runtime.chance(origin.shiftsStart) { start = max(0, start - 1 - Int(runtime.random(below: 512))) }
        if runtime.chance(origin.answersShort) { last = start + Int(runtime.random(below: Int64(last - start + 1))) }
        if runtime.chance(origin.runsOn) { last = min(total - 1, last + 4096) }
        let body = version.bytes[start...last]
        if runtime.chance(origin.liesAboutTotal) { total += 1 + Int(runtime.random(below: 100)) }
        var fields = fields
        if !runtime.chance(origin.dropsContentRange) {
            fields.append(HTTPField("Content-Range", "bytes \(start)-\(last)/\(total)"))
        }
        fields.append(
            origin.sendsLength
                ? HTTPField("Content-Length", "\(body.count)") : HTTPField("Transfer-Encoding", "chunked"))
        return .response(ResponseHead(status: 206, fields: fields), body: body, ending: ending(body.count, origin))
    }

    private func ending(_ count: Int, _ origin: SimulatedOrigin) -> SimulatedExchange.Ending {
        let position = Int(runtime.random(below: Int64(count + 1)))
        if runtime.chance(origin.diesMidBody) { return .dies(after: position) }
        if runtime.chance(origin.stalls) { return .stalls(after: position) }
        if runtime.chance(origin.crawls) { return .crawls }
        return .complete
    }
}

/// One exchange: a head after the latency, then chunks at the server's rate while the client wants them.
final class SimulatedExchange: Exchange {
    /// How fast the bytes come.
    struct Pace: Sendable {
        let chunk: Int
        private let drip: Duration?
        private let bytesPerSecond: Int64
        private let totalBytesPerSecond: Int64?
        private let open: @Sendable () -> Int

        init(_ origin: SimulatedOrigin, request: Int, open: @escaping @Sendable () -> Int) {
            drip = origin.drips[request]
            chunk = drip == nil ? origin.chunk : 1
            bytesPerSecond = origin.bytesPerSecond
            totalBytesPerSecond = origin.totalBytesPerSecond
            self.open = open
        }

        /// Before each chunk.
        var pause: Duration {
            if let drip { return drip }
            let share = totalBytesPerSecond.map { $0 / Int64(max(1, open())) } ?? .max
            return .nanoseconds(Int64(chunk) * 1_000_000_000 / max(1, min(bytesPerSecond, share)))
        }
    }

    enum Ending: Sendable {
        case complete
        case dies(after: Int)
        case stalls(after: Int)
        case crawls
    }

    private struct State {
        var body: ArraySlice<UInt8> = []
        var ending: Ending = .complete
        var sent = 0
        var mayFlow = false
        var isScheduled = false
        var hasEnded = false
        var hasHead = false
    }

    private let runtime: SimulatedRuntime
    private let handler: any ExchangeHandler
    private let pace: Pace
    private let count: @Sendable (Int64) -> Void
    private let closed: @Sendable () -> Void
    private let state = Locked(State())

    init(
        runtime: SimulatedRuntime, handler: any ExchangeHandler, pace: Pace,
        count: @escaping @Sendable (Int64) -> Void, closed: @escaping @Sendable () -> Void
    ) {
        self.runtime = runtime
        self.handler = handler
        self.pace = pace
        self.count = count
        self.closed = closed
    }

    func answer(_ reply: SimulatedNetwork.Reply) {
        switch reply {
        case .failure(let error): end(error)
        case .silence: break
        case .response(let head, let body, let ending):
            let isOpen = state.withLock { state in
                guard !state.hasEnded else { return false }
                state.body = body
                state.ending = ending
                state.hasHead = true
                return true
            }
            if isOpen { handler.received(head: head) }
        }
    }

    func proceed() {
        state.withLock { $0.mayFlow = true }
        scheduleChunk()
    }

    func cancel() {
        runtime.after(.zero) { self.end(TransportError(.truncated, "cancelled")) }
    }

    private func scheduleChunk() {
        let delay = state.withLock { state -> Duration? in
            guard state.hasHead, state.mayFlow, !state.isScheduled, !state.hasEnded else { return nil }
            state.isScheduled = true
            if case .crawls = state.ending { return pace.pause * 50 }
            return pace.pause
        }
        if let delay { runtime.after(delay) { self.sendChunk() } }
    }

    private func sendChunk() {
        enum Step { case chunk(ArraySlice<UInt8>), complete, dead, silent }
        let step = state.withLock { state -> Step in
            state.isScheduled = false
            guard !state.hasEnded, state.mayFlow else { return .silent }
            var limit = state.body.count
            switch state.ending {
            case .complete, .crawls: break
            case .dies(let position):
                if state.sent >= position { return .dead }
                limit = min(limit, position - state.sent)
            case .stalls(let position):
                if state.sent >= position { return .silent }
                limit = min(limit, position - state.sent)
            }
            guard !state.body.isEmpty else { return .complete }
            let chunk = state.body.prefix(min(pace.chunk, limit))
            state.body = state.body.dropFirst(chunk.count)
            state.sent += chunk.count
            return .chunk(chunk)
        }
        switch step {
        case .silent: return
        case .dead: end(TransportError(.truncated, "connection reset"))
        case .complete: end(nil)
        case .chunk(let bytes):
            count(Int64(bytes.count))
            let goesOn = bytes.withUnsafeBytes { handler.received(body: $0) }
            if !goesOn { state.withLock { $0.mayFlow = false } }
            let isOver = state.withLock { $0.body.isEmpty && $0.mayFlow }
            if isOver, case .complete = state.withLock({ $0.ending }) { return end(nil) }
            scheduleChunk()
        }
    }

    private func end(_ error: TransportError?) {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        guard isFirst else { return }
        closed()
        handler.ended(error)
    }
}
