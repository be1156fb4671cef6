import Pawl
import PawlCore
import PawlEngine
import Testing

@Suite struct SystemDigestsTests {
    static let million = String(repeating: "a", count: 1_000_000)

    @Test(
        arguments: [
            (
                .sha512, "",
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                    + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
            ),
            (
                .sha512, "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (
                .sha512,
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                    + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
            ),
            (
                .sha512, Self.million,
                "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                    + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
            ),
            (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (.sha256, Self.million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
            (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                .sha1, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            (.sha1, Self.million, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
            (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
            (.md5, "a", "0cc175b9c0f1b6a831c399e269772661"),
            (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
            (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            (.md5, "abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (
                .md5, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                "d174ab98d277d9f5a5611c2c9f419d9f"
            ),
            (
                .md5, "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a"
            ),
        ] as [(DigestAlgorithm, String, String)])
    func `digests equal the examples of NIST and RFC 1321`(
        _ algorithm: DigestAlgorithm, _ text: String, _ expected: String
    ) throws {
        #expect(SystemDigests().digest(algorithm, of: Array(text.utf8)).map(\.hexadecimal) == expected)
    }

    @Test(arguments: DigestAlgorithm.allCases, 0..<20)
    func `input in pieces of any size has the digest of the whole`(_ algorithm: DigestAlgorithm, _ seed: UInt64) throws
    {
        var random = SplitMix64(seed: seed)
        let bytes = (0..<Int.random(in: 0...3000, using: &random)).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ 7) }
        var digester = try SystemDigests().makeDigester(algorithm)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 0...300, using: &random))
            rest.prefix(count).withUnsafeBytes { digester.update($0) }
            rest = rest.dropFirst(count)
        }
        let digest = digester.finalize()
        #expect(digest.count == algorithm.byteCount && digest == SystemDigests().digest(algorithm, of: bytes))
        if algorithm == .sha256 { #expect(digest == SHA256.hash(bytes)) }
    }

    @Test func `digests are computed by many threads at once`() async {
        let expected = SHA256.hash(Array(Self.million.utf8))
        await withTaskGroup(of: [UInt8]?.self) { group in
            for _ in 0..<16 { group.addTask { SystemDigests().digest(.sha256, of: Array(Self.million.utf8)) } }
            for await digest in group { #expect(digest == expected) }
        }
    }
}
