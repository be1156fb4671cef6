import PawlCore
import Testing

@testable import PawlEngine

@Suite("Writing a body")
struct WriterMachineTests {
    private static let capacity = Int64(MachineDesk.capacity)

    // MARK: - The path of the bytes

    @Test(arguments: [1, 4096, 100_000, 1 << 17, 300_000])
    func `bytes are written in order, whatever the size of the received chunks`(size: Int64) {
        var desk = MachineDesk()
        let end = size == 1 ? 1000 : 3 * Self.capacity + 5
        desk.begin()
        #expect(desk.calls == [.proceed])
        for start in stride(from: 0, to: end, by: Int(size)) {
            desk.receive(start..<min(start + size, end))
            desk.finishWrites()
        }
        desk.end()
        desk.finishWrites()
        #expect(desk.file == MachineDesk.content(0..<end))
        #expect(desk.reports == [.init(stored: end, end: .complete)])
        #expect(desk.machine.received == end)
    }

    @Test func `a large part is written from where it was received, and a small one from a copy`() throws {
        var desk = MachineDesk()
        desk.begin()
        let large = Int64(BufferMemory.leastKept)
        desk.receive(0..<large)
        #expect(desk.memory.lent == Int(large))
        #expect(!desk.hasReleasedMemory)
        // What comes behind it does not fit.
        desk.receive(large..<2 * large + 1)
        #expect(try #require(desk.writing).isKeeping)
        #expect(try #require(desk.writing).count == Int(large))
        desk.finishWrite()
        desk.receive(2 * large + 1..<2 * large + 101)
        #expect(try #require(desk.writing).count == Int(large) + 1)
        desk.finishWrite()
        #expect(desk.hasReleasedMemory)
        desk.end()
        #expect(try #require(desk.writing).isKeeping == false)
        desk.finishWrites()
        #expect(desk.file == MachineDesk.content(0..<2 * large + 101))
        #expect(desk.reports == [.init(stored: 2 * large + 101, end: .complete)])
    }

    @Test func `a large part behind a small one is copied, so that no small write is made`() throws {
        var desk = MachineDesk()
        desk.begin()
        desk.receive(0..<100)
        desk.receive(100..<100 + Int64(BufferMemory.leastKept))
        #expect(desk.hasReleasedMemory)
        #expect(desk.writing == nil)
        desk.end()
        #expect(try #require(desk.writing).count == 100 + BufferMemory.leastKept)
        desk.finishWrites()
        #expect(desk.file == MachineDesk.content(0..<100 + Int64(BufferMemory.leastKept)))
    }

    @Test func `no byte is accepted before its position is known`() {
        var desk = MachineDesk()
        desk.receive(0..<1000)
        #expect(desk.machine.received == 0)
        #expect(desk.memory.lent == 0)
        #expect(desk.machine.isHeldByUs)
        desk.begin()
        #expect(!desk.machine.isHeldByUs)
    }

    @Test func `when both buffers are full, the network is held until a write returns`() {
        var desk = MachineDesk()
        desk.begin()
        desk.receive(0..<Self.capacity)
        #expect(!desk.isHeld)
        desk.receive(Self.capacity..<2 * Self.capacity)
        #expect(desk.isHeld && desk.machine.isHeldByUs)
        desk.finishWrite()
        #expect(!desk.isHeld && !desk.machine.isHeldByUs)
        #expect(desk.calls == [.proceed, .proceed])
        #expect(desk.memory.lent == MachineDesk.capacity)
    }

    @Test func `a flush writes the collected bytes, with one write at a time`() {
        var desk = MachineDesk()
        desk.begin(at: 500)
        desk.receive(500..<700)
        desk.flush()
        desk.receive(700..<900)
        desk.flush()
        desk.finishWrite()
        #expect(desk.machine.stored == 700)
        #expect(desk.writing == nil)
        desk.flush()
        desk.finishWrite()
        #expect(desk.machine.stored == 900)
    }

    // MARK: - Overlap

    @Test(arguments: [1, 7, 100, 1000])
    func `the overlap is compared and dropped, in chunks of any size`(size: Int64) {
        var desk = MachineDesk()
        desk.begin(at: 5000, overlap: 100)
        for start in stride(from: Int64(4900), to: 6000, by: Int(size)) {
            desk.receive(start..<min(start + size, 6000))
        }
        desk.end()
        desk.finishWrites()
        #expect(desk.written == RangeSet(ByteRange(5000..<6000)))
        #expect(Array(desk.file[5000...]) == MachineDesk.content(5000..<6000))
        #expect(desk.machine.received == 1100)
    }

    @Test(arguments: [0, 50, 99])
    func `an overlap that differs in one byte ends the exchange before a byte is stored`(index: Int) {
        var desk = MachineDesk()
        desk.begin(at: 5000, overlap: 100)
        var bytes = MachineDesk.content(4900..<6000)
        bytes[index] ^= 1
        desk.receive(bytes)
        desk.receive(6000..<7000)
        #expect(desk.calls == [.proceed, .cancel])
        desk.end(TransportError(.truncated, "cancelled"))
        #expect(desk.reports == [.init(stored: 5000, end: .overlapDiffers)])
        #expect(desk.written.isEmpty)
    }

    // MARK: - The end of the range

    @Test func `bytes beyond the range's end are dropped, and the exchange is cancelled`() {
        var desk = MachineDesk()
        desk.begin(end: 1000)
        desk.receive(0..<1500)
        #expect(desk.calls == [.proceed, .cancel])
        desk.receive(1500..<2000)
        desk.end(TransportError(.truncated, "cancelled"))
        desk.finishWrites()
        #expect(desk.reports == [.init(stored: 1000, end: .boundReached)])
        #expect(desk.file == MachineDesk.content(0..<1000))
    }

    @Test func `a message that ends with the range does not cancel the exchange`() {
        var desk = MachineDesk()
        desk.begin(end: 1000, endsWithMessage: true)
        desk.receive(0..<1000)
        desk.end()
        desk.finishWrites()
        #expect(desk.calls == [.proceed])
        #expect(desk.reports == [.init(stored: 1000, end: .complete)])
    }

    @Test func `a message that was to end with the range but continues is cancelled`() {
        var desk = MachineDesk()
        desk.begin(end: 1000, endsWithMessage: true)
        desk.receive(0..<1000)
        desk.receive(1000..<1001)
        #expect(desk.calls == [.proceed, .cancel])
    }

    @Test func `an end moved closer drops later bytes, and cancels the exchange once it is passed`() {
        var desk = MachineDesk()
        desk.begin(end: 10_000, endsWithMessage: true)
        desk.receive(0..<1000)
        desk.setEnd(1500)
        desk.receive(1000..<2000)
        #expect(desk.calls == [.proceed, .cancel])
        desk.end(nil)
        desk.finishWrites()
        #expect(desk.reports == [.init(stored: 1500, end: .boundReached)])

        desk = MachineDesk()
        desk.begin(end: 10_000)
        desk.receive(0..<1000)
        desk.setEnd(400)
        #expect(desk.calls == [.proceed, .cancel])
        desk.end()
        desk.finishWrites()
        #expect(desk.reports == [.init(stored: 1000, end: .boundReached)])
    }

    @Test func `an end set before the range begins applies if it is closer`() {
        let cases: [(Int64, Int64?, Int64)] = [(600, 1000, 600), (2000, 1000, 1000), (600, nil, 600)]
        for (early, end, expected) in cases {
            var desk = MachineDesk()
            desk.setEnd(early)
            desk.begin(end: end)
            desk.receive(0..<3000)
            desk.end()
            desk.finishWrites()
            #expect(desk.reports == [.init(stored: expected, end: .boundReached)])
        }
    }

    @Test func `a range without a byte left when it begins is cancelled at once`() {
        var desk = MachineDesk()
        desk.setEnd(500)
        desk.begin(at: 500, end: 1000)
        #expect(desk.calls == [.cancel])
        desk.end()
        #expect(desk.reports == [.init(stored: 500, end: .boundReached)])
    }

    @Test func `an end moved farther admits more bytes, unless the former end was reached`() {
        var desk = MachineDesk()
        desk.begin(end: 1000)
        desk.receive(0..<900)
        desk.setEnd(1200)
        desk.receive(900..<1300)
        desk.setEnd(1300)
        desk.receive(1300..<1400)
        desk.end()
        desk.finishWrites()
        #expect(desk.file == MachineDesk.content(0..<1200))
        #expect(desk.reports == [.init(stored: 1200, end: .boundReached)])
    }

    // MARK: - The reader of a stream

    @Test func `a stream writes nothing that the reader has no room for`() {
        var desk = MachineDesk()
        desk.begin(horizon: Self.capacity)
        desk.receive(0..<Self.capacity)
        desk.receive(Self.capacity..<2 * Self.capacity)
        desk.finishWrites()
        #expect(desk.machine.stored == Self.capacity)
        #expect(desk.isHeld)
        desk.flush()
        #expect(desk.writing == nil)
        desk.setHorizon(2 * Self.capacity - 1)
        #expect(desk.isHeld && desk.writing == nil)
        desk.setHorizon(2 * Self.capacity)
        #expect(!desk.isHeld)
        desk.finishWrites()
        #expect(desk.machine.stored == 2 * Self.capacity)
    }

    @Test func `bytes that the reader has no room for wait after the end of the message`() {
        var desk = MachineDesk()
        desk.begin(horizon: 10)
        desk.receive(0..<1000)
        desk.end()
        #expect(desk.reports.isEmpty && desk.writing == nil && desk.machine.isHeldByUs)
        desk.setHorizon(1000)
        desk.finishWrites()
        #expect(desk.reports == [.init(stored: 1000, end: .complete)])
    }

    @Test(arguments: [true, false])
    func `bytes that the reader has no room for are dropped by a cancel`(endsFirst: Bool) {
        var desk = MachineDesk()
        desk.begin(horizon: 10)
        desk.receive(0..<1000)
        if endsFirst { desk.end() } else { desk.cancel() }
        if endsFirst { desk.cancel() } else { desk.end() }
        #expect(desk.reports == [.init(stored: 0, end: endsFirst ? .complete : .cancelled)])
        #expect(desk.written.isEmpty)
    }

    @Test func `a horizon moved before the range begins applies`() {
        var desk = MachineDesk()
        desk.setHorizon(1000)
        #expect(desk.calls.isEmpty)
        desk.begin(horizon: 10)
        desk.receive(0..<1000)
        desk.end()
        desk.finishWrites()
        #expect(desk.reports == [.init(stored: 1000, end: .complete)])
    }
}
