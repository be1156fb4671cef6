import Foundation
import Pawl
import PawlTestKit
import Testing

/// Limits that change while bytes flow, counted on the wire (``WireMeter``). What holds of steady ones is in `EndToEndTests`.
@Suite("Speed limits, changed while running", .timeLimit(.minutes(1)))
struct SpeedLimitTests {
    private static let mebibyte = 1 << 20
    private static let content = FileBehaviour.pattern(count: 8 * mebibyte)

    /// Two servers, each with its meter, so that what each of two downloads gets can be told apart.
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
            // The number of connections is no advantage.
            request.maximumConnections = index == 0 ? 1 : 4
            return request
        }

        func counts() -> [Int] { meters.map { $0.record.samples.last?.count ?? 0 } }

        /// Lets so many more bytes come, and says what came of each download and in what time.
        func measure(bytes: Int) async throws -> (shares: [Double], bytesPerSecond: Double) {
            let (start, clock) = (counts(), ContinuousClock())
            let began = clock.now
            while true {
                let now = zip(counts(), start).map { Double($0 - $1) }
                let took = (clock.now - began) / .seconds(1)
                if now.reduce(0, +) >= Double(bytes) { return (now.map { $0 / took }, now.reduce(0, +) / took) }
                try #require(took < 20, "\(now) bytes in \(took) s")
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        func end() {
            for meter in meters { _ = meter.stop() }
            for server in servers { server.stop() }
        }
    }

    @Test
    func `two downloads of a manager share its limit equally, and follow it and limits of their own while they run`() async throws {
        let world = try World()
        defer { world.end() }
        var configuration = DownloadManager.Configuration()
        configuration.downloader.speedLimit = SpeedSchedule(bytesPerSecond: 2 << 20)
        let manager = try DownloadManager(configuration: configuration)
        let ids = try (0..<2).map { try manager.add(world.request($0)) }
        // Both are under way.
        while world.counts().contains(where: { $0 < Self.mebibyte / 2 }) { try await Task.sleep(for: .milliseconds(5)) }

        manager.setSpeedLimit(SpeedSchedule(bytesPerSecond: 1 << 20))
        // What was held at the former rate, and must be taken first.
        _ = try await world.measure(bytes: Self.mebibyte)
        let half = Double(Self.mebibyte) / 2
        let equal = try await world.measure(bytes: Self.mebibyte)
        #expect(equal.shares.allSatisfy { abs($0 / half - 1) < 0.15 }, "shares of 1 MiB/s: \(equal.shares)")
        #expect(abs(equal.bytesPerSecond / Double(Self.mebibyte) - 1) < 0.1, "\(equal.bytesPerSecond)")

        try manager.setMaximumBytesPerSecond(100 << 10, of: ids[0])
        // What the system's buffer still has room for comes at once; a second later it is a small part of what comes in two.
        _ = try await world.measure(bytes: Self.mebibyte)
        let limited = try await world.measure(bytes: 2 * Self.mebibyte)
        #expect(abs(limited.shares[0] / Double(100 << 10) - 1) < 0.3, "100 KiB/s of its own: \(limited.shares)")
        #expect(abs(limited.bytesPerSecond / Double(Self.mebibyte) - 1) < 0.1, "what it leaves is the other's: \(limited.shares)")

        // Some nine MiB are left, and no more than a moment is needed for them.
        let lifted = ContinuousClock.now
        try manager.setMaximumBytesPerSecond(nil, of: ids[0])
        manager.setSpeedLimit(SpeedSchedule(bytesPerSecond: nil))
        for (index, id) in ids.enumerated() {
            _ = try await manager.result(of: id)
            #expect(try Data(contentsOf: URL(fileURLWithPath: world.directory.file("\(index).bin"))).elementsEqual(Self.content))
        }
        #expect(ContinuousClock.now - lifted < .seconds(8))
        await manager.shutdown()
    }

    @Test
    func `a limit that was set on a waiting download holds when it runs, is kept in the session, and must be positive`() async throws {
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
            try manager.setMaximumBytesPerSecond(512 << 10, of: id)
            await manager.saveSession()
            await manager.shutdown()
            return id
        }()
        var configuration = DownloadManager.Configuration()
        configuration.session = PlainFileSession(path)
        let manager = try DownloadManager(configuration: configuration)
        try manager.resume(id)
        let measured = try await world.measure(bytes: Self.mebibyte * 3 / 4)
        #expect(measured.bytesPerSecond / Double(512 << 10) < 1.25, "\(measured.bytesPerSecond)")
        try manager.setMaximumBytesPerSecond(nil, of: id)
        _ = try await manager.result(of: id)
        await manager.shutdown()
    }
}
