package import PawlCore

/// A mistake of a request that the store has refused, which may be sent again without it. Each is corrected once in a
/// call.
package enum S3Correction: Hashable, Sendable {
    /// The bucket is in another region.
    case region(String)
    /// Our clock differs from that of the store by so many seconds.
    case clock(Int64)
    /// The credentials have ended before their time.
    case credentials
    /// Asked of AWS while the names of a new bucket are not known everywhere.
    case server(HTTPURL)

    /// Returns the correction that a response asks for; nil for none.
    ///
    /// - Parameters:
    ///   - region: that of the request.
    ///   - now: seconds since 1970 by our clock.
    package init?(_ response: S3Response, region: String, now: Int64) {
        guard [301, 307, 400, 403].contains(response.head.status) else { return nil }
        let document = response.document
        let (code, fields) = (document.errorCode, response.head.fields)
        if let other = fields.first("x-amz-bucket-region") ?? document.text("Region"), !other.isExactly(region),
            Self.isRegion(other)
        {
            self = .region(other)
            return
        }
        switch code {
        case "RequestTimeTooSkewed":
            guard let text = fields.first("date"), let date = HTTPDate(parsing: text) else { return nil }
            self = .clock(date.secondsSinceEpoch - now)
        case "ExpiredToken", "TokenRefreshRequired": self = .credentials
        default:
            // Nobody else is told where we put what.
            guard response.head.status == 307, let location = fields.first("location"),
                let url = try? HTTPURL(parsing: location), url.scheme == .https, url.host.ends(with: ".amazonaws.com")
            else { return nil }
            self = .server(url)
        }
    }

    /// Whether a text may be a region, which becomes a part of the name of a server.
    package static func isRegion(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.allBytes { ASCII.isDigit($0) || ASCII.isLetter($0) || $0 == UInt8(ascii: "-") }
    }

    var kind: Int {
        switch self {
        case .region: 0
        case .clock: 1
        case .credentials: 2
        case .server: 3
        }
    }
}
