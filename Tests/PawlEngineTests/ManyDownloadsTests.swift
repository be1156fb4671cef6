import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

/// Resources that many downloads share.
@Suite struct ManyDownloadsTests {
    private struct Crowd {
        let runtime = SimulatedRuntime(seed: 7, now: .zero)
        let disk = SimulatedDisk(seed: 7)
        let storage: FaultyStorage
        let ports: Ports

        init(budget: Int, fileSize: Int) throws {
            disk.makeDirectory("/d")
            storage = FaultyStorage(disk)
            let origin = SimulatedOrigin(versions: [
                .init(
                    bytes: EngineBench.bytes(fileSize, 1), entityTag: "\"one\"",
                    lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
            ])
            var ports = Ports(
                transport: SimulatedNetwork(origin, runtime: runtime), storage: storage, runtime: runtime,
                digests: SimulatedDigests())
            ports.buffers = BufferMemory(budget: budget)
            self.ports = ports
        }

        /// Runs `count` downloads at once. Returns how many completed, and the peak memory of their buffers.
        func run(_ count: Int, named: Bool) throws -> (completed: Int, maximumAllocated: Int) {
            let completed = Locked(0)
            var drivers: [DownloadDriver] = []
            for number in 0..<count {
                var settings = DownloadSettings(url: try HTTPURL(parsing: "http://host/file-\(number).bin"))
                settings.maximumConnections = 4
                var plan = Plan(settings: settings, directory: "/d")
                if named { plan.fileName = "file-\(number).bin" }
                let driver = DownloadDriver(
                    plan, ports: ports,
                    listener: ClosureListener(ended: { ending in
                        if case .completed = ending.phase { completed.withLock { $0 += 1 } }
                    }))
                drivers.append(driver)
                driver.start()
            }
            var most = 0
            _ = runtime.run(limit: .seconds(3600)) {
                most = max(most, ports.buffers.allocated)
                return completed.withLock { $0 == count }
            }
            return (completed.withLock { $0 }, most)
        }
    }

    @Test func `The buffers of many downloads stay within one budget, and shrink instead of waiting`() throws {
        let roomy = try Crowd(budget: 64 << 20, fileSize: 2_000_000).run(20, named: true)
        #expect(roomy.completed == 20)
        #expect(roomy.maximumAllocated > 8 << 20)
        let tight = try Crowd(budget: 4 << 20, fileSize: 2_000_000).run(20, named: true)
        #expect(tight.completed == 20)
        // Beyond a budget, downloads may need two buffers of the smallest size for each of 20 × 4 connections.
        #expect(tight.maximumAllocated <= 2 * 20 * 4 * (128 << 10))
        #expect(tight.maximumAllocated < roomy.maximumAllocated)
    }

    @Test func `A directory is not listed again for each download that starts in it`() throws {
        let crowd = try Crowd(budget: 64 << 20, fileSize: 10_000)
        let ended = try crowd.run(200, named: false)
        #expect(ended.completed == 200)
        let listings = crowd.storage.calls.count { $0.operation == .names }
        #expect((1...5).contains(listings))
    }
}
