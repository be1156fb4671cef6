import PawlCore
import PawlJobs
import Testing

@testable import PawlCLI

@Suite struct RunRendererTests {
    private static let style = DisplayStyle(locale: .utf8, isColoured: false)

    private static func run(_ count: Int, running names: [String], ended: Int = 0, failed: Int = 0) -> RunProgress {
        var run = RunProgress(total: count)
        for id in 0..<ended { run.ended(id + 1, .completed(.example)) }
        for id in 0..<failed { run.ended(ended + id + 1, .failed(.reset)) }
        for (index, name) in names.enumerated() {
            run.began(ended + failed + index + 1, name: name, at: .zero)
            run.update(ended + failed + index + 1, progress: .halfway)
        }
        run.tick(at: .seconds(10))
        return run
    }

    private func draw(
        _ run: RunProgress, width: Int, height: Int, slots: Int = 5, time: Duration = .seconds(10)
    ) -> [String] {
        RunRenderer(style: Self.style, slots: slots).lines(run, width: width, height: height, time: time, frame: 0).map
        { $0.text(coloured: false) }
    }

    @Test func `a single file is drawn as ProgressRenderer draws it, with its name above where there is room`() {
        let lines = ProgressRenderer(style: Self.style).lines(.halfway, width: 80, frame: 0).map {
            $0.text(coloured: false)
        }
        #expect(draw(Self.run(1, running: ["a"]), width: 80, height: 24) == ["a"] + lines)
        #expect(draw(Self.run(1, running: ["a"]), width: 80, height: 4) == lines)
        #expect(draw(Self.run(1, running: ["a long name.iso"]), width: 10, height: 24)[0] == "a lo….iso")
    }

    @Test func `several files are drawn with their names in front and their total below`() {
        #expect(
            draw(Self.run(200, running: ["disk-01.iso", "a\u{1B}[2J"], ended: 3, failed: 1), width: 100, height: 24)
                == [
                    "disk-01.iso       ━━━━━━━━━━━━────────────   50 %  1.40 GiB of 2.79 GiB  47.7 MiB/s  31 s left",
                    "████████████████████████►················▒████████████████►························   2 connections",
                    "a\\u{1B}[2J        ━━━━━━━━━━━━────────────   50 %  1.40 GiB of 2.79 GiB  47.7 MiB/s  31 s left",
                    "████████████████████████►················▒████████████████►························   2 connections",
                    "3 of 200 files, 1 failed  ╸──────────────────────────────────  11.2 GiB   858 MiB/s  8:08 left",
                ])
    }

    @Test func `on a short screen each file gets one line, and files without a line are counted`() {
        let run = Self.run(9, running: ["a", "b", "c", "d", "e"])
        let lines = draw(run, width: 80, height: 10)
        #expect(lines.count == 6)
        #expect(lines[0] == "a         ━━━━━━──────   50 %  1.40 GiB of 2.79 GiB  47.7 MiB/s  31 s left")
        let few = draw(run, width: 80, height: 6)
        #expect(few.count == 4)
        #expect(few[2] == "and 3 more")
        #expect(draw(run, width: 80, height: 1).count <= 2)
    }

    @Test(arguments: [1, 3, 6, 10, 24, 60], [1, 8, 20, 39, 40, 60, 100, 200])
    func `drawn lines exceed neither the screen's height nor its width`(height: Int, width: Int) {
        var run = Self.run(
            1000, running: (0..<30).map { "漢字-\($0)-" + String(repeating: "x", count: $0 * 5) }, ended: 7, failed: 2)
        run.obstacle = RunObstacle(.fullDisk, "example.org bears no more connections", count: 12)
        run.update(12, progress: DownloadProgress(state: .running(.probing)))
        for slots in [1, 5, 30] {
            let lines = RunRenderer(style: Self.style, slots: slots).lines(
                run, width: width, height: height, time: .seconds(10), frame: 3)
            #expect(lines.count <= max(1, height - 1), "\(lines.count) of \(height)")
            #expect(lines.allSatisfy { $0.columns <= max(0, width - 1) }, "\(lines.map(\.columns)) in \(width)")
        }
    }

    @Test func `a waiting file shows the reason for its wait`() {
        var run = Self.run(9, running: ["a", "b"])
        var waiting = DownloadProgress.halfway
        waiting.state = .waiting(.backOff(seconds: 3, reason: "h: reset."))
        run.update(1, progress: waiting)
        run.obstacle = RunObstacle(.fullDisk, "h has 8 connections", count: 7)
        let tall = draw(run, width: 80, height: 24)
        #expect(tall[1] == "Retrying in 3 s: h: reset.")
        #expect(tall.dropLast().last == "7 waiting: h has 8 connections")
        #expect(draw(run, width: 80, height: 10)[0] == "a         Retrying in 3 s: h: reset.")
        #expect(draw(run, width: 30, height: 10)[0] == "a         Retrying in 3 s: h…")
    }

    @Test func `a download that has just started is not drawn yet`() {
        var run = Self.run(9, running: [])
        run.began(1, name: "a", at: .seconds(10))
        #expect(draw(run, width: 80, height: 24, time: .seconds(10.1)).count == 1)
        #expect(draw(run, width: 80, height: 24, time: .seconds(11)).count == 3)
    }

    @Test func `the drawn block grows at once and shrinks only after a while`() {
        var height = StableHeight()
        func lines(_ count: Int) -> [StyledLine] { (0..<count).map { StyledLine("\($0)") } }
        #expect(height.settle(lines(3), room: 20).count == 3)
        #expect(height.settle(lines(5), room: 20).count == 5)
        for _ in 0..<7 {
            let settled = height.settle(lines(3), room: 20)
            #expect(settled.map { $0.text(coloured: false) } == ["0", "1", "", "", "2"])
        }
        #expect(height.settle(lines(3), room: 20).count == 3)
        #expect(height.settle(lines(9), room: 20).count == 9)
        #expect(height.settle(lines(3), room: 4).count == 4)
    }

    @Test func `lines of ended files are held back for those of files in front of them, as long as there is room`() {
        var lines = EndedLines(count: 9)
        lines.add(["3", "3 unpacked"], number: 3, isComplete: true)
        lines.add(["2"], number: 2, isComplete: false)
        #expect(lines.take(before: 1, room: 3) == [] && lines.held == ["2", "3", "3 unpacked"])
        lines.add(["1"], number: 1, isComplete: true)
        lines.add(["6"], number: 6, isComplete: true)
        #expect(lines.take(before: 4, room: 3) == ["1", "2", "3", "3 unpacked"] && lines.held == ["6"])
        lines.add(["5"], number: 5, isComplete: true)
        #expect(lines.take(before: 4, room: 1) == ["5", "6"] && lines.held == [])
        lines.add(["8"], number: 8, isComplete: true)
        #expect(lines.take() == ["8"])
    }

    @Test func `the colours of a line can be taken away`() {
        #expect("pawl: \u{1B}[1;31merror:\u{1B}[0m h".withoutColours == "pawl: error: h")
    }

    @Test func `of a long list only failures are listed`() {
        var lines = EndedLines(count: EndedLines.maximumListed + 1)
        lines.add(["1"], number: 1, isComplete: true)
        lines.add(["2"], number: 2, isComplete: false)
        #expect(lines.take() == ["2"])
    }

    @Test func `once all lengths are known, the total is shown beside what is there`() {
        var run = Self.run(3, running: ["a", "b"], failed: 1)
        #expect(draw(run, width: 100, height: 24).last?.contains("2.79 GiB of 5.59 GiB") == true)
        run.total = 4
        #expect(draw(run, width: 100, height: 24).last?.contains(" of 5.59 GiB") == false)
    }
}

@Suite struct RunProgressTests {
    private func progress(_ stored: Int64, of total: Int64?) -> DownloadProgress {
        DownloadProgress(state: .running(.downloading), bytesStored: stored, totalBytes: total)
    }

    @Test func `a run's progress counts completed, failed, stopped, running and waiting files`() {
        var run = RunProgress(total: 10)
        run.began(1, name: "a", at: .zero)
        run.began(2, name: "b", at: .zero)
        run.ended(1, .completed(.example))
        run.ended(3, .failed(.reset))
        run.ended(4, .stopped)
        #expect(
            (run.completed, run.failed, run.stopped, run.running.map(\.id), run.waiting, run.ended) == (
                1, 1, 1, [2], 6, 3
            ))
        #expect(run.bytesStored == 3_000_000_000 && run.fetched == 2_000_000_000)
    }

    @Test func `the rate counts recent bytes only, not those from an earlier run`() {
        var run = RunProgress(total: 1)
        run.began(1, name: "a", at: .zero)
        run.resumed(1, from: 1_000_000)
        run.update(1, progress: progress(1_000_000, of: 3_000_000))
        #expect(run.rate == 0)
        run.tick(at: .seconds(1))
        for second in 2...11 {
            run.update(1, progress: progress(1_000_000 + Int64(second - 1) * 100_000, of: 3_000_000))
            run.tick(at: .seconds(second))
        }
        #expect(abs(run.rate - 100_000) < 1)
        #expect(run.secondsLeft.map { abs($0 - 10) < 0.1 } == true)
    }

    @Test func `the bar counts bytes, and failed or existing files not at all`() {
        var run = RunProgress(total: 5)
        for id in 1...3 {
            run.began(id, name: "\(id)", at: .zero)
            run.update(id, progress: progress(2, of: 50))
        }
        for id in 4...5 {
            run.began(id, name: "\(id)", at: .zero)
            run.update(id, progress: progress(10, of: 50))
            run.ended(id, .failed(.reset))
        }
        #expect(run.fraction == 0.04 && run.wantedStored == 6 && run.wantedTotal == 150)
        // One that is still to begin counts as an average one.
        run.total = 6
        #expect(run.fraction == 0.03 && run.wantedTotal == nil)
        run.ended(6, as: .skipped)
        #expect(run.fraction == 0.04)
        for id in 1...3 { run.ended(id, as: .completed(bytes: 50, fetched: 50)) }
        #expect(run.fraction == 1)
    }

    @Test func `while no length is known, the bar counts files`() {
        var run = RunProgress(total: 4)
        run.began(1, name: "a", at: .zero)
        run.update(1, progress: progress(5, of: nil))
        run.ended(2, as: .completed(bytes: 0, fetched: 0))
        run.ended(3, as: .failed(isKept: false))
        #expect(run.fraction == 1.0 / 3)
        let failed = {
            var run = RunProgress(total: 1)
            run.ended(1, as: .failed(isKept: false))
            return run.fraction
        }
        #expect(failed() == 1)
    }

    @Test func `the time left is told only once the rate was measured for a second`() {
        var run = RunProgress(total: 2)
        run.began(1, name: "a", at: .zero)
        run.began(2, name: "b", at: .zero)
        for (tenths, isTold) in [(1, false), (5, false), (10, true)] {
            for id in 1...2 { run.update(id, progress: progress(Int64(tenths) * 100, of: 10_000)) }
            run.tick(at: .milliseconds(100 * tenths))
            #expect((run.secondsLeft != nil) == isTold, "\(tenths)")
        }
    }

    @Test func `while lengths are unknown, the time left is estimated from the number of files`() {
        var run = RunProgress(total: 100)
        for id in 1...10 { run.ended(id, .completed(.example)) }
        run.began(11, name: "a", at: .zero)
        run.update(11, progress: progress(5, of: nil))
        run.tick(at: .seconds(20))
        #expect(run.secondsLeft == 180)
        var young = RunProgress(total: 100)
        young.ended(1, .completed(.example))
        young.tick(at: .seconds(20))
        #expect(young.secondsLeft == nil)
    }
}
