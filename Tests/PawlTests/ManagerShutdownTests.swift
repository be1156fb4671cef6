import Pawl
import PawlTestKit
import Testing

@Suite("Shutting down a manager", .timeLimit(.minutes(10)))
struct ManagerShutdownTests {
    /// The case of a program that is interrupted while it ends: the end of the events and the interruption both shut
    /// down the manager.
    @Test func `concurrent shutdowns of a manager all wait for the end, and a save after it succeeds`() async throws {
        let server = try ScriptedServer(file: FileBehaviour(content: FileBehaviour.pattern(count: 1 << 20)))
        defer { server.stop() }
        for round in 0..<10 {
            let directory = try TemporaryDirectory("end")
            var configuration = DownloadManager.Configuration()
            configuration.session = PlainFileSession(directory.file("session"))
            let manager = try DownloadManager(configuration: configuration)
            for number in 0..<3 { try manager.add(DownloadRequest(server.url(), to: directory.file("\(number).bin"))) }
            let events = manager.events
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await manager.shutdown() }
                group.addTask {
                    for await _ in events {}
                    await manager.shutdown()
                    #expect(await manager.saveSession(), "round \(round)")
                }
                group.addTask { await manager.shutdown() }
            }
        }
    }
}
