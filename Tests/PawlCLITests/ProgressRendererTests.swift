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

    @Test func columns120() {
        #expect(
            draw(.halfway, width: 120)
                == [
                    "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━───────────────────────────────   50 %  1.40 GiB of 2.79 GiB  47.7 MiB/s  31 s left",
                    "██████████████████████████████►····················▒████████████████████►······························   2 connections",
                ])
    }

    @Test func columns80() {
        #expect(
            draw(.halfway, width: 80)
                == [
                    "━━━━━━━━━━━───────────   50 %  1.40 GiB of 2.79 GiB  47.7 MiB/s  31 s left",
                    "██████████████████►············▒████████████►··················   2 connections",
                ])
    }

    @Test func columns60() {
        #expect(
            draw(.halfway, width: 60)
                == [
                    "━━━━━━━━━━━━────────────   50 %  47.7 MiB/s  31 s left",
                    "████████████►········▒████████►············   2 connections",
                ])
    }

    @Test func columns40() {
        #expect(
            draw(.halfway, width: 40)
                == [
                    "━━━━━━━━━━──────────   50 %  47.7 MiB/s",
                    "███████████►·······▒███████►···········",
                ])
    }

    @Test func columns30() {
        #expect(draw(.halfway, width: 30) == [" 50 %  47.7 MiB/s"])
    }

    @Test func columns8() {
        #expect(draw(.halfway, width: 8) == ["50 %"])
    }

    @Test func ascii() {
        let style = DisplayStyle(locale: .ascii, isColoured: false)
        #expect(
            draw(.halfway, width: 80, style: style)
                == [
                    "###########-----------   50 %  1.40 GiB of 2.79 GiB  47.7 MiB/s  31 s left",
                    "##################>............+############>..................   2 connections",
                ])
    }

    @Test func coloured() {
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
    func noLineIsWiderThanTheTerminal(width: Int) {
        var unknown = DownloadProgress.halfway
        unknown.totalBytes = nil
        var waiting = DownloadProgress.halfway
        waiting.state = .waiting(seconds: 12, reason: String(repeating: "漢字 ", count: 60))
        for progress in [.halfway, unknown, waiting, DownloadProgress(state: .probing)] {
            for frame in [0, 1, 77] {
                for line in ProgressRenderer(style: Self.plain).lines(progress, width: width, frame: frame) {
                    #expect(line.columns <= max(0, width - 1))
                }
            }
        }
    }

    /// A number that gains a digit does not move the bar.
    @Test func theBarKeepsItsLength() {
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

    @Test func waitingSaysWhyAndHowLong() {
        var progress = DownloadProgress.halfway
        progress.state = .waiting(seconds: 11.2, reason: "example.org: connection\u{1B}[2J reset. Check the network.")
        #expect(draw(progress, width: 60)[1] == "Retrying in 12 s: example.org: connection\\u{1B}[2J reset. …")
        #expect(draw(progress, width: 30) == [" 50 %  waiting 12 s"])
    }

    @Test func unknownLengthHasAMarkThatMoves() {
        let progress = DownloadProgress(state: .downloading, bytesStored: 5_000_000, bytesPerSecond: 1_000_000)
        #expect(draw(progress, width: 45, frame: 0) == ["━━━───────────────────  4.77 MiB   977 KiB/s"])
        #expect(draw(progress, width: 45, frame: 2) == ["──━━━─────────────────  4.77 MiB   977 KiB/s"])
        #expect(draw(progress, width: 45, frame: 20) == ["──────────────────━━━─  4.77 MiB   977 KiB/s"])
        #expect(draw(progress, width: 45, frame: 38) == draw(progress, width: 45, frame: 0))
    }

    @Test func otherStatesAreNamed() {
        var progress = DownloadProgress.halfway
        for (state, text) in [
            (.probing, "Waiting for the server…"), (.verifying, "Checking the bytes…"),
            (.finishing, "Making the file durable…"),
        ] as [(DownloadProgress.State, String)] {
            progress.state = state
            #expect(draw(progress, width: 80)[1] == text)
        }
    }
}
