/// What a source served: length, validators, content coding. Bytes of two representations are never combined in one
/// file.
package struct Representation: Hashable, Sendable {
    /// Nil while the server has not stated it.
    package var total: Int64?
    /// Never an empty one.
    package var entityTag: EntityTag?
    /// The field values as received: preconditions compare dates byte for byte (RFC 9110 §13.1.5).
    package var lastModified: String? { didSet { modified = Self.believable(lastModified) } }
    package var date: String? { didSet { served = date.flatMap { HTTPDate(parsing: $0) } } }
    /// Nil for `identity`. Anything else is stored as it came and never decoded.
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
        self.total = total
        self.entityTag = entityTag.flatMap { $0.isEmpty ? nil : $0 }
        self.lastModified = lastModified
        self.date = date
        self.contentCoding = contentCoding
        self.digests = digests
        modified = Self.believable(lastModified)
        served = date.flatMap { HTTPDate(parsing: $0) }
    }

    /// The metadata of a 200 or 206; the total comes from elsewhere, as the two carry it in different fields.
    package init(fields: [HTTPField], total: Int64?) {
        let codings = fields.values("content-encoding").joined(separator: ",").lowercased()
        // Kept values go into the journal, whose slots have a fixed size; a longer value counts as absent. So do
        // several values, since none can be preferred.
        func field(_ name: String) -> String? {
            let values = fields.values(name)
            return values.count == 1 && values[0].utf8.count <= 1024 ? values[0] : nil
        }
        self.init(
            total: total,
            entityTag: field("etag").flatMap(EntityTag.init(parsing:)),
            lastModified: field("last-modified"),
            date: field("date"),
            contentCoding: codings.isEmpty || codings == "identity"
                ? nil : String(decoding: codings.utf8.prefix(1024), as: UTF8.self),
            digests: DigestFields.parse(fields.values("repr-digest"))
        )
    }
}

extension Representation {
    /// How much older than the response a modification date must be before it proves anything. RFC 9110 §8.8.2.2 asks
    /// for one second and reason to believe in one clock; the sixty of its predecessor are the safer bar.
    private static let dateBarSeconds: Int64 = 60

    package var strongEntityTag: EntityTag? {
        entityTag.flatMap { $0.isWeak ? nil : $0 }
    }

    /// Nil where it is absent, or a constant: build dates such as the epoch's first second stay the same though the
    /// bytes change (V11).
    private static func believable(_ lastModified: String?) -> HTTPDate? {
        let firstBelievable: Int64 = 315_619_200  // 1980-01-02
        return lastModified.flatMap { HTTPDate(parsing: $0) }.flatMap {
            $0.secondsSinceEpoch >= firstBelievable ? $0 : nil
        }
    }

    /// From `Last-Modified` to `Date`, in seconds; negative where the file is said to have changed later.
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

    /// After so many seconds an answer shows that the file was not modified recently, if it is not modified again. Nil
    /// where it is not, or where no time is known after which that could change.
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
