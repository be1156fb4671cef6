import PawlCore
import PawlTestKit
import Synchronization
import Testing

@testable import PawlEngine

/// Every buffer that a writer takes is returned, however its exchange ends.
@Suite struct BufferTests {
    private final class Bench: Sendable {
        /// The capacity for eight connections.
        static let capacity = 384 << 10

        let runtime = SimulatedRuntime(seed: 1, now: .zero)
        let disk = SimulatedDisk(seed: 1)
        let memory = BufferMemory(budget: 24 << 20)
        let ended = Locked(0)

        init() { disk.makeDirectory("/d") }

        private struct SilentExchange: Exchange {
            func proceed() {}
            func cancel() {}
        }

        /// A writer of a file of unknown length, which has received `count` bytes in parts of 64 KiB.
        func writer(taking count: Int, horizon: Int64? = nil) throws -> SegmentWriter {
            disk.delete("/d/f")
            let directory = try disk.openDirectory("/d")
            let writer = SegmentWriter(
                id: ExchangeID(1), of: TransportRequest(url: try HTTPURL(parsing: "http://a/"), fields: []),
                runtime: runtime, executor: runtime.makeControlExecutor(),
                pool: BufferPool(memory, connections: 8),
                limiter: SpeedLimiter(runtime: runtime)
            ) { [self] event in
                if case .ended = event { ended.withLock { $0 += 1 } }
            }
            writer.attach(SilentExchange())
            writer.begin(
                BodyPlacement(position: 0, end: nil, endsWithMessage: false), horizon: horizon,
                to: SegmentWriter.Destination(
                    file: try directory.create("f"), floor: SpaceFloor(directory, name: "f"),
                    hasher: BlockHasher(blockSize: BlockHasher.smallestBlock, total: nil, position: 0)))
            for _ in 0..<count / (64 << 10) {
                _ = [UInt8](repeating: 1, count: 64 << 10).withUnsafeBytes { writer.received(body: $0, memory: nil) }
            }
            return writer
        }

        func settle() { _ = runtime.run(limit: .seconds(60)) { false } }
    }

    @Test func `bytes are kept where they were received only within the budget, and if they fill half of that memory`()
        throws
    {
        let memory = BufferMemory(budget: 512 << 10)
        let pool = BufferPool(memory, connections: 1)
        let received = ScribbledMemory([UInt8](repeating: 1, count: 256 << 10))
        let few = UnsafeRawBufferPointer(rebasing: received.bytes[..<(128 << 10 - 1)])
        #expect(!pool.reserve(received, for: few))
        #expect(memory.allocated == 0)
        let buffer = pool.makeKeeping()
        for _ in 0..<2 {
            #expect(pool.reserve(received, for: received.bytes))
            buffer.keep(received.bytes, in: received)
        }
        #expect(!pool.reserve(received, for: received.bytes))
        #expect(memory.lent == 512 << 10)
        pool.put(buffer)
        #expect(memory.allocated == 0)
        // Unused buffers give way.
        for buffer in [pool.take(for: 256 << 10), pool.take(for: 256 << 10)] { pool.put(buffer) }
        #expect(memory.allocated == 512 << 10)
        #expect(pool.reserve(received, for: received.bytes))
        #expect(memory.allocated == 512 << 10)
        #expect(memory.lent == 256 << 10)
    }

    @Test func `parts that are left where they were received are written one behind the other`() throws {
        let bench = Bench()
        let writer = try bench.writer(taking: 0)
        let content = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 / 1000) }
        for start in stride(from: 0, to: content.count, by: 64 << 10) {
            let received = ScribbledMemory(content[start..<start + 64 << 10])
            _ = writer.received(body: received.bytes, memory: received)
            bench.settle()
        }
        writer.ended(nil)
        bench.settle()
        #expect(bench.ended.withLock { $0 } == 1)
        #expect(bench.disk.contents(of: "/d/f") == content)
        #expect(bench.memory.lent == 0)
    }

    /// A small part, such as the end of a buffer that was full, must not have everything behind it copied.
    @Test
    func `large parts behind a small one are copied to a write of 128 KiB, and left where they are from there on`()
        throws
    {
        let bench = Bench()
        let writer = try bench.writer(taking: 0)
        let content = (0..<(100 + 4 << 16)).map { UInt8(truncatingIfNeeded: $0 / 1000) }
        func isKept(_ range: Range<Int>) -> Bool {
            weak var kept: ScribbledMemory?
            do {
                let received = ScribbledMemory(content[range])
                _ = writer.received(body: received.bytes, memory: received)
                kept = received
            }
            return kept != nil
        }
        let starts = [0, 100] + (1...3).map { 100 + $0 << 16 }
        let areKept = zip(starts, starts.dropFirst() + [content.count]).map { isKept($0..<$1) }
        #expect(areKept == [false, false, false, true, true])
        writer.ended(nil)
        bench.settle()
        #expect(bench.disk.contents(of: "/d/f") == content)
        #expect(bench.memory.lent == 0)
    }

    /// How many KiB have arrived when the write of the first buffer fails: at that point one or two buffers are in use.
    @Test(arguments: [384, 448, 768], [true, false])
    func `D27 150 failed writes leave the buffer budget as it was`(_ kibibytes: Int, _ endsFirst: Bool) throws {
        let bench = Bench()
        for round in 1...150 {
            bench.disk.faults = .failing(.write, with: .noSpace)
            let writer = try bench.writer(taking: kibibytes << 10)
            if endsFirst { writer.ended(nil) }
            bench.settle()
            if !endsFirst { writer.ended(nil) }
            bench.settle()
            try #require(bench.ended.withLock { $0 } == round)
        }
        #expect(bench.memory.allocated <= 2 * Bench.capacity)
        #expect(bench.memory.take(Bench.capacity).capacity == Bench.capacity)
    }

    @Test func `D27 a cancelled writer whose reader has no room returns its buffers`() throws {
        let bench = Bench()
        for round in 1...150 {
            let writer = try bench.writer(taking: 448 << 10, horizon: 0)
            writer.cancel()
            writer.ended(nil)
            bench.settle()
            try #require(bench.ended.withLock { $0 } == round)
        }
        #expect(bench.memory.allocated <= 2 * Bench.capacity)
    }

    @Test func `D27 a successful write returns its buffer`() throws {
        let bench = Bench()
        for round in 1...150 {
            let writer = try bench.writer(taking: 768 << 10)
            bench.settle()
            writer.ended(nil)
            bench.settle()
            try #require(bench.ended.withLock { $0 } == round)
            #expect(bench.disk.contents(of: "/d/f")?.count == 768 << 10)
        }
        #expect(bench.memory.allocated <= 2 * Bench.capacity)
    }
}
