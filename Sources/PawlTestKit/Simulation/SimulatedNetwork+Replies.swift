import PawlCore
import PawlEngine
import Synchronization

/// The server's answers.
extension SimulatedNetwork {
    enum Reply: Sendable {
        case failure(TransportError)
        case silence
        /// The body's indices are positions in the version that it belongs to.
        case response(ResponseHead, body: ArraySlice<UInt8>, ending: SimulatedExchange.Ending, version: Int = -1)
    }

    func reply(to request: TransportRequest, _ origin: SimulatedOrigin) -> Reply {
        if runtime.chance(origin.refuses) { return .failure(TransportError(.connect, "connection refused")) }
        if runtime.chance(origin.dies) { return .failure(TransportError(.truncated, "connection reset")) }
        if open(request.url.host) > origin.maximumConnections { return refusal(origin.excess) }
        if let refusal = origin.refusal { return status(refusal) }
        if runtime.chance(origin.answersBusy) {
            return status(runtime.chance(0.5) ? 429 : 503, [HTTPField("Retry-After", "\(runtime.random(below: 5))")])
        }
        if origin.asksForLogin, request.fields.first("authorization") == nil {
            return status(401, [HTTPField("WWW-Authenticate", "Basic realm=\"files\"")])
        }
        if let redirect = redirect(request, origin) { return redirect }
        if let refused = origin.rangeRefusal, request.fields.first("range") != nil { return refusal(refused) }
        let hasCondition = request.fields.first("if-range") != nil
        if origin.refusesIfRange, hasCondition { return status(403) }
        return file(request, origin)
    }

    private func refusal(_ kind: SimulatedOrigin.Excess) -> Reply {
        switch kind {
        case .status(let code): status(code)
        case .reset: .failure(TransportError(.truncated, "connection reset"))
        case .hang: .silence
        }
    }

    private func redirect(_ request: TransportRequest, _ origin: SimulatedOrigin) -> Reply? {
        let hops = request.url.path.split(separator: "/").count - 1
        if hops < origin.redirects {
            let target = request.url.path + "/\(runtime.random(below: 1 << 30))"
            state.withLock { $0.linksIssued[target] = runtime.now }
            let query = origin.redirectsKeepQuery ? request.url.query.map { "?" + $0 } ?? "" : ""
            return status(302, [HTTPField("Location", target + query)])
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
        let validators = origin.validators(of: version)
        var fields = origin.fields + validators
        if let date = origin.date(at: runtime.secondsSinceEpoch) { fields.append(HTTPField("Date", date)) }
        if origin.sendsDigest, let digest = SimulatedDigests().digest(version.bytes) {
            fields.append(HTTPField("Repr-Digest", "sha-256=:\(Base64.encode(digest.bytes)):"))
        }
        if let since = request.fields.first("if-unmodified-since"), since != version.lastModified { return status(412) }
        if let ranges = severalRanges(request.fields.first("range"), total: total), origin.ranges == .honoured {
            if let reply = several(ranges, version, fields, origin) { return reply }
        }
        var asked = parseRange(request.fields.first("range"), total: total)
        if let condition = request.fields.first("if-range"), origin.honoursIfRange,
            !origin.isMet(condition, by: version)
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
            guard total > 0 else { return whole(version, fields, origin) }
            return status(
                416, [HTTPField("Content-Range", "bytes */\(total)")] + (origin.showsTagOf416 ? validators : []))
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
        _ asked: [ClosedRange<Int>], _ version: SimulatedOrigin.Version, _ fields: [HTTPField],
        _ origin: SimulatedOrigin
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
            body += Array(
                "\r\n--a b\r\nContent-Type: x/y\r\nContent-Range: bytes \(range.lowerBound)-\(range.upperBound)/\(total)\r\n\r\n"
                    .utf8)
            body += version.bytes[range.lowerBound...min(range.upperBound, version.bytes.count - 1)]
            if origin.several == .shortPart, index == 0 { body.removeLast(min(7, range.count)) }
        }
        if origin.several == .cut {
            body.removeLast(min(body.count, 3))
        } else if origin.several != .unended {
            body += Array("\r\n--a b--\r\n".utf8)
        }
        let type = HTTPField("Content-Type", "multipart/byteranges; boundary=\"a b\"")
        return .response(
            ResponseHead(status: 206, fields: fields + [type, HTTPField("Content-Length", "\(body.count)")]),
            body: body[...],
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
            origin.sendsLength(of: version)
            ? HTTPField("Content-Length", "\(version.bytes.count)") : HTTPField("Transfer-Encoding", "chunked")
        return .response(
            ResponseHead(status: 200, fields: fields + [framing]), body: version.bytes[...],
            ending: ending(version.bytes.count, origin), version: origin.index(of: version))
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
            fields.append(HTTPField("Content-Range", "bytes \(start)-\(last)/\(origin.showsTotal ? "\(total)" : "*")"))
        }
        fields.append(
            origin.sendsLength(of: version)
                ? HTTPField("Content-Length", "\(body.count)") : HTTPField("Transfer-Encoding", "chunked"))
        return .response(
            ResponseHead(status: 206, fields: fields), body: body, ending: ending(body.count, origin, from: start),
            version: origin.index(of: version))
    }

    private func ending(_ count: Int, _ origin: SimulatedOrigin, from start: Int = 0) -> SimulatedExchange.Ending {
        if let cut = origin.cutsAt, start < cut, cut < start + count { return .dies(after: cut - start) }
        let position = Int(runtime.random(below: Int64(count + 1)))
        if runtime.chance(origin.diesMidBody) { return .dies(after: position) }
        if runtime.chance(origin.stalls) { return .stalls(after: position) }
        if runtime.chance(origin.crawls) { return .crawls }
        return .complete
    }
}
