/// The rule that decides what a response means for a download: one function from facts to a verdict, stated in
/// `docs/reliability.md`.
///
/// No byte of a body is stored before this rule has decided where it belongs.
package struct ResponseRule: Sendable {
    package var request: RangeRequest
    /// The representation that earlier responses established; nil for the first.
    package var known: Representation?
    /// A digest of the whole file is known, so that the final check can replace a missing validator.
    package var hasExpectedDigest: Bool
    /// Whether all bytes are already held.
    package var holdsEverything: Bool
    /// A URL that this download has used with success before.
    package var urlHasWorked: Bool
    /// The time when the response came, in seconds since 1970 by our clock; stands in for a `Date` that the server left
    /// out.
    package var received: Int64?

    package init(
        request: RangeRequest, known: Representation?, hasExpectedDigest: Bool = false, holdsEverything: Bool = false,
        urlHasWorked: Bool = false, received: Int64? = nil
    ) {
        self.request = request
        self.known = known
        self.hasExpectedDigest = hasExpectedDigest
        self.holdsEverything = holdsEverything
        self.urlHasWorked = urlHasWorked
        self.received = received
    }
}

package enum Verdict: Hashable, Sendable {
    /// A 206 whose bytes belong at `range`. Nil end: the server did not say where it stops.
    case partial(ByteRange, Representation)
    /// A 206 with several parts, each of which states its position. The text is the value of Content-Type.
    case several(String, Representation)
    /// A 200: the whole representation from byte zero, asked for or not.
    case whole(Representation)
    /// The representation has no bytes.
    case empty(Representation)
    /// The representation on the server has changed.
    case changed(Representation.Difference, Representation?)
    /// The whole of what is likely the same file, in answer to a request for all of it. No part of it will ever be
    /// shown to belong to what is held, so that only another beginning leads to its end (V21).
    case unproven
    /// 416 at the end of a file that is held whole, of the representation that is held.
    case alreadyComplete
    /// A 206 that begins before what was asked for, at this byte: asked from there, it can be compared with what is
    /// held (R05).
    case startsEarly(Int64)
    /// 416 where the data held ends, of a file that nothing identifies: only a byte asked for again shows whose end
    /// that is (R29).
    case askForLastBytes
    /// The server does not understand this form of request: repeat it without `Range`.
    case askWithoutRange(BadResponse)
    /// Repeat the request without the precondition.
    case askWithoutCondition
    case redirect(location: String)
    /// The server refuses. The reason decides between waiting, refreshing the URL and giving up.
    case refused(Refusal)
    /// The response violates the protocol or the rule; it is discarded.
    case bad(BadResponse)
}

package enum Refusal: Hashable, Sendable {
    case unauthorized(status: Int)
    case notFound(status: Int)
    /// 429 and 503, with the wait that the server named, if any.
    case busy(status: Int, RetryAfter?)
    /// Worth retrying later: 408, 425, 5xx.
    case temporary(status: Int)
    /// 511, RFC 6585 §6.
    case captivePortal
    case other(status: Int)

    package var status: Int {
        switch self {
        case .unauthorized(let status), .notFound(let status), .busy(let status, _), .temporary(let status),
            .other(let status):
            status
        case .captivePortal: 511
        }
    }
}

package enum BadResponse: String, Hashable, Sendable {
    case multipart = "a multipart answer to a single range"
    case missingContentRange = "206 without Content-Range"
    case repeatedContentRange = "more than one Content-Range"
    case malformedContentRange = "a malformed Content-Range"
    case otherRangeUnit = "a range unit other than bytes"
    case wrongStart = "a range with a different start than requested"
    case nothingNew = "a range that ends before the missing bytes"
    case beyondEnd = "a range that extends past the requested one"
    case lengthDisagrees = "contradictory Content-Range and Content-Length"
    case invalidContentLength = "an invalid Content-Length"
    case unprovenRepresentation = "no proof that the part belongs to the same file"
    case partOfNothing = "a part of a file without anything to identify it"
    case unaskedPartial = "206 to a request without Range"
    case contentRangeOn200 = "200 with a Content-Range"
    case otherLengthOn200 = "200 with the ETag of the file and another length"
    case encoded = "a content coding, although none was requested"
    case unsatisfiableInside = "416 for a range inside the file"
    case unexpectedStatus = "an unexpected status"
    case transformed = "203, content changed by a proxy"
    case transferCoding = "a transfer coding other than chunked, although none was requested"
    case conflictingFraming = "both Transfer-Encoding and Content-Length"
}

extension ResponseRule {
    package func judge(_ head: ResponseHead) -> Verdict {
        switch head.status {
        case 206: judgePartial(head)
        // A status that is not registered means what the first of its class means (RFC 9110 §15).
        case 200, 209...225, 227...299: judgeWhole(head)
        case 203: hasExpectedDigest && known == nil ? judgeWhole(head) : .bad(.transformed)
        case 300, 301, 302, 303, 307, 308:
            // Without a Location there is nowhere to go (RFC 9110 §15.4). Of several choices it is the preferred one
            // (§15.4.1).
            head.fields.first("location").map { .redirect(location: $0) } ?? .bad(.unexpectedStatus)
        case 416: judgeUnsatisfiable(head)
        case 412:
            // Only a precondition of ours can fail; without one the answer makes no sense.
            request.condition == .none ? .refused(.other(status: 412)) : .changed(.date, nil)
        case 400 where mayObjectToCondition, 403 where mayObjectToCondition: .askWithoutCondition
        case 401, 402, 403, 407: .refused(.unauthorized(status: head.status))
        case 404, 410: .refused(.notFound(status: head.status))
        case 429, 503: .refused(.busy(status: head.status, retryAfter(head)))
        case 408, 425: .refused(.temporary(status: head.status))
        case 511: .refused(.captivePortal)
        case 400...499: .refused(.other(status: head.status))
        case 501, 505: .refused(.other(status: head.status))
        // Out of range counts as 5xx (RFC 9110 §15).
        case 500...599, ..<100, 600...: .refused(.temporary(status: head.status))
        default: .bad(.unexpectedStatus)
        }
    }

    /// A date of the server's is measured by its own clock where it tells the time, for ours may be wrong (FAULTS J09).
    private func retryAfter(_ head: ResponseHead) -> RetryAfter? {
        let found = head.fields.first("retry-after").flatMap(RetryAfter.init)
        guard let found, case .date = found, let date = head.fields.first("date").flatMap({ HTTPDate(believable: $0) })
        else {
            return found
        }
        return .delay(found.delay(wallClock: date.secondsSinceEpoch))
    }

    private func found(in head: ResponseHead, total: Int64?) -> Representation {
        Representation(fields: head.fields, total: total, received: received)
    }

    private var mayObjectToCondition: Bool { request.condition != .none && urlHasWorked }

    // MARK: 206

    private func judgePartial(_ head: ResponseHead) -> Verdict {
        guard request.isRanged else { return .bad(.unaskedPartial) }
        if let type = head.fields.first("content-type"), MultipartByteRanges.isMultipart(type) {
            return request.several.isEmpty ? .bad(.multipart) : judgeSeveral(head, type)
        }
        let values = head.fields.values("content-range")
        guard let value = values.first else { return .bad(.missingContentRange) }
        guard values.count == 1 else { return .bad(.repeatedContentRange) }

        let range: ByteRange
        let total: Int64?
        do {
            guard case .range(let parsed, let parsedTotal) = try ContentRange(parsing: value) else {
                return .bad(.malformedContentRange)
            }
            (range, total) = (parsed, parsedTotal)
        } catch {
            if case .otherUnit = error { return .bad(.otherRangeUnit) }
            return .bad(.malformedContentRange)
        }

        // Compared before the positions: a changed file explains odd positions better than a broken server does.
        let representation = found(in: head, total: total)
        switch compare(representation, total: total) {
        case .different(let difference): return .changed(difference, representation)
        case .unproven where !mayTrustUnproven(representation): return .bad(.unprovenRepresentation)
        case .unproven, .same: break
        }

        if let suffix = request.suffix {
            // Without the length nothing proves that these are the last bytes.
            guard let total, range.end == total, range.start == max(0, total - suffix) else { return .bad(.wrongStart) }
        } else if range.start > request.start {
            return .bad(.wrongStart)
        }
        if let end = [request.end, known?.total].compactMap({ $0 }).min(), range.end > end { return .bad(.beyondEnd) }
        if let problem = framingProblem(head, expected: range.count) { return .bad(problem) }
        if representation.contentCoding != nil { return .bad(.encoded) }
        if request.suffix == nil, range.start < request.start { return .startsEarly(range.start) }
        // Without a validator nothing can be added to this answer, so it has to be the whole file or all that is wanted
        // (FAULTS R11).
        if !(known ?? representation).isCombinable, !hasExpectedDigest, range.end != total,
            !(request.isEnough && range.end == request.end)
        {
            return .askWithoutRange(.partOfNothing)
        }
        return .partial(range, representation)
    }

    /// RFC 9110 §15.3.7.2: the parts state their positions, and the head holds what applies to all of them.
    private func judgeSeveral(_ head: ResponseHead, _ type: String) -> Verdict {
        guard head.fields.first("content-range") == nil,
            (try? MultipartByteRanges(contentType: type, maximumParts: request.several.count)) != nil
        else { return .bad(.multipart) }
        let representation = found(in: head, total: nil)
        if let known {
            switch known.compare(with: representation) {
            case .same: break
            case .different(let difference): return .changed(difference, representation)
            case .unproven: return .bad(.unprovenRepresentation)
            }
        }
        if let problem = framingProblem(head, expected: nil) { return .bad(problem) }
        if representation.contentCoding != nil { return .bad(.encoded) }
        guard (known ?? representation).isCombinable || hasExpectedDigest else { return .bad(.partOfNothing) }
        return .several(type, representation)
    }

    /// V22: a precondition proves nothing by itself, for there are servers and caches that ignore it (V06). What it was
    /// about has to show: the tag, which every 206 repeats (RFC 9110 §15.3.7), or the date, which an answer to If-Range
    /// may leave out and hardly any does.
    private func mayTrustUnproven(_ found: Representation) -> Bool {
        guard let known else { return true }
        if hasExpectedDigest { return true }
        switch request.condition {
        case .ifRange, .ifUnmodifiedSince:
            guard found.total != nil, !known.isRecentlyModified(in: found) else { return false }
            // A strong tag has been compared by now. Beside a weak one the date counts.
            return known.strongEntityTag == nil
                && (found.lastModified != nil || known.entityTag != nil && found.entityTag != nil)
        case .none:
            // Neither sent nor shown: only a first request, or one that restarts the file, gets here.
            return !known.isCombinable && request.start == 0
        }
    }

    private func compare(_ other: Representation, total: Int64?) -> Representation.Comparison {
        guard let known else { return .same }
        let comparison = known.compare(with: other)
        switch comparison {
        case .different(.validator), .different(.date):
            // FAULTS V04: nodes of one host may tag the same bytes differently; a digest of the whole decides at the
            // end.
            return hasExpectedDigest && total != nil && total == known.total ? .unproven : comparison
        case .different, .unproven, .same:
            return comparison
        }
    }

    /// RFC 9112 §6.3: conflicting framing is refused, and Content-Length must say the same as Content-Range.
    private func framingProblem(_ head: ResponseHead, expected: Int64?) -> BadResponse? {
        switch BodyFraming(head.fields) {
        case .length(let count): expected == nil || count == expected ? nil : .lengthDisagrees
        case .chunked, .untilClose: nil
        case .invalid(.transferCoding): .transferCoding
        case .invalid(.contentLength): .invalidContentLength
        case .invalid(.conflict): .conflictingFraming
        }
    }

    // MARK: 200

    private func judgeWhole(_ head: ResponseHead) -> Verdict {
        if let problem = framingProblem(head, expected: nil) { return .bad(problem) }
        // Content-Range has no meaning on 200 (RFC 9110 §14.4), yet servers that send it send only a slice.
        if head.fields.first("content-range") != nil {
            return request.isRanged ? .askWithoutRange(.contentRangeOn200) : .bad(.contentRangeOn200)
        }
        var total: Int64?
        if case .valid(let length) = ContentLength(fieldValues: head.fields.values("content-length")) { total = length }
        let representation = found(in: head, total: total)
        guard let known else {
            return total == 0 ? .empty(representation) : .whole(representation)
        }
        switch known.compare(with: representation) {
        case .different(.contentCoding) where representation.contentCoding != nil && known.contentCoding == nil:
            return .bad(.encoded)
        case .different(.total) where request.isRanged && isSameTag(known, representation):
            // FAULTS R03: the length of a slice under the tag of the whole. Without Range the server has nothing to
            // slice.
            return .askWithoutRange(.otherLengthOn200)
        case .different(.validator) where request.condition != .none && mayBeOtherNode(representation):
            return .askWithoutCondition
        case .different(let difference):
            // A digest admits parts of doubtful origin, but for a whole file that claims to be another one it is better
            // to restart.
            return .changed(difference, representation)
        case .same:
            // The file is the same, so the server did not understand If-Range.
            return request.condition == .none ? .whole(representation) : .askWithoutCondition
        case .unproven:
            // The tag is that of a file that was modified recently, so a digest decides.
            if request.condition != .none, hasExpectedDigest, isSameTag(known, representation) {
                return .askWithoutCondition
            }
            // If-Range failed and nothing else shows equality: by RFC 9110 §13.1.5 that is a changed file.
            if request.condition != .none { return .changed(.validator, representation) }
            // Without a precondition it may be anything, such as a login page over bytes that are held. It is taken
            // only where none of those would be mixed with it, or where a digest decides at the end.
            let digestDecides = hasExpectedDigest && total != nil && total == known.total
            if !known.isCombinable || digestDecides { return .whole(representation) }
            return !request.isRanged && known.resembles(representation) ? .unproven : .bad(.unprovenRepresentation)
        }
    }

    private func isSameTag(_ known: Representation, _ found: Representation) -> Bool {
        guard let tag = known.entityTag, let other = found.entityTag else { return false }
        return tag.stronglyEquals(other)
    }

    /// FAULTS V04: nodes of one host may tag the same bytes differently. Where a digest will tell, the part is asked
    /// for all the same.
    private func mayBeOtherNode(_ found: Representation) -> Bool {
        guard hasExpectedDigest, let known, let total = known.total, total == found.total else { return false }
        return known.lastModified == nil || found.lastModified == nil || known.lastModified == found.lastModified
    }

    // MARK: 416

    private func judgeUnsatisfiable(_ head: ResponseHead) -> Verdict {
        guard let value = head.fields.first("content-range"),
            case .unsatisfied(let total?)? = try? ContentRange(parsing: value), request.isRanged || total == 0
        else {
            guard request.isRanged else { return .refused(.other(status: 416)) }
            // lighttpd says 416 without Content-Range: only a request without Range can tell what the file is now.
            return holdsEverything ? .alreadyComplete : .askWithoutRange(.unsatisfiableInside)
        }
        let representation = found(in: head, total: total)
        if total == 0 {
            if known?.total == 0 { return .empty(representation) }
            // A gateway may say so of any range.
            if request.isRanged { return .askWithoutRange(.unsatisfiableInside) }
            return known == nil ? .empty(representation) : .changed(.total, representation)
        }
        guard let known else {
            // The data on disk is longer than the server's file.
            return request.start > 0 && total <= request.start
                ? .changed(.total, representation) : .askWithoutRange(.unsatisfiableInside)
        }
        let comparison = compare(representation, total: total)
        if case .different(let difference) = comparison { return .changed(difference, representation) }
        if known.total == nil { return judgeEnd(at: total, isSame: comparison == .same) }
        if holdsEverything { return .alreadyComplete }
        // R20: never the end of the file.
        return .bad(.unsatisfiableInside)
    }

    /// A total of `*` so far (R11): where the data held ends, the server now says, some file ends. It is this one only
    /// if a validator says so.
    private func judgeEnd(at total: Int64, isSame: Bool) -> Verdict {
        guard total == request.start else { return .askWithoutRange(.unsatisfiableInside) }
        return isSame || hasExpectedDigest ? .alreadyComplete : .askForLastBytes
    }
}

extension BadResponse {
    /// The rest of a sentence that begins with "URL answered".
    func predicate(of status: Int) -> String {
        guard self == .unexpectedStatus else { return "with \(rawValue). The response was not stored" }
        let shown = StatusPhrase.of(status).map { "\(status) (\($0))" } ?? "\(status)"
        return switch status {
        case 204, 205: "\(shown): there is no file"
        case 300, 301, 302, 303, 307, 308: "\(shown) without a Location field"
        default: "\(shown) instead of sending the file"
        }
    }

    /// Returns a text for logs that distinguishes one broken server from another: the problem, and the fields that show
    /// it, as received.
    package func evidence(in head: ResponseHead) -> String {
        let telling = ["content-range", "content-length", "content-type", "content-encoding", "transfer-encoding"]
        let fields = head.fields.filter { telling.contains($0.name.lowercased()) }.prefix(8)
            .map { "\($0.name): \(String(decoding: $0.value.utf8.prefix(200), as: UTF8.self))" }
        return ([rawValue, "status \(head.status)"] + fields).joined(separator: "; ")
    }
}
