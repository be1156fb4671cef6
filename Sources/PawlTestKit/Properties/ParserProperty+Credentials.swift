internal import PawlCore

extension ParserProperty {
    /// Lines of the input are `WWW-Authenticate` lines.
    static func authChallenge(_ bytes: [UInt8]) throws(Violation) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { text(Array($0)) }
        let parsed = AuthChallenge.parse(lines)
        try claim(parsed.count <= 32, "\(parsed.count) challenges")
        for challenge in parsed {
            try claim(
                !challenge.scheme.isEmpty && challenge.scheme == challenge.scheme.lowercased(),
                "a scheme \(challenge.scheme)")
            try claim(challenge.token68 == nil || challenge.parameters.isEmpty, "both a token and parameters")
            guard var digest = DigestAuth(challenge, clientNonce: "c") else { continue }
            let answer = digest.answer(
                Credentials(name: "a\r\nb", password: "p"), method: "GET", target: "/", hash: { _, _ in [1, 2] })
            try claim(
                !answer.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F },
                "a line break in a field: \(answer.debugDescription)")
            let again = AuthChallenge.parse([answer])
            try claim(again.count == 1, "an answer that is read as \(again.count)")
            try claim(again.first?.parameters["nonce"] == challenge.parameters["nonce"], "another nonce")
        }
    }

    static func netrc(_ bytes: [UInt8]) throws(Violation) {
        let value = text(bytes)
        guard let parsed = try? Netrc(parsing: value) else { return }
        for host in ["example.org", ""] {
            guard let found = parsed.credentials(for: host, allowsDefault: false) else { continue }
            try claim(
                parsed.entries.contains { $0.host == host && ($0.password ?? "") == found.password },
                "a password from nowhere")
        }
        try claim((try? Netrc(parsing: value + "\n"))?.entries == parsed.entries, "the last line break decides")
    }

    static func cookieFile(_ bytes: [UInt8]) throws(Violation) {
        let file = CookieFile(parsing: text(bytes), wallClock: 0)
        var jar = CookieJar()
        for cookie in file.cookies { jar.insert(cookie, wallClock: 0) }
        try claim(jar.cookies.count <= file.cookies.count, "more than there were")
        let written = CookieFile.text(of: jar, wallClock: 0)
        let again = CookieFile(parsing: written, wallClock: 0)
        try claim(again.unreadableLines.isEmpty, "what was written cannot be read: \(written.debugDescription)")
        try claim(
            again.cookies.count == jar.cookies.count, "written, it is \(again.cookies.count) of \(jar.cookies.count)")
    }

    static func publicSuffixes(_ bytes: [UInt8]) throws(Violation) {
        let list = PublicSuffixList(parsing: text(bytes) + "\norg\n")
        try claim(list.isPublic("org") || text(bytes).contains("!org"), "a rule is lost")
        for domain in ["example.org", "a.example.org", "", "."] { _ = list.isPublic(domain) }
        guard let ascii = Punycode.encode(domain: text(bytes)) else { return }
        try claim(ascii.utf8.allSatisfy { $0 < 0x80 }, "not in ASCII: \(ascii)")
        let labels = zip(text(bytes).utf8.split(separator: 0x2E), ascii.utf8.split(separator: 0x2E))
        for (label, written) in labels where !label.elementsEqual(written) {
            try claim(
                Punycode.decode(label: Substring(written)).map { $0.isExactly(Substring(label)) } == true,
                "\(written) does not lead back")
        }
        for label in text(bytes).utf8.split(separator: 0x2E) { _ = Punycode.decode(label: "xn--" + Substring(label)) }
    }
}
