import Testing

@testable import PawlCore

@Suite("News of a run for its queue and its readers")
struct ProgressThrottleTests {
    private let error = DownloadError(.network, "gone", recovery: .retryNow)

    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func progress(_ state: DownloadState, rate: Double = 0) -> DownloadProgress {
        DownloadProgress(state: state, bytesPerSecond: rate)
    }

    @Test func `a run is reported as working once bytes arrive, and only once`() {
        var run = ProgressThrottle()
        let news = [
            progress(.running(.probing)), progress(.running(.downloading), rate: 10),
            progress(.running(.downloading), rate: 20),
            progress(.running(.verifying)),
        ].map { run.advance(to: $0, at: at(0)).news }
        #expect(news == [nil, .works, nil, nil])
        #expect(run.progress?.state == .running(.verifying))
    }

    @Test func `a small file that has all its bytes is reported as finishing, a large one as working`() {
        func news(total: Int64) -> [QueueNews?] {
            var run = ProgressThrottle(largestHeldFile: 100)
            return [DownloadState.running(.downloading), .running(.finishing), .completed].map { state in
                var progress = progress(state, rate: 10)
                progress.totalBytes = total
                return run.advance(to: progress, at: at(0)).news
            }
        }
        #expect(news(total: 100) == [.works, .finishes, nil])
        #expect(news(total: 101) == [.works, nil, nil])
    }

    @Test func `a wait for a connection permit is news, and so are the first bytes after it`() {
        var run = ProgressThrottle()
        let waiting = progress(.waiting(.hostLimit(host: "a:80")))
        let all = [waiting, waiting, progress(.running(.downloading), rate: 1), waiting]
        let news = all.map { run.advance(to: $0, at: at(0)).news }
        #expect(news == [.awaitingPermit, nil, .works, .awaitingPermit])
    }

    @Test func `a pause of the timetable is news once`() throws {
        var run = ProgressThrottle()
        let noon = WeekTime(weekday: 1, secondsOfDay: 43_200)
        let pause = try #require(SpeedSchedule(parsing: "08:00,pause 22:00,off").pause(at: noon))
        let paused = progress(.waiting(.timetable(pause)))
        let news = [paused, paused, progress(.running(.downloading), rate: 1)].map {
            run.advance(to: $0, at: at(0)).news
        }
        #expect(news == [.paused, nil, .works])
    }

    @Test func `of work that reports no failures, each further back-off is news`() {
        var run = ProgressThrottle()
        let waits: [(seconds: Double, milliseconds: Int)] = [(0.5, 0), (0.4, 100), (4, 700), (3.2, 1500), (8, 5000)]
        let news = waits.map { wait in
            let state = DownloadState.waiting(.backOff(seconds: wait.seconds, reason: "gone"))
            return run.advance(to: progress(state), at: at(wait.milliseconds)).news
        }
        let ends = news.map { news -> Instant? in
            guard case .backsOff(let until, _, _, _)? = news else { return nil }
            return until
        }
        #expect(ends == [at(500), nil, at(4700), nil, at(13_000)])
    }

    @Test func `a back-off is reported with its failure and its end`() {
        var run = ProgressThrottle()
        run.retries(after: error, failures: 2, until: at(5000))
        let all = [5, 4].map { progress(.waiting(.backOff(seconds: $0, reason: "gone"))) }
        let news = all.map { run.advance(to: $0, at: at(0)).news }
        #expect(news == [.backsOff(until: at(5000), failures: 2, error, isHostDown: true), nil])
    }

    @Test func `a host already known to rest is reported once, from the progress`() {
        var run = ProgressThrottle()
        let news = [(5.0, 0), (4.9, 100)].map {
            run.advance(to: progress(.waiting(.backOff(seconds: $0.0, reason: "rests"))), at: at($0.1)).news
        }
        let rest = DownloadError(.refused, "rests", recovery: .retryAfter(nil))
        #expect(news == [.backsOff(until: at(5000), failures: 0, rest, isHostDown: false), nil])
    }

    @Test func `readers learn of a new state at once, but of progress at most twenty times a second`() {
        var run = ProgressThrottle()
        let due = [(0, false), (20, false), (30, true), (79, true), (80, true)].map { time, isVerifying in
            run.advance(to: progress(.running(isVerifying ? .verifying : .downloading)), at: at(time)).isDue
        }
        #expect(due == [true, false, true, false, true])
    }

    @Test func `of a file that is done within a moment, readers learn the beginning`() {
        var run = ProgressThrottle()
        let states: [(Int, DownloadState)] = [
            (0, .running(.probing)), (10, .running(.downloading)), (20, .running(.finishing)),
            (60, .running(.finishing)), (70, .failed(error)),
        ]
        #expect(states.map { run.advance(to: progress($0.1), at: at($0.0)).isDue } == [true, false, false, true, true])
    }
}
