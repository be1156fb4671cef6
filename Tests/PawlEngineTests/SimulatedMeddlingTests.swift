import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// The parts of the simulated world that users and other programs change.
@Suite struct SimulatedMeddlingTests {
    private let disk = SimulatedDisk(seed: 1)

    init() { disk.makeDirectory("/d") }

    @Test func `a new file on the simulated disk reuses the last removed inode number, with another creation time`()
        throws
    {
        disk.features.reusesInodes = true
        let directory = try disk.openDirectory("/d")
        disk.install("/d/first", [1])
        let (number, birth) = (
            try directory.status("first")?.identity, try directory.open("first", writable: false).created()
        )
        disk.delete("/d/first")
        disk.install("/d/second", [2])
        #expect(try directory.status("second")?.identity == number)
        #expect(try directory.open("second", writable: false).created() != birth)
    }

    @Test func `an inode number on the simulated disk is reused only once no open file has it`() throws {
        disk.features.reusesInodes = true
        let directory = try disk.openDirectory("/d")
        let file = try directory.create("first")
        let number = try file.status().identity
        disk.delete("/d/first")
        #expect(try directory.create("second").status().identity != number)
        try file.close()
        #expect(try directory.create("third").status().identity == number)
    }

    @Test func `a copy on the simulated disk has the bytes and the holes, and the mark only if asked`() throws {
        let directory = try disk.openDirectory("/d")
        let file = try directory.create("a")
        _ = try file.allocate(40_000)
        try file.write([UInt8](repeating: 7, count: 1000), at: 20_000)
        _ = try file.setMark([9])
        try file.close()
        disk.copy("/d/a", to: "/d/b", keepsMark: false)
        disk.copy("/d/a", to: "/d/c", keepsMark: true)
        let (copy, marked) = (try directory.open("b", writable: false), try directory.open("c", writable: false))
        #expect(disk.contents(of: "/d/b") == disk.contents(of: "/d/a"))
        #expect(try copy.nextData(from: 0) == ByteRange(16_384..<24_576))
        #expect(try copy.nextData(from: 24_576) == nil)
        #expect(try copy.status().occupied == 8192)
        #expect(try copy.mark() == nil)
        #expect(try marked.mark() == [9])
        #expect(disk.items(in: "/d").map(\.ownership) == [.pawls, .users, .users])
    }

    @Test func `a move on the simulated disk keeps the file and its mark, and replaces the target`() throws {
        disk.features.reusesInodes = true
        let directory = try disk.openDirectory("/d")
        let file = try directory.create("a")
        _ = try file.setMark([9])
        let number = try file.status().identity
        try file.close()
        disk.install("/d/b", [1])
        disk.move("/d/a", to: "/d/b")
        disk.crash()
        #expect(disk.names(in: "/d") == ["b"])
        #expect(try disk.openDirectory("/d").status("b")?.identity == number)
        #expect(disk.items(in: "/d").map(\.ownership) == [.moved])
    }

    // MARK: Servers

    private final class Observer: ExchangeHandler {
        let said = Locked<[String]>([])
        func received(head: ResponseHead) {
            said.withLock {
                $0.append(
                    "\(head.status) \(head.fields.first("etag") ?? "-") \(head.fields.first("content-range") ?? "-")")
            }
        }
        func received(body: UnsafeRawBufferPointer, memory: (any ReceivedMemory)?) -> Bool { true }
        func ended(_ error: TransportError?) { said.withLock { $0.append(error.map { "\($0.reason)" } ?? "end") } }
    }

    private func ask(
        _ network: SimulatedNetwork, _ runtime: SimulatedRuntime, fresh: Bool = false, _ fields: [HTTPField] = []
    ) throws -> [String] {
        let observer = Observer()
        let url = try HTTPURL(parsing: "http://a.example/f")
        let exchange = network.start(
            TransportRequest(url: url, fields: fields, needsFreshConnection: fresh), handler: observer)
        // The head has arrived by then.
        runtime.after(.seconds(1)) { exchange.proceed() }
        _ = runtime.run(limit: .seconds(60)) { false }
        return observer.said.withLock { $0 }
    }

    private var origin: SimulatedOrigin {
        SimulatedOrigin(versions: [
            .init(
                bytes: [UInt8](repeating: 5, count: 100), entityTag: "\"1\"",
                lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
        ])
    }

    @Test func `the simulated server closes each kept connection at its second request`() throws {
        let runtime = SimulatedRuntime(seed: 1, now: .zero)
        var origin = origin
        origin.closesKept = 1
        let network = SimulatedNetwork(origin, runtime: runtime)
        #expect(try ask(network, runtime) == ["200 \"1\" -", "end"])
        #expect(try ask(network, runtime) == ["stale"])
        #expect(try ask(network, runtime) == ["200 \"1\" -", "end"])
        #expect(try ask(network, runtime, fresh: true) == ["200 \"1\" -", "end"])
        #expect(network.wholeAnswerCount == 3)
        #expect(network.fruitfulCount == 1)
    }

    @Test func `a simulated 416 shows the validators of its file version if the server is set to`() throws {
        let runtime = SimulatedRuntime(seed: 1, now: .zero)
        var origin = origin
        let range = [HTTPField("Range", "bytes=100-")]
        #expect(try ask(SimulatedNetwork(origin, runtime: runtime), runtime, range)[0] == "416 - bytes */100")
        origin.showsTagOf416 = true
        #expect(try ask(SimulatedNetwork(origin, runtime: runtime), runtime, range)[0] == "416 \"1\" bytes */100")
    }
}
