import Pawl
package import PawlCore

/// `--checksum-file auto`: where a server may have a list of digests beside a file, and what such a list says of the
/// file.
package struct DigestSearch: Sendable {
    /// Stands in place of a list; a file of this name is `./auto`.
    package static let word = "auto"

    /// The URLs that are asked for, in order; none for a URL that names no file.
    package let places: [String]
    /// The number of leading ``places`` that belong to this file alone: they may hold a digest without a name.
    private let ownCount: Int
    /// The path of the file, as lists may have it.
    private let path: String

    package init(beside url: HTTPURL) {
        let segments = url.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let name = segments.last.map { String(Substring($0)) } ?? ""
        let own = name.isEmpty ? [] : [name + ".sha256", name + ".sha512"]
        let shared = name.isEmpty ? [] : ["SHA256SUMS", "SHA512SUMS", "sha256sum.txt"]
        // A query belongs to the file, and may be secret.
        places = (own + shared).compactMap { try? url.resolving("./" + $0).serialized }
        ownCount = own.count
        path = String(decoding: PercentCoding.decode(url.path.utf8), as: UTF8.self)
    }

    /// Returns the file's digest in a list; nil if the list does not name the file.
    package func digest(in list: DigestList, at place: String) -> Digest? {
        let isOwn = places.prefix(ownCount).contains { $0.isExactly(place) }
        guard isOwn || list.entries.contains(where: { $0.name != nil }) else { return nil }
        return try? list.digest(forFileAt: [path])
    }

    // MARK: What is told

    static func found(_ place: String) -> String {
        "The checksum is from \(JobDocument.shown(place)). It comes from the same server as the file: it can detect damage, not tampering."
    }

    static func missing(beside url: String, because problem: String?) -> String {
        "No checksum of the file was found beside \(JobDocument.shown(url))\(problem.map { ": \($0)" } ?? ".")"
    }
}

extension JobSpec {
    /// A list of digests is looked for beside the URL.
    package var searchesDigest: Bool { digestList?.isExactly(DigestSearch.word) ?? false }
}
