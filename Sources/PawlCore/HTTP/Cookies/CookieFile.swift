/// The `cookies.txt` that Netscape introduced, and browsers, curl and wget read and write: one cookie a line, seven
/// fields parted by tabs (domain, whether hosts below it get it too, path, whether it needs https, seconds since 1970
/// or 0, name, value).
package struct CookieFile: Hashable, Sendable {
    package private(set) var cookies: [CookieJar.Cookie] = []
    /// Lines that could not be read, counted from one.
    package private(set) var unreadableLines: [Int] = []

    private static let httpOnlyMark = "#HttpOnly_"
    private static let heading = "# Netscape HTTP Cookie File"
    /// Bytes of the four texts of a cookie: what a server sets on the longest of URLs has room, with each byte that is
    /// no text replaced by three.
    private static let textLimit = 32 * 1024

    /// - Parameter secondsSinceEpoch: cookies that have expired by then are left out.
    package init(parsing text: String, wallClock secondsSinceEpoch: Int64) {
        var bytes = Array(text.utf8)[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = line.last == 0x0D ? line.dropLast() : line
            let isHTTPOnly = line.starts(with: Self.httpOnlyMark.utf8)
            let rest = isHTTPOnly ? line.dropFirst(Self.httpOnlyMark.utf8.count) : line
            if rest.allSatisfy(ASCII.isBlank) || !isHTTPOnly && rest.first == UInt8(ascii: "#") { continue }
            guard var cookie = Self.cookie(rest) else {
                unreadableLines.append(index + 1)
                continue
            }
            cookie.isHTTPOnly = isHTTPOnly
            if !cookie.isOver(at: secondsSinceEpoch) { cookies.append(cookie) }
        }
    }

    private static func cookie(_ line: ArraySlice<UInt8>) -> CookieJar.Cookie? {
        guard line.count <= Self.textLimit * 2, line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            return nil
        }
        var fields = line.split(separator: 0x09, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        // Editors strip an empty value at the end of a line.
        if fields.count == 6 { fields.append("") }
        guard fields.count == 7, let expires = seconds(fields[4]) else { return nil }
        let isDotted = fields[0].utf8.first == UInt8(ascii: ".")
        let domain = ASCII.lowercased(isDotted ? fields[0].utf8.dropFirst() : fields[0].utf8[...])
        // No host has others: one outside ASCII is written as `xn--…`, a line that begins with "#" would be a comment,
        // and one dot in front says who gets the cookie.
        let isPart = { (byte: UInt8) in (0x21...0x7E).contains(byte) && !";,#".utf8.contains(byte) }
        guard !domain.isEmpty, !domain.begins(with: "."), domain.utf8.allSatisfy(isPart), fields[2].begins(with: "/"),
            let includesHostsBelow = flag(fields[1]),
            let isSecure = flag(fields[3]), !(fields[5] + fields[6]).isEmpty,
            !(fields[5] + fields[6]).utf8.contains(UInt8(ascii: ";")),
            [domain, fields[2], fields[5], fields[6]].reduce(0, { $0 + $1.utf8.count }) <= Self.textLimit
        else { return nil }
        return CookieJar.Cookie(
            name: fields[5], value: fields[6], domain: domain, isHostOnly: !includesHostsBelow, path: fields[2],
            isSecure: isSecure,
            // Zero is the sign of a cookie that lasts as long as a session.
            expires: expires == 0 ? nil : expires)
    }

    private static func flag(_ text: String) -> Bool? {
        switch text.uppercased() {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }

    /// Reads the time of expiry. Some browsers write a fraction, and some -1 for a session.
    private static func seconds(_ text: String) -> Int64? {
        if text.begins(with: "-") { return 0 }
        let whole = text.utf8.prefix { $0 != UInt8(ascii: ".") }
        return switch ASCII.decimal(Array(whole)[...]) {
        case .value(let seconds): seconds
        case .overflow: .max
        case .notDecimal: text.isEmpty ? 0 : nil
        }
    }

    /// - Parameter secondsSinceEpoch: cookies that have expired by then are left out.
    package static func text(of jar: CookieJar, wallClock secondsSinceEpoch: Int64) -> String {
        let lines = jar.cookies.filter { !$0.isOver(at: secondsSinceEpoch) }.map { cookie in
            let domain = cookie.isHostOnly ? cookie.domain : "." + cookie.domain
            let fields = [
                (cookie.isHTTPOnly ? httpOnlyMark : "") + domain, cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path,
                // The file has no place for the scheme, so what came over https stays with it.
                cookie.isSecure || cookie.scheme == .https ? "TRUE" : "FALSE", "\(cookie.expires ?? 0)", cookie.name,
                cookie.value,
            ]
            // A tab would split the field.
            return fields.map { String($0.map { $0 == "\t" ? " " : $0 }) }.joined(separator: "\t")
        }
        return
            ([heading, "# Written by pawl. Anyone who has these cookies can act as you: keep this file private.", ""]
            + lines)
            .joined(separator: "\n") + "\n"
    }
}
