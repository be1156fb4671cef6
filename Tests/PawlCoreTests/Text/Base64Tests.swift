import PawlCore
import Testing

@Suite struct Base64Tests {
    // RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the test vectors of RFC 4648 encode and decode`(_ text: String, _ encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded.utf8) == Array(text.utf8))
    }

    @Test(arguments: 0...64)
    func `bytes of every length survive encoding and decoding`(_ count: Int) {
        for shift in [0, 85, 170, 251] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + shift) }
            #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
        }
    }
}
