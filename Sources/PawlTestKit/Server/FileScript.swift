internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// Plays a ``FileBehaviour``.
package final class FileScript: Sendable {
    private struct Representation {
        var content: [UInt8]
        var etag: String?
        var lastModified: String?
    }

    private let behaviour: FileBehaviour
    private let answering = Locked(0)
    private let arrivals = Locked(0)

    package init(_ behaviour: FileBehaviour) {
        self.behaviour = behaviour
    }

    @Sendable
    package func admit(open: Int) -> ScriptedServer.Admission {
        let number = arrivals.withLock { count in
            count += 1
            return count
        }
        if behaviour.refusedConnections.contains(number) { return .reset }
        guard case .reset = behaviour.refusal, let maximum = behaviour.maximumConnections, open >= maximum else {
            return .serve
        }
        return .reset
    }

    @Sendable
    package func answer(_ request: RecordedRequest, _ connection: ServerConnection) throws {
        let busy = answering.withLock { count in
            count += 1
            return count
        }
        defer { answering.withLock { $0 -= 1 } }
        if let size = behaviour.sendBufferSize { try connection.limitSendBuffer(bytes: size) }
        for status in behaviour.interimStatuses { try connection.send("HTTP/1.1 \(status) Interim\r\n\r\n") }

        if let location = behaviour.redirects[request.path] {
            return try sendText(behaviour.redirectStatus, connection, request, ["Location: \(location)"])
        }
        if let status = refusal(of: request, busy: busy) {
            return try sendText(status, connection, request, [])
        }
        try sendFile(request, connection)
    }

    private func refusal(of request: RecordedRequest, busy: Int) -> Int? {
        if let status = behaviour.statusOverrides[request.number] { return status }
        if case .status(let status) = behaviour.refusal, let maximum = behaviour.maximumConnections, busy > maximum {
            return status
        }
        if let token = behaviour.token {
            let isPresent = request.query?.split(separator: "&").contains { $0 == token.query } ?? false
            if !isPresent || request.number > token.goodForRequests { return token.refusal }
        }
        return nil
    }

    // MARK: - Choosing what to send

    private func representation(for request: RecordedRequest) -> Representation {
        if let replacement = behaviour.replacement, request.number > replacement.afterRequests {
            return Representation(
                content: replacement.content, etag: replacement.etag, lastModified: replacement.lastModified
            )
        }
        return Representation(content: behaviour.content, etag: behaviour.etag, lastModified: behaviour.lastModified)
    }

    private func sendFile(_ request: RecordedRequest, _ connection: ServerConnection) throws {
        let representation = representation(for: request)
        let content = representation.content
        let total =
            switch behaviour.completeLength {
            case .known: "\(content.count)"
            case .unknown: "*"
            case .claimed(let length): "\(length)"
            }
        switch requestedRange(request, representation) {
        case .whole:
            let field = "Accept-Ranges: \(behaviour.honoursRanges ? "bytes" : "none")"
            try send(200, content[...], [field], representation, request, connection)
        case .part(let part):
            let field = "Content-Range: bytes \(part.lowerBound)-\(part.upperBound - 1)/\(total)"
            try send(206, content[part], [field], representation, request, connection)
        case .unsatisfiable:
            try sendText(416, connection, request, ["Content-Range: bytes */\(total)"])
        }
    }

    private enum Selection {
        case whole
        case part(Range<Int>)
        case unsatisfiable
    }

    private func requestedRange(_ request: RecordedRequest, _ representation: Representation) -> Selection {
        // Range is defined for GET only (RFC 9110 §14.2).
        guard behaviour.honoursRanges, request.method == "GET", let range = request.fields.first("Range"),
            !representation.content.isEmpty
        else { return .whole }
        if !behaviour.ignoresIfRange, let condition = request.fields.first("If-Range") {
            // Exact match; a weak tag never matches (RFC 9110 §13.1.5).
            let isStrong = !condition.hasPrefix("W/")
            guard isStrong, condition == representation.etag || condition == representation.lastModified else {
                return .whole
            }
        }
        return Self.select(range, of: representation.content.count)
    }

    /// One range only; a server may ignore a Range field that it does not support (RFC 9110 §14.2).
    private static func select(_ field: String, of count: Int) -> Selection {
        guard field.hasPrefix("bytes=") else { return .whole }
        let ends = field.dropFirst("bytes=".count).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .whole }
        if ends[0].isEmpty {
            guard let suffix = Int(ends[1]) else { return .whole }
            return suffix == 0 ? .unsatisfiable : .part(max(0, count - suffix)..<count)
        }
        guard let first = Int(ends[0]) else { return .whole }
        if first >= count { return .unsatisfiable }
        if ends[1].isEmpty { return .part(first..<count) }
        guard let last = Int(ends[1]), last >= first else { return .whole }
        return .part(first..<min(count, last + 1))
    }

    // MARK: - Sending

    private func send(
        _ status: Int, _ body: ArraySlice<UInt8>, _ lines: [String], _ representation: Representation,
        _ request: RecordedRequest, _ connection: ServerConnection
    ) throws {
        var lines = lines
        if let etag = representation.etag { lines.append("ETag: \(etag)") }
        if let lastModified = representation.lastModified { lines.append("Last-Modified: \(lastModified)") }
        if let contentType = behaviour.contentType { lines.append("Content-Type: \(contentType)") }
        switch behaviour.framing {
        case .contentLength: lines.append("Content-Length: \(body.count)")
        case .chunked: lines.append("Transfer-Encoding: chunked")
        case .untilClose: lines.append("Connection: close")
        }
        try sendHead(status, lines, connection)
        if request.method == "HEAD" { return }
        try sendBody(body, request, connection)
    }

    private func sendText(
        _ status: Int, _ connection: ServerConnection, _ request: RecordedRequest, _ lines: [String]
    ) throws {
        let text = Array("status \(status)\n".utf8)
        var lines = lines + ["Content-Type: text/plain", "Content-Length: \(text.count)"]
        if status >= 429, let retryAfter = behaviour.retryAfter { lines.append("Retry-After: \(retryAfter)") }
        try sendHead(status, lines, connection)
        // This text is not counted as body: it holds no byte of the file.
        if request.method != "HEAD" { try connection.send(text) }
    }

    private func sendHead(_ status: Int, _ lines: [String], _ connection: ServerConnection) throws {
        var lines = lines
        if let date = behaviour.date { lines.append("Date: \(date)") }
        lines += behaviour.extraFieldLines
        try connection.send("HTTP/1.1 \(status) Scripted\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    private func sendBody(_ body: ArraySlice<UInt8>, _ request: RecordedRequest, _ connection: ServerConnection) throws
    {
        let cut = behaviour.cut.flatMap { $0.requests?.contains(request.number) ?? true ? $0 : nil }
        let stall = behaviour.stall.flatMap { $0.requests?.contains(request.number) ?? true ? $0 : nil }
        let limit = min(cut?.afterBytes ?? .max, stall?.afterBytes ?? .max)
        try sendFramed(body.prefix(limit), connection)
        if limit < body.count {
            if let cut, cut.afterBytes == limit {
                try connection.sleep(cut.pause)
                return end(cut.end, connection)
            }
            guard let isOver = stall?.isOver else { return try connection.stall() }
            while !isOver() { try connection.sleep(.milliseconds(5)) }
            try sendFramed(body.dropFirst(limit), connection)
        }
        switch behaviour.framing {
        case .contentLength: break
        case .chunked: try connection.send("0\r\n\r\n")
        case .untilClose: connection.close(notify: behaviour.sendsCloseNotify)
        }
        if behaviour.closesAfterResponse { connection.close(notify: behaviour.sendsCloseNotify) }
    }

    private func end(_ end: FileBehaviour.End, _ connection: ServerConnection) {
        switch end {
        case .finish: connection.close(notify: behaviour.sendsCloseNotify)
        case .reset: connection.reset()
        }
    }

    private func sendFramed(_ body: ArraySlice<UInt8>, _ connection: ServerConnection) throws {
        guard case .chunked(let size) = behaviour.framing else { return try sendPaced(body, connection) }
        var rest = body
        while !rest.isEmpty {
            let chunk = rest.prefix(size)
            try connection.send(String(chunk.count, radix: 16) + "\r\n")
            try sendPaced(chunk, connection)
            try connection.send("\r\n")
            rest = rest.dropFirst(size)
        }
    }

    private func sendPaced(_ body: ArraySlice<UInt8>, _ connection: ServerConnection) throws {
        guard let rate = behaviour.bytesPerSecond else { return try connection.sendBody(body) }
        var rest = body
        while !rest.isEmpty {
            // Fifty pieces a second: smooth enough for a speed to be measured.
            let piece = rest.prefix(max(1, rate / 50))
            try connection.sendBody(piece)
            rest = rest.dropFirst(piece.count)
            try connection.sleep(.seconds(Double(piece.count) / Double(rate)))
        }
    }
}
