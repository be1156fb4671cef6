package import PawlCore
package import PawlEngine

#if canImport(CryptoKit)
internal import CryptoKit

/// The live ``DigestFactory``, over CryptoKit.
package struct SystemDigests: DigestFactory {
    package init() {}

    package func makeDigester(_ algorithm: DigestAlgorithm) throws(StorageError) -> any Digester {
        switch algorithm {
        case .sha512: HashDigester<CryptoKit.SHA512>()
        case .sha256: HashDigester<CryptoKit.SHA256>()
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
#else
internal import CPawl
import PawlSystem

/// The live ``DigestFactory``, over the system's libcrypto, which is loaded by the first digest.
package struct SystemDigests: DigestFactory {
    package init() {}

    package func makeDigester(_ algorithm: DigestAlgorithm) throws(StorageError) -> any Digester {
        guard let context = pawl_digest_begin(Self.kind(of: algorithm)) else {
            switch errno {
            case ENOENT: throw StorageError(operation: "dlopen", name: "libcrypto", reason: .noDigests)
            case ENOTSUP:
                throw StorageError(
                    operation: "EVP_DigestInit_ex", name: algorithm.rawValue, reason: .digestRefused(algorithm))
            default: throw StorageError(operation: "EVP_MD_CTX_new", name: algorithm.rawValue, errno: errno)
            }
        }
        return LibraryDigester(context, byteCount: algorithm.byteCount)
    }

    private static func kind(of algorithm: DigestAlgorithm) -> CInt {
        switch algorithm {
        case .sha512: CInt(PAWL_DIGEST_SHA512)
        case .sha256: CInt(PAWL_DIGEST_SHA256)
        // Insecure against an attacker (RFC 9530 §5), but still detects accidents if nothing better is published.
        case .sha1: CInt(PAWL_DIGEST_SHA1)
        case .md5: CInt(PAWL_DIGEST_MD5)
        }
    }
}

private final class LibraryDigester: Digester {
    private let context: UnsafeMutableRawPointer
    private let byteCount: Int
    /// The library has failed, so there will be no digest.
    private var isBroken = false

    init(_ context: UnsafeMutableRawPointer, byteCount: Int) {
        self.context = context
        self.byteCount = byteCount
    }

    deinit { pawl_digest_free(context) }

    func update(_ bytes: UnsafeRawBufferPointer) {
        if pawl_digest_update(context, bytes.baseAddress, bytes.count) != 0 { isBroken = true }
    }

    func finalize() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 64)
        // An empty digest equals none, so whatever is compared with it counts as wrong.
        guard pawl_digest_end(context, &digest) == 0, !isBroken else { return [] }
        return Array(digest.prefix(byteCount))
    }
}
#endif
