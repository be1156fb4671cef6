import PawlCore
import Testing

@Suite struct SHA256Tests {
    @Test(
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ])
    func `hashes equal the examples of FIPS 180-4`(_ text: String, _ expected: String) {
        #expect(SHA256.hash(Array(text.utf8)).hexadecimal == expected)
    }

    // Made with OpenSSL over the bytes i * 131 + 7: every way in which the padding can end.
    @Test(
        arguments: [
            (1, "ca358758f6d27e6cf45272937977a748fd88391db679ceda7dc7bf1f005ee879"),
            (54, "df0dfd870292b2cb91ca3d2df4aeca24947f6ecc609d3bf6ed64dea8a4b5be69"),
            (55, "16ed9c4697ca11d5f6fb25ea7900252dd4cb97215d7f6d0b2bb3e2a86ac0ec72"),
            (56, "939ada93b2fe1e9c596d767bb408567c83e253667f0b25e5be8e16f35f2cbac9"),
            (57, "ab84281f3b181e6cfc7cf870c7f3e7912be6fd1ac49c7dd6b21f6c25bb9a5eaa"),
            (63, "6073f83b09ae82016cdbe24c18996c48f0eaa08ca675d0f6b90b807fc29e0149"),
            (64, "b337ba9b0c69c391364e985fdcb23a889887e59800832c92fbfa22b8a3c40304"),
            (65, "9d6a3fb113b586b4ab97bc11c993a27bd9b7bbcb756e0646083dc47a679600e6"),
            (119, "9773fbac8194c3d789af101b49b6a26073076895ef6e0f658432849dd477a43f"),
            (120, "070a538f085dd94821d4dc197c5c8b791051891d4fa2a1bf25d3c275236676f7"),
            (121, "05a3caed94d5ee13402c4422abc9fa3ab0dbda743a8480a12cafefe5e5da992c"),
            (128, "485a94e53eba9717a5d8b7b4489cad92a752f1c5722e7dfd29dd164b7c438d11"),
        ])
    func `messages of any length around a block are padded`(_ count: Int, _ expected: String) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 131 + 7) }
        #expect(SHA256.hash(bytes).hexadecimal == expected)
    }

    @Test(
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func `authentication codes equal the examples of RFC 4231`(_ key: [UInt8], _ message: String, _ expected: String) {
        #expect(SHA256.authenticationCode(of: Array(message.utf8), key: key).hexadecimal == expected)
    }
}
