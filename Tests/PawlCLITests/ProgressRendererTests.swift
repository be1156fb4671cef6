import PawlCore
import Testing

@testable import PawlCLI

@Suite struct ProgressRendererTests {
    private static let plain = DisplayStyle(locale: .utf8, isColoured: false)

    private func draw(
        _ progress: DownloadProgress, width: Int, style: DisplayStyle = plain, frame: Int = 0
    ) -> [String] {
        ProgressRenderer(style: style).lines(progress, width: width, frame: frame)
            .map { $0.text(coloured: style.isColoured) }
    }

    // MARK: Widths

    @Test func `120 columns show the bar, percentage, bytes, rate, time left, and the map with its connections`() {
        #expect(
            draw(.halfway, width: 120)
                == [
                    "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━───────────────────────────────   50 %  1.40 GiB of 2.79 GiB  47.7 MiB/s  31 s left",
                    "██████████████████████████████►····················▒████████████████████►······························   2 connections",
                ])
    }

    @Test func `80 columns show the same as 120, with a shorter bar and map`() {
        #expect(
            draw(.halfway, width: 80)
                == [
                    "━━━━━━━━━━━───────────   50 %  1.40 GiB of 2.79 GiB  47.7 MiB/s  31 s left",
                    "██████████████████►············▒████████████►··················   2 connections",
                ])
    }

    @Test func `60 columns omit the byte counts`() {
        #expect(
            draw(.halfway, width: 60)
                == [
                    "━━━━━━━━━━━━────────────   50 %  47.7 MiB/s  31 s left",
                    "████████████►········▒████████►············   2 connections",
                ])
    }

    @Test func `40 columns also omit the time left and the number of connections`() {
        #expect(
            draw(.halfway, width: 40)
                == [
                    "━━━━━━━━━━──────────   50 %  47.7 MiB/s",
                    "███████████►·······▒███████►···········",
                ])
    }

    @Test func `30 columns show only the percentage and the rate`() {
        #expect(draw(.halfway, width: 30) == [" 50 %  47.7 MiB/s"])
    }

    @Test func `8 columns show only the percentage`() {
        #expect(draw(.halfway, width: 8) == ["50 %"])
    }

    @Test func `without UTF-8, the bar and the map are drawn in ASCII`() {
        let style = DisplayStyle(locale: .ascii, isColoured: false)
        #expect(
            draw(.halfway, width: 80, style: style)
                == [
                    "###########-----------   50 %  1.40 GiB of 2.79 GiB  47.7 MiB/s  31 s left",
                    "##################>............+############>..................   2 connections",
                ])
    }

    @Test func `with colours, stored bytes are green, missing bytes dim and connections cyan`() {
        let style = DisplayStyle(locale: .utf8, isColoured: true)
        #expect(
            draw(.halfway, width: 60, style: style)
                == [
                    "\u{1B}[32m━━━━━━━━━━━━\u{1B}[0m\u{1B}[2m────────────\u{1B}[0m   50 %  47.7 MiB/s  31 s left",
                    "\u{1B}[32m████████████\u{1B}[0m\u{1B}[1;36m►\u{1B}[0m\u{1B}[2m········\u{1B}[0m\u{1B}[32m▒████████\u{1B}[0m\u{1B}[1;36m►\u{1B}[0m\u{1B}[2m············\u{1B}[0m   2 connections",
                ])
    }

    /// The terminal's last column stays free.
    @Test(arguments: 0...200)
    func `no line reaches the terminal's last column`(width: Int) {
        var unknown = DownloadProgress.halfway
        unknown.totalBytes = nil
        var waiting = DownloadProgress.halfway
        waiting.state = .waiting(.backOff(seconds: 12, reason: String(repeating: "漢字 ", count: 60)))
        for progress in [.halfway, unknown, waiting, DownloadProgress(state: .running(.probing))] {
            for frame in [0, 1, 77] {
                for line in ProgressRenderer(style: Self.plain).lines(progress, width: width, frame: frame) {
                    #expect(line.columns <= max(0, width - 1))
                }
            }
        }
    }

    /// A number that gains a digit does not move the bar.
    @Test func `the bar keeps its length when the numbers beside it change`() {
        var other = DownloadProgress.halfway
        other.bytesPerSecond = 1
        other.secondsLeft = nil
        other.bytesStored = 0
        let lengths = [DownloadProgress.halfway, other].map { progress in
            draw(progress, width: 80)[0].prefix { $0 == "━" || $0 == "╸" || $0 == "─" }.count
        }
        #expect(lengths[0] == lengths[1])
    }

    // MARK: States

    @Test func `a waiting download shows the length and the reason of the wait`() {
        var progress = DownloadProgress.halfway
        progress.state = .waiting(
            .backOff(seconds: 11.2, reason: "example.org: connection\u{1B}[2J reset. Check the network."))
        #expect(draw(progress, width: 60)[1] == "Retrying in 12 s: example.org: connection\\u{1B}[2J reset. …")
        #expect(draw(progress, width: 30) == [" 50 %  waiting 12 s"])
    }

    @Test func `a file of unknown length has a bar with a moving mark`() {
        let progress = DownloadProgress(
            state: .running(.downloading), bytesStored: 5_000_000, bytesPerSecond: 1_000_000)
        #expect(draw(progress, width: 45, frame: 0) == ["━━━───────────────────  4.77 MiB   977 KiB/s"])
        #expect(draw(progress, width: 45, frame: 2) == ["──━━━─────────────────  4.77 MiB   977 KiB/s"])
        #expect(draw(progress, width: 45, frame: 20) == ["──────────────────━━━─  4.77 MiB   977 KiB/s"])
        #expect(draw(progress, width: 45, frame: 38) == draw(progress, width: 45, frame: 0))
    }

    @Test func `a download that is probing, verifying or finishing says so`() {
        var progress = DownloadProgress.halfway
        for (state, text) in [
            (.running(.probing), "Waiting for the server…"), (.running(.verifying), "Checking the bytes…"),
            (.running(.finishing), "Syncing the file to disk…"),
        ] as [(DownloadState, String)] {
            progress.state = state
            #expect(draw(progress, width: 80)[1] == text)
        }
    }
}
