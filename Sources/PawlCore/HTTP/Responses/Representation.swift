/// The file that a source served: length, validators, content coding. Bytes of two representations are never combined
/// in one file.
package struct Representation: Hashable, Sendable {
    /// The length in bytes; nil while the server has not stated it.
    package var total: Int64?
    /// The entity tag, which is never empty.
    package var entityTag: EntityTag?
    /// The field values as received: preconditions compare dates byte for byte (RFC 9110 §13.1.5).
    package var lastModified: String? { didSet { modified = lastModified.flatMap { HTTPDate(believable: $0) } } }
    /// The earliest time at which the response was generated: its `Date`, or what stands in for it.
    package var date: String? { didSet { served = date.flatMap { HTTPDate(believable: $0) } } }
    /// The content coding; encoded bytes are stored as received and never decoded. Nil for `identity`.
    package var contentCoding: String?
    package var digests: [Digest]
    /// `lastModified`, parsed once: it is asked for many times. Nil where it is not believable.
    private var modified: HTTPDate?
    /// `date`, parsed once.
    private var served: HTTPDate?

    package init(
        total: Int64?, entityTag: EntityTag? = nil, lastModified: String? = nil, date: String? = nil,
        contentCoding: String? = nil, digests: [Digest] = []
    ) {
        self.init(
            total, entityTag, lastModified: lastModified, date: date, served: date.flatMap { HTTPDate(believable: $0) },
            contentCoding: contentCoding, digests: digests)
    }

    private init(
        _ total: Int64?, _ entityTag: EntityTag?, lastModified: String?, date: String?, served: HTTPDate?,
        contentCoding: String?, digests: [Digest]
    ) {
        self.total = total
        self.entityTag = entityTag.flatMap { $0.isEmpty ? nil : $0 }
        self.lastModified = lastModified
        self.date = date
        self.contentCoding = contentCoding
        self.digests = digests
        modified = lastModified.flatMap { HTTPDate(believable: $0) }
        self.served = served
    }

    /// The metadata of a 200 or 206; the total comes from elsewhere, as the two carry it in different fields.
    ///
    /// - Parameter received: when the response came, in seconds since 1970 by our clock. Nil: nothing stands in for a
    ///   `Date` that is missing.
    package init(fields: [HTTPField], total: Int64?, received: Int64? = nil) {
        let codings = fields.values("content-encoding").joined(separator: ",").lowercased()
        // Kept values go into the journal, whose slots have a fixed size; a longer value counts as absent. So do
        // several values, since none can be preferred.
        func field(_ name: String) -> String? {
            let values = fields.values(name)
            return values.count == 1 && values[0].utf8.count <= 1024 ? values[0] : nil
        }
        let (tag, modified) = (field("etag").flatMap(EntityTag.init(parsing:)), field("last-modified"))
        var date = field("date")
        var served = date.flatMap { HTTPDate(believable: $0) }
        if served == nil { date = nil }
        if served == nil, modified != nil, let received {
            let isTagged = tag.map { !$0.isWeak && !$0.isEmpty } ?? false
            date = Self.earliestDate(fields, received: received, isTagged: isTagged).imfFixdate
            served = date.flatMap { HTTPDate(believable: $0) }
        }
        self.init(
            total, tag,
            lastModified: modified,
            date: date, served: served,
            contentCoding: codings.isEmpty || codings == "identity"
                ? nil : String(decoding: codings.utf8.prefix(1024), as: UTF8.self),
            digests: DigestFields.parse(fields.values("repr-digest"))
        )
    }
}

extension Representation {
    /// The time by which a modification date must be older than the response before it proves anything. RFC 9110
    /// §8.8.2.2 asks for one second and reason to believe in one clock; the sixty of its predecessor are the safer bar.
    private static let dateBarSeconds: Int64 = 60

    package var strongEntityTag: EntityTag? {
        entityTag.flatMap { $0.isWeak ? nil : $0 }
    }

    /// The time by which our clock may be ahead of the one that told `Last-Modified`: a day is the most that time zones
    /// make of it.
    private static let clockLeadSeconds: Int64 = 86_400
    /// The same beside a strong tag, which needs no proof from the date, only the absence of a sign that the file is
    /// being changed: an hour, as daylight saving time makes.
    private static let clockLeadBesideTagSeconds: Int64 = 3600

    /// The time that stands in where the server tells none (RFC 9110 §6.6.1): that of the reception, less the time in a
    /// cache and the error that our clock may have (V26). Whatever compares it with `Last-Modified` then errs on the
    /// side of caution, in later runs too, for the journal keeps it.
    private static func earliestDate(_ fields: [HTTPField], received: Int64, isTagged: Bool) -> HTTPDate {
        var age: Int64 = 0
        if let text = fields.first("age") {
            switch ASCII.decimal(ASCII.trimmingBlanks(Array(text.utf8)[...])) {
            case .value(let seconds): age = min(seconds, longestAge)
            case .overflow: age = longestAge
            case .notDecimal: break
            }
        }
        let lead = isTagged ? clockLeadBesideTagSeconds : clockLeadSeconds
        return HTTPDate(secondsSinceEpoch: max(received, 0) - age - lead)
    }

    /// RFC 9111 §1.2.2 has recipients put this in place of larger numbers.
    private static let longestAge = Int64(1) << 31

    /// The time from `Last-Modified` to `Date`, in seconds; negative if the file is said to have changed later.
    private var ageWhenServed: Int64? {
        modified.flatMap { modified in served.map { $0.secondsSinceEpoch - modified.secondsSinceEpoch } }
    }

    /// `Last-Modified` as received, when it may be used as a strong validator.
    package var strongDate: String? {
        guard let age = ageWhenServed, age >= Self.dateBarSeconds else { return nil }
        return lastModified
    }

    /// Whether a second change may have left the validators as they are (V08, V19): the file was modified within two
    /// seconds before it was served, or nothing shows that it was earlier. File systems count in seconds, FAT in two,
    /// and servers make entity tags of that time.
    package var isRecentlyModified: Bool {
        modified != nil && ageWhenServed.map { $0 <= Self.clockGrainSeconds } ?? true
    }

    /// The number of seconds after which a response shows that the file was not modified recently, unless it is
    /// modified again. Nil if it was not modified recently, or if no time is known after which that could change.
    package var secondsUntilSettled: Int64? {
        guard isRecentlyModified, let age = ageWhenServed, age >= -Self.dateBarSeconds else { return nil }
        return Self.clockGrainSeconds + 1 - age
    }

    private static let clockGrainSeconds: Int64 = 2

    /// Whether bytes of several responses may be put together (RFC 9110 §15.3.7.3), a known digest apart.
    package var isCombinable: Bool {
        if digests.contains(where: \.algorithm.isSecure) { return true }
        return !isRecentlyModified && (strongEntityTag != nil || strongDate != nil)
    }

    /// The server named a version, however weakly that distinguishes it from another.
    package var isIdentified: Bool { entityTag != nil || lastModified != nil || !digests.isEmpty }

    /// The precondition that a ranged request after the first carries.
    package var condition: RangeCondition {
        if let tag = strongEntityTag { return .ifRange(tag.raw) }
        guard let strongDate else { return .none }
        // A date may not stand in If-Range beside any entity tag, weak ones included (§13.1.5); §13.1.4 allows this
        // instead.
        return entityTag == nil ? .ifRange(strongDate) : .ifUnmodifiedSince(strongDate)
    }

    package enum Comparison: Hashable, Sendable {
        case same
        /// Neither proven equal nor proven different.
        case unproven
        case different(Difference)
    }

    package enum Difference: String, Hashable, Sendable {
        case total = "length"
        case validator = "ETag"
        case date = "Last-Modified"
        case digest = "Repr-Digest"
        case contentCoding = "Content-Encoding"
        /// Bytes requested a second time differ from those held.
        case content
    }

    /// Compares the known representation with that of a new response.
    package func compare(with other: Representation) -> Comparison {
        if let total, let otherTotal = other.total, total != otherTotal { return .different(.total) }
        if contentCoding != other.contentCoding { return .different(.contentCoding) }
        if let digest = commonDigest(with: other) {
            return digest.0 == digest.1 ? .same : .different(.digest)
        }
        if let tag = entityTag, let otherTag = other.entityTag {
            if tag.stronglyEquals(otherTag) {
                return isRecentlyModified || isRecentlyModified(in: other) ? .unproven : .same
            }
            guard tag.weaklyEquals(otherTag) else { return .different(.validator) }
        }
        if let lastModified, let otherModified = other.lastModified {
            guard lastModified.isExactly(otherModified) else { return .different(.date) }
            if strongDate != nil, !isRecentlyModified(in: other), other.entityTag == nil || entityTag != nil {
                return .same
            }
        }
        return .unproven
    }

    /// Whether a response to another URL is of the same file. A tag speaks for the resource that sent it alone (RFC
    /// 9110 §8.8.1), so length and date have to agree as well; a digest is enough.
    package func isSameFile(as other: Representation) -> Bool {
        guard compare(with: other) == .same else { return false }
        if commonDigest(with: other) != nil { return true }
        guard let total, total == other.total else { return false }
        return lastModified.map { date in other.lastModified.map(date.isExactly) ?? true }
            ?? (other.lastModified == nil)
    }

    /// Whether the tag tells more than length and time of modification, which copies of two versions may share.
    package var hasTellingTag: Bool {
        guard let tag = strongEntityTag else { return false }
        return total.map { !tag.repeats(length: $0, modified: modified?.secondsSinceEpoch) } ?? true
    }

    /// Whether this may well be the same file, though nothing shows it: one of length, date and tag is the same. A page
    /// that stands in place of the file has none of them.
    package func resembles(_ other: Representation) -> Bool {
        if let total, total == other.total { return true }
        if let tag = entityTag, let otherTag = other.entityTag, tag.weaklyEquals(otherTag) { return true }
        return lastModified.map { date in other.lastModified.map(date.isExactly) ?? false } ?? false
    }

    /// An answer to `If-Range` may leave `Last-Modified` out (RFC 9110 §15.3.7), and by its `Date` it may be older than
    /// what is known.
    package func isRecentlyModified(in other: Representation) -> Bool {
        var other = other
        if other.date != nil { other.lastModified = other.lastModified ?? lastModified }
        return other.isRecentlyModified
    }

    private func commonDigest(with other: Representation) -> (Digest, Digest)? {
        for digest in digests where digest.algorithm.isSecure {
            if let match = other.digests.first(where: { $0.algorithm == digest.algorithm }) { return (digest, match) }
        }
        return nil
    }
}

/// The precondition of a ranged request (RFC 9110 §13.1).
package enum RangeCondition: Hashable, Sendable {
    case none
    case ifRange(String)
    case ifUnmodifiedSince(String)

    package var field: HTTPField? {
        switch self {
        case .none: nil
        case .ifRange(let value): HTTPField("If-Range", value)
        case .ifUnmodifiedSince(let value): HTTPField("If-Unmodified-Since", value)
        }
    }
}
