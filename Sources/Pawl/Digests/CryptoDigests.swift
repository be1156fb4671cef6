internal import Crypto
package import PawlCore
package import PawlEngine

/// The live ``DigestFactory``, over swift-crypto.
package struct CryptoDigests: DigestFactory {
    package init() {}

    package func makeDigester(_ algorithm: DigestAlgorithm) -> any Digester {
        switch algorithm {
        case .sha512: HashDigester<SHA512>()
        case .sha256: HashDigester<SHA256>()
        // Insecure against an attacker (RFC 9530 §5), but still detects accidents if nothing better is published.
        case .sha1: HashDigester<Insecure.SHA1>()
        case .md5: HashDigester<Insecure.MD5>()
        }
    }
}

private struct HashDigester<Function: HashFunction>: Digester {
    private var function = Function()

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        function.update(bufferPointer: bytes)
    }

    mutating func finalize() -> [UInt8] {
        Array(function.finalize())
    }
}
