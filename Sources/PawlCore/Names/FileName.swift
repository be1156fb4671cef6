/// The names of files: what a server proposes made harmless, and the names of Pawl's own files derived from it.
///
/// A name is one path component, at most 255 bytes long on the file systems that matter, and the same rules hold on
/// every system: a file may be moved to another one later.
package enum FileName {
    /// The longest result of `sanitize(_:)`, in bytes: with `.part` after it, it still fits into 255.
    package static let byteLimit = 250

    /// The name of a download when nothing better is known.
    package static let fallback = "download"

    /// The name for a URL whose path ends in `/`, the same as wget's.
    package static let index = "index.html"

    /// The name of a download: from `Content-Disposition`, else from the URL's path.
    ///
    /// A path segment is UTF-8 by RFC 3986 §2.5; one that is not valid UTF-8 is read as ISO 8859-1, which never fails.
    package static func choose(contentDisposition: ContentDisposition?, url: HTTPURL) -> String {
        // Dots, blanks and separators name no file.
        if let proposed = contentDisposition?.fileName,
            proposed.unicodeScalars.contains(where: { !["." as Unicode.Scalar, " ", "/", "\\"].contains($0) })
        {
            return sanitize(proposed)
        }
        let bytes = url.lastPathSegment
        guard !bytes.isEmpty else { return index }
        return sanitize(String(utf8: bytes[...]) ?? String(latin1: bytes))
    }

    /// The name that a URL without a query gives to its file; nil for other URLs, and for a path that ends in `/`.
    package static func named(by url: HTTPURL) -> String? {
        guard url.query == nil, !url.lastPathSegment.isEmpty else { return nil }
        let name = choose(contentDisposition: nil, url: url)
        return isReserved(name) ? nil : name
    }

    /// The partial file beside the target.
    package static func partialName(for name: String) -> String { ownName(for: name) + ".part" }

    /// The journal beside the target.
    package static func journalName(for name: String) -> String { ownName(for: name) + journalSuffix }

    package static let journalSuffix = ".pawl"

    /// Whether the name could be that of a partial file or a journal, also on a file system that ignores case.
    package static func isReserved(_ name: String) -> Bool {
        // By bytes: a few letters of Indic scripts join the dot after them into one `Character`.
        let ending = String(decoding: name.utf8.suffix(5), as: UTF8.self).lowercased()
        return ending == ".part" || ending == journalSuffix
    }

    /// Follows the name of a partial file that did not match its digest.
    package static let mismatchSuffix = ".bad"

    /// The target whose partial file would have this name, also on a file system that ignores case; nil for any other
    /// name.
    package static func target(ofPartial name: String) -> String? { target(of: name, endingIn: ".part") }

    /// The same of a journal.
    package static func target(ofJournal name: String) -> String? { target(of: name, endingIn: journalSuffix) }

    private static func target(of name: String, endingIn suffix: String) -> String? {
        let (bytes, count) = (Array(name.utf8), suffix.utf8.count)
        guard bytes.count > count, bytes.suffix(count).map(ASCII.lowercased).elementsEqual(suffix.utf8) else {
            return nil
        }
        return String(decoding: bytes.dropLast(count), as: UTF8.self)
    }

    /// The number of names that are tried before the search fails.
    package static let maximumAttempts = 10_000

    /// A name to try when `name` is taken: `file.iso` becomes `file (1).iso`, `a.tar.gz` becomes `a (1).tar.gz`. Each
    /// attempt gives another one; of a name that is as long as names may be and has a number already, one attempt gives
    /// the name itself.
    ///
    /// - Parameter attempt: counted from 1; below that, the name is returned as it is.
    package static func renamed(_ name: String, attempt: Int) -> String {
        guard attempt >= 1 else { return name }
        let (stem, suffix) = split(name)
        let number = " (\(attempt))"
        return cut(stem, toBytes: byteLimit - number.utf8.count - suffix.utf8.count) + number + suffix
    }

    /// The stem and the last extension with its dot, and with `.tar` if that stands before it. What is longer than 16
    /// bytes or holds a blank is no extension but a sentence with a dot in it, and neither is the whole of a hidden
    /// file's name.
    static func split(_ name: String) -> (stem: Substring, suffix: Substring) {
        guard let dot = name.unicodeScalars.lastIndex(of: "."), dot > name.startIndex else { return (name[...], "") }
        let suffix = name[dot...]
        guard (2...17).contains(suffix.utf8.count), !suffix.unicodeScalars.contains(where: \.properties.isWhitespace)
        else {
            return (name[...], "")
        }
        let stem = name[..<dot]
        let inner = stem.unicodeScalars.suffix(4)
        guard inner.startIndex > name.startIndex, String(inner).lowercased() == ".tar" else { return (stem, suffix) }
        return (name[..<inner.startIndex], name[inner.startIndex...])
    }

    /// The longest prefix of whole Unicode scalars within `limit` bytes.
    package static func cut(_ text: Substring, toBytes limit: Int) -> String {
        guard text.utf8.count > limit else { return String(text) }
        var kept = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in text.unicodeScalars {
            byteCount += scalar.systemByteCount
            if byteCount > limit { break }
            kept.append(scalar)
        }
        return String(kept)
    }

    /// `name`, or something shorter that is just as much its own, so that no suffix can make it too long.
    /// Whether the name of a partial file without its ending may stand for a longer target: it ends in a hash.
    package static func isShortened(_ stem: String) -> Bool {
        let end = stem.utf8.suffix(17)
        return end.first == UInt8(ascii: ".") && end.count == 17
            && end.dropFirst().allSatisfy { ASCII.isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }

    private static func ownName(for name: String) -> String {
        guard name.systemByteCount > 200 else { return name }
        let digits = String(fnv1a(name.utf8), radix: 16)
        let hash = String(repeating: "0", count: max(0, 16 - digits.count)) + digits
        return cut(name[...], toBytes: 200 - 17) + "." + hash
    }

    /// FNV-1a with 64 bits. Part of the file format: a download is found again by these names, so the function can
    /// never change.
    static func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
