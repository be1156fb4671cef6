package import PawlCore

/// The links of a page that lists a directory, as Apache, nginx, Caddy, lighttpd and IIS write it, or of a list of
/// objects as S3 answers it.
package struct IndexPage: Hashable, Sendable {
    /// Links beneath the page's own directory at the same origin, in the order of the page and each once.
    package private(set) var files: [HTTPURL] = []
    /// Pages of directories beneath it.
    package private(set) var directories: [HTTPURL] = []
    /// The page on which a list of objects goes on.
    package private(set) var next: HTTPURL?
    /// The server has more objects than it lists here, and does not say how to ask for them.
    package private(set) var isTruncated = false

    /// - Parameter url: where the page was found, after redirects.
    package init(parsing bytes: [UInt8], at url: HTTPURL) {
        let reader = MarkupReader(bytes)
        if reader.hasElement("ListBucketResult") {
            takeObjects(reader, of: url)
        } else {
            let base = reader.base.flatMap { try? url.resolving($0) } ?? url
            take(reader.links, against: base, of: url, beneath: Self.directory(of: url))
        }
    }

    /// The path up to its last slash.
    private static func directory(of url: HTTPURL) -> Substring {
        url.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { url.path[...$0] } ?? "/"
    }

    /// Whether a page is in the directory of another one.
    static func isBeneath(_ url: HTTPURL, _ page: HTTPURL) -> Bool {
        url.origin == page.origin && url.path.begins(with: directory(of: page)) && !climbs(url)
    }

    /// Whether servers that decode a path before they take it apart would find a way upwards in it.
    private static func climbs(_ url: HTTPURL) -> Bool {
        guard url.path.utf8.contains(UInt8(ascii: "%")) else { return false }
        return PercentCoding.decode(url.path.utf8).split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            .contains { $0.elementsEqual("..".utf8) || $0.elementsEqual(".".utf8) }
    }

    private mutating func take(
        _ links: [String], against base: HTTPURL, of page: HTTPURL, beneath directory: some StringProtocol
    ) {
        var known: Set<HTTPURL> = []
        for link in links {
            guard var url = try? base.resolving(link) else { continue }
            // A link has no say in who logs in.
            url.userinfo = page.userinfo
            // The directory above is none of its files, and neither is the same page in another order.
            guard url.origin == page.origin, url.path.begins(with: directory), !Self.climbs(url),
                url.path.utf8.count > directory.utf8.count, known.insert(url).inserted
            else { continue }
            guard url.path.ends(with: "/") else {
                files.append(url)
                continue
            }
            // With a query, the page of a directory in another order.
            if url.query == nil { directories.append(url) }
        }
    }
}

// MARK: S3

extension IndexPage {
    /// Takes the answer to ListObjects or ListObjectsV2.
    private mutating func takeObjects(_ reader: MarkupReader, of page: HTTPURL) {
        let isEncoded = reader.contents(of: "EncodingType").contains { $0.isExactly("url") }
        func plain(_ texts: [String]) -> [[UInt8]] {
            texts.map { text in
                // As in forms, a plus stands for a space.
                isEncoded
                    ? PercentCoding.decode(text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
                    : Array(text.utf8)
            }
        }
        let keys = plain(reader.contents(of: "Key"))
        let prefixes = plain(reader.contents(of: "Prefix", in: "CommonPrefixes"))
        let bucket = page.path.ends(with: "/") ? page.path : page.path + "/"
        // A key that ends in a slash stands for a directory, and has no bytes.
        let links = keys.filter { $0.last != UInt8(ascii: "/") }.map { bucket + Self.encoded($0, keepingSlashes: true) }
        take(links, against: page, of: page, beneath: bucket)
        directories = prefixes.map { Self.asking(page, for: "prefix", $0) }
        guard reader.contents(of: "IsTruncated").contains(where: { $0.isExactly("true") }) else { return }
        next = Self.next(
            of: page, token: reader.contents(of: "NextContinuationToken").first,
            marker: plain(reader.contents(of: "NextMarker")).first,
            last: [keys.last, prefixes.last].compactMap(\.self).max { $0.lexicographicallyPrecedes($1) })
        isTruncated = next == nil
    }

    /// - Parameter last: of the keys and prefixes of this page, the one that sorts last. The first version of the
    ///   interface goes on behind it where no marker is given.
    private static func next(of page: HTTPURL, token: String?, marker: [UInt8]?, last: [UInt8]?) -> HTTPURL? {
        if let token, !token.isEmpty { return asking(page, for: "continuation-token", Array(token.utf8)) }
        let isSecondVersion = items(of: page).contains { $0.isExactly("list-type=2") }
        guard !isSecondVersion, let marker = marker ?? last, !marker.isEmpty else { return nil }
        return asking(page, for: "marker", marker)
    }

    /// The page with another value of one parameter, and without those that say where a list goes on.
    private static func asking(_ page: HTTPURL, for name: String, _ value: [UInt8]) -> HTTPURL {
        let replaced = [name, "marker", "continuation-token", "start-after"]
        let kept = items(of: page).filter { item in
            !replaced.contains { $0.utf8.elementsEqual(item.utf8.prefix { $0 != UInt8(ascii: "=") }) }
        }
        var asked = page
        asked.query = (kept + ["\(name)=\(encoded(value, keepingSlashes: false))"]).joined(separator: "&")
        return asked
    }

    private static func items(of page: HTTPURL) -> [String] {
        (page.query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { String(Substring($0)) }
    }

    private static func encoded(_ bytes: [UInt8], keepingSlashes: Bool) -> String {
        // A sign of percent begins no escape here.
        let escaped = bytes.flatMap { $0 == UInt8(ascii: "%") ? Array("%25".utf8) : [$0] }
        return PercentCoding.encode(escaped[...]) {
            ASCII.isAlphanumeric($0) || "-._~".utf8.contains($0) || (keepingSlashes && $0 == UInt8(ascii: "/"))
        }
    }
}
