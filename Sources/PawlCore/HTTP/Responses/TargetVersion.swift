/// The known facts of the file that already has the target's name, for a download that is only wanted if the server's
/// file is newer.
package struct TargetVersion: Hashable, Sendable {
    /// The file's time of modification, in seconds since 1970.
    package var modified: Int64
    /// The `ETag` it came with, where that was recorded with it.
    package var entityTag: EntityTag?

    package init(modified: Int64, entityTag: EntityTag? = nil) {
        self.modified = modified
        self.entityTag = entityTag.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The conditions of a request. A server applies the first of them that it knows (RFC 9110 §13.2.2), and before any
    /// range.
    package var fields: [HTTPField] {
        var fields = [HTTPField("If-Modified-Since", HTTPDate(secondsSinceEpoch: max(0, modified)).imfFixdate)]
        if let entityTag { fields.append(HTTPField("If-None-Match", entityTag.raw)) }
        return fields
    }

    /// Whether an answer that carries the file all the same shows that it need not be fetched: many servers compare
    /// dates for equality, or not at all.
    ///
    /// Tags identify the file, so they come first; a date only tells which is newer.
    package func isCurrent(with found: Representation) -> Bool {
        if let entityTag, let other = found.entityTag { return entityTag.weaklyEquals(other) }
        guard let date = found.lastModified.flatMap({ HTTPDate(parsing: $0) }) else { return false }
        return date.secondsSinceEpoch <= modified
    }
}

/// The reason why nothing was fetched.
public enum SkipReason: String, Hashable, Sendable, CaseIterable {
    /// A file of that name exists, and ``ExistingFilePolicy/skip`` was asked for.
    case exists
    /// The server's file is not newer than the one that is there (``DownloadOptions/onlyIfNewer``).
    case notNewer
}
