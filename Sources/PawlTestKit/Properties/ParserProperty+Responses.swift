internal import PawlCore

extension ParserProperty {
    /// For any head and any state, whatever the rule accepts is what the head says and what was requested.
    static func response(_ bytes: [UInt8]) throws(Violation) {
        var cutter = Cutter(bytes)
        let rule = rule(&cutter)
        let head = head(&cutter, rule)
        let verdict = rule.judge(head)
        let note = "\(verdict) for \(rule) from \(head)"
        switch verdict {
        case .partial(let range, let representation):
            try claim(head.status == 206 && rule.request.isRanged, "a part that was not asked for: \(note)")
            try claim(range.start == rule.request.start && range.count > 0, "not where it was asked for: \(note)")
            try claim(range.end <= rule.request.end ?? .max, "past what was asked for: \(note)")
            let values = head.fields.values("content-range")
            try claim(values.count == 1, "\(values.count) Content-Range: \(note)")
            let said = values.first.flatMap { try? ContentRange(parsing: $0) }
            try claim(said == .range(range, total: representation.total), "not what Content-Range says: \(note)")
            try claimFraming(head, count: range.count, note)
            try claim(representation.contentCoding == nil, "a coded part: \(note)")
            try claimSame(rule, representation, isFromZero: range.start == 0, note)
        case .startsEarly(let start):
            try claim(
                head.status == 206 && rule.request.isRanged && start >= 0 && start < rule.request.start,
                "not early: \(note)")
        case .several(_, let representation):
            try claim(head.status == 206 && !rule.request.several.isEmpty, "parts that were not asked for: \(note)")
            try claimFraming(head, count: nil, note)
            try claim(representation.contentCoding == nil, "coded parts: \(note)")
            try claimSame(rule, representation, isFromZero: false, note)
        case .whole(let representation):
            try claim(rule.takesAsWhole(head), "not a whole file: \(note)")
            try claim(head.fields.first("content-range") == nil, "a slice: \(note)")
            try claimFraming(head, count: nil, note)
            try claim(rule.known == nil || rule.request.condition == .none, "a 200 to a condition: \(note)")
            try claimSame(rule, representation, isFromZero: true, note)
        case .empty(let representation):
            try claim(representation.total == 0, "not empty: \(note)")
            try claim(rule.known?.total ?? 0 == 0, "a file that was not empty: \(note)")
        case .unproven:
            try claim(
                rule.takesAsWhole(head) && !rule.request.isRanged && rule.known != nil,
                "nothing that could begin anew: \(note)")
        case .alreadyComplete:
            try claim(head.status == 416, "complete without a 416: \(note)")
            try claim(
                rule.holdsEverything || rule.known != nil && rule.known?.total == nil,
                "complete without holding it: \(note)")
        case .askForLastBytes:
            try claim(
                head.status == 416 && rule.known != nil && rule.known?.total == nil, "no 416 at an unknown end: \(note)"
            )
        case .redirect:
            try claim((300...399).contains(head.status), "a redirect: \(note)")
        case .askWithoutRange:
            try claim(rule.request.isRanged, "asks again for what it asked for: \(note)")
        case .askWithoutCondition:
            try claim(rule.request.condition != .none, "asks again for what it asked for: \(note)")
        case .changed:
            let isShorter = head.status == 416 && rule.request.start > 0
            try claim(rule.known != nil || head.status == 412 || isShorter, "changed from nothing: \(note)")
        case .refused(let refusal):
            try claim(refusal.status == head.status, "another status: \(note)")
        case .bad: break
        }
    }

    private static func claimFraming(_ head: ResponseHead, count: Int64?, _ note: String) throws(Violation) {
        switch ContentLength(fieldValues: head.fields.values("content-length")) {
        case .invalid: try claim(false, "an invalid length: \(note)")
        case .valid(let length):
            try claim(head.fields.first("transfer-encoding") == nil, "two framings: \(note)")
            try claim(count.map { $0 == length } ?? true, "two lengths: \(note)")
        case .absent: break
        }
    }

    /// Bytes of two representations never mix: the known representation and the one in the response never contradict
    /// each other.
    private static func claimSame(
        _ rule: ResponseRule, _ found: Representation, isFromZero: Bool, _ note: String
    ) throws(Violation) {
        guard let known = rule.known else { return }
        if let total = known.total, let other = found.total { try claim(total == other, "another length: \(note)") }
        // A file that nothing can be added to restarts with any answer that begins at byte zero (V08).
        let isMixed = known.isCombinable || !isFromZero
        if isMixed, let tag = known.strongEntityTag, let other = found.entityTag, !rule.hasExpectedDigest {
            let proven = known.digests.contains { $0.algorithm.isSecure && found.digests.contains($0) }
            // A proxy may have weakened the tag; then an equal date must serve as the validator (RFC 9110 §15.3.7.3).
            let isSameDate =
                tag.weaklyEquals(other) && known.strongDate != nil && known.strongDate == found.lastModified
            try claim(proven || tag.stronglyEquals(other) || isSameDate, "another tag: \(note)")
        }
        try claim(known.contentCoding == found.contentCoding, "another coding: \(note)")
    }

    // MARK: Making rules and heads

    private static let tags = [nil, "\"v1\"", "\"v2\"", "W/\"v1\"", "W/\"v2\"", "v1", ""]
    private static let dates = [
        nil, "Wed, 01 Jan 2020 00:00:00 GMT", "Fri, 01 May 2026 11:59:30 GMT", "Thu, 01 Jan 1970 00:00:01 GMT", "junk",
    ]
    private static let served = [nil, "Fri, 01 May 2026 12:00:00 GMT", "junk"]
    private static let digest = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"

    private static func pick(_ values: [String?], _ cutter: inout Cutter) -> String? {
        values[Int(cutter.byte()) % values.count]
    }

    private static func rule(_ cutter: inout Cutter) -> ResponseRule {
        let flags = cutter.byte()
        let start = cutter.position()
        let length = cutter.position()
        let end = flags & 1 == 0 ? nil : start.addingReportingOverflow(length).partialValue
        var known: Representation?
        if flags & 2 != 0 {
            var fields: [HTTPField] = []
            if let tag = pick(tags, &cutter) { fields.append(HTTPField("ETag", tag)) }
            if let date = pick(dates, &cutter) { fields.append(HTTPField("Last-Modified", date)) }
            if let date = pick(served, &cutter) { fields.append(HTTPField("Date", date)) }
            if cutter.byte() > 240 { fields.append(HTTPField("Repr-Digest", digest)) }
            known = Representation(fields: fields, total: flags & 4 == 0 ? nil : cutter.position())
        }
        let isRanged = flags & 8 == 0
        let condition = isRanged && flags & 16 != 0 ? known?.condition ?? .none : .none
        return ResponseRule(
            request: RangeRequest(
                start: start, end: end.map { max($0, start) }, isRanged: isRanged, condition: condition),
            known: known, hasExpectedDigest: flags & 32 != 0, holdsEverything: flags & 64 != 0,
            urlHasWorked: flags & 128 != 0)
    }

    /// Nearly correct fields, so that some are valid, and fields drawn from the input.
    private static func head(_ cutter: inout Cutter, _ rule: ResponseRule) -> ResponseHead {
        let statuses = [
            206, 200, 416, 206, 200, 206, 203, 412, 301, 302, 400, 401, 403, 404, 410, 429, 503, 304, 204, 100, 511,
            500, -1, .max, 218, 299,
        ]
        let status = statuses[Int(cutter.byte()) % statuses.count]
        var fields: [HTTPField] = []
        while !cutter.isAtEnd, fields.count < 40 {
            switch cutter.byte() % 12 {
            case 0:
                let first = cutter.byte() < 200 ? rule.request.start : cutter.position()
                let last =
                    cutter.byte() < 200
                    ? first.addingReportingOverflow(Int64(cutter.byte())).partialValue : cutter.position()
                let total = cutter.byte() < 128 ? rule.known?.total.map { "\($0)" } ?? "*" : "\(cutter.position())"
                fields.append(HTTPField("Content-Range", "bytes \(first)-\(last)/\(total)"))
            case 1: fields.append(HTTPField("Content-Range", "bytes */\(cutter.position())"))
            case 2: fields.append(HTTPField("Content-Range", text(cutter.bytes())))
            case 3: fields.append(HTTPField("Content-Length", "\(cutter.position())"))
            case 4: fields.append(HTTPField("Content-Length", text(cutter.bytes())))
            case 5: fields.append(HTTPField("ETag", pick(tags, &cutter) ?? text(cutter.bytes())))
            case 6: fields.append(HTTPField("Last-Modified", pick(dates, &cutter) ?? text(cutter.bytes())))
            case 7: fields.append(HTTPField("Date", pick(served, &cutter) ?? text(cutter.bytes())))
            case 8: fields.append(HTTPField("Content-Encoding", cutter.byte() < 128 ? "gzip" : text(cutter.bytes())))
            case 9:
                fields.append(
                    HTTPField(
                        "Content-Type", cutter.byte() < 128 ? "multipart/byteranges; boundary=x" : text(cutter.bytes()))
                )
            case 10: fields.append(HTTPField(cutter.byte() < 128 ? "Transfer-Encoding" : "Location", "chunked"))
            default:
                fields.append(
                    HTTPField(
                        cutter.byte() < 128 ? "Repr-Digest" : "Retry-After",
                        cutter.byte() < 128 ? digest : text(cutter.bytes())))
            }
        }
        return ResponseHead(status: status, fields: fields)
    }
}

extension ResponseRule {
    /// Whether the status is one with which a whole file may come: 200, that of a proxy that changes files if a digest
    /// tells, and a success that nobody has registered (RFC 9110 §15).
    fileprivate func takesAsWhole(_ head: ResponseHead) -> Bool {
        let isRegistered = head.status < 209 || head.status == 226
        return head.status == 200 || head.status == 203 && hasExpectedDigest || !isRegistered && head.status < 300
    }
}
