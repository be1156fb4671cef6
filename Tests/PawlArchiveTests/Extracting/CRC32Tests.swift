import PawlTestKit
import Testing

@testable import PawlArchive

struct CRC32Tests {
    private func crc(_ bytes: some Collection<UInt8>, pieces: Int = .max) -> UInt32 {
        var crc = CRC32()
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            rest.prefix(pieces).withUnsafeBytes { crc.update($0) }
            rest = rest.dropFirst(pieces)
        }
        return crc.value
    }

    @Test func `the CRC-32 check value is computed`() {
        #expect(crc(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(crc([]) == 0)
    }

    @Test(arguments: [1, 7, 16, 17, 1000])
    func `the CRC-32 is the same for pieces of any length, and equals that of a plain loop`(_ pieces: Int) {
        let bytes = Files.randomBytes(5003)
        #expect(crc(bytes, pieces: pieces) == ZipBuilder.crc32(bytes))
    }
}
