/// A hash algorithm for checking a download.
///
/// The raw value is the name that Pawl writes, and the one that RFC 9530 registers, except for SHA-1, which is `sha`
/// there.
public enum DigestAlgorithm: String, Sendable, CaseIterable, Hashable {
    // Strongest first: `allCases` is an order of preference.
    case sha512 = "sha-512"
    case sha256 = "sha-256"
    case sha1 = "sha-1"
    case md5 = "md5"

    /// Finds the algorithm by its name, in any case: `sha-256` or `sha256`, `sha-512` or `sha512`, `sha-1`, `sha1` or
    /// `sha`, `md5`.
    public init?(name: String) {
        switch name.lowercased() {
        case "sha-512", "sha512": self = .sha512
        case "sha-256", "sha256": self = .sha256
        case "sha-1", "sha1", "sha": self = .sha1
        case "md5": self = .md5
        default: return nil
        }
    }

    /// The length of a digest, in bytes.
    public var byteCount: Int {
        switch self {
        case .sha512: 64
        case .sha256: 32
        case .sha1: 20
        case .md5: 16
        }
    }

    /// Whether a matching digest holds against an attacker who chose the bytes. SHA-1 and MD5 only detect accidents
    /// (RFC 9530 §5).
    public var isSecure: Bool {
        switch self {
        case .sha512, .sha256: true
        case .sha1, .md5: false
        }
    }
}

/// The digest of a whole file: an algorithm and the bytes it yields.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
    public let algorithm: DigestAlgorithm
    public let bytes: [UInt8]

    /// Creates a digest; nil unless `bytes` has the algorithm's length.
    public init?(algorithm: DigestAlgorithm, bytes: [UInt8]) {
        guard bytes.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Creates a digest from hexadecimal digits in either case; nil unless there are exactly as many as the algorithm
    /// needs.
    package init?(algorithm: DigestAlgorithm, hexadecimal digits: some Collection<UInt8>) {
        guard digits.count == algorithm.byteCount * 2, let bytes = Self.bytes(hexadecimal: Array(digits)) else {
            return nil
        }
        self.init(algorithm: algorithm, bytes: bytes)
    }

    /// Reads `ALGORITHM:HEX`, for example `sha-256:9f86d0…`, or `ALGORITHM=HEX` as aria2 writes it; the hexadecimal
    /// digits may be in either case. 128 or 64 digits alone are a `sha-512` or a `sha-256`.
    ///
    /// - Throws: `DigestParseError`, whose message says what to write instead.
    public init(parsing text: String) throws(DigestParseError) {
        let bytes = Array(text.utf8)
        guard let sign = bytes.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }) else {
            for algorithm in [DigestAlgorithm.sha512, .sha256] {
                if let digest = Digest(algorithm: algorithm, hexadecimal: bytes) {
                    self = digest
                    return
                }
            }
            throw DigestParseError(message: "A checksum is written as ALGORITHM:HEX, for example sha-256:9f86d081…")
        }
        guard let algorithm = DigestAlgorithm(name: String(decoding: bytes[..<sign], as: UTF8.self)) else {
            let names = DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw DigestParseError(message: "The checksum's algorithm is unknown; use one of \(names).")
        }
        guard let digest = Digest(algorithm: algorithm, hexadecimal: bytes[(sign + 1)...]) else {
            throw DigestParseError(
                message: "A \(algorithm.rawValue) checksum has \(algorithm.byteCount * 2) hexadecimal digits.")
        }
        self = digest
    }

    /// The bytes in lower-case hexadecimal digits.
    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// `ALGORITHM:HEX`, which `init(parsing:)` reads back.
    public var description: String { "\(algorithm.rawValue):\(hex)" }

    private static func bytes(hexadecimal digits: [UInt8]) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = ASCII.hexValue(digits[index]), let low = ASCII.hexValue(digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

/// Says why a text is not a digest, and what to write instead.
public struct DigestParseError: Error, Equatable {
    public let message: String
}
