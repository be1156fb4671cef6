package import PawlCore

extension DigestFactory {
    /// Whether the system can compute such digests.
    func computes(_ algorithm: DigestAlgorithm) -> Bool { (try? makeDigester(algorithm)) != nil }

    /// Returns the digest of `bytes`; nil where the system cannot compute it.
    package func digest(_ algorithm: DigestAlgorithm, of bytes: [UInt8]) -> [UInt8]? {
        guard var digester = try? makeDigester(algorithm) else { return nil }
        bytes.withUnsafeBytes { digester.update($0) }
        return digester.finalize()
    }
}
