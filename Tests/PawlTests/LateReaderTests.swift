import Pawl
import PawlCore
import PawlTestKit
import Testing

@Suite("Event readers that begin late", .timeLimit(.minutes(10)))
struct LateReaderTests {
    @Test func `an event reader created after the end receives the end`() async throws {
        let world = try ManagerWorld()
        try await world.withManager {
            $0.maximumRetries = 0
        } _: { manager in
            let whole = try manager.add(world.request("a"))
            let missing = try manager.add(world.request("missing"))
            let result = try await manager.result(of: whole)
            await #expect(throws: DownloadError.self) { try await manager.result(of: missing) }
            var (completed, failed, states): (DownloadResult?, DownloadError?, Int) = (nil, nil, 0)
            for await event in manager.events {
                switch event {
                case .changed: states += 1
                case .completed(whole, let told): completed = told
                case .failed(missing, let error): failed = error
                default: break
                }
                if completed != nil, failed != nil, states >= 2 { break }
            }
            #expect(completed == result && completed?.path == world.path("a"))
            #expect(failed?.code == .notFound)
        }
    }

    @Test func `an event reader created midway receives the current state first, and later the end`() async throws {
        let world = try ManagerWorld(holding: ["a"])
        try await world.withManager { manager in
            let id = try manager.add(world.request("a"))
            await manager.waitForHalf(id)
            var events = manager.events.makeAsyncIterator()
            guard case .changed(let snapshot)? = await events.next() else {
                Issue.record("it does not begin with a snapshot")
                return
            }
            #expect(snapshot.id == id && snapshot.progress.bytesStored > 0)
            world.releaseAll()
            while let event = await events.next() {
                if case .completed(id, let result) = event {
                    #expect(result.isComplete)
                    return
                }
            }
            Issue.record("the end was not told")
        }
    }

    @Test func `an event reader created after the shutdown receives the remaining events, and ends`() async throws {
        let world = try ManagerWorld()
        let manager = try DownloadManager()
        let id = try manager.add(world.request("a"))
        _ = try await manager.result(of: id)
        await manager.shutdown()
        var ends = 0
        for await event in manager.events {
            if case .completed(id, _) = event { ends += 1 }
        }
        #expect(ends == 1)
    }
}
