import PawlCore
import Testing

@Suite struct RepresentationTests {
    static let date = "Sat, 01 Jan 2022 00:02:00 GMT"

    // RFC 9110 §8.8.2.2, with the threshold of sixty seconds.
    @Test(arguments: [
        ("Sat, 01 Jan 2022 00:00:00 GMT", true, false), ("Sat, 01 Jan 2022 00:01:00 GMT", true, false),
        ("Sat, 01 Jan 2022 00:01:01 GMT", false, false), ("Sat, 01 Jan 2022 00:02:00 GMT", false, true),
        // V11: constant build dates count as missing.
        ("Thu, 01 Jan 1970 00:00:01 GMT", false, false), ("Tue, 01 Jan 1980 23:59:59 GMT", false, false),
        ("Wed, 02 Jan 1980 00:00:00 GMT", true, false), ("Sat, 01 Jan 2022 00:02:01 GMT", false, true),
        ("yesterday", false, false), ("", false, false),
    ])
    func `V12 a date is a strong validator from sixty seconds before the answer was served`(
        _ modified: String, _ isStrong: Bool, _ isRecent: Bool
    ) {
        let representation = Representation(total: 10, lastModified: modified, date: Self.date)
        #expect(representation.strongDate == (isStrong ? modified : nil))
        #expect(representation.isCombinable == isStrong)
        #expect(representation.isRecentlyModified == isRecent)
        #expect(representation.condition == (isStrong ? .ifRange(modified) : .none))
    }

    @Test func `V12 V19 a date without the Date of its answer proves nothing, and the file may be recent`() {
        let representation = Representation(total: 10, lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
        #expect(representation.strongDate == nil)
        #expect(representation.isRecentlyModified)
        #expect(representation.secondsUntilSettled == nil)
    }

    @Test(
        arguments: [
            ("Sat, 01 Jan 2022 00:01:57 GMT", nil), ("Sat, 01 Jan 2022 00:01:58 GMT", 1),
            ("Sat, 01 Jan 2022 00:01:59 GMT", 2),
            ("Sat, 01 Jan 2022 00:02:00 GMT", 3), ("Sat, 01 Jan 2022 00:02:05 GMT", 8),
            ("Sun, 01 Jan 2023 00:00:00 GMT", nil),
        ] as [(String, Int64?)])
    func `V08 V19 a strong tag proves nothing for a file modified at most two seconds before it was served, or later`(
        _ modified: String, _ settles: Int64?
    ) {
        let recent = Representation(total: 10, entityTag: tag("\"a\""), lastModified: modified, date: Self.date)
        #expect(recent.isRecentlyModified == (modified != "Sat, 01 Jan 2022 00:01:57 GMT"))
        #expect(recent.isCombinable != recent.isRecentlyModified)
        #expect(recent.secondsUntilSettled == settles)
        let later = Representation(
            total: 10, entityTag: tag("\"a\""), lastModified: modified, date: "Sat, 01 Jan 2028 00:02:00 GMT")
        #expect(
            recent.compare(with: later) == (recent.isRecentlyModified ? .unproven : .same),
            "the later one may be a second change")
        #expect(
            later.compare(with: recent) == (recent.isRecentlyModified ? .unproven : .same),
            "a cache may have kept the first")
    }

    @Test
    func
        `V19 an answer without Last-Modified that was generated earlier, as by a cache, may precede the file's second change`()
    {
        let known = Representation(
            total: 10, entityTag: tag("\"a\""), lastModified: "Sat, 01 Jan 2022 00:00:00 GMT", date: Self.date)
        var answer = Representation(total: 10, entityTag: tag("\"a\""), date: "Sat, 01 Jan 2022 00:00:01 GMT")
        #expect(known.compare(with: answer) == .unproven)
        answer.date = "Sat, 01 Jan 2022 00:00:03 GMT"
        #expect(known.compare(with: answer) == .same)
    }

    private static let received: Int64 = 1_641_600_000  // Sat, 08 Jan 2022 00:00:00 GMT

    /// Returns the representation described by a response received at ``received`` by the local clock.
    private func found(_ lines: (String, String)..., received: Int64? = Self.received) -> Representation {
        Representation(fields: lines.map { HTTPField($0.0, $0.1) }, total: 10, received: received)
    }

    @Test(arguments: [
        ("Sat, 01 Jan 2022 00:00:00 GMT", true, true), ("Thu, 06 Jan 2022 23:59:00 GMT", true, true),
        // A day and a minute are needed of a date alone, an hour and three seconds beside a strong tag.
        ("Thu, 06 Jan 2022 23:59:01 GMT", false, true), ("Fri, 07 Jan 2022 22:59:57 GMT", false, true),
        ("Fri, 07 Jan 2022 22:59:58 GMT", false, false), ("Sat, 08 Jan 2022 00:00:00 GMT", false, false),
        // Our clock or theirs is wrong: that proves nothing.
        ("Sat, 08 Jan 2022 00:00:01 GMT", false, false), ("Fri, 01 Jan 2038 00:00:00 GMT", false, false),
    ])
    func `V26 without a Date, the time of reception stands in, less what the clocks may differ`(
        _ modified: String, _ isStrongAlone: Bool, _ isStrongBesideTag: Bool
    ) {
        let date = ("Last-Modified", modified)
        for unusable in [("X-None", ""), ("Date", "now"), ("Date", ""), ("Date", "Thu, 01 Jan 1970 00:00:09 GMT")] {
            let alone = found(date, unusable)
            #expect(alone.isCombinable == isStrongAlone)
            #expect(alone.condition == (isStrongAlone ? .ifRange(modified) : .none))
            #expect(found(date, unusable, ("ETag", "W/\"a\"")).isCombinable == isStrongAlone)
            let tagged = found(date, unusable, ("ETag", "\"a\""))
            #expect(tagged.isCombinable == isStrongBesideTag && tagged.condition == .ifRange("\"a\""))
            #expect(tagged.compare(with: tagged) == (isStrongBesideTag ? .same : .unproven))
        }
        let served = HTTPField("Date", "Sat, 08 Jan 2022 00:00:00 GMT")
        let repeated = Representation(
            fields: [HTTPField("Last-Modified", modified), served, served], total: 10, received: Self.received)
        #expect(repeated.isCombinable == isStrongAlone)
    }

    @Test(arguments: [0, 315_000_000, -1, .min, 1_577_836_800] as [Int64])
    func `V26 a clock of ours that is years behind makes no date strong`(_ received: Int64) {
        let date = ("Last-Modified", "Sat, 01 Jan 2022 00:00:00 GMT")
        #expect(!found(date, received: received).isCombinable)
        #expect(!found(date, ("ETag", "\"a\""), received: received).isCombinable)
        let tagged = found(("ETag", "\"a\""), received: received)
        #expect(tagged.isCombinable, "nothing shows that the tag was made from a time")
    }

    @Test
    func `V26 a usable Date counts, whatever our clock says, and none is made up where there is no Last-Modified`() {
        let (modified, served) = ("Sat, 01 Jan 2022 00:00:00 GMT", "Sat, 01 Jan 2022 00:00:02 GMT")
        for received in [0, Self.received, nil] as [Int64?] {
            let recent = found(("Last-Modified", modified), ("Date", served), ("ETag", "\"a\""), received: received)
            #expect(recent.date == served && recent.isRecentlyModified)
        }
        #expect(found(("ETag", "\"a\"")).date == nil)
        #expect(found(("ETag", "\"a\""), ("Date", "now")).date == nil)
    }

    @Test(arguments: [("0", true), ("600", true), ("604800", false), ("99999999999999999999", false), ("old", true)])
    func `V26 the time that a response spent in a cache counts, as the file may have been modified when it was made`(
        _ age: String, _ isStrong: Bool
    ) {
        let date = ("Last-Modified", "Sat, 01 Jan 2022 00:00:00 GMT")
        #expect(found(date, ("Age", age)).isCombinable == isStrong)
        #expect(found(date, ("Age", age), ("ETag", "\"a\"")).isCombinable == isStrong)
    }

    @Test func `V26 what an earlier version recorded without a Date stays unproven`() {
        let recorded = Representation(
            total: 10, entityTag: tag("\"a\""), lastModified: "Sat, 01 Jan 2022 00:00:00 GMT", date: nil)
        let now = found(("Last-Modified", "Sat, 01 Jan 2022 00:00:00 GMT"), ("ETag", "\"a\""))
        #expect(!recorded.isCombinable && recorded.compare(with: now) == .unproven)
    }

    @Test func `V20 several lines of a date field count as none`() {
        let date = "Sat, 01 Jan 2022 00:00:00 GMT"
        let served = HTTPField("Date", "Sat, 01 Jan 2022 01:00:00 GMT")
        for lines in [[date, date], [date, "Sun, 01 Jan 2023 00:00:00 GMT"]] {
            let found = Representation(fields: lines.map { HTTPField("Last-Modified", $0) } + [served], total: 10)
            #expect(found.lastModified == nil && !found.isCombinable, "\(lines)")
        }
        let found = Representation(fields: [HTTPField("Last-Modified", date), served, served], total: 10)
        #expect(found.date == nil && !found.isCombinable)
    }

    @Test func `V20 an empty, malformed or repeated entity tag counts as none`() {
        for lines in [["\"\""], ["W/\"\""], ["\"a\"", "\"b\""], ["\"a\"", "\"a\""], ["a"], [""]] {
            let found = Representation(fields: lines.map { HTTPField("ETag", $0) }, total: 10)
            #expect(found.entityTag == nil, "\(lines)")
            #expect(!found.isCombinable && found.condition == .none, "\(lines)")
        }
        let usable = Representation(fields: [HTTPField("ETag", "\"a\"")], total: 10)
        #expect(usable.entityTag != nil)
        #expect(
            Representation(total: 1, entityTag: tag("\"\"")).entityTag == nil, "nor one that an older journal holds")
    }

    // RFC 9110 §13.1.5 and §13.1.4.
    @Test
    func
        `V05 the precondition is the strong tag, or else the strong date; beside a weak tag, the date allows only If-Unmodified-Since`()
    {
        let old = "Sat, 01 Jan 2022 00:00:00 GMT"
        func condition(_ tagText: String?, _ modified: String?) -> RangeCondition {
            Representation(total: 1, entityTag: tagText.flatMap(tag), lastModified: modified, date: Self.date).condition
        }
        #expect(condition("\"a\"", old) == .ifRange("\"a\""))
        #expect(condition("\"a\"", nil) == .ifRange("\"a\""))
        #expect(condition("\"\"", nil) == .none)
        #expect(condition("\"\"", old) == .ifRange(old))
        #expect(condition("W/\"a\"", old) == .ifUnmodifiedSince(old))
        #expect(condition("W/\"a\"", nil) == .none)
        #expect(condition("W/\"a\"", Self.date) == .none)
        #expect(condition(nil, old) == .ifRange(old))
        #expect(condition(nil, nil) == .none)
    }

    @Test func `R25 every request asks for the identity coding, and a condition is sent only with a range`() {
        let part = RangeRequest(start: 100, end: 200, condition: .ifRange("\"a\""))
        #expect(
            part.fields == [
                HTTPField("Accept-Encoding", "identity"), HTTPField("Range", "bytes=100-199"),
                HTTPField("If-Range", "\"a\""),
            ])
        let rest = RangeRequest(start: 0, end: nil, condition: .ifUnmodifiedSince(Self.date))
        #expect(
            rest.fields == [
                HTTPField("Accept-Encoding", "identity"), HTTPField("Range", "bytes=0-"),
                HTTPField("If-Unmodified-Since", Self.date),
            ])
        let plain = RangeRequest(start: 0, end: nil, isRanged: false, condition: .ifRange("\"a\""))
        #expect(plain.fields == [HTTPField("Accept-Encoding", "identity")])
    }

    @Test func `a representation is built from a response's fields`() throws {
        let digest = try #require(Digest(algorithm: .sha256, bytes: [UInt8](repeating: 7, count: 32)))
        let representation = Representation(
            fields: [
                HTTPField("ETag", "W/\"x\""), HTTPField("last-modified", Self.date), HTTPField("DATE", Self.date),
                HTTPField("Content-Encoding", "GZip"),
                HTTPField("Repr-Digest", "sha-256=:\(Base64.encode(digest.bytes)):"),
            ], total: 5)
        #expect(
            representation
                == Representation(
                    total: 5, entityTag: tag("W/\"x\""), lastModified: Self.date, date: Self.date,
                    contentCoding: "gzip",
                    digests: [digest]))
        #expect(Representation(fields: [HTTPField("Content-Encoding", "Identity")], total: nil).contentCoding == nil)
        #expect(Representation(fields: [HTTPField("ETag", "unquoted")], total: nil).entityTag == nil)
    }

    @Test func `two representations compare as the same, different, or unproven`() throws {
        let old = "Sat, 01 Jan 2022 00:00:00 GMT"
        let base = Representation(total: 10, entityTag: tag("\"a\""), lastModified: old, date: Self.date)
        func other(_ change: (inout Representation) -> Void) -> Representation.Comparison {
            var other = base
            change(&other)
            return base.compare(with: other)
        }
        #expect(other { _ in } == .same)
        #expect(other { $0.total = nil } == .same)
        #expect(other { $0.total = 11 } == .different(.total))
        #expect(other { $0.contentCoding = "gzip" } == .different(.contentCoding))
        #expect(other { $0.entityTag = tag("\"b\"") } == .different(.validator))
        #expect(other { $0.entityTag = nil } == .same, "the strong date is the same")
        #expect(
            other {
                $0.entityTag = nil
                $0.lastModified = nil
            } == .unproven)
        #expect(
            other {
                $0.entityTag = tag("W/\"a\"")
                $0.lastModified = nil
            } == .unproven, "weakly equal only")
        #expect(
            other {
                $0.entityTag = nil
                $0.lastModified = Self.date
            } == .different(.date))
    }

    @Test func `V04 equal secure digests outweigh different tags, but equal weak digests do not`() throws {
        func representation(_ tagText: String, _ algorithm: DigestAlgorithm, _ byte: UInt8) throws -> Representation {
            let digest = Digest(algorithm: algorithm, bytes: [UInt8](repeating: byte, count: algorithm.byteCount))
            return Representation(total: 10, entityTag: tag(tagText), digests: [try #require(digest)])
        }
        let known = try representation("\"a\"", .sha256, 1)
        #expect(known.compare(with: try representation("\"b\"", .sha256, 1)) == .same)
        #expect(known.compare(with: try representation("\"a\"", .sha256, 2)) == .different(.digest))
        let weak = try representation("\"a\"", .md5, 1)
        #expect(weak.compare(with: try representation("\"b\"", .md5, 1)) == .different(.validator))
    }

    private func tag(_ text: String) -> EntityTag? { EntityTag(parsing: text) }
}
