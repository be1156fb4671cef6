/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.3).
package struct AuthChallenge: Hashable, Sendable {
    /// The name of the scheme, in lower case.
    package let scheme: String
    /// Names in lower case; of a name that comes twice, the first value.
    package let parameters: [String: String]
    package let token68: String?

    package init(scheme: String, parameters: [String: String] = [:], token68: String? = nil) {
        self.scheme = scheme
        self.parameters = parameters
        self.token68 = token68
    }

    /// The largest number of challenges that are read. No honest server offers more.
    private static let maximumChallenges = 32
    private static let maximumParameters = 32

    /// Parses all lines of the field, each a list of its own. If a line is malformed, the challenges before the error
    /// count.
    package static func parse(_ fieldValues: [String]) -> [AuthChallenge] {
        var found: [AuthChallenge] = []
        for value in fieldValues {
            var scanner = FieldScanner(value)
            while found.count < maximumChallenges, let challenge = next(&scanner) { found.append(challenge) }
        }
        return found
    }

    private static func next(_ scanner: inout FieldScanner) -> AuthChallenge? {
        skipSeparators(&scanner)
        guard let scheme = scanner.takeToken()?.lowercased() else { return nil }
        scanner.skipBlanks()
        if let token68 = takeToken68(&scanner) { return AuthChallenge(scheme: scheme, token68: token68) }
        var parameters: [String: String] = [:]
        while parameters.count < maximumParameters, let (name, value) = takeParameter(&scanner) {
            if parameters[name] == nil { parameters[name] = value }
        }
        return AuthChallenge(scheme: scheme, parameters: parameters)
    }

    /// Skips separators and empty elements of a list (RFC 9110 §5.6.1.2).
    private static func skipSeparators(_ scanner: inout FieldScanner) {
        _ = scanner.take { ASCII.isBlank($0) || $0 == UInt8(ascii: ",") }
    }

    private static func takeToken68(_ scanner: inout FieldScanner) -> String? {
        var ahead = scanner
        let digits = ahead.take { ASCII.isAlphanumeric($0) || "-._~+/".utf8.contains($0) }
        let padding = ahead.take { $0 == UInt8(ascii: "=") }
        ahead.skipBlanks()
        guard !digits.isEmpty, ahead.isAtEnd || ahead.next == UInt8(ascii: ",") else { return nil }
        scanner = ahead
        return String(decoding: digits + padding, as: UTF8.self)
    }

    /// `name=value`. A token without `=` is the scheme of the next challenge, which is left where it stands.
    private static func takeParameter(_ scanner: inout FieldScanner) -> (String, String)? {
        var ahead = scanner
        skipSeparators(&ahead)
        guard let name = ahead.takeToken()?.lowercased() else { return nil }
        ahead.skipBlanks()
        guard ahead.take("=") else { return nil }
        ahead.skipBlanks()
        let value: String
        if ahead.next == UInt8(ascii: "\"") {
            guard let quoted = ahead.takeQuotedString() else {
                // Its end is unknown, so the rest of the line holds no challenge.
                _ = ahead.take { _ in true }
                scanner = ahead
                return nil
            }
            value = quoted
        } else {
            // Some write a nonce without quotes, with bytes that are in no token.
            value = String(decoding: ahead.take { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ",") }, as: UTF8.self)
        }
        scanner = ahead
        return (name, value)
    }
}
