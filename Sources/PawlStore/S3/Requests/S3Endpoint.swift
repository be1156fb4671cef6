package import PawlCore

/// The server of a store, and how a bucket is named to it.
package struct S3Endpoint: Hashable, Sendable {
    /// Where the name of the bucket stands.
    package enum Addressing: String, Sendable {
        /// In the path: `https://host/bucket/key`.
        case path
        /// In the name of the host: `https://bucket.host/key`.
        case virtual
    }

    /// A server that the user names; nil: that of AWS for the region.
    package let url: HTTPURL?
    package let addressing: Addressing?

    package init(url: HTTPURL? = nil, addressing: Addressing? = nil) { (self.url, self.addressing) = (url, addressing) }

    /// Returns the URL of an object, or of the bucket.
    ///
    /// - Parameters:
    ///   - name: of the object; empty for the bucket.
    ///   - query: in any order. It is signed in the order of its names, and so sent.
    package func url(
        of name: String, in bucket: String, region: String, query: [(name: String, value: String)] = []
    ) throws(HTTPURLError) -> HTTPURL {
        let server = try server(of: region)
        let (front, end) = isVirtual(bucket) ? (bucket + ".", "") : ("", "/" + bucket)
        var path = server.path.utf8[...]
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        var text = server.scheme.rawValue + "://" + front + server.authority
        text += String(decoding: path, as: UTF8.self) + end + "/" + Self.encoded(name, keeping: "/")
        if !query.isEmpty {
            let items = query.map { (Self.encoded($0.name), Self.encoded($0.value)) }
                .sorted { ExactText($0.0) < ExactText($1.0) }
            text += "?" + items.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        }
        return try HTTPURL(parsing: text)
    }

    private func server(of region: String) throws(HTTPURLError) -> HTTPURL {
        if let url { return url }
        return try HTTPURL(parsing: "https://s3.\(region).amazonaws.com" + (region.begins(with: "cn-") ? ".cn" : ""))
    }

    /// A certificate for `*.host` is for no name with another dot in it, and hosts have no capital letters. A server
    /// that is no one of AWS often knows no names but its own.
    private func isVirtual(_ bucket: String) -> Bool {
        let isLabel = bucket.allBytes { ASCII.isDigit($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
        switch addressing {
        case .path: return false
        case .virtual: return isLabel
        case nil: return isLabel && (url.map { $0.host.ends(with: ".amazonaws.com") } ?? true)
        }
    }

    /// Encodes all bytes but those that AWS leaves as they are, the unreserved ones of RFC 3986 §2.3.
    static func encoded(_ text: String, keeping kept: String = "") -> String {
        var encoded = ""
        for byte in text.utf8 {
            if ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~".utf8.contains(byte) || kept.utf8.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + [byte].hexadecimal.uppercased()
            }
        }
        return encoded
    }
}
