import Foundation
import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@Suite struct `B7 Clocks and sleep` {
    private static let tenHours: Int64 = 36_000

    @Test(arguments: [-tenHours, tenHours])
    func `J09 setting the wall clock does not affect a running download`(_ jump: Int64) async throws {
        let time = SkippedTime()
        let good = FileScript(FileBehaviour(content: FileBehaviour.pattern(count: 300_000)))
        let trial = try Trial(time: time) { request, connection in
            time.jumpWallClock(seconds: jump)
            // The first answer breaks off, so that the jump spans a wait and a resume, and a checkpoint comes due after
            // two seconds.
            if request.number == 1 {
                var behaviour = FileBehaviour(content: FileBehaviour.pattern(count: 300_000))
                behaviour.cut = .init(afterBytes: 100_000)
                try FileScript(behaviour).answer(request, connection)
                time.skip(.seconds(3))
                time.jumpWallClock(seconds: -3 * jump)
            } else {
                try good.answer(request, connection)
            }
        }
        let after = try await trial.run { $0.settings.maximumConnections = 1 }
        after.expectWhole(trial.content)
        after.expectCost(requests: 3, bytes: trial.content.count + 110_000)
        // On the monotonic clock: the three seconds skipped, a wait of half a second at most, and the machine's own
        // time.
        #expect(after.took < .seconds(600))
    }

    @Test(arguments: [-tenHours, tenHours])
    func `J09 a Retry-After date is measured against the server's Date, not the local clock`(_ jump: Int64) async throws
    {
        let time = SkippedTime()
        let content = FileBehaviour.pattern(count: 50_000)
        let good = FileScript(FileBehaviour(content: content))
        let asked = Locked<[Duration]>([])
        let trial = try Trial(content, time: time) { request, connection in
            asked.withLock { $0.append(time.skipped) }
            guard request.number == 1 else { return try good.answer(request, connection) }
            time.jumpWallClock(seconds: jump)
            try connection.send(
                """
                HTTP/1.1 503 Busy\r\nDate: Fri, 01 May 2026 12:00:00 GMT\r\nRetry-After: Fri, 01 May 2026 12:00:40 GMT\r\n\
                Content-Length: 0\r\n\r\n
                """)
        }
        time.jumpWallClock(seconds: jump)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        after.expectCost(requests: 2)
        let waited = asked.withLock { $0[1] - $0[0] }
        #expect((.seconds(1)...Duration.seconds(40)).contains(waited), "waited \(waited)")
    }

    @Test(arguments: [-tenHours, tenHours])
    func `J09 a journal with a time in the future or past is resumed like any other`(_ jump: Int64) async throws {
        let trial = try Trial()
        let now = Int64(Date().timeIntervalSince1970)
        try trial.leave(durable: 0..<200_000) { $0.updated = now + jump }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.bodyBytes <= 100_000 + 4096)
    }

    @Test func `J10 after hours of sleep, connections are replaced at once and no failure is counted`() async throws {
        let time = SkippedTime()
        let content = FileBehaviour.pattern(count: 600_000)
        let isAwake = Locked(false)
        let good = FileScript(FileBehaviour(content: content))
        var behaviour = FileBehaviour(content: content)
        behaviour.stall = .init(afterBytes: 20_000)
        let silent = FileScript(behaviour)
        let trial = try Trial(content, time: time) { request, connection in
            if isAwake.withLock({ $0 }) {
                try good.answer(request, connection)
            } else {
                try silent.answer(request, connection)
            }
        }
        let after = try await trial.run { plan in
            plan.settings.maximumConnections = 4
            // A single counted failure would end the download.
            plan.settings.retry.maximumTriesWithoutProgress = 1
        } during: { _ in
            try await until { trial.server.openConnectionCount > 0 && trial.server.bodyBytesSent >= 20_000 }
            isAwake.withLock { $0 = true }
            time.skip(.seconds(8 * 3600))
        }
        after.expectWhole(trial.content)
        let retries = after.reports.filter { if case .retrying = $0 { true } else { false } }
        #expect(retries.isEmpty, "\(retries)")
        #expect(after.bodyBytes <= 2 * content.count, "\(after.ranges)")
        // No wait was announced or skipped between waking and the next request.
        #expect(time.skipped == .seconds(8 * 3600))
    }

    private func until(_ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while !condition() {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
