import Foundation
import Pawl
import PawlTestKit
import Testing

/// Limits that change while bytes flow, measured on the wire (``WireMeter``). `EndToEndTests` covers steady limits.
@Suite("Speed limits that change while running", .timeLimit(.minutes(10)))
struct SpeedLimitTests {
    /// Bytes per second: a small fraction of what a machine achieves even while it runs other tests.
    private static let limit = 512 << 10
    private static let content = FileBehaviour.pattern(count: 24 * limit)

    /// No second exceeds 1.25 times a limit. How close the rate comes to the limit depends on the load of the machine;
    /// the lower bound only distinguishes it from the former rate.
    private static func expectTotal(_ rates: [(least: Double, most: Double)]) {
        let (least, most) = (
            rates.map(\.least).reduce(0, +) / Double(limit), rates.map(\.most).reduce(0, +) / Double(limit)
        )
        #expect(least < 1.25 && most > 0.7, "× \(least) to × \(most) of the limit")
    }

    /// Two servers, each with its own meter, so that the rates of two downloads can be distinguished.
    private final class World: Sendable {
        let servers: [ScriptedServer]
        let meters: [WireMeter]
        let directory: TemporaryDirectory

        init() throws {
            servers = try (0..<2).map { _ in try ScriptedServer(file: FileBehaviour(content: SpeedLimitTests.content)) }
            meters = try servers.map { try WireMeter($0) }
            directory = try TemporaryDirectory("limits")
        }

        func request(_ index: Int) -> DownloadRequest {
            var request = DownloadRequest(servers[index].url(), to: directory.file("\(index).bin"))
            // More connections must give no larger share.
            request.maximumConnections = index == 0 ? 1 : 4
            return request
        }

        func counts() -> [Int] { meters.map { $0.record.samples.last?.count ?? 0 } }

        /// Waits for `bytes` more bytes. Returns the rate of each download, at least and at most where the meter itself
        /// was delayed.
        func measure(bytes: Int) async throws -> [(least: Double, most: Double)] {
            let (start, clock) = (counts(), ContinuousClock())
            let began = clock.now
            while zip(counts(), start).map({ $0 - $1 }).reduce(0, +) < bytes {
                try #require(clock.now - began < .seconds(30), "\(counts()) after \(start)")
                try await Task.sleep(for: .milliseconds(5))
            }
            return zip(meters, start).map { meter, start in
                let record = meter.record
                let first = record.samples.first { $0.count >= start }?.before ?? .zero
                return record.bytesPerSecond(from: first, to: record.samples.last?.after ?? .zero)
            }
        }

        /// Measures up to five stretches of `bytes` bytes, and returns the first that satisfies `isRight`, or else the
        /// last. A busy machine can spoil a stretch, so that a download did not use its share; wrong shares show in all
        /// five.
        func measure(
            bytes: Int, until isRight: ([(least: Double, most: Double)]) -> Bool
        ) async throws -> [(least: Double, most: Double)] {
            for _ in 0..<4 {
                let rates = try await measure(bytes: bytes)
                if isRight(rates) { return rates }
            }
            return try await measure(bytes: bytes)
        }

        func end() {
            for meter in meters { _ = meter.stop() }
            for server in servers { server.stop() }
        }
    }

    @Test
    func `two downloads of a manager share its speed limit equally, and follow changes of it and of their own limits`()
        async throws
    {
        let world = try World()
        defer { world.end() }
        var configuration = DownloadManager.Configuration()
        configuration.downloader.speedLimit = SpeedSchedule(bytesPerSecond: Int64(2 * Self.limit))
        let manager = try DownloadManager(configuration: configuration)
        let ids = try (0..<2).map { try manager.add(world.request($0)) }
        // Wait until both downloads have begun.
        while world.counts().contains(where: { $0 < Self.limit / 2 }) { try await Task.sleep(for: .milliseconds(5)) }

        manager.setSpeedLimit(SpeedSchedule(bytesPerSecond: Int64(Self.limit)))
        // Let pass the bytes that were buffered at the former rate.
        _ = try await world.measure(bytes: Self.limit)
        // Shares by connections would be one fifth and four fifths.
        func isEqual(_ rates: [(least: Double, most: Double)]) -> Bool {
            let total = rates.map(\.most).reduce(0, +)
            return rates.allSatisfy { (0.35...0.65).contains($0.most / total) }
        }
        let equal = try await world.measure(bytes: Self.limit, until: isEqual)
        Self.expectTotal(equal)
        #expect(isEqual(equal), "as much for each: \(equal)")

        try manager.setMaximumBytesPerSecond(Int64(Self.limit / 5), of: ids[0])
        // Bytes that fit into the system's buffer arrive at once; one second later they are a small part of what
        // arrives in two.
        _ = try await world.measure(bytes: Self.limit)
        let own = Double(Self.limit / 5)
        let limited = try await world.measure(bytes: 2 * Self.limit) {
            $0[0].least < 1.3 * own && $0[0].most > 0.5 * own
        }
        Self.expectTotal(limited)
        #expect(limited[0].least < 1.3 * own && limited[0].most > 0.5 * own, "a fifth of its own: \(limited)")

        try manager.setMaximumBytesPerSecond(nil, of: ids[0])
        manager.setSpeedLimit(SpeedSchedule(bytesPerSecond: nil))
        let (left, lifted) = (2 * Self.content.count - world.counts().reduce(0, +), ContinuousClock.now)
        for id in ids { _ = try await manager.result(of: id) }
        let rate = Double(left) / ((ContinuousClock.now - lifted) / .seconds(1))
        #expect(rate > 2 * Double(Self.limit), "\(rate) without a limit")
        for index in ids.indices {
            #expect(
                try Data(contentsOf: URL(fileURLWithPath: world.directory.file("\(index).bin"))) == Data(Self.content))
        }
        await manager.shutdown()
    }

    @Test
    func `a limit set on a waiting download applies when it runs, is stored in the session, and must be positive`()
        async throws
    {
        let world = try World()
        defer { world.end() }
        let path = world.directory.file("session")
        let id = try await {
            var configuration = DownloadManager.Configuration()
            configuration.session = PlainFileSession(path)
            let manager = try DownloadManager(configuration: configuration)
            let id = try manager.add(world.request(1), isPaused: true)
            let error = #expect(throws: DownloadError.self) { try manager.setMaximumBytesPerSecond(0, of: id) }
            #expect(error?.code == .invalidArgument)
            try manager.setMaximumBytesPerSecond(Int64(Self.limit), of: id)
            await manager.saveSession()
            await manager.shutdown()
            return id
        }()
        var configuration = DownloadManager.Configuration()
        configuration.session = PlainFileSession(path)
        let manager = try DownloadManager(configuration: configuration)
        try manager.resume(id)
        let measured = try await world.measure(bytes: Self.limit * 3 / 2)
        #expect(measured[1].least < 1.25 * Double(Self.limit), "\(measured)")
        try manager.setMaximumBytesPerSecond(nil, of: id)
        _ = try await manager.result(of: id)
        await manager.shutdown()
    }
}
