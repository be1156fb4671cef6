/// The mirrors of a file, and the documents that describe it, as its server names them in `Link` fields (RFC 6249 §3
/// and §4).
///
/// A claim, not a proof: a mirror's bytes must be shown to be the same file, like those of any other source.
package struct MirrorLinks: Hashable, Sendable {
    package struct Mirror: Hashable, Sendable {
        /// The URL without userinfo.
        package let url: HTTPURL
        /// 1 is asked first, 999,999 last (RFC 6249 §3.1).
        package let priority: Int
        /// A country by two letters of ISO 3166-1, in lower case (§3.2).
        package let location: String?
        /// The number of directories upwards in which the mirror has the same tree; zero if only this file is promised
        /// (§3.4).
        package let depth: Int
        /// Whether the mirror's entity tag is kept in sync with the server's (§3.3).
        package let isPreferred: Bool
    }

    /// The mirrors by priority, and in the server's order where that is equal.
    package let mirrors: [Mirror]
    /// Documents of type `application/metalink4+xml`, in the server's order.
    package let metalinks: [HTTPURL]

    /// - Parameters:
    ///   - fieldValues: of all `Link` fields.
    ///   - url: that answered; what is relative is resolved against it.
    package init(fieldValues: [String], from url: HTTPURL) {
        var own = url
        own.userinfo = nil
        var mirrors: [Mirror] = []
        var metalinks: [HTTPURL] = []
        for link in LinkField.parse(fieldValues) where !link.hasAnchor {
            // Other schemes, FTP before all, are of no use here.
            guard var target = try? url.resolving(link.target) else { continue }
            target.userinfo = nil
            if link.hasRelation("duplicate"), target != own, !mirrors.contains(where: { $0.url == target }) {
                mirrors.append(Mirror(link, target))
            }
            if link.hasRelation("describedby"), Self.isMetalink(link["type"] ?? ""), !metalinks.contains(target) {
                metalinks.append(target)
            }
        }
        let order = mirrors.indices.sorted { (mirrors[$0].priority, $0) < (mirrors[$1].priority, $1) }
        self.mirrors = order.map { mirrors[$0] }
        self.metalinks = metalinks
    }

    private static func isMetalink(_ type: String) -> Bool {
        // Parameters of a media type say nothing here.
        let name = type.utf8.prefix { $0 != UInt8(ascii: ";") }
        return String(decoding: ASCII.trimmingBlanks(Array(name)[...]), as: UTF8.self).lowercased()
            == "application/metalink4+xml"
    }
}

extension MirrorLinks.Mirror {
    /// A value out of range is ignored.
    fileprivate init(_ link: LinkField, _ url: HTTPURL) {
        self.url = url
        priority = Self.number(link["pri"], in: 1...999_999) ?? 999_999
        depth = Self.number(link["depth"], in: 0...999_999) ?? 0
        location = link["geo"].flatMap(Self.country)
        isPreferred = link["pref"] != nil
    }

    private static func number(_ text: String?, in range: ClosedRange<Int64>) -> Int? {
        guard let text, case .value(let value) = ASCII.decimal(Array(text.utf8)[...]), range.contains(value) else {
            return nil
        }
        return Int(value)
    }

    private static func country(_ text: String) -> String? {
        let code = text.lowercased()
        return code.utf8.count == 2 && code.utf8.allSatisfy(ASCII.isLowercase) ? code : nil
    }
}
