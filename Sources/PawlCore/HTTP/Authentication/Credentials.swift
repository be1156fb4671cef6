/// A user's name and password, for HTTP authentication (RFC 7617, RFC 7616).
///
/// Printing one shows the name alone.
package struct Credentials: Hashable, Sendable {
    package var name: String
    package var password: String

    package init(name: String, password: String) {
        self.name = name
        self.password = password
    }

    /// - Parameter userinfo: `user` or `user:password` as it stands in a URL, percent-encoded.
    package init(userinfo: String) {
        let bytes = PercentCoding.decode(userinfo.utf8)
        let name = bytes.prefix { $0 != UInt8(ascii: ":") }
        self.init(
            name: String(systemBytes: name), password: String(systemBytes: bytes.dropFirst(name.count + 1)))
    }

    /// The reason why the credentials cannot be sent; nil if they can.
    package var problem: String? {
        // RFC 7617 §2: a colon would end the name, and control characters are in neither.
        if name.utf8.contains(UInt8(ascii: ":")) { return "The user name must not contain a colon." }
        let isControl = { (byte: UInt8) in byte < 0x20 || byte == 0x7F }
        if (name + password).utf8.contains(where: isControl) {
            return "The user name or password contains a line break or another control character."
        }
        return nil
    }

    /// The Basic scheme of RFC 7617. Text is UTF-8, as browsers send it whatever the
    /// challenge says, unless its bytes were given as something else.
    package var basic: String { "Basic " + Base64.encode("\(name):\(password)".systemBytes) }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(name):…" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// A bearer token of RFC 6750. Printing it shows nothing of it.
package struct BearerToken: Hashable, Sendable {
    package let text: String

    /// Creates a token; nil if it cannot be sent in a field: empty, or containing a blank or a control character.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.text = text
    }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "…" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The credentials for an origin.
package enum OriginCredentials: Hashable, Sendable {
    case password(Credentials)
    case bearer(BearerToken)
}
