import PawlCore
import Testing

/// The exact verdict on each kind of answer. The file has 1000 bytes, and bytes 100 to 199 are requested.
@Suite struct ResponseRuleTests {
    // MARK: Whether ranges are honoured

    @Test func `R01 R03 a 200 to a range request is never stored at the range`() {
        let head = answer(200, "Content-Length: 1000", "ETag: \"v\"")
        // The same file: the server may not have understood If-Range.
        #expect(rule().judge(head) == .askWithoutCondition)
        // Without a condition, the server ignored the range: the answer is the whole file, from byte zero.
        #expect(rule(condition: RangeCondition.none).judge(head) == .whole(representation()))
        // A different validator, or none to show that the file is the same: another file.
        let other = answer(200, "Content-Length: 1000", "ETag: \"w\"")
        #expect(rule().judge(other) == .changed(.validator, representation(tag: "\"w\"")))
        #expect(
            rule().judge(answer(200, "Content-Length: 1000")) == .changed(.validator, representation(tag: nil)))
        #expect(
            rule().judge(answer(200, "Content-Length: 999", "ETag: \"w\""))
                == .changed(.total, representation(total: 999, tag: "\"w\"")))
        // Nothing is known yet, and only the length of a prefix is requested.
        #expect(rule(known: nil, condition: RangeCondition.none).judge(head) == .whole(representation()))
    }

    @Test func `R04 a 200 with a Content-Range is retried without Range, and then refused`() {
        let head = answer(200, "Content-Length: 100", "Content-Range: bytes 100-199/1000", "ETag: \"v\"")
        #expect(rule().judge(head) == .askWithoutRange(.contentRangeOn200))
        #expect(first().judge(head) == .askWithoutRange(.contentRangeOn200))
        #expect(plain().judge(head) == .bad(.contentRangeOn200))
    }

    @Test func `R16 a 206 to a request without Range is refused`() {
        #expect(plain().judge(part("bytes 0-999/1000")) == .bad(.unaskedPartial))
    }

    // MARK: Where the bytes of a 206 belong

    @Test func `a 206 with exactly the requested range is stored there`() {
        #expect(
            rule().judge(part("bytes 100-199/1000", "Content-Length: 100"))
                == .partial(range(100, 200), representation()))
        #expect(rule().judge(part("BYTES 100-199/1000")) == .partial(range(100, 200), representation()))
        #expect(first().judge(part("bytes 0-999/1000")) == .partial(range(0, 1000), representation()))
    }

    @Test(arguments: [0, 96, 99])
    func `R05 nothing of a 206 that starts early is stored; a request from that start allows a comparison`(
        _ start: Int64
    ) {
        #expect(rule().judge(part("bytes \(start)-199/1000")) == .startsEarly(start))
        // Other faults of the answer take precedence.
        #expect(rule().judge(part("bytes \(start)-200/1000")) == .bad(.beyondEnd))
        #expect(rule().judge(part("bytes \(start)-199/1000", "Content-Length: 100")) == .bad(.lengthDisagrees))
    }

    @Test(arguments: [101, 150, 199])
    func `R06 a 206 that starts late is refused`(_ start: Int) {
        #expect(rule().judge(part("bytes \(start)-199/1000")) == .bad(.wrongStart))
    }

    @Test func `R03 a 200 with the file's tag and a slice's length is retried without Range`() {
        let head = answer(200, "Content-Length: 100", "ETag: \"v\"")
        #expect(rule().judge(head) == .askWithoutRange(.otherLengthOn200))
        let plain = ResponseRule(
            request: RangeRequest(start: 0, end: nil, isRanged: false), known: representation())
        #expect(plain.judge(head) == .changed(.total, representation(total: 100)))
    }

    @Test
    func `R11 V13 a first part that is not the whole file needs a validator; without one nothing could follow it`() {
        for range in ["bytes 0-99/1000", "bytes 0-99/*"] {
            #expect(first().judge(answer(206, "Content-Range: \(range)")) == .askWithoutRange(.partOfNothing))
            let digest = rule(start: 0, end: nil, known: nil, digest: true)
            guard case .partial = digest.judge(answer(206, "Content-Range: \(range)")) else {
                Issue.record("\(range)")
                continue
            }
        }
        let whole = answer(206, "Content-Range: bytes 0-999/1000")
        #expect(first().judge(whole) == .partial(range(0, 1000), representation(tag: nil)))
    }

    @Test(arguments: [200, 201, 999])
    func `R07 a 206 that extends past the requested range is refused`(_ last: Int) {
        #expect(rule().judge(part("bytes 100-\(last)/1000")) == .bad(.beyondEnd))
    }

    @Test(arguments: [100, 150, 198])
    func `R08 a shorter 206 is accepted for the bytes it has`(_ last: Int64) {
        let head = part("bytes 100-\(last)/1000", "Content-Length: \(last - 99)")
        #expect(rule().judge(head) == .partial(range(100, last + 1), representation()))
    }

    @Test func `R09 a 206 without Content-Range is refused although its length matches`() {
        #expect(rule().judge(answer(206, "Content-Length: 100", "ETag: \"v\"")) == .bad(.missingContentRange))
    }

    @Test(arguments: [100, 200, 999, 1001, 1_000_000])
    func `R10 V02 a different total means another file`(_ total: Int64) {
        let verdict = rule().judge(part("bytes 100-\(min(total, 200) - 1)/\(total)"))
        if total == 100 {
            // This Content-Range is malformed: the last position is not below the total.
            #expect(rule().judge(part("bytes 100-199/100")) == .bad(.malformedContentRange))
        } else {
            #expect(verdict == .changed(.total, representation(total: total)))
        }
    }

    @Test func `R11 a total of * is accepted with an equal strong tag or an expected digest`() {
        let tagged = part("bytes 100-199/*")
        #expect(rule().judge(tagged) == .partial(range(100, 200), representation(total: nil)))
        let untagged = answer(206, "Content-Range: bytes 100-199/*")
        #expect(
            rule(digest: true).judge(untagged) == .partial(range(100, 200), representation(total: nil, tag: nil)))
        #expect(first().judge(part("bytes 0-99/*")) == .partial(range(0, 100), representation(total: nil)))
    }

    /// Nothing shows that the file changed, so no stored byte may be discarded.
    @Test func `R11 a total of * without an equal strong tag is refused, but is no sign of change`() {
        #expect(rule().judge(answer(206, "Content-Range: bytes 100-199/*")) == .bad(.unprovenRepresentation))
    }

    @Test(arguments: [
        "100-199/1000", "bytes=100-199/1000", "bytes 100-199", "bytes -100-199/1000", "bytes 199-100/1000",
        "bytes 100-199/150", "bytes 100-9223372036854775808/*", "bytes */1000",
        "bytes 100-199/1000, bytes 100-199/1000",
    ])
    func `R12 a malformed Content-Range is refused`(_ value: String) {
        #expect(rule().judge(part(value)) == .bad(.malformedContentRange))
    }

    @Test func `R12 a repeated Content-Range field and units other than bytes are refused`() {
        let twice = answer(
            206, "Content-Range: bytes 100-199/1000", "content-range: bytes 100-199/1000", "ETag: \"v\"")
        #expect(rule().judge(twice) == .bad(.repeatedContentRange))
        #expect(rule().judge(part("items 100-199/1000")) == .bad(.otherRangeUnit))
    }

    @Test(arguments: [0, 99, 101, 1000])
    func `R13 Content-Range and Content-Length that disagree are refused`(_ length: Int) {
        #expect(rule().judge(part("bytes 100-199/1000", "Content-Length: \(length)")) == .bad(.lengthDisagrees))
    }

    @Test func `R14 a chunked 206 undergoes every check`() {
        let chunked = "Transfer-Encoding: chunked"
        #expect(rule().judge(part("bytes 100-199/1000", chunked)) == .partial(range(100, 200), representation()))
        #expect(rule().judge(part("bytes 0-99/1000", chunked)) == .startsEarly(0))
        #expect(rule().judge(part("bytes 101-199/1000", chunked)) == .bad(.wrongStart))
        #expect(rule().judge(part("x", chunked)) == .bad(.malformedContentRange))
        #expect(rule().judge(part("bytes 100-299/1000", chunked)) == .bad(.beyondEnd))
        #expect(rule().judge(part("bytes 100-199/999", chunked)) == .changed(.total, representation(total: 999)))
    }

    @Test(arguments: [
        "multipart/byteranges; boundary=x", "multipart/byteranges", "Multipart/ByteRanges; boundary=\"x\"",
        "multipart/x-byteranges; boundary=x",
    ])
    func `R17 a multipart answer to a single range is refused`(_ type: String) {
        #expect(rule().judge(answer(206, "Content-Type: \(type)", "ETag: \"v\"")) == .bad(.multipart))
        #expect(rule().judge(part("bytes 100-199/1000", "Content-Type: \(type)")) == .bad(.multipart))
    }

    // MARK: 416

    @Test func `R18 a 416 at the end of a file that is held whole means that the download is complete`() {
        let atEnd = rule(start: 1000, end: nil, holdsEverything: true)
        #expect(atEnd.judge(answer(416, "Content-Range: bytes */1000")) == .alreadyComplete)
        // lighttpd omits the field.
        #expect(atEnd.judge(answer(416)) == .alreadyComplete)
        #expect(
            atEnd.judge(answer(416, "Content-Range: bytes */1200"))
                == .changed(.total, representation(total: 1200, tag: nil)))
    }

    @Test func `R11 R18 after a total of *, a 416 right behind the held data reveals the total`() {
        let rule = rule(start: 500, end: nil, known: representation(total: nil))
        let tag = "ETag: \(representation().entityTag?.raw ?? "")"
        #expect(rule.judge(answer(416, "Content-Range: bytes */500", tag)) == .alreadyComplete)
        #expect(rule.judge(answer(416, "Content-Range: bytes */500")) == .askForLastBytes)
        #expect(rule.judge(answer(416, "Content-Range: bytes */800")) == .askWithoutRange(.unsatisfiableInside))
    }

    @Test func `R19 only the body of a 200 or a 206 is ever stored`() {
        for status in 0...999 where status != 200 && status != 206 {
            let head = answer(
                status, "Content-Range: bytes 100-199/1000", "Content-Length: 100", "ETag: \"v\"", "Location: /x")
            for rule in [rule(), first(), plain(), rule(digest: true)] {
                switch rule.judge(head) {
                case .partial, .whole, .empty: Issue.record("\(status) would be stored")
                default: break
                }
            }
        }
    }

    @Test func `R20 a 416 inside the file never marks its end`() {
        #expect(rule().judge(answer(416, "Content-Range: bytes */1000")) == .bad(.unsatisfiableInside))
        #expect(rule().judge(answer(416)) == .askWithoutRange(.unsatisfiableInside))
        #expect(rule().judge(answer(416, "Content-Range: bytes 0-99/1000")) == .askWithoutRange(.unsatisfiableInside))
        #expect(plain().judge(answer(416)) == .refused(.other(status: 416)))
    }

    @Test func `V03 a 416 with a smaller total means another file`() {
        #expect(
            rule().judge(answer(416, "Content-Range: bytes */50"))
                == .changed(.total, representation(total: 50, tag: nil)))
    }

    @Test func `R22 a 200 of length zero means an empty file, and a 416 of */0 that it may be one`() {
        #expect(first().judge(answer(200, "Content-Length: 0", "ETag: \"v\"")) == .empty(representation(total: 0)))
        #expect(
            first().judge(answer(416, "Content-Range: bytes */0")) == .askWithoutRange(.unsatisfiableInside))
        let known = rule(start: 0, end: nil)
        #expect(known.judge(answer(416, "Content-Range: bytes */0")) == .askWithoutRange(.unsatisfiableInside))
        let plain = ResponseRule(request: RangeRequest(start: 0, end: nil, isRanged: false), known: nil)
        #expect(
            plain.judge(answer(416, "Content-Range: bytes */0")) == .empty(representation(total: 0, tag: nil)))
        // A missing length is not a length of zero.
        #expect(first().judge(answer(200, "ETag: \"v\"")) == .whole(representation(total: nil)))
    }

    @Test func `R25 a part that the server compresses unasked is not stored`() {
        let head = part("bytes 0-999/1000", "Content-Encoding: gzip")
        #expect(first().judge(head) == .bad(.encoded))
    }

    // MARK: Validators

    @Test func `V01 a different tag on a part of the same length means another file`() {
        #expect(
            rule().judge(part("bytes 100-199/1000", tag: "\"w\""))
                == .changed(.validator, representation(tag: "\"w\"")))
    }

    @Test func `V04 with an expected digest, a node with a different tag may continue the file`() throws {
        let head = part("bytes 100-199/1000", tag: "\"w\"")
        #expect(rule(digest: true).judge(head) == .partial(range(100, 200), representation(tag: "\"w\"")))
        // The digest does not excuse a different or missing total.
        #expect(
            rule(digest: true).judge(part("bytes 100-199/1001", tag: "\"w\""))
                == .changed(.total, representation(total: 1001, tag: "\"w\"")))
        #expect(
            rule(digest: true).judge(part("bytes 100-199/*", tag: "\"w\""))
                == .changed(.validator, representation(total: nil, tag: "\"w\"")))
        // An equal Repr-Digest on both shows the same bytes.
        let digest = try #require(Digest(algorithm: .sha256, bytes: [UInt8](repeating: 3, count: 32)))
        var known = representation()
        known.digests = [digest]
        var found = representation(tag: "\"w\"")
        found.digests = [digest]
        let proven = part("bytes 100-199/1000", "Repr-Digest: sha-256=:\(Base64.encode(digest.bytes)):", tag: "\"w\"")
        #expect(rule(known: known).judge(proven) == .partial(range(100, 200), found))
    }

    @Test func `V05 beside a weak tag, an equal strong date proves the part, and a 412 shows the change`() {
        let modified = "Sat, 01 Jan 2022 00:00:00 GMT"
        let date = "Sat, 01 Jan 2022 01:00:00 GMT"
        let known = Representation(
            total: 1000, entityTag: EntityTag(parsing: "W/\"v\""), lastModified: modified, date: date)
        #expect(known.condition == .ifUnmodifiedSince(modified))
        let rule = rule(known: known)
        let same = part("bytes 100-199/1000", "Last-Modified: \(modified)", "Date: \(date)", tag: "W/\"v\"")
        #expect(rule.judge(same) == .partial(range(100, 200), known))
        #expect(rule.judge(answer(412)) == .changed(.date, nil))
        #expect(
            rule.judge(part("bytes 100-199/1000", tag: "W/\"w\""))
                == .changed(.validator, representation(tag: "W/\"w\"")))
        let moved = "Sun, 02 Jan 2022 00:00:00 GMT"
        #expect(
            rule.judge(part("bytes 100-199/1000", "Last-Modified: \(moved)", tag: "W/\"v\""))
                == .changed(
                    .date,
                    Representation(total: 1000, entityTag: EntityTag(parsing: "W/\"v\""), lastModified: moved)))
    }

    @Test
    func
        `V06 a 206 to If-Range with the weak form of the tag is refused: the comparison was weak, or the tag changed on the way`()
    {
        let head = part("bytes 100-199/1000", tag: "W/\"v\"")
        #expect(rule().judge(head) == .bad(.unprovenRepresentation))
        #expect(rule(digest: true).judge(head) == .partial(range(100, 200), representation(tag: "W/\"v\"")))
    }

    @Test func `V05 V13 without a strong validator a later part proves nothing, unless a digest decides at the end`() {
        for tag in ["W/\"v\"", nil] {
            let known = representation(tag: tag)
            let head =
                tag.map { part("bytes 100-199/1000", tag: $0) } ?? answer(206, "Content-Range: bytes 100-199/1000")
            #expect(rule(known: known).judge(head) == .bad(.unprovenRepresentation))
            #expect(rule(known: known, digest: true).judge(head) == .partial(range(100, 200), known))
        }
    }

    @Test func `V06 a 206 to an outdated If-Range is not believed if it shows the new tag`() {
        #expect(
            rule().judge(part("bytes 100-199/1000", "Content-Length: 100", tag: "\"w\""))
                == .changed(.validator, representation(tag: "\"w\"")))
        // A weak form of the strong tag is no strong match, but does not show another file either; If-Range vouches for
        // the part.
        #expect(
            rule(condition: RangeCondition.none).judge(part("bytes 100-199/1000", tag: "W/\"v\""))
                == .bad(.unprovenRepresentation))
    }

    /// lighttpd 1.4.69 answers 206 to a failing If-Unmodified-Since, and RFC 9110 §15.3.7 excuses missing validators
    /// only after If-Range.
    @Test func `V06 a 206 to If-Unmodified-Since without any validator proves nothing`() {
        let known = Representation(
            total: 1000, entityTag: EntityTag(parsing: "W/\"v\""), lastModified: "Sat, 01 Jan 2022 00:00:00 GMT",
            date: "Sat, 01 Jan 2022 01:00:00 GMT")
        #expect(
            rule(known: known).judge(answer(206, "Content-Range: bytes 100-199/1000")) == .bad(.unprovenRepresentation))
    }

    @Test func `V07 a 200 to If-Range with the very same tag is retried without the condition`() {
        let head = answer(200, "Content-Length: 1000", "ETag: \"v\"")
        #expect(rule().judge(head) == .askWithoutCondition)
        // Without the condition, the 206 has to show the tag itself.
        let bare = rule(condition: RangeCondition.none)
        #expect(bare.judge(part("bytes 100-199/1000")) == .partial(range(100, 200), representation()))
        #expect(bare.judge(answer(206, "Content-Range: bytes 100-199/1000")) == .bad(.unprovenRepresentation))
    }

    @Test func `V09 a content coding that appears or disappears means another file`() {
        var coded = representation()
        coded.contentCoding = "gzip"
        #expect(
            rule().judge(part("bytes 100-199/1000", "Content-Encoding: gzip")) == .changed(.contentCoding, coded))
        #expect(
            rule(known: coded).judge(part("bytes 100-199/1000")) == .changed(.contentCoding, representation()))
    }

    @Test func `V12 a date that is the only validator serves as If-Range and is compared byte for byte`() {
        let modified = "Sat, 01 Jan 2022 00:00:00 GMT"
        let known = Representation(total: 1000, lastModified: modified, date: "Sat, 01 Jan 2022 01:00:00 GMT")
        #expect(known.condition == .ifRange(modified))
        let date = "Sat, 01 Jan 2022 01:00:05 GMT"
        let same = answer(206, "Content-Range: bytes 100-199/1000", "Last-Modified: \(modified)", "Date: \(date)")
        #expect(
            rule(known: known).judge(same)
                == .partial(range(100, 200), Representation(total: 1000, lastModified: modified, date: date)))
        let other = "Sat, 01 Jan 2022 00:00:01 GMT"
        #expect(
            rule(known: known).judge(answer(206, "Content-Range: bytes 100-199/1000", "Last-Modified: \(other)"))
                == .changed(.date, Representation(total: 1000, lastModified: other)))
    }

    @Test func `V14 V22 a 206 to If-Range may omit fields of the 200, but not the tag`() {
        var known = representation()
        known.lastModified = "Sat, 01 Jan 2022 00:00:00 GMT"
        known.date = "Sat, 01 Jan 2022 01:00:00 GMT"
        #expect(rule(known: known).judge(part("bytes 100-199/1000")) == .partial(range(100, 200), representation()))
        #expect(
            rule(known: known).judge(answer(206, "Content-Range: bytes 100-199/1000")) == .bad(.unprovenRepresentation))
        known.entityTag = nil
        #expect(
            rule(known: known).judge(answer(206, "Content-Range: bytes 100-199/1000")) == .bad(.unprovenRepresentation))
    }

    @Test
    func `V19 a part that a cache generated soon after the file's modification is no proof, whatever the condition`() {
        let modified = "Sat, 01 Jan 2022 00:00:00 GMT"
        var known = representation(tag: "W/\"v\"")
        (known.lastModified, known.date) = (modified, "Sat, 01 Jan 2022 01:00:00 GMT")
        let fields = ["Content-Range: bytes 100-199/1000", "ETag: W/\"v\"", "Last-Modified: \(modified)"]
        let rule = rule(known: known)
        #expect(rule.request.condition == .ifUnmodifiedSince(modified))
        #expect(
            rule.judge(head(206, fields + ["Date: Sat, 01 Jan 2022 00:00:01 GMT"])) == .bad(.unprovenRepresentation))
        let old = "Sat, 01 Jan 2022 02:00:00 GMT"
        known.date = old
        #expect(rule.judge(head(206, fields + ["Date: \(old)"])) == .partial(range(100, 200), known))
    }

    @Test(arguments: [400, 403])
    func `V18 a 400 or 403 to If-Range from a URL that has worked is retried without the condition`(_ status: Int) {
        #expect(rule(urlHasWorked: true).judge(answer(status)) == .askWithoutCondition)
        let refusal: Refusal = status == 403 ? .unauthorized(status: 403) : .other(status: 400)
        #expect(rule(urlHasWorked: false).judge(answer(status)) == .refused(refusal))
        #expect(rule(condition: RangeCondition.none, urlHasWorked: true).judge(answer(status)) == .refused(refusal))
    }

    // MARK: Lengths and framing

    @Test(arguments: ["-1", "+5", "5, 6", "0x64", "", "18446744073709551617", "100,"])
    func `L03 an invalid Content-Length is refused`(_ value: String) {
        #expect(rule().judge(part("bytes 100-199/1000", "Content-Length: \(value)")) == .bad(.invalidContentLength))
        #expect(first().judge(answer(200, "Content-Length: \(value)")) == .bad(.invalidContentLength))
    }

    @Test func `L03 Content-Length values that agree are one length`() {
        #expect(
            rule().judge(part("bytes 100-199/1000", "Content-Length: 100, 100"))
                == .partial(range(100, 200), representation()))
        #expect(
            first().judge(answer(200, "Content-Length: 1000", "Content-Length: 1000", "ETag: \"v\""))
                == .whole(representation()))
    }

    @Test(arguments: ["100", "1000", "junk"])
    func `L09 Transfer-Encoding beside Content-Length is refused`(_ length: String) {
        let fields = ["Transfer-Encoding: chunked", "Content-Length: \(length)"]
        #expect(rule().judge(part("bytes 100-199/1000", fields[0], fields[1])) == .bad(.conflictingFraming))
        #expect(first().judge(answer(200, fields[0], fields[1])) == .bad(.conflictingFraming))
    }

    @Test func `L13 an unrequested coding is stored unchanged from a single stream, and refused when ranges are held`()
    {
        var coded = representation(total: 400)
        coded.contentCoding = "gzip"
        let whole = answer(200, "Content-Length: 400", "ETag: \"v\"", "Content-Encoding: gzip")
        #expect(first().judge(whole) == .whole(coded))
        #expect(first().judge(part("bytes 0-399/400", "Content-Encoding: gzip")) == .bad(.encoded))
        let sameLength = answer(200, "Content-Length: 1000", "ETag: \"v\"", "Content-Encoding: gzip")
        #expect(rule().judge(sameLength) == .bad(.encoded))
    }

    @Test func `N22 a transformed answer is refused unless an expected digest will decide`() {
        let head = answer(203, "Content-Length: 1000", "ETag: \"v\"")
        #expect(first().judge(head) == .bad(.transformed))
        #expect(rule(known: nil, digest: true, condition: RangeCondition.none).judge(head) == .whole(representation()))
        #expect(rule(digest: true).judge(head) == .bad(.transformed))
    }

    // MARK: Other statuses

    @Test(
        arguments: [
            ("5", RetryAfter.delay(.seconds(5))), ("0", .delay(.zero)),
            ("99999999999999999999", .delay(RetryAfter.maximumDelay)),
            ("Sat, 01 Jan 2022 00:00:00 GMT", .date(HTTPDate(secondsSinceEpoch: 1_640_995_200))),
            ("-5", nil), ("soon", nil), ("", nil), ("1.5", nil),
        ] as [(String, RetryAfter?)])
    func `H12 a Retry-After field is parsed as seconds or as a date; nonsense means no wait`(
        _ value: String, _ expected: RetryAfter?
    ) {
        for status in [429, 503] {
            let head = answer(status, "Retry-After: \(value)")
            #expect(rule().judge(head) == .refused(.busy(status: status, expected)))
        }
        #expect(rule().judge(answer(503)) == .refused(.busy(status: 503, nil)))
    }

    @Test(arguments: ["Thu, 01 Jan 1970 00:00:03 GMT", "now"])
    func `J09 a Retry-After date is not measured by a server's clock that was never set`(_ date: String) {
        let head = answer(503, "Retry-After: Sat, 01 Jan 2022 00:00:00 GMT", "Date: \(date)")
        #expect(rule().judge(head) == .refused(.busy(status: 503, .date(HTTPDate(secondsSinceEpoch: 1_640_995_200)))))
    }

    @Test(
        arguments: [
            (301, .bad(.unexpectedStatus)), (300, .bad(.unexpectedStatus)), (304, .bad(.unexpectedStatus)),
            (201, .bad(.unexpectedStatus)), (204, .bad(.unexpectedStatus)), (205, .bad(.unexpectedStatus)),
            (226, .bad(.unexpectedStatus)), (101, .bad(.unexpectedStatus)),
            (401, .refused(.unauthorized(status: 401))), (403, .refused(.unauthorized(status: 403))),
            (407, .refused(.unauthorized(status: 407))), (404, .refused(.notFound(status: 404))),
            (410, .refused(.notFound(status: 410))), (408, .refused(.temporary(status: 408))),
            (425, .refused(.temporary(status: 425))), (418, .refused(.other(status: 418))),
            (412, .refused(.other(status: 412))), (500, .refused(.temporary(status: 500))),
            (502, .refused(.temporary(status: 502))), (504, .refused(.temporary(status: 504))),
            (501, .refused(.other(status: 501))), (505, .refused(.other(status: 505))), (511, .refused(.captivePortal)),
            (599, .refused(.temporary(status: 599))), (600, .refused(.temporary(status: 600))),
            (0, .refused(.temporary(status: 0))), (999, .refused(.temporary(status: 999))),
        ] as [(Int, Verdict)])
    func `every other status, known or not, has a verdict`(_ status: Int, _ expected: Verdict) {
        #expect(first().judge(answer(status)) == expected)
    }

    @Test(arguments: [300, 301, 302, 303, 307, 308])
    func `H07 a redirect's Location is passed on as written`(_ status: Int) {
        #expect(rule().judge(answer(status, "Location: //x/y")) == .redirect(location: "//x/y"))
    }

    @Test func `no text in a header field makes the rule trap`() {
        let seeds = [
            "bytes 100-199/1000", "bytes */1000", "100", "chunked", "\"v\"", "W/\"v\"", "multipart/byteranges",
        ]
        for text in ParserFuzz(seeds: seeds) {
            let head = ResponseHead(
                status: 206,
                fields: ["Content-Range", "Content-Length", "ETag"].map { HTTPField($0, text) })
            guard case .partial(let range, _) = rule().judge(head) else { continue }
            #expect(range.start == 100 && range.end <= 200)
        }
    }
}

// MARK: Short forms for requests and answers

extension ResponseRuleTests {
    private func range(_ start: Int64, _ end: Int64) -> ByteRange { ByteRange(start..<end) }

    private func representation(total: Int64? = 1000, tag: String? = "\"v\"") -> Representation {
        Representation(total: total, entityTag: tag.flatMap { EntityTag(parsing: $0) })
    }

    /// Requests bytes 100 to 199 of a known file, with the condition that the file's validators allow.
    private func rule(
        start: Int64 = 100, end: Int64? = 200, known: Representation?, digest: Bool = false,
        condition: RangeCondition? = nil, holdsEverything: Bool = false, urlHasWorked: Bool = false
    ) -> ResponseRule {
        ResponseRule(
            request: RangeRequest(start: start, end: end, condition: condition ?? known?.condition ?? .none),
            known: known,
            hasExpectedDigest: digest, holdsEverything: holdsEverything, urlHasWorked: urlHasWorked)
    }

    private func rule(
        start: Int64 = 100, end: Int64? = 200, digest: Bool = false, condition: RangeCondition? = nil,
        holdsEverything: Bool = false, urlHasWorked: Bool = false
    ) -> ResponseRule {
        rule(
            start: start, end: end, known: representation(), digest: digest, condition: condition,
            holdsEverything: holdsEverything, urlHasWorked: urlHasWorked)
    }

    /// The first request of a download.
    private func first() -> ResponseRule { rule(start: 0, end: nil, known: nil) }

    /// A first request that was already retried without Range.
    private func plain() -> ResponseRule {
        ResponseRule(request: RangeRequest(start: 0, end: nil, isRanged: false), known: nil)
    }

    private func part(_ contentRange: String, _ fields: String..., tag: String = "\"v\"") -> ResponseHead {
        head(206, ["Content-Range: \(contentRange)", "ETag: \(tag)"] + fields)
    }

    private func answer(_ status: Int, _ fields: String...) -> ResponseHead { head(status, fields) }

    private func head(_ status: Int, _ fields: [String]) -> ResponseHead {
        ResponseHead(
            status: status,
            fields: fields.map { field in
                let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return HTTPField(String(parts[0]), String(parts[1].drop { $0 == " " }))
            })
    }
}
