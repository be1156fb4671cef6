import PawlCore
import Testing

@testable import PawlEngine

@Suite("Writing a body: several parts, limits and every kind of end")
struct WriterMachineEndTests {
    private static let capacity = Int64(MachineDesk.capacity)

    // MARK: - Several parts

    private static func begun(_ ranges: [Range<Int64>]) throws -> MachineDesk {
        let type = "multipart/byteranges; boundary=B"
        let parts = BodyPlacement.Parts(
            reader: try MultipartByteRanges(contentType: type, maximumParts: ranges.count),
            order: PartOrder(ranges.map { ByteRange($0) }, total: nil))
        let (start, end) = (ranges[0].lowerBound, ranges[ranges.count - 1].upperBound)
        var desk = MachineDesk()
        desk.begin(BodyPlacement(position: start, end: end, endsWithMessage: true, parts: parts))
        return desk
    }

    private static func header(_ range: Range<Int64>) -> [UInt8] {
        Array("\r\n--B\r\nContent-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/9000000\r\n\r\n".utf8)
    }

    private static let closing = Array("\r\n--B--\r\n".utf8)

    @Test(arguments: [1, 10, 1 << 20])
    func `each part is written to its place, and the bytes between parts are dropped`(size: Int) throws {
        let ranges: [Range<Int64>] = [100..<200, 1000..<1300]
        var desk = try Self.begun(ranges)
        let body = ranges.flatMap { Self.header($0) + MachineDesk.content($0) } + Self.closing
        for start in stride(from: 0, to: body.count, by: size) {
            desk.receive(Array(body[start..<min(start + size, body.count)]))
            desk.finishWrites()
        }
        desk.end()
        desk.finishWrites()
        #expect(desk.written == RangeSet(ranges.map { ByteRange($0) }))
        for range in ranges {
            #expect(Array(desk.file[Int(range.lowerBound)..<Int(range.upperBound)]) == MachineDesk.content(range))
        }
        #expect(desk.calls == [.proceed])
        #expect(desk.reports == [.init(stored: 1300, end: .complete)])
    }

    @Test func `a part counts as stored only once its closing boundary has arrived`() throws {
        let (first, second): (Range<Int64>, Range<Int64>) = (0..<100, 1000..<1000 + 2 * Self.capacity)
        var desk = try Self.begun([first, second])
        desk.receive(Self.header(first) + MachineDesk.content(first) + Self.header(second))
        desk.receive(1000..<1000 + Self.capacity)
        desk.finishWrites()
        #expect(desk.written.contains(ByteRange(0..<100)))
        #expect(desk.written.contains(ByteRange(1000..<1000 + Self.capacity)))
        #expect(desk.machine.stored == 100)
        desk.receive(1000 + Self.capacity..<1000 + 2 * Self.capacity)
        desk.finishWrites()
        #expect(desk.machine.stored == 100)
        desk.receive(Self.closing)
        #expect(desk.machine.stored == 1000 + 2 * Self.capacity)
    }

    @Test func `bytes that no boundary has confirmed are not written after the transport fails`() throws {
        let (first, second): (Range<Int64>, Range<Int64>) = (0..<100, 1000..<2000)
        var desk = try Self.begun([first, second])
        desk.receive(Self.header(first) + MachineDesk.content(first) + Self.header(second))
        desk.receive(1000..<1500)
        desk.end(TransportError(.truncated, "cut"))
        desk.finishWrites()
        #expect(desk.written == RangeSet(ByteRange(0..<100)))
        #expect(desk.reports == [.init(stored: 100, end: .failed(TransportError(.truncated, "cut")))])
    }

    @Test func `a part that was not requested ends the exchange`() throws {
        var desk = try Self.begun([0..<100])
        desk.receive(Self.header(5000..<5100) + MachineDesk.content(5000..<5100))
        #expect(desk.calls == [.proceed, .cancel])
        desk.end()
        guard case .failed(let error) = desk.lastReport?.end else { return #expect(Bool(false), "\(desk.reports)") }
        #expect(error.reason == .malformed)
        #expect(desk.written.isEmpty)
    }

    @Test func `at most a short epilogue is read after the last boundary`() throws {
        var desk = try Self.begun([0..<100])
        desk.receive(Self.header(0..<100) + MachineDesk.content(0..<100) + Self.closing)
        desk.receive([UInt8](repeating: 0, count: BodyPlacement.Parts.maximumEpilogueLength - 2))
        #expect(desk.calls == [.proceed])
        desk.receive([0, 0, 0])
        #expect(desk.calls == [.proceed, .cancel])
        desk.end()
        desk.finishWrites()
        #expect(desk.reports == [.init(stored: 100, end: .boundReached)])
    }

    // MARK: - The limit

    @Test func `bytes above the speed limit wait and hold the network`() {
        var desk = MachineDesk()
        desk.begin()
        desk.receive(0..<1000, paid: 300)
        #expect(desk.isHeld && desk.machine.isHeldByUs && desk.machine.received == 300)
        desk.resume(paid: 200)
        #expect(desk.isHeld && desk.machine.received == 500)
        desk.resume()
        #expect(!desk.isHeld && !desk.machine.isHeldByUs)
        desk.end()
        desk.finishWrites()
        #expect(desk.file == MachineDesk.content(0..<1000))
    }

    @Test func `a limit released before the rest of the bytes is set aside is asked again`() {
        var desk = MachineDesk()
        desk.begin()
        desk.receive(MachineDesk.content(0..<1000), paid: 300) { $0.resume() }
        #expect(!desk.isHeld && desk.machine.received == 1000)
    }

    @Test func `the network resumes once neither the disk nor the limit holds it`() {
        for diskIsFirst in [true, false] {
            var desk = MachineDesk()
            desk.begin()
            desk.receive(0..<Self.capacity)
            desk.receive(Self.capacity..<2 * Self.capacity + 1000, paid: Int(Self.capacity))
            if diskIsFirst { desk.finishWrite() } else { desk.resume() }
            #expect(desk.isHeld)
            if diskIsFirst { desk.resume() } else { desk.finishWrite() }
            #expect(!desk.isHeld)
            #expect(desk.calls == [.proceed, .proceed])
        }
    }

    @Test func `bytes that wait for the limit when the message ends are stored, up to the end of the range`() {
        var desk = MachineDesk()
        desk.begin(end: 900)
        desk.receive(0..<1000, paid: 300)
        desk.end()
        desk.finishWrites()
        #expect(desk.file == MachineDesk.content(0..<900))
        #expect(desk.reports == [.init(stored: 900, end: .boundReached)])
    }

    // MARK: - A full disk

    @Test(arguments: [true, false])
    func `a failed write ends the exchange, even after the transport has ended`(endsFirst: Bool) {
        var desk = MachineDesk()
        desk.begin()
        desk.receive(0..<Self.capacity)
        desk.receive(Self.capacity..<Self.capacity + 1000)
        if endsFirst { desk.end() }
        #expect(desk.reports.isEmpty)
        desk.failWrite()
        #expect(desk.memory.lent == 0)
        #expect(desk.calls == (endsFirst ? [.proceed] : [.proceed, .cancel]))
        desk.receive(Self.capacity + 1000..<2 * Self.capacity)
        desk.end()
        #expect(desk.reports == [.init(stored: 0, end: endsFirst ? .complete : .cancelled)])
    }

    // MARK: - Cancelling

    @Test func `a cancel before the range is known ends the exchange without storing a byte`() {
        var desk = MachineDesk()
        desk.cancel()
        #expect(desk.calls == [.cancel])
        desk.begin()
        #expect(desk.calls == [.cancel])
        desk.receive(0..<1000)
        desk.end(TransportError(.other, "cancelled"))
        #expect(desk.reports == [.init(stored: 0, end: .cancelled)])
    }

    @Test func `a cancel while bytes flow still writes the received bytes`() {
        var desk = MachineDesk()
        desk.begin()
        desk.receive(0..<Self.capacity + 1000)
        desk.cancel()
        desk.cancel()
        desk.receive(Self.capacity + 1000..<2 * Self.capacity)
        desk.end(TransportError(.other, "cancelled"))
        desk.finishWrites()
        #expect(desk.calls == [.proceed, .cancel])
        #expect(desk.reports == [.init(stored: Self.capacity + 1000, end: .cancelled)])
    }

    @Test func `a cancel while the limit is asked accepts no further bytes`() {
        var desk = MachineDesk()
        desk.begin()
        desk.receive(MachineDesk.content(0..<10), paid: 5) { $0.cancel() }
        desk.resume()
        #expect(!desk.isHeld && desk.machine.received == 0)
        desk.end()
        #expect(desk.reports == [.init(stored: 0, end: .cancelled)])
    }

    @Test func `a cancel after the end of the range was reached does not change the outcome`() {
        var desk = MachineDesk()
        desk.begin(end: 1000)
        desk.receive(0..<1000)
        desk.cancel()
        desk.end()
        desk.finishWrites()
        #expect(desk.reports == [.init(stored: 1000, end: .boundReached)])
    }

    @Test func `a cancel while the last bytes are being written lets them finish, and the end is reported once`() {
        var desk = MachineDesk()
        desk.begin()
        desk.receive(0..<1000)
        desk.end()
        desk.cancel()
        #expect(desk.reports.isEmpty)
        desk.finishWrites()
        desk.cancel()
        desk.setHorizon(5)
        desk.setEnd(5)
        desk.flush()
        #expect(desk.calls == [.proceed])
        #expect(desk.reports == [.init(stored: 1000, end: .complete)])
    }

    @Test func `a transport that fails at once ends the exchange`() {
        var desk = MachineDesk()
        desk.end(TransportError(.other, "refused"))
        #expect(desk.reports == [.init(stored: 0, end: .failed(TransportError(.other, "refused")))])
        desk.begin()
        #expect(desk.calls.isEmpty && desk.machine.isOver)
    }

    // MARK: - In any order

    @Test(arguments: 0..<400 as Range<UInt64>)
    func `random sequences of calls report one end, return every buffer, and write all claimed bytes`(seed: UInt64) {
        var story = Story(seed: seed)
        for _ in 0..<80 { story.step() }
        story.finish(isCancelled: seed % 3 == 0)
        #expect(story.desk.reports.count == 1)
        #expect(story.desk.memory.lent == 0)
        #expect(story.desk.hasReleasedMemory)
        let claimed = story.desk.lastReport.map { $0.stored } ?? 0
        if claimed > story.start { #expect(story.desk.written.contains(ByteRange(story.start..<claimed))) }
        for range in story.desk.written.ranges {
            let bytes = story.desk.file[Int(range.start)..<Int(range.end)]
            #expect(Array(bytes) == MachineDesk.content(range.start..<range.end))
        }
        if seed % 3 != 0, !story.hasFailed { #expect(claimed >= story.expectedEnd, "\(story.desk.reports)") }
    }
}

/// One exchange whose transport, limit, disk and driver act as a seed decides.
private struct Story {
    static let length: Int64 = 600_000

    let start: Int64 = 50_000
    var desk: MachineDesk
    private(set) var hasFailed = false
    private(set) var expectedEnd = length
    private var random: SplitMix64
    private var sent: Int64
    private var isClosing: Bool { desk.calls.contains(.cancel) }

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        // With few connections several large parts are kept for one write.
        desk = MachineDesk(connections: seed % 8 < 4 ? 48 : 6)
        let overlap: Int64 = seed % 2 == 0 ? 0 : 5000
        sent = start - overlap
        if seed % 5 == 0 { desk.setEnd(Self.length) }
        desk.begin(
            at: start, end: seed % 4 == 0 ? nil : Self.length, overlap: overlap, endsWithMessage: seed % 4 == 1,
            horizon: seed % 7 == 0 ? start : nil)
    }

    mutating func step() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<9: send(Int64.random(in: 1...120_000, using: &random), paid: Double.random(in: 0...3, using: &random))
        case 9..<12: desk.finishWrite()
        case 12..<15: desk.resume(paid: Int.random(in: 0...100_000, using: &random))
        case 15: desk.flush()
        case 16..<18: desk.setHorizon(sent)
        case 18: moveEnd()
        default: failSeldom()
        }
    }

    private mutating func send(_ count: Int64, paid: Double) {
        guard !desk.isHeld, !isClosing else { return }
        let end = min(Self.length, sent + count)
        guard sent < end else { return }
        let part = sent..<end
        sent = end
        desk.receive(part, paid: min(part.count, Int(paid * Double(part.count))))
    }

    private mutating func moveEnd() {
        guard !isClosing else { return }
        expectedEnd = Int64.random(in: 300_000...Self.length, using: &random)
        desk.setEnd(expectedEnd)
    }

    private mutating func failSeldom() {
        guard Int.random(in: 0..<8, using: &random) == 0, desk.writing != nil else { return }
        hasFailed = true
        desk.failWrite()
    }

    /// Releases the bytes from everything that may hold them back.
    mutating func finish(isCancelled: Bool) {
        if isCancelled { desk.cancel() } else { desk.setHorizon(.max) }
        while !isClosing, sent < Self.length {
            let before = (sent, desk.machine.received, desk.machine.stored)
            desk.finishWrites()
            desk.resume()
            send(100_000, paid: 1)
            guard before != (sent, desk.machine.received, desk.machine.stored) else { break }
        }
        if !isClosing { desk.resume() }
        #expect(desk.reports.isEmpty)
        desk.end(isClosing ? TransportError(.other, "cancelled") : nil)
        desk.finishWrites()
    }
}
