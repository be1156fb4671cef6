import PawlCore
import Testing

struct SystemTextTests {
    private static let bytes: [[UInt8]] = [
        [], Array("plain".utf8), Array("é漢👍".utf8), [0xE9], Array("caf".utf8) + [0xE9] + Array(".bin".utf8),
        // GBK and Shift-JIS.
        [0xC4, 0xE3, 0xBA, 0xC3, 0x2E, 0x74], [0x83, 0x5C, 0x83, 0x74, 0x2F],
        // Cut short, too long, a surrogate, beyond Unicode.
        [0xE6, 0xBC], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x91, 0x41],
        // What the text itself is made of.
        Array("\u{10FEE9}".utf8), Array("\u{10FE7F}\u{10FF00}".utf8), [0xF4, 0x8F, 0xBB], Array(0x80...0xFF),
    ]

    @Test(arguments: bytes)
    func `M19 text keeps every byte of a name, and no two names have one text`(_ bytes: [UInt8]) {
        let text = String(systemBytes: bytes)
        #expect(text.systemBytes == bytes)
        #expect(text.systemByteCount == bytes.count)
        for other in Self.bytes where other != bytes { #expect(!text.isExactly(String(systemBytes: other))) }
    }

    @Test func `M19 all sequences of two bytes, and of three with a strange middle, are kept`() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                for bytes in [[first, second], [first, second, 0xBB], [0xF4, 0x8F, first, second]] {
                    guard String(systemBytes: bytes).systemBytes != bytes else { continue }
                    Issue.record("\(bytes)")
                }
            }
        }
    }

    @Test func `M19 UTF-8 spelled out byte by byte is the same name as the text itself`() {
        let spelled = "\u{10FEC3}\u{10FEA9}"
        #expect(spelled.systemBytes == Array("é".utf8))
        #expect(spelled.canonicalSystemText.isExactly("é"))
        #expect("\u{10FEE9}".canonicalSystemText.isExactly("\u{10FEE9}"))
    }

    @Test func `M19 JSON escapes a byte that is not UTF-8, and reads it back`() throws {
        let value = JSONValue.string(String(systemBytes: Array("caf".utf8) + [0xE9]))
        #expect(value.encoded == "\"caf\\udbff\\udee9\"")
        #expect(try JSONValue(parsing: Array(value.encoded.utf8)) == value)
    }

    @Test func `M19 a byte of an argument that is not UTF-8 is percent-encoded in a URL as it is`() throws {
        let text = String(systemBytes: Array("http://h/caf".utf8) + [0xE9] + Array("?q=".utf8) + [0xFF])
        #expect(try HTTPURL(parsing: text).serialized == "http://h/caf%E9?q=%FF")
    }

    @Test func `M19 a user name and a password keep their bytes`() {
        let password = String(systemBytes: [0x70, 0xE4])
        #expect(Credentials(name: "u", password: password).basic == "Basic " + Base64.encode([0x75, 0x3A, 0x70, 0xE4]))
        #expect(Credentials(userinfo: "u:p%E4").password == password)
    }

    @Test func `M19 a server cannot choose a name that is not UTF-8`() {
        #expect(FileName.sanitize("caf\u{10FEE9}.bin") == "caf_.bin")
    }

    @Test func `M19 the length of a name counts the bytes of the system`() {
        let name = String(systemBytes: [UInt8](repeating: 0xE9, count: 200))
        #expect(FileName.partialName(for: name).systemBytes == name.systemBytes + Array(".part".utf8))
        #expect(FileName.cut(name[...], toBytes: 100).systemByteCount == 100)
    }
}
