#if os(Linux)
import PawlSystem
import Testing

@Suite struct NetworkChangesTests {
    /// A message of rtnetlink(7): a header of 16 bytes, then what it is about.
    private func message(_ type: UInt16, _ body: [UInt32] = [], length: UInt32? = nil) -> [UInt8] {
        let header: [UInt32] = [length ?? UInt32(16 + 4 * body.count), UInt32(type), 0, 0]
        return (header + body).flatMap { (word: UInt32) -> [UInt8] in
            withUnsafeBytes(of: word.littleEndian, Array.init)
        }
    }

    private func tells(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes(NetworkChanges.tellsOfArrival) }

    @Test func `addresses, routes and working links that appear are told, and nothing that goes`() {
        let (newLink, delLink, newAddress, delAddress, newRoute): (UInt16, UInt16, UInt16, UInt16, UInt16) = (
            16, 17, 20, 21, 24
        )
        #expect(tells(message(newAddress)) && tells(message(newRoute)))
        #expect(tells(message(newLink, [0, 2, 0x40, 0])) && !tells(message(newLink, [0, 2, 0x3, 0])))
        #expect(!tells(message(delLink)) && !tells(message(delAddress)))
        #expect(tells(message(delAddress, [1, 2]) + message(newAddress)))
    }

    @Test func `what is no message is passed over`() {
        #expect(!tells([]))
        #expect(!tells([20, 0, 0, 0, 20]))
        for length in [0, 1, 15, 17, .max] as [UInt32] { #expect(!tells(message(20, length: length))) }
        #expect(!tells(message(16, [1, 2])))
    }
}
#endif
