/// The reason why Pawl cannot download from a URL.
package enum HTTPURLError: Error, Equatable, Sendable {
    case empty
    case noScheme
    /// The text holds several URLs with a blank between them.
    case several
    /// The text holds several URLs with nothing between them.
    case glued
    /// The URL stands in quotes or brackets; the value is the opening one.
    case enclosed(Character)
    case unsupportedScheme(String)
    case noHost
    case invalidHost(String)
    /// With letters outside ASCII of which no name of a host can be made, and why not.
    case unconvertibleHost(String)
    /// With letters outside ASCII, on a system without what converts them.
    case noHostConversion
    case invalidPort(String)
    /// The number of a port that is out of range, in a URL in which it cannot be the beginning of a password.
    case portOutOfRange(String)
    case controlCharacter
    case invalidCharacter(Character)
    /// Longer than `HTTPURL.lengthLimit`.
    case tooLong

    /// A sentence that says what is wrong and what to write instead.
    ///
    /// It repeats only text that can neither hold a part of a password nor steer a terminal. With
    /// `http://user:p/w@host`, what looks like the port is the beginning of the password, so a port is never shown.
    package var message: String {
        switch self {
        case .empty:
            "The URL is empty; write one that begins with https:// or http://."
        case .noScheme:
            "The URL has no scheme; begin it with https:// or http://."
        case .several:
            "There are two URLs with a space between them; give each by itself."
        case .glued:
            "A second URL follows the first without a space; give each by itself. If it belongs to the path, write its colon as %3A."
        case .enclosed(let sign):
            "The URL begins with \(sign), which is not part of it; remove the quotes or brackets around the URL."
        case .unsupportedScheme(let scheme):
            Self.message(unsupportedScheme: scheme)
        case .noHost:
            "The URL names no host; write it as https://host/path."
        case .invalidHost(let host):
            Self.message(invalidHost: host)
        case .unconvertibleHost(let reason):
            "The host name is not valid (IDNA 2008): \(reason)."
        case .noHostConversion:
            "The host name contains characters outside ASCII, and the library that converts them, libidn2, cannot be "
                + "loaded. Install it, or write the name in its xn-- form."
        case .invalidPort:
            // Not shown: it may be the beginning of a password.
            "The URL's port is not a number from 1 to 65535; "
                + "in a user name or password, write “/” as %2F, “?” as %3F and “#” as %23."
        case .portOutOfRange(let port):
            "\(Self.beginning(of: port)) is not a port; use a number from 1 to 65535."
        case .controlCharacter:
            "The URL contains a control character, such as a line break or a tab; remove it."
        case .invalidCharacter(let character):
            "The part of the URL before the path must not contain \(Self.shown(character)); remove it, "
                + "or percent-encode it in a user name or password."
        case .tooLong:
            "The URL is longer than 16 KiB; use a shorter one."
        }
    }

    private static func beginning(of port: String) -> String {
        port.utf8.count > 12 ? String(decoding: port.utf8.prefix(12), as: UTF8.self) + "…" : port
    }

    private static func message(unsupportedScheme scheme: String) -> String {
        let unsupported = "The scheme “\(scheme)” is not supported"
        return switch scheme {
        case "htp", "ttp", "htttp", "hhtp", "httpp", "hxxp", "htpp", "tp": "\(unsupported). Did you mean http?"
        case "htps", "ttps", "htttps", "hhtps", "httpps", "hxxps", "htpps", "httsp", "tps":
            "\(unsupported). Did you mean https?"
        case "ftp", "ftps", "sftp", "scp", "file": "\(unsupported); curl can read such a URL."
        case "magnet": "\(unsupported); use a BitTorrent program, such as aria2c."
        case "s3": "\(unsupported); “aws s3 presign” makes an https link of it."
        default: "\(unsupported); only https and http URLs can be downloaded."
        }
    }

    private static func message(invalidHost host: String) -> String {
        if !host.utf8.allSatisfy({ $0 < 0x80 }) {
            return "The host name contains characters outside ASCII; write it in its xn-- form."
        }
        if host.utf8.contains(UInt8(ascii: "%")) {
            return
                "The host name contains a “%”; percent-encoding and IPv6 zones are not allowed there."
        }
        if host.utf8.contains(UInt8(ascii: ":")) {
            return
                "The host is not a valid address; write an IPv6 address in square brackets, as in http://[2001:db8::1]/."
        }
        return "“\(host)” is not a host name; write a name such as example.com, or an IP address."
    }

    private static func shown(_ character: Character) -> String {
        if character.isASCII, character != " " { return "“\(character)”" }
        let codes = character.unicodeScalars.map { scalar in
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
        return character == " " ? "a space" : "the character " + codes.joined(separator: " ")
    }
}
