extension HTTPURL {
    /// The URL for people and logs: no userinfo, and each query value replaced by `…`. Keys are kept, since they show
    /// what kind of link it was.
    ///
    /// An item without `=` is taken for a value: `?eyJhbGciOi…` is a token, not a key.
    package var redacted: String {
        guard let query else { return serialized }
        var shown = self
        shown.query = Self.items(of: query).map(Self.redacted(item:)).joined(separator: "&")
        return shown.serialized
    }

    /// Whether the query appears to carry a signature or a token, as in links made for one client and a limited time.
    ///
    /// A cautious guess. The host of such a link may refuse headers that the signature does not cover, and the link
    /// itself is a secret.
    package var isSigned: Bool {
        let items = Self.items(of: query ?? "")
        return items.contains { Self.isTelling(Self.key(of: $0)) } || Self.isSecureLink(items)
    }

    package var hasSecrets: Bool { userinfo != nil || isSigned }

    /// The URL without userinfo and without the query items that make `isSigned` true.
    package var withoutSecrets: HTTPURL {
        var plain = self
        plain.userinfo = nil
        guard let query, isSigned else { return plain }
        let kept = Self.items(of: query).filter { item in
            let key = Self.key(of: item)
            return !Self.isTelling(key) && !Self.companionKeys.contains(key)
        }
        plain.query = kept.isEmpty ? nil : kept.joined(separator: "&")
        return plain
    }

    /// nginx's `secure_link`: a digest, and until when it holds. The words alone are any site's: `?st=2&e=5` is an
    /// episode.
    private static func isSecureLink(_ items: [Substring]) -> Bool {
        func has(_ keys: Set<String>, where isRight: (Substring.UTF8View) -> Bool) -> Bool {
            items.contains { item in
                keys.contains(key(of: item)) && isRight(item.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst())
            }
        }
        let isDigest = { (value: Substring.UTF8View) in
            value.count >= 22
                && value.allSatisfy { ASCII.isTokenByte($0) || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "=") }
        }
        let isTime = { (value: Substring.UTF8View) in
            (9...11).contains(value.count) && value.allSatisfy { (0x30...0x39).contains($0) }
        }
        return has(["md5", "st"], where: isDigest) && has(["e", "expires"], where: isTime)
    }

    private static func redacted(item: Substring) -> String {
        guard let equals = item.firstIndex(of: "=") else { return item.isEmpty ? "" : "…" }
        let value = item[item.index(after: equals)...]
        return item[...equals] + (value.isEmpty ? "" : "…")
    }

    private static func items(of query: String) -> [Substring] {
        query.split(separator: "&", omittingEmptySubsequences: false)
    }

    /// The key as the server reads it: percent-decoded, here in lower case for comparison.
    private static func key(of item: Substring) -> String {
        String(decoding: PercentCoding.decode(item.prefix { $0 != "=" }.utf8), as: UTF8.self).lowercased()
    }

    private static func isTelling(_ key: String) -> Bool {
        tellingKeys.contains(key) || tellingPrefixes.contains(where: key.hasPrefix)
    }

    /// Keys of the query, each of which suffices to show that a URL is signed.
    private static let tellingKeys: Set<String> = [
        "signature", "sig", "sign", "hmac", "token", "access_token", "auth", "auth_key", "jwt", "api_key", "apikey",
        "key-pair-id", "awsaccesskeyid", "googleaccessid", "ossaccesskeyid", "q-signature", "hdnts", "hdnea",
    ]

    /// Amazon S3 and its many imitators, Google Cloud Storage, Alibaba Cloud.
    private static let tellingPrefixes = ["x-amz-", "x-goog-", "x-oss-"]

    /// Short or common words that mean something only beside a signature: Azure's `se` and `sp`, nginx's `st` and `e`,
    /// CloudFront's `policy`. A lone `e=3` or `sp=2` is any site's page number.
    private static let companionKeys: Set<String> = ["se", "sp", "st", "e", "md5", "policy", "expires"]
}
