extension HTTPURL {
    /// Parses an absolute URL. The fragment is dropped: it is never sent (RFC 9110 §4.2.5).
    ///
    /// The authority is taken strictly. In path and query, bytes that the grammar does not allow are percent-encoded,
    /// since people paste spaces and letters with accents; dot segments are removed (RFC 3986 §6.2.2.3). Spaces
    /// around the URL are ignored.
    package init(parsing text: String) throws(HTTPURLError) {
        if let plain = HTTPURL(plain: text) {
            self = plain
            return
        }
        let reference = try URLReference(text)
        guard !reference.isEmpty else { throw .empty }
        // Copied from a text or a mail, with what stood around it.
        if reference.scheme == nil, let first = text.unicodeScalars.first(where: { $0 != " " }),
            Self.enclosing.contains(first), text.contains("://")
        {
            throw .enclosed(Character(first))
        }
        do throws(HTTPURLError) {
            try self.init(absolute: reference)
        } catch {
            guard case .invalidPort(let port) = error, port.utf8.allSatisfy(ASCII.isDigit),
                !text.utf8.contains(UInt8(ascii: "@"))
            else { throw error }
            throw .portOutOfRange(port)
        }
    }

    private static let enclosing: Set<Unicode.Scalar> = [
        "<", "(", "[", "{", "\"", "'", "`", "“", "”", "„", "‘", "’", "«", "‹",
    ]

    /// Resolves a `Location` or another URI reference against this URL (RFC 3986 §5.2, the strict algorithm).
    ///
    /// A reference without an authority keeps this URL's authority, its userinfo included.
    package func resolving(_ reference: String) throws(HTTPURLError) -> HTTPURL {
        let reference = try URLReference(reference)
        guard reference.scheme == nil else { return try HTTPURL(absolute: reference) }
        var target = self
        if let authority = reference.authority {
            target.setAuthority(try Authority(authority))
            target.setPath(reference.path)
            target.setQuery(reference.query)
        } else if reference.path.isEmpty {
            if reference.query != nil { target.setQuery(reference.query) }
        } else {
            if reference.path.first == UInt8(ascii: "/") {
                target.setPath(reference.path)
            } else {
                // Merge, §5.2.3: all of the base path up to its last slash. A base with an authority has at least "/".
                let base = Array(path.utf8)
                let directory = base.lastIndex(of: UInt8(ascii: "/")).map { base[...$0] } ?? []
                target.setPath(directory + reference.path)
            }
            target.setQuery(reference.query)
        }
        return try target.checkingLength()
    }

    /// Replaces a host with letters outside ASCII, in the text of a URL, by what `convert` makes of it. Any other text
    /// is returned as it is, for ``init(parsing:)`` to judge.
    ///
    /// - Throws: what `convert` throws, and an error for an answer that is not the name of a host: a mapping may turn
    ///   “／” into the slash that ends the host.
    package static func replacingHost(
        in text: String, _ convert: (String) throws(HTTPURLError) -> String
    ) throws(HTTPURLError) -> String {
        guard !text.isASCII, let reference = try? URLReference(text),
            reference.scheme.flatMap({ Scheme(rawValue: $0) }) != nil,
            let host = reference.authority.flatMap(Authority.foreignHost)
        else { return text }
        let name = try convert(String(decoding: host, as: UTF8.self))
        guard Authority.isHostName(Array(name.utf8)[...]) else {
            throw .unconvertibleHost("it contains a character that ends a host, or has no letters between two dots")
        }
        var bytes = text.systemBytes
        bytes.replaceSubrange(host.startIndex..<host.endIndex, with: name.utf8)
        return String(systemBytes: bytes)
    }

    private init(absolute reference: URLReference) throws(HTTPURLError) {
        guard let schemeName = reference.scheme else { throw .noScheme }
        guard let scheme = Scheme(rawValue: schemeName) else {
            // "localhost:8080/file" reads as the scheme "localhost", but what its writer forgot is the scheme.
            let isHostAndPort = reference.authority == nil && reference.path.first.map(ASCII.isDigit) == true
            throw isHostAndPort ? .noScheme : .unsupportedScheme(schemeName)
        }
        guard let authority = reference.authority else {
            throw reference.path.first == UInt8(ascii: "\\") ? .invalidCharacter("\\") : .noHost
        }
        self.init(scheme: scheme, userinfo: nil, host: "", port: nil, path: "/", query: nil)
        setAuthority(try Authority(authority))
        setPath(reference.path)
        setQuery(reference.query)
        self = try checkingLength()
    }

    private mutating func setAuthority(_ authority: Authority) {
        userinfo = authority.userinfo
        host = authority.host
        port = authority.port == scheme.defaultPort ? nil : authority.port
    }

    private mutating func setPath(_ bytes: ArraySlice<UInt8>) {
        path = Self.removingDotSegments(PercentCoding.encode(bytes, keeping: Self.isPathByte))
    }

    private mutating func setQuery(_ bytes: ArraySlice<UInt8>?) {
        query = bytes.map { PercentCoding.encode($0, keeping: Self.isQueryByte) }
    }

    /// Encoding and merging make a URL longer than the texts it came from.
    private func checkingLength() throws(HTTPURLError) -> HTTPURL {
        // Scheme, port and everything between the parts take fewer bytes than this; most URLs need not be written down
        // to be measured.
        let most = host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0) + (userinfo?.utf8.count ?? 0) + 64
        if most <= Self.lengthLimit { return self }
        guard withUserinfo.utf8.count <= Self.lengthLimit else { throw .tooLong }
        return self
    }

    /// RFC 3986 §5.2.4, for a path that is empty or begins with `/`.
    private static func removingDotSegments(_ path: String) -> String {
        // Quick check: a dot segment begins with “/.”.
        let bytes = path.utf8
        guard bytes.first == UInt8(ascii: "/"), !hasSegmentWithDot(bytes) else {
            return removingDotSegments(ofAny: path)
        }
        return path
    }

    private static func hasSegmentWithDot(_ path: String.UTF8View) -> Bool {
        var isAfterSlash = false
        for byte in path {
            if isAfterSlash, byte == UInt8(ascii: ".") { return true }
            isAfterSlash = byte == UInt8(ascii: "/")
        }
        return false
    }

    private static func removingDotSegments(ofAny path: String) -> String {
        var kept: [Substring] = []
        let segments = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        for (index, segment) in segments.enumerated() {
            guard segment == "." || segment == ".." else {
                kept.append(segment)
                continue
            }
            if segment == ".." { _ = kept.popLast() }
            // A dot segment at the end leaves a directory behind: "/a/b/.." is "/a/".
            if index == segments.count - 1 { kept.append("") }
        }
        return "/" + kept.joined(separator: "/")
    }

    /// `pchar` and the slash between segments (RFC 3986 §3.3), without `%`.
    private static func isPathByte(_ byte: UInt8) -> Bool {
        URLReference.isUserinfoByte(byte) || byte == UInt8(ascii: "@") || byte == UInt8(ascii: "/")
    }

    /// RFC 3986 §3.4.
    private static func isQueryByte(_ byte: UInt8) -> Bool { isPathByte(byte) || byte == UInt8(ascii: "?") }
}

/// A URI reference split into its five parts (RFC 3986 appendix B), the fragment thrown away; not yet checked further.
private struct URLReference {
    /// Lowercased.
    var scheme: String?
    var authority: ArraySlice<UInt8>?
    var path: ArraySlice<UInt8>
    var query: ArraySlice<UInt8>?

    var isEmpty: Bool { scheme == nil && authority == nil && path.isEmpty && query == nil }

    init(_ text: String) throws(HTTPURLError) {
        let bytes = text.systemBytes
        guard bytes.count <= HTTPURL.lengthLimit else { throw .tooLong }
        // A line break in a URL would be a line break in the request (CVE-2014-8150).
        guard !Self.holdsControl(bytes) else { throw .controlCharacter }
        var rest = ASCII.trimmingBlanks(bytes[...])
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[(mark + 1)...]
            rest = rest[..<mark]
        }
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
            rest = rest[(colon + 1)...]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// Whether the UTF-8 text has a character of the general category Cc: U+0000 to U+001F and U+007F to U+009F.
    private static func holdsControl(_ bytes: [UInt8]) -> Bool {
        var isAfterC2 = false
        for byte in bytes {
            if byte < 0x20 || byte == 0x7F || (isAfterC2 && byte < 0xA0) { return true }
            isAfterC2 = byte == 0xC2
        }
        return false
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, ASCII.isLetter(first) else { return false }
        return bytes.allSatisfy { ASCII.isAlphanumeric($0) || "+-.".utf8.contains($0) }
    }

    /// `unreserved`, `sub-delims` and the colon (RFC 3986 §2.2, §2.3, §3.2.1).
    static func isUserinfoByte(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9": true
        case "-", ".", "_", "~", "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "=", ":": true
        default: false
        }
    }
}

/// The part between `//` and the path (RFC 3986 §3.2), checked.
private struct Authority {
    var userinfo: String?
    var host: String
    var port: Int?

    init(_ bytes: ArraySlice<UInt8>) throws(HTTPURLError) {
        // Browsers read "\" as "/", other clients do not (CVE-2022-27780 and its kin): no meaning is safe.
        for byte in bytes where byte == UInt8(ascii: "\\") || byte == UInt8(ascii: " ") {
            throw .invalidCharacter(Character(Unicode.Scalar(byte)))
        }
        var hostAndPort = bytes
        if let sign = bytes.firstIndex(of: UInt8(ascii: "@")) {
            userinfo = try Self.userinfo(bytes[..<sign])
            hostAndPort = bytes[(sign + 1)...]
            // With two, clients differ on which one ends the userinfo.
            guard !hostAndPort.contains(UInt8(ascii: "@")) else { throw .invalidCharacter("@") }
        }
        let (hostBytes, portBytes) = try Self.split(hostAndPort)
        host = try Self.host(hostBytes)
        port = try Self.port(portBytes)
    }

    /// The host, where it has letters outside ASCII.
    static func foreignHost(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let start = bytes.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? bytes.startIndex
        guard let host = try? split(bytes[start...]).host, host.first != UInt8(ascii: "["),
            host.contains(where: { $0 >= 0x80 })
        else { return nil }
        return host
    }

    private static func userinfo(_ bytes: ArraySlice<UInt8>) throws(HTTPURLError) -> String? {
        for index in bytes.indices {
            let byte = bytes[index]
            let isEscape = PercentCoding.escapedByte(in: bytes, at: index) != nil
            guard isEscape || URLReference.isUserinfoByte(byte) else {
                let text = String(decoding: bytes[index...], as: UTF8.self)
                throw .invalidCharacter(text.first ?? "%")
            }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// The host, an IPv6 address still in its brackets, and what follows its colon.
    private static func split(
        _ bytes: ArraySlice<UInt8>
    ) throws(HTTPURLError) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        var hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { throw .invalidHost(text) }
            hostEnd = bracket + 1
        }
        let rest = bytes[hostEnd...]
        guard let colon = rest.first else { return (bytes, rest) }
        guard colon == UInt8(ascii: ":"), !rest.dropFirst().contains(colon) else { throw .invalidHost(text) }
        return (bytes[..<hostEnd], rest.dropFirst())
    }

    private static func host(_ bytes: ArraySlice<UInt8>) throws(HTTPURLError) -> String {
        guard !bytes.isEmpty else { throw .noHost }
        let text = String(decoding: bytes, as: UTF8.self)
        if bytes.first == UInt8(ascii: "[") {
            // By bytes: a bracket and the mark after it are one `Character`, and the mark would go with it.
            let address = bytes.dropFirst().dropLast()
            guard isIPv6Address(address) else { throw .invalidHost(text) }
            return String(decoding: address, as: UTF8.self).lowercased()
        }
        guard isHostName(bytes) else { throw .invalidHost(text) }
        return text.lowercased()
    }

    /// Narrower than `reg-name` of RFC 3986 §3.2.2: what DNS and local resolvers carry. No `%`, so nothing hides in the
    /// host, and no letter outside ASCII: where people write such names, ``HTTPURL/replacingHost(in:_:)`` comes first.
    static func isHostName(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count <= 254 else { return false }
        // One dot at the end is the root's: "example.com." is a complete name.
        let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
        var labelLength = 0
        for byte in name {
            if byte == UInt8(ascii: ".") {
                guard labelLength > 0 else { return false }
                labelLength = 0
            } else {
                guard ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_"),
                    labelLength < 63
                else { return false }
                labelLength += 1
            }
        }
        return labelLength > 0
    }

    /// `IPv6address` of RFC 3986 §3.2.2; no zone identifier, which means nothing outside one machine.
    private static func isIPv6Address(_ bytes: ArraySlice<UInt8>) -> Bool {
        let colon = UInt8(ascii: ":")
        let gap = bytes.indices.dropLast().first { bytes[$0] == colon && bytes[$0 + 1] == colon }
        guard let gap else { return groupCount(bytes, mayEndInIPv4: true) == 8 }
        guard let before = groupCount(bytes[..<gap], mayEndInIPv4: false),
            let after = groupCount(bytes[(gap + 2)...], mayEndInIPv4: true)
        else { return false }
        return before + after <= 7
    }

    /// Returns the number of 16-bit groups that `bytes` writes; nil if one of them is malformed.
    private static func groupCount(_ bytes: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> Int? {
        guard !bytes.isEmpty else { return 0 }
        let groups = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var count = 0
        for (index, group) in groups.enumerated() {
            if mayEndInIPv4, index == groups.count - 1, isIPv4Address(group) {
                count += 2
            } else {
                guard (1...4).contains(group.count), group.allSatisfy({ ASCII.hexValue($0) != nil }) else { return nil }
                count += 1
            }
        }
        return count
    }

    private static func isIPv4Address(_ bytes: ArraySlice<UInt8>) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                guard part.count <= 3, case .value(0...255) = ASCII.decimal(part) else { return false }
                return true
            }
    }

    /// RFC 3986 §3.2.3 allows a colon with no port after it.
    private static func port(_ bytes: ArraySlice<UInt8>) throws(HTTPURLError) -> Int? {
        guard !bytes.isEmpty else { return nil }
        guard case .value(let number) = ASCII.decimal(bytes), (1...65535).contains(number) else {
            throw .invalidPort(String(decoding: bytes, as: UTF8.self))
        }
        return Int(number)
    }
}
