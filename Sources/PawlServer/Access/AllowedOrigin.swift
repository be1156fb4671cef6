package import Pawl
import PawlCore

/// An origin that the configuration names, written as browsers send it (RFC 6454 §6.2), because it is compared byte by
/// byte.
package enum AllowedOrigin {
    /// Returns the origin as a browser writes it.
    ///
    /// - Throws: an error for text that no browser sends, and that would allow nothing.
    package static func checked(_ text: String) throws(DownloadError) -> String {
        if ["null", "file://"].containsExactly(text) { return text }
        guard !text.isExactly("*") else {
            throw refusal(
                "“*” is not accepted: name each origin whose scripts may use the API, such as https://ariang.example. Clients of aria2's RPC need none, because it takes the right token from every origin."
            )
        }
        guard let origin = http(text) ?? other(text) else {
            throw refusal(
                "“\(text)” is not an origin: write scheme, host and, unless it is the default, port, such as https://ariang.example or http://nas:8080."
            )
        }
        return origin
    }

    private static func refusal(_ message: String) -> DownloadError {
        DownloadError(.invalidArgument, message, recovery: .giveUp)
    }

    private static func http(_ text: String) -> String? {
        guard !text.utf8.contains(UInt8(ascii: "#")), let url = try? HTTPURL(parsing: text), url.userinfo == nil,
            url.query == nil, url.path.isExactly("/")
        else { return nil }
        return "\(url.scheme)://\(url.authority)"
    }

    /// Returns the origin of a browser's extension, such as `moz-extension://…`.
    private static func other(_ text: String) -> String? {
        let bytes = text.utf8.map(ASCII.lowercased)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return nil
        }
        let (scheme, rest) = (bytes[..<colon], bytes[(colon + 3)...])
        let host = rest.last == UInt8(ascii: "/") ? rest.dropLast() : rest
        let marks = Array("+-.".utf8)
        guard !["http", "https"].contains(where: { scheme.elementsEqual($0.utf8) }), !scheme.isEmpty, !host.isEmpty,
            scheme.allSatisfy({ ASCII.isAlphanumeric($0) || marks.contains($0) }),
            host.allSatisfy({ ASCII.isAlphanumeric($0) || marks.contains($0) || $0 == UInt8(ascii: "_") })
        else { return nil }
        return String(decoding: scheme + "://".utf8 + host, as: UTF8.self)
    }
}
