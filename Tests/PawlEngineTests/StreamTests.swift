import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@Suite("Streams, simulated")
struct StreamTests {
    /// A reader that takes some bytes and then pauses.
    private final class Reader: Sendable {
        struct State {
            var bytes: [UInt8] = []
            var maximumHeld: Int64 = 0
            var taken = 0
        }

        let window = StreamWindow()
        let state = Locked(State())
        let pause: Duration

        init(pause: Duration) { self.pause = pause }

        func read(_ driver: DownloadDriver, _ runtime: SimulatedRuntime) {
            state.withLock { $0.maximumHeld = max($0.maximumHeld, window.count) }
            while true {
                switch window.next(ready: { runtime.after(.zero) { self.read(driver, runtime) } }) {
                case .bytes(let bytes):
                    let isEnough = state.withLock { state in
                        state.bytes += bytes
                        state.taken += bytes.count
                        defer { if state.taken > 500_000 { state.taken = 0 } }
                        return state.taken > 500_000
                    }
                    driver.consumed(window.position)
                    guard isEnough else { continue }
                    return runtime.after(pause) { self.read(driver, runtime) }
                case .wait, .ended: return
                }
            }
        }
    }

    private static let window: Int64 = 1 << 20

    private static func stream(
        _ bench: inout EngineBench, pause: Duration = .milliseconds(1), limit: Duration = .seconds(3600)
    ) -> (EngineBench.Run, Reader) {
        let reader = Reader(pause: pause)
        bench.storage = TransientStorage { reader.window }
        bench.settings.window = window
        bench.settings.onChange = .fail
        bench.settings.overlap = 0
        let run = bench.run(limit: limit, during: { driver, runtime in reader.read(driver, runtime) })
        reader.window.end()
        // Read what is left in the window at the end.
        while case .bytes(let bytes) = reader.window.next(ready: {}) { reader.state.withLock { $0.bytes += bytes } }
        return (run, reader)
    }

    @Test(arguments: [1, 8], [0, 1, 100_000, 2_500_000])
    func `a stream's bytes arrive in order, with any number of connections and any reader`(
        connections: Int, size: Int
    ) throws {
        var bench = try EngineBench(size: size)
        bench.settings.maximumConnections = connections
        bench.settings.smallestPiece = 65_536
        bench.origin.bytesPerSecond = 500_000
        let (run, reader) = Self.stream(&bench)
        #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending?.phase))")
        #expect(reader.state.withLock { $0.bytes == bench.bytes })
        #expect(bench.names.isEmpty)
        if size > 1_000_000 { #expect((run.maximumOpen > 1) == (connections > 1)) }
    }

    @Test func `a slow reader holds the network back: unread bytes never exceed the window`() throws {
        var bench = try EngineBench(size: 2_500_000)
        bench.settings.maximumConnections = 4
        bench.settings.smallestPiece = 65_536
        bench.origin.bytesPerSecond = 4_000_000
        let (run, reader) = Self.stream(&bench, pause: .seconds(40))
        #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending?.phase))")
        #expect(reader.state.withLock { $0.bytes == bench.bytes })
        #expect(reader.state.withLock { $0.maximumHeld } <= Self.window)
        #expect(run.took > .seconds(40), "no pause shorter than any wait for a server")
        // Connections that wait for the reader are neither dropped nor requested again and again.
        #expect(run.requests.count < 50, "\(run.requests.count)")
        #expect(run.bodyBytes < 5_000_000, "\(run.bodyBytes)")
    }

    @Test func `a stream that is no longer read can be cancelled while its window is full`() throws {
        var bench = try EngineBench(size: 1_400_000)
        let window = StreamWindow()
        bench.storage = TransientStorage { window }
        bench.settings.window = Self.window
        bench.settings.maximumConnections = 4
        bench.settings.smallestPiece = 65_536
        bench.origin.bytesPerSecond = 4_000_000
        let run = bench.run(
            limit: .seconds(60), during: { driver, runtime in runtime.after(.seconds(5)) { driver.cancel() } })
        #expect(run.ending?.phase == .cancelled, "\(String(describing: run.ending?.phase))")
        #expect(run.took < .seconds(6), "\(run.took)")
        #expect(window.count <= Self.window)
        #expect(run.bodyBytes < 2_000_000, "\(run.bodyBytes)")
    }

    @Test(arguments: 0..<12)
    func `a stream resumes after broken connections, and no byte comes twice`(seed: Int) throws {
        var bench = try EngineBench(size: 1_500_000, seed: UInt64(seed) + 1)
        bench.settings.maximumConnections = 1 + seed % 5
        bench.settings.smallestPiece = 65_536
        bench.origin.diesMidBody = 0.4
        bench.origin.answersShort = seed % 3 == 0 ? 0.3 : 0
        bench.origin.ranges = seed % 4 == 0 ? .sometimes : .honoured
        let (run, reader) = Self.stream(&bench)
        let bytes = reader.state.withLock { $0.bytes }
        #expect(bytes == bench.bytes, "\(bytes.count) bytes")
        #expect(run.outcome?.isComplete == true, "\(String(describing: run.ending?.phase))")
    }

    @Test func `a file that changes in the middle of a stream is an error, and none of its bytes are delivered`() throws
    {
        var bench = try EngineBench(size: 1_500_000)
        bench.origin.bytesPerSecond = 200_000
        bench.origin.versions.append(
            .init(
                bytes: EngineBench.bytes(1_500_000, 9), entityTag: "\"two\"",
                lastModified: "Sun, 01 Jan 2023 00:00:00 GMT"))
        bench.origin.replacedAt = .zero + .seconds(2)
        bench.origin.diesMidBody = 1
        let (run, reader) = Self.stream(&bench)
        #expect(run.errorCode == .changed)
        let bytes = reader.state.withLock { $0.bytes }
        #expect(bytes.count > 0)
        #expect(bytes.elementsEqual(bench.bytes.prefix(bytes.count)))
    }

    @Test func `without a validator a broken stream cannot resume`() throws {
        var bench = try EngineBench(size: 1_500_000)
        bench.origin.validator = .none
        bench.origin.diesMidBody = 1
        let (run, reader) = Self.stream(&bench)
        #expect(run.errorCode == .network)
        let bytes = reader.state.withLock { $0.bytes }
        #expect(bytes.elementsEqual(bench.bytes.prefix(bytes.count)))
    }

    @Test func `parts of a file are streamed one after the other`() throws {
        var bench = try EngineBench(size: 100_000)
        bench.settings.ranges = try RangeSelection(parsing: "1000-1999,50000-59999,-10")
        let (run, reader) = Self.stream(&bench)
        #expect(run.outcome?.isComplete == true)
        let expected =
            Array(bench.bytes[1000..<2000]) + Array(bench.bytes[50_000..<60_000]) + Array(bench.bytes[99_990...])
        #expect(reader.state.withLock { $0.bytes } == expected)
    }
}
