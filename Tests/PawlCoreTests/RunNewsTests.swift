import Testing

@testable import PawlCore

@Suite("What a queue and its readers hear of a run")
struct RunNewsTests {
    private let error = DownloadError(.network, "gone", recovery: .retryNow)

    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func progress(
        _ state: DownloadProgress.State, rate: Double = 0, _ cause: DownloadProgress.WaitCause? = nil
    ) -> DownloadProgress {
        var progress = DownloadProgress(state: state, bytesPerSecond: rate)
        progress.waitCause = cause
        return progress
    }

    @Test("a run works once bytes come; before that nothing can be said, and the same is not said twice")
    func works() {
        var run = RunNews()
        let news = [
            progress(.probing), progress(.downloading, rate: 10), progress(.downloading, rate: 20),
            progress(.verifying),
        ].map { run.advance(to: $0, at: at(0)).news }
        #expect(news == [nil, .works, nil, nil])
        #expect(run.progress?.state == .verifying)
    }

    @Test("a wait for a connection, and the bytes after it, are news")
    func awaitingPermit() {
        var run = RunNews()
        let waiting = progress(.waiting(seconds: 0, reason: "full"), .hostLimit)
        let all = [waiting, waiting, progress(.downloading, rate: 1), waiting]
        let news = all.map { run.advance(to: $0, at: at(0)).news }
        #expect(news == [.awaitingPermit, nil, .works, .awaitingPermit])
    }

    @Test("a back-off tells the failure that was reported before it, and until when it lasts")
    func backOff() {
        var run = RunNews()
        run.retries(after: error, failures: 2, until: at(5000))
        let all = [5, 4].map { progress(.waiting(seconds: $0, reason: "gone"), .backOff) }
        let news = all.map { run.advance(to: $0, at: at(0)).news }
        #expect(news == [.backsOff(until: at(5000), failures: 2, error, isHostDown: true), nil])
    }

    @Test("a host that was known to rest is told from the progress, once")
    func knownRest() {
        var run = RunNews()
        let news = [(5.0, 0), (4.9, 100)].map {
            run.advance(to: progress(.waiting(seconds: $0.0, reason: "rests"), .backOff), at: at($0.1)).news
        }
        let rest = DownloadError(.refused, "rests", recovery: .retryAfter(nil))
        #expect(news == [.backsOff(until: at(5000), failures: 0, rest, isHostDown: false), nil])
    }

    @Test("readers hear of a new state at once, and of progress twenty times a second at most")
    func readers() {
        var run = RunNews()
        let due = [(0, false), (20, false), (30, true), (79, true), (80, true)].map { time, isVerifying in
            run.advance(to: progress(isVerifying ? .verifying : .downloading), at: at(time)).isDue
        }
        #expect(due == [true, false, true, false, true])
    }
}
