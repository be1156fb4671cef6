import PawlCore
import Testing

@Suite struct `Control files of aria2` {
    /// Version 1: 20 pieces of 1 MiB, of which the first nine are there and the eleventh.
    private func file(
        version: [UInt8] = [0, 1], extensions: [UInt8] = [0, 0, 0, 0], hash: [UInt8] = [0, 0, 0, 0],
        total: UInt64 = 20 << 20, field: [UInt8] = [0xFF, 0xA0, 0]
    ) -> [UInt8] {
        func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        }
        return version + extensions + hash + bytes(1 << 20, 4) + bytes(total, 8) + bytes(0, 8)
            + bytes(UInt64(field.count), 4) + field + bytes(0, 4)
    }

    @Test func `the beginning ends at the first piece that is missing`() {
        let read = Aria2ControlFile(parsing: file())
        #expect(read?.total == 20 << 20)
        #expect(read?.prefix == 9 << 20)
        #expect(Aria2ControlFile(parsing: file(field: [0x7F, 0xFF, 0xF0]))?.prefix == 0)
        let whole: Int64 = 20_971_515
        #expect(Aria2ControlFile(parsing: file(total: UInt64(whole), field: [0xFF, 0xFF, 0xF0]))?.prefix == whole)
        // Bits behind the last piece mean nothing.
        #expect(Aria2ControlFile(parsing: file(field: [0xFF, 0xFF, 0xFF]))?.prefix == 20 << 20)
    }

    @Test func `what is no control file of a download by HTTP is not read`() {
        let whole = file()
        for count in 0..<(whole.count - 4) { #expect(Aria2ControlFile(parsing: Array(whole.prefix(count))) == nil) }
        #expect(Aria2ControlFile(parsing: file(version: [0, 0])) == nil)
        #expect(Aria2ControlFile(parsing: file(extensions: [0, 0, 0, 1])) == nil)
        #expect(Aria2ControlFile(parsing: file(hash: [0, 0, 0, 20])) == nil)
        #expect(Aria2ControlFile(parsing: file(total: 0)) == nil)
        #expect(Aria2ControlFile(parsing: file(total: .max)) == nil)
        #expect(Aria2ControlFile(parsing: file(total: 1 << 50)) == nil)
        #expect(Aria2ControlFile(parsing: file(field: [0xFF, 0xFF])) == nil)
    }

    @Test(arguments: 0..<200) func `any bytes are read or not, and nothing is claimed past the end`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var bytes = file()
        for _ in 0..<Int(random.next() % 6) {
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        guard let read = Aria2ControlFile(parsing: bytes) else { return }
        #expect(read.total > 0 && (0...read.total).contains(read.prefix))
    }
}
