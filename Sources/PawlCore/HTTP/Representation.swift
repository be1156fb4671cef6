/// What a source served: length, validators, content coding. Bytes of two representations never meet in one file.
package struct Representation: Hashable, Sendable {
    /// Nil while the server has not said.
    package var total: Int64?
    package var entityTag: EntityTag?
    /// The field values as received: preconditions compare dates byte for byte (RFC 9110 §13.1.5).
    package var lastModified: String?
    package var date: String?
    /// Nil for `identity`. Anything else is stored as it came and never decoded.
    package var contentCoding: String?
    package var digests: [Digest]

    package init(
        total: Int64?, entityTag: EntityTag? = nil, lastModified: String? = nil, date: String? = nil,
        contentCoding: String? = nil, digests: [Digest] = []
    ) {
        self.total = total
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.date = date
        self.contentCoding = contentCoding
        self.digests = digests
    }

    /// The metadata of a 200 or 206; the total comes from elsewhere, as the two carry it in different fields.
    package init(fields: [HTTPField], total: Int64?) {
        let codings = fields.values("content-encoding").joined(separator: ",").lowercased()
        // What is kept goes into the journal, whose slots are of a fixed size; a longer value is taken for absent.
        func field(_ name: String) -> String? { fields.first(name).flatMap { $0.utf8.count <= 1024 ? $0 : nil } }
        self.init(
            total: total,
            entityTag: field("etag").flatMap(EntityTag.init(parsing:)),
            lastModified: field("last-modified"),
            date: field("date"),
            contentCoding: codings.isEmpty || codings == "identity" ? nil : String(decoding: codings.utf8.prefix(1024), as: UTF8.self),
            digests: DigestFields.parse(fields.values("repr-digest"))
        )
    }
}

extension Representation {
    /// How much older than the response a modification date must be before it proves anything. RFC 9110 §8.8.2.2 asks for one second
    /// and reason to believe in one clock; the sixty of its predecessor are the safer bar.
    private static let dateBarSeconds: Int64 = 60

    package var strongEntityTag: EntityTag? {
        entityTag.flatMap { $0.isWeak ? nil : $0 }
    }

    private var ageWhenServed: Int64? {
        guard let modified = lastModified.flatMap({ HTTPDate(parsing: $0) }),
            let served = date.flatMap({ HTTPDate(parsing: $0) })
        else { return nil }
        // FAULTS V11: build dates such as the epoch's first second stay the same though the bytes change.
        let firstBelievable: Int64 = 315_619_200  // 1980-01-02
        guard modified.secondsSinceEpoch >= firstBelievable, modified <= served else { return nil }
        return served.secondsSinceEpoch - modified.secondsSinceEpoch
    }

    /// `Last-Modified` as received, when it may be used as a strong validator.
    package var strongDate: String? {
        guard let age = ageWhenServed, age >= Self.dateBarSeconds else { return nil }
        return lastModified
    }

    /// FAULTS V08: changed so shortly before it was served that a second change could carry the same validator.
    package var isYoung: Bool {
        ageWhenServed.map { $0 < Self.dateBarSeconds } ?? false
    }

    /// Whether bytes of several responses may be put together (RFC 9110 §15.3.7.3), a known digest apart.
    package var isCombinable: Bool {
        strongEntityTag != nil || strongDate != nil || !digests.isEmpty
    }

    /// The precondition that a ranged request after the first carries.
    package var condition: RangeCondition {
        if let tag = strongEntityTag { return .ifRange(tag.raw) }
        guard let strongDate else { return .none }
        // A date may not stand in If-Range beside any entity tag, weak ones included (§13.1.5); §13.1.4 allows this instead.
        return entityTag == nil ? .ifRange(strongDate) : .ifUnmodifiedSince(strongDate)
    }

    package enum Comparison: Hashable, Sendable {
        case same
        /// Neither shown equal nor shown different.
        case unproven
        case different(Difference)
    }

    package enum Difference: String, Hashable, Sendable {
        case total = "length"
        case validator = "ETag"
        case date = "Last-Modified"
        case digest = "Repr-Digest"
        case contentCoding = "Content-Encoding"
    }

    /// Compares what is known with what a new response says of itself.
    package func compare(with other: Representation) -> Comparison {
        if let total, let otherTotal = other.total, total != otherTotal { return .different(.total) }
        if contentCoding != other.contentCoding { return .different(.contentCoding) }
        if let digest = commonDigest(with: other) {
            return digest.0 == digest.1 ? .same : .different(.digest)
        }
        if let tag = entityTag, let otherTag = other.entityTag {
            if tag.stronglyEquals(otherTag) { return .same }
            guard tag.weaklyEquals(otherTag) else { return .different(.validator) }
        }
        if let lastModified, let otherModified = other.lastModified {
            guard lastModified == otherModified else { return .different(.date) }
            if strongDate != nil, other.entityTag == nil || entityTag != nil { return .same }
        }
        return .unproven
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
