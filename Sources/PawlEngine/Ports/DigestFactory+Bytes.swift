package import PawlCore

extension DigestFactory {
    /// Returns the digest of `bytes`; nil where the system cannot compute it.
    package func digest(_ algorithm: DigestAlgorithm, of bytes: [UInt8]) -> [UInt8]? {
        guard var digester = try? makeDigester(algorithm) else { return nil }
        bytes.withUnsafeBytes { digester.update($0) }
        return digester.finalize()
    }
}
