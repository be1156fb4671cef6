/// The record of its origin that a finished file can carry: a time, and extended attributes.
package struct FileFacts: Hashable, Sendable {
    package struct Attribute: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    /// The time of modification in seconds since 1970.
    package var modified: Int64?
    /// Whether the server stated a time at which no file can have been made.
    package var hasImpossibleTime = false
    package var attributes: [Attribute] = []

    package static let originName = "user.xdg.origin.url"
    package static let referrerName = "user.xdg.referrer.url"
    package static let checksumPrefix = "user.xdg.checksum."
    /// The name of the attribute with the entity tag. There is no usual one; it is for our own next look.
    package static let entityTagName = "user.pawl.etag"

    package init() {}

    /// - Parameters:
    ///   - matched: the digests that the bytes were found to have.
    ///   - secondsSinceEpoch: now.
    package init(
        _ settings: DownloadSettings, _ representation: Representation, matched: [Digest],
        wallClock secondsSinceEpoch: Int64
    ) {
        if settings.keepsRemoteTime { setTime(representation, secondsSinceEpoch) }
        guard settings.recordsOrigin else { return }
        // Whoever may read the file may read them.
        attributes.append(Attribute(name: Self.originName, value: settings.url.withoutSecrets.serialized))
        if let referer = settings.referer {
            attributes.append(Attribute(name: Self.referrerName, value: referer.withoutSecrets.serialized))
        }
        for digest in matched {
            let name = Self.checksumPrefix + digest.algorithm.rawValue.filter { $0 != "-" }
            attributes.append(Attribute(name: name, value: digest.hex))
        }
        // A tag that a second change may have left as it is would call the changed file current for ever.
        if let tag = representation.entityTag, !representation.isRecentlyModified {
            attributes.append(Attribute(name: Self.entityTagName, value: tag.raw))
        }
    }

    /// A clock may be a little wrong, and a day is the most that time zones make of it.
    private static let latestAhead: Int64 = 86_400

    private mutating func setTime(_ representation: Representation, _ now: Int64) {
        guard let text = representation.lastModified else { return }
        // The first second of 1970 and what was before is what servers say that do not know.
        guard let date = HTTPDate(parsing: text), date.secondsSinceEpoch > 0,
            date.secondsSinceEpoch <= now + Self.latestAhead
        else {
            hasImpossibleTime = true
            return
        }
        modified = date.secondsSinceEpoch
    }
}
