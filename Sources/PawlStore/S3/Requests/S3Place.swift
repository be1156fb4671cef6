import PawlCore

/// A bucket and a prefix in it: `s3://bucket/prefix`.
package struct S3Place: Hashable, Sendable, CustomStringConvertible {
    package let bucket: String
    /// The parts in front of each key; nil: none.
    package let prefix: StoreKey?

    /// The longest prefix, in bytes: with the longest name in it, an object has at most 1,024.
    private static let longestPrefix = 700

    /// Reads a place; slashes at its end do not count.
    ///
    /// - Throws: a sentence that says what is wrong.
    package init(parsing text: String) throws(StoreError) {
        let scheme = "s3://"
        guard text.begins(with: scheme) else {
            throw StoreError(.refused, "“\(text)” does not begin with “\(scheme)”.")
        }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let name = rest.prefix { $0 != UInt8(ascii: "/") }
        guard (3...63).contains(name.count), name.allSatisfy(Self.isAllowed), let bucket = String(name) else {
            throw StoreError(
                .refused,
                "“\(String(name) ?? "")” is no name of a bucket: 3 to 63 small letters, digits, hyphens and dots.")
        }
        var path = rest.dropFirst(name.count + 1)
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        guard path.count <= Self.longestPrefix else {
            throw StoreError(
                .refused, "The prefix behind “\(scheme)\(bucket)/” has more than \(Self.longestPrefix) bytes.")
        }
        let prefix = String(path).flatMap { StoreKey($0) }
        guard path.isEmpty || prefix != nil else {
            throw StoreError(
                .refused,
                "The prefix “\(String(path) ?? "")” cannot be used: each part of it has 1 to 200 bytes, no dot in front, and no backslash or control character."
            )
        }
        (self.bucket, self.prefix) = (bucket, prefix)
    }

    /// As AWS allows, and `_` and capital letters, which old buckets and other stores have.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || ASCII.isLetter(byte) || "-._".utf8.contains(byte)
    }

    package var description: String { "s3://" + bucket + (prefix.map { "/\($0)" } ?? "") }

    /// Returns the name of an object in the bucket.
    package func name(of key: StoreKey) -> String { prefix.map { "\($0)/\(key)" } ?? key.text }

    /// Returns the key of an object of the bucket; nil for one that has none here.
    package func key(of name: String) -> StoreKey? {
        guard let prefix else { return StoreKey(name) }
        let start = prefix.text + "/"
        guard name.begins(with: start) else { return nil }
        return String(name.utf8.dropFirst(start.utf8.count)).flatMap { StoreKey($0) }
    }
}
