import PawlCore
import PawlJobs
import Testing

@testable import PawlCLI

@Suite("Progress in the taskbar")
struct TaskbarProgressTests {
    @Test(
        arguments: [
            (["WT_SESSION": "0"], true), (["ConEmuANSI": "ON"], true), (["ConEmuANSI": "OFF"], false),
            (["TERM_PROGRAM": "ghostty"], true), (["TERM_PROGRAM": "WezTerm"], true),
            (["TERM_PROGRAM": "vscode"], true),
            (["TERM": "xterm-ghostty"], true), (["VTE_VERSION": "7900"], true), (["VTE_VERSION": "7802"], false),
            (["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.6"], true),
            (["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.10.0"], true),
            (["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.5"], false),
            (["TERM_PROGRAM": "Apple_Terminal"], false), ([:], false),
            (["TERM": "xterm-kitty", "VTE_VERSION": "7900"], false),
            (["KITTY_WINDOW_ID": "1", "WT_SESSION": "0"], false),
            (["TERM": "linux", "WT_SESSION": "0"], false), (["TERM": "dumb", "WT_SESSION": "0"], false),
            (["TMUX": "/tmp/tmux", "WT_SESSION": "0"], false),
            (["TERM": "screen.xterm", "VTE_VERSION": "7900"], false),
        ] as [([String: String], Bool)])
    func `only terminals that are known to show progress are told of it`(variables: [String: String], isTold: Bool) {
        let environment = ["TERM": "xterm-256color"].merging(variables) { $1 }
        #expect(TaskbarProgress.isSupported { environment[$0] } == isTold)
    }

    private static func run(_ total: Int, _ progress: DownloadProgress) -> RunProgress {
        var run = RunProgress(total: total)
        run.began(1, name: "a", at: .zero)
        run.update(1, progress: progress)
        return run
    }

    @Test func `the state is that of the run`() throws {
        let half = DownloadProgress(state: .running(.downloading), bytesStored: 50, totalBytes: 100)
        #expect(TaskbarProgress(Self.run(1, half)) == .normal(percent: 50))
        #expect(TaskbarProgress(Self.run(2, half)) == .normal(percent: 25))
        #expect(
            TaskbarProgress(Self.run(1, DownloadProgress(state: .running(.downloading), bytesStored: 50))) == .unknown)
        var failing = Self.run(2, half)
        failing.began(2, name: "b", at: .zero)
        failing.ended(2, as: .failed(isKept: false))
        #expect(TaskbarProgress(failing) == .failed(percent: 50))
        var paused = half
        let noon = WeekTime(weekday: 1, secondsOfDay: 43_200)
        paused.state = .waiting(
            .timetable(try #require(SpeedSchedule(parsing: "08:00,pause 22:00,off").pause(at: noon))))
        #expect(TaskbarProgress(Self.run(1, paused)) == .paused(percent: 50))
    }

    @Test func `at the end only a failure stays, and nothing of a run that was stopped`() {
        func ending(_ end: RunProgress.End, cause: StopCause? = nil) -> TaskbarProgress {
            var run = RunProgress(total: 1)
            run.ended(1, as: end)
            return TaskbarProgress(RunEnding(summary: RunSummary(run, [:], elapsed: .zero), cause: cause))
        }
        #expect(ending(.completed(bytes: 1, fetched: 1)) == .none)
        #expect(ending(.failed(isKept: false)) == .failed(percent: 100))
        #expect(ending(.stopped, cause: .interrupt) == .none)
    }

    @Test func `what is shown is written once, and again before the terminal takes it for abandoned`() {
        let taskbar = Taskbar()
        #expect(taskbar.show(.none).isEmpty)
        #expect(taskbar.show(.normal(percent: 5)) == "\u{1B}]9;4;1;5\u{1B}\\")
        let written = (1...80).filter { _ in !taskbar.show(.normal(percent: 5)).isEmpty }
        #expect(written == [40, 80])
        #expect(taskbar.show(.none) == "\u{1B}]9;4;0;0\u{1B}\\")
        #expect((1...80).allSatisfy { _ in taskbar.show(.none).isEmpty })
    }
}
