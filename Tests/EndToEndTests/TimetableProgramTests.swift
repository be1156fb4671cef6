import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    @Suite("A timetable that pauses", .serialized, .timeLimit(.minutes(10)))
    struct TimetableProgramTests {
        @Test func `pawl waits for the end of a pause, says so once, and then downloads`() async throws {
            let content = FileBehaviour.pattern(count: 100_000)
            let server = try ScriptedServer(file: FileBehaviour(content: content))
            defer { server.stop() }
            let home = try TemporaryDirectory("timetable")
            // A time zone in which the clock shows 11:59:57, so that noon is near (POSIX: positive is west).
            let shown = 12 * 3600 - 3
            let west = (Int(Date().timeIntervalSince1970) - shown) % 86_400
            let (hours, minutes, seconds) = (west / 3600, west / 60 % 60, west % 60)
            let zone = "XXX\(hours):\(minutes):\(seconds)"
            let output = try await Subprocess.run(
                Program.path.get(),
                ["get", server.url(), "-o", home.file("file.bin"), "--limit", "08:00,pause 12:00,off"],
                environment: ["XDG_STATE_HOME": home.file("state"), "TZ": zone])
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            let told = output.standardError.components(separatedBy: "until 12:00")
            #expect(told.count == 2, "\(output.standardError)")
            #expect(try Files.isEqual(home.file("file.bin"), to: content))
        }
    }
}
