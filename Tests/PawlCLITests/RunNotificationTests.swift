import PawlCore
import PawlJobs
import Testing

@testable import PawlCLI

@Suite("The notification of a run's end")
struct RunNotificationTests {
    @Test func `text of servers becomes neither an option nor markup nor an escape`() {
        let notification = RunNotification(title: "Download complete", body: #"--icon=x <b>&amp;\074i\076"#)
        #expect(
            notification.words == [
                "notify-send", "-a", "Pawl", "--", "Download complete",
                #"--icon=x &lt;b&gt;&amp;amp;\\074i\\076"#,
            ])
    }

    @Test(
        arguments: [
            (["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"], true), (["DBUS_SESSION_BUS_ADDRESS": ""], false),
            (["XDG_RUNTIME_DIR": "/run/user/1"], true), (["XDG_RUNTIME_DIR": "/run/user/2"], false), ([:], false),
        ] as [([String: String], Bool)])
    func `a desktop is where a session bus is`(variables: [String: String], isThere: Bool) {
        #expect(RunNotification.hasDesktop({ variables[$0] }, isSocket: { $0 == "/run/user/1/bus" }) == isThere)
    }

    private static func words(_ words: String...) throws -> GetWords {
        GetWords(get: try .of(words), style: DisplayStyle(locale: .utf8, isColoured: true), command: [])
    }

    private static func ending(_ ends: RunProgress.End..., cause: StopCause? = nil) -> RunEnding {
        var run = RunProgress(total: ends.count)
        for (index, end) in ends.enumerated() { run.ended(index + 1, as: end) }
        return RunEnding(summary: RunSummary(run, [:], elapsed: .seconds(2)), cause: cause)
    }

    @Test func `of several files their numbers are told, and nothing after Ctrl-C`() throws {
        let words = try Self.words("https://h/a", "https://h/b")
        let told = words.notification(
            of: Self.ending(.completed(bytes: 1 << 20, fetched: 1 << 20), .failed(isKept: false)), last: nil)
        #expect(told?.title == "Download failed" && told?.body.hasPrefix("1 of 2 files") == true)
        #expect(words.notification(of: Self.ending(.stopped, cause: .interrupt), last: nil) == nil)
    }

    @Test func `of one file its failure is told, made safe to show`() throws {
        let words = try Self.words("https://h/a")
        let failure = JobFailure.download(DownloadError(.notFound, "No \u{1B}[31mfile.", recovery: .giveUp))
        let last = GetWords.Ended(
            download: words.get.downloads[0], outcome: .failed(.fetch, failure, fetched: nil), elapsed: .zero)
        let told = words.notification(of: Self.ending(.failed(isKept: false)), last: last)
        #expect(told == RunNotification(title: "Download failed", body: #"No \u{1B}[31mfile."#))
    }
}
