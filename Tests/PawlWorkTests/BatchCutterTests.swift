import PawlCore
import PawlEngine
import PawlJobs
import PawlStore
import PawlTestKit
import Synchronization
import Testing

@testable import PawlWork

@Suite struct BatchCutterTests {
    private static let batch = "0123456789abcdef0123456789abcdef"

    /// Cuts the lines, and returns those of each shard.
    private func cut(
        _ lines: [String], shards: Int, spread: Set<ExactText> = [], seed: UInt64 = 1
    ) throws -> (shards: [[String]], Forecast, duplicates: Int, plan: BatchPlan) {
        let runtime = SimulatedRuntime(seed: seed, now: .zero)
        let disk = SimulatedDisk(seed: seed)
        disk.features.hasUnnamedFiles = seed % 2 == 0
        disk.makeDirectory("/spool")
        let cutter = try BatchCutter(
            BatchPlan(batch: Self.batch, shards: shards), in: disk.openDirectory("/spool"), digests: SimulatedDigests(),
            spread: spread, random: runtime.random)
        for line in lines { try cutter.add(try CutLine(json: Array(line.utf8))) }
        let forecast = try cutter.settle()
        let store = SimulatedStore(runtime)
        try cutter.write(to: store, runtime)
        #expect(disk.names(in: "/spool").isEmpty)
        let found = try (0..<shards).map { shard in
            let reader = try ShardReader(StoreBody(try #require(store.objects[.shard(shard)])))
            var all: [String] = []
            while case let next = try reader.next(100), !next.isEmpty {
                all += next.map { String(decoding: $0, as: UTF8.self) }
            }
            return all
        }
        let plan = try BatchPlan(parsing: try #require(store.objects[.plan]))
        return (found, forecast, cutter.duplicates, plan)
    }

    private func line(_ host: Int, _ file: Int, _ rest: String = "") -> String {
        "{\"url\":\"http://h\(host).example/\(file)\"\(rest)}"
    }

    private func host(of line: String) -> String { String(line.split(separator: "/")[1]) }

    @Test(arguments: [1, 2, 7], [1, 2 as UInt64])
    func `each line is in one shard, and all lines of a host in the same`(_ shards: Int, _ seed: UInt64) throws {
        let lines = (0..<3000).map { line($0 * $0 % 57, $0) }
        let (found, forecast, duplicates, plan) = try cut(lines, shards: shards, seed: seed)
        #expect(found.flatMap(\.self).sorted() == lines.sorted())
        for host in Set(lines.map(host)) {
            #expect(found.count { $0.contains { self.host(of: $0) == host } } == 1)
        }
        #expect((forecast.files, forecast.hosts, duplicates) == (3000, Set(lines.map(host)).count, 0))
        #expect((plan.items, plan.shards) == (3000, shards))
        // Nearly equal, as no host has many.
        #expect(found.allSatisfy { abs($0.count - 3000 / shards) <= 160 })
    }

    @Test
    func `lines that ask for the same are one, whatever the caller says of them`() throws {
        let lines = [
            line(1, 1), line(1, 1, ",\"id\":\"a\""), line(1, 1, ",\"meta\":{\"b\":1}"),
            line(1, 1, ",\"options\":{\"size\":5}"), line(1, 1, ",\"headers\":[[\"X\",\"1\"]]"),
            line(1, 1, ",\"options\":{\"size\":5}"), line(1, 2),
        ]
        let (found, forecast, duplicates, _) = try cut(lines, shards: 1)
        #expect((forecast.files, duplicates) == (4, 3))
        // The first stays.
        #expect(found[0].contains(lines[0]) && !found[0].contains(lines[1]))
    }

    @Test
    func `the lines of each host are spread evenly over their shard`() throws {
        let lines = (0..<900).map { line(0, $0) } + (0..<100).map { line(1, $0) }
        let (found, _, _, _) = try cut(lines, shards: 1)
        for slice in 0..<10 {
            let count = found[0][slice * 100..<(slice + 1) * 100].count { host(of: $0) == "h1.example" }
            #expect((9...11).contains(count))
        }
    }

    @Test
    func `a host that is spread is in all shards, and still each line once`() throws {
        let lines = (0..<1000).map { line(0, $0) } + (0..<10).map { line(1, $0) } + [line(0, 3)]
        let (found, _, duplicates, _) = try cut(lines, shards: 5, spread: [ExactText("h0.example")])
        #expect(duplicates == 1)
        #expect(found.flatMap(\.self).sorted() == lines.dropLast().sorted())
        #expect(found.allSatisfy { (100...300).contains($0.count) })
    }

    @Test
    func `what is there already is not replaced`() throws {
        let runtime = SimulatedRuntime(seed: 1, now: .zero)
        let disk = SimulatedDisk(seed: 1)
        disk.makeDirectory("/spool")
        let store = SimulatedStore(runtime)
        let before = StoreBody([1])
        store.create(.shard(1), before) { _ in }
        _ = runtime.run(limit: .seconds(60)) { false }
        let cutter = try BatchCutter(
            BatchPlan(batch: Self.batch, shards: 2), in: disk.openDirectory("/spool"), digests: SimulatedDigests(),
            random: runtime.random)
        try cutter.add(try CutLine(json: Array(line(1, 1).utf8)))
        _ = try cutter.settle()
        let error = #expect(throws: WorkError.self) { try cutter.write(to: store, runtime) }
        #expect(error?.kind == .store && store.objects[.plan] == nil && store.objects[.shard(1)] == [1])
    }

    @Test(arguments: [
        "[\"Range\",\"bytes=0-9\"]", "[\"Acc ept\",\"x\"]", "[\"Accept\",\"a\\nb\"]",
    ])
    func `a line whose header fields cannot be sent is refused while it is cut`(_ field: String) {
        let line = "{\"url\":\"http://a.example/\",\"headers\":[\(field)]}"
        #expect(throws: JobSpecError.self) { try CutLine(json: Array(line.utf8)) }
    }

    @Test
    func `many records are sorted with little memory, in the order in which they came`() throws {
        let disk = SimulatedDisk(seed: 2)
        disk.makeDirectory("/spool")
        let partitions = try Partitions(5, in: disk.openDirectory("/spool"), random: 1)
        for number in 0..<200_000 {
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number % 50)
            try partitions.append(UInt64(number), UInt64(number) << 32, bytes, to: number % 5)
        }
        for partition in 0..<5 {
            var next = partition
            try partitions.forEach(in: partition) { record in
                #expect(record.first == UInt64(next) && record.second == UInt64(next) << 32)
                #expect(record.bytes.count == next % 50)
                next += 5
            }
            #expect(next == 200_000 + partition && partitions.counts[partition] == 40_000)
        }
    }

    @Test
    func `the forecast is that of one request after another to each host`() {
        let forecast = Forecast([10, 10, 80], interval: .seconds(2), largest: nil)
        // 90 of 100 files: all of the small ones, and 70 of the large one.
        #expect((forecast.files, forecast.hosts) == (100, 3))
        #expect((forecast.most, forecast.all) == (.seconds(140), .seconds(160)))
        #expect(Forecast([], interval: .seconds(1), largest: nil).all == .zero)
    }
}

extension BatchCutter {
    /// Writes into a simulated store.
    fileprivate func write(to store: SimulatedStore, _ runtime: SimulatedRuntime) throws {
        for object in try objects() {
            let (key, body) = try object.get()
            let end = Locked<Result<StoreCreation, StoreError>?>(nil)
            store.create(key, body) { result in end.withLock { $0 = result } }
            _ = runtime.run(limit: .seconds(60)) { end.withLock { $0 } != nil }
            guard try #require(end.withLock { $0 }).get() == .created else {
                throw WorkError(.store, "\(key) is there")
            }
        }
    }
}
