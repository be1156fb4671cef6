internal import NIOSSL
internal import PawlCore
internal import PawlEngine

/// Certificates in PEM files, as OpenSSL and its kin write them: with comments in any encoding around them, and as
/// `TRUSTED CERTIFICATE`, whose purposes are left out.
enum CertificateAuthorities {
    /// - Parameter role: what the file is, for the error.
    static func read(_ path: String, _ role: String, _ files: PEMFiles) throws(TransportError) -> [NIOSSLCertificate] {
        // Bundles have certificates that one library reads and another does not.
        let certificates = blocks(in: try files.bytes(of: path, role)).compactMap {
            try? NIOSSLCertificate(bytes: $0, format: .der)
        }
        guard certificates.isEmpty else { return certificates }
        throw TransportError(.tls, "the \(role) \(path) holds no certificate in PEM form")
    }

    /// Reads the files that have names as `openssl rehash` makes them. Those that cannot be read are left out.
    static func read(inDirectory path: String, _ files: PEMFiles) -> [NIOSSLCertificate] {
        let names = (try? POSIXStorage().openDirectory(path).names()) ?? []
        return names.filter(isHash).flatMap { (try? read("\(path)/\($0)", "certificate file", files)) ?? [] }
    }

    /// Whether a name is the hash of a subject, eight digits, and a number.
    private static func isHash(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].count == 8 && parts[0].allSatisfy { ASCII.hexValue($0) != nil }
            && !parts[1].isEmpty && parts[1].allSatisfy(ASCII.isDigit)
    }

    /// The certificates in DER (RFC 7468 §5).
    static func blocks(in bytes: [UInt8]) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var label: String?
        var digits: [UInt8] = []
        for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let line = ASCII.trimmingBlanks(line)
            if line.starts(with: "-----BEGIN ".utf8) {
                label = String(decoding: line.dropFirst(11), as: UTF8.self)
                digits = []
            } else if line.starts(with: "-----END ".utf8) {
                if let label, let block = certificate(label, digits) { found.append(block) }
                label = nil
            } else if label != nil {
                digits += line.filter { !ASCII.isBlank($0) }
            }
        }
        return found
    }

    private static func certificate(_ label: String, _ digits: [UInt8]) -> [UInt8]? {
        switch label {
        case "CERTIFICATE-----", "X509 CERTIFICATE-----": Base64.decode(digits)
        case "TRUSTED CERTIFICATE-----": Base64.decode(digits).flatMap(firstElement)
        default: nil
        }
    }

    /// Returns the first element of DER (X.690 §8.1.3) without the bytes behind it.
    private static func firstElement(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > 1 else { return nil }
        let isShort = bytes[1] < 0x80
        let lengthBytes = isShort ? 0 : Int(bytes[1] & 0x7F)
        guard lengthBytes <= 4, bytes.count >= 2 + lengthBytes else { return nil }
        let length = isShort ? Int(bytes[1]) : bytes[2..<2 + lengthBytes].reduce(0) { $0 << 8 | Int($1) }
        return bytes.count - 2 - lengthBytes >= length ? Array(bytes[..<(2 + lengthBytes + length)]) : nil
    }
}
