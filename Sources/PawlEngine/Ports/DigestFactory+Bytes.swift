package import PawlCore

extension DigestFactory {
    /// The digest of bytes that are at hand.
    package func digest(_ algorithm: DigestAlgorithm, of bytes: [UInt8]) -> [UInt8] {
        var digester = makeDigester(algorithm)
        bytes.withUnsafeBytes { digester.update($0) }
        return digester.finalize()
    }
}
