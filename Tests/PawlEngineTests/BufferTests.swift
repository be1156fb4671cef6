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
                id: ExchangeID(1), runtime: runtime, executor: runtime.makeControlExecutor(), pool: BufferPool(memory, connections: 8),
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
            for _ in 0..<count / (64 << 10) { _ = [UInt8](repeating: 1, count: 64 << 10).withUnsafeBytes(writer.received(body:)) }
            return writer
        }

        func settle() { _ = runtime.run(limit: .seconds(60)) { false } }
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
