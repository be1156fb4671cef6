extension FileName {
    /// The directories for a file that keeps the path of its URL: the host, with a port that is not the usual one, and
    /// the directories of the path, each made harmless on its own, so that none leads out or is taken for two.
    package static func directories(of url: HTTPURL) -> [String] {
        let segments = url.path.utf8.split(separator: UInt8(ascii: "/"))
        let above = url.path.utf8.last == UInt8(ascii: "/") ? segments[...] : segments.dropLast()
        let host = (url.isIPv6 ? "[\(url.host)]" : url.host) + (url.port.map { "+\($0)" } ?? "")
        return [sanitize(host)] + above.map { directory(PercentCoding.decode($0)) }
    }

    private static func directory(_ bytes: [UInt8]) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in (String(validating: bytes, as: UTF8.self) ?? String(latin1: bytes)).unicodeScalars {
            // A percent-encoded slash separates nothing.
            scalars.append(scalar == "/" || scalar == "\\" ? "_" : scalar)
        }
        // Dots and blanks name no directory.
        guard scalars.contains(where: { $0 != "." && !$0.properties.isWhitespace }) else { return "_" }
        return sanitize(String(scalars))
    }
}
