/// The Digest scheme of RFC 7616: one nonce of a server, and the answers made with it.
///
/// The digest functions come from outside, since the standard library has none; one that the system lacks or refuses is
/// not used.
package struct DigestAuth: Hashable, Sendable {
    package typealias Hash = @Sendable (DigestAlgorithm, [UInt8]) -> [UInt8]?

    package enum Protection: String, Hashable, Sendable {
        case auth
        case authInt = "auth-int"
    }

    package let realm: String
    package private(set) var nonce: String
    let opaque: String?
    /// The algorithm as the challenge names it; nil if it names none, which means MD5.
    let algorithmName: String?
    let algorithm: DigestAlgorithm
    let isSession: Bool
    /// The quality of protection; nil for RFC 2069, which predates it.
    let protection: Protection?
    let hashesUserName: Bool
    let isUTF8: Bool
    private(set) var clientNonce: String
    /// The number of requests made with this nonce.
    package private(set) var count: UInt32 = 0

    /// Creates the state for a challenge; nil if it requires something unsupported, or lacks a required parameter.
    package init?(_ challenge: AuthChallenge, clientNonce: String) {
        guard challenge.scheme == "digest", let nonce = challenge.parameters["nonce"],
            let realm = challenge.parameters["realm"],
            let (algorithm, isSession) = Self.algorithm(challenge.parameters["algorithm"])
        else { return nil }
        if let offered = challenge.parameters["qop"] {
            let names = offered.split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
            guard let protection = [Protection.auth, .authInt].first(where: { names.contains($0.rawValue) }) else {
                return nil
            }
            self.protection = protection
        } else {
            protection = nil
        }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        self.isSession = isSession
        self.clientNonce = clientNonce
        opaque = challenge.parameters["opaque"]
        algorithmName = challenge.parameters["algorithm"]
        hashesUserName = challenge.parameters["userhash"]?.lowercased() == "true"
        isUTF8 = challenge.parameters["charset"]?.lowercased() == "utf-8"
    }

    /// The strongest of several that can be answered; among equals the first, as the server prefers it (RFC 7616 §3.7).
    package static func strongest(of challenges: [AuthChallenge], clientNonce: String, hash: Hash) -> DigestAuth? {
        let usable = challenges.compactMap { DigestAuth($0, clientNonce: clientNonce) }.filter {
            hash($0.algorithm, []) != nil
        }
        return usable.filter { $0.algorithm == .sha256 }.first ?? usable.first
    }

    static func knows(_ algorithm: String) -> Bool { self.algorithm(algorithm) != nil }

    private static func algorithm(_ name: String?) -> (DigestAlgorithm, isSession: Bool)? {
        switch name?.lowercased() {
        case nil, "md5": (.md5, false)
        case "md5-sess": (.md5, true)
        case "sha-256": (.sha256, false)
        case "sha-256-sess": (.sha256, true)
        default: nil
        }
    }

    /// The server gives the next nonce before it is needed (RFC 7616 §3.5).
    package mutating func renew(nonce: String, clientNonce: String) {
        self.nonce = nonce
        self.clientNonce = clientNonce
        count = 0
    }

    // MARK: Answering

    /// The value of `Authorization` for the next request.
    package mutating func answer(
        _ credentials: Credentials, method: String, target: String, hash: Hash
    ) -> String {
        let (next, overflow) = count.addingReportingOverflow(1)
        count = overflow ? 1 : next
        let counter = Self.hexadecimal(count)
        var parts = userName(credentials, hash)
        parts += [
            ("realm", Self.quoted(realm)), ("nonce", Self.quoted(nonce)), ("uri", Self.quoted(target)),
            ("response", "\"\(response(credentials, method, target, counter, hash))\""),
        ]
        if let algorithmName { parts.append(("algorithm", algorithmName)) }
        if let opaque { parts.append(("opaque", Self.quoted(opaque))) }
        if let protection {
            parts += [("qop", protection.rawValue), ("nc", counter), ("cnonce", Self.quoted(clientNonce))]
        } else if isSession {
            parts.append(("cnonce", Self.quoted(clientNonce)))
        }
        return "Digest " + parts.map { "\($0.0)=\($0.1)" }.joined(separator: ", ")
    }

    /// RFC 7616 §3.4.1 to §3.4.3.
    private func response(
        _ credentials: Credentials, _ method: String, _ target: String, _ counter: String, _ hash: Hash
    ) -> String {
        func h(_ text: String) -> String { (hash(algorithm, text.systemBytes) ?? []).hexadecimal }
        var first = h("\(credentials.name):\(realm):\(credentials.password)")
        if isSession { first = h("\(first):\(nonce):\(clientNonce)") }
        guard let protection else { return h("\(first):\(nonce):\(h("\(method):\(target)"))") }
        // No request of ours has content.
        let content = protection == .authInt ? ":\(h(""))" : ""
        return h(
            "\(first):\(nonce):\(counter):\(clientNonce):\(protection.rawValue):\(h("\(method):\(target)\(content)"))")
    }

    /// RFC 7616 §3.4.4: hashed, or in the extended notation of RFC 8187 where the name is not in ASCII.
    private func userName(_ credentials: Credentials, _ hash: Hash) -> [(String, String)] {
        if hashesUserName {
            let hashed = (hash(algorithm, "\(credentials.name):\(realm)".systemBytes) ?? []).hexadecimal
            return [("username", "\"\(hashed)\""), ("userhash", "true")]
        }
        let isPlain = credentials.name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && ($0 < 0x80 || !isUTF8) }
        if isPlain { return [("username", Self.quoted(credentials.name))] }
        let isLegal = { (byte: UInt8) in ASCII.isAlphanumeric(byte) || "!#$&+-.^_`|~".utf8.contains(byte) }
        let escaped = credentials.name.systemBytes.map {
            isLegal($0) ? String(UnicodeScalar($0)) : "%" + [$0].hexadecimal.uppercased()
        }
        return [("username*", "UTF-8''" + escaped.joined())]
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }.hexadecimal
    }
}
