import Pawl
import PawlArchive
import PawlCore
import Testing

@testable import PawlJobs

@Suite struct RunAccountTests {
    private static func files(_ count: Int) -> JobFiles {
        JobFiles((1...count).map { JobFile(spec: JobSpec("https://h/\($0).bin")) })
    }

    private static func waiting(_ wait: DownloadState.Wait) -> JobProgress {
        JobProgress(DownloadProgress(state: .waiting(wait)))
    }

    /// The obstacle shown of hosts that so many files wait for, and of files that wait for these disks.
    private func obstacle(_ hosts: [RunObstacle], _ disks: [String] = []) -> RunObstacle? {
        var account = RunAccount(Self.files(max(1, disks.count)))
        for (index, disk) in disks.enumerated() {
            let waits = Self.waiting(.diskFull(disk))
            #expect(account.handle(.progressed(JobFileID(index + 1), waits), at: .zero).isEmpty)
        }
        account.tick(at: .seconds(1), waitingFor: hosts)
        return account.progress.obstacle
    }

    @Test func `the obstacle of most files is shown, and of equals always the same`() {
        let (limit, rests) = (RunObstacle(.hostLimit, "a:80"), RunObstacle(.hostRests, "a:80"))
        #expect(obstacle([]) == nil)
        #expect(
            obstacle([limit, RunObstacle(.hostLimit, "b:80", count: 2)]) == RunObstacle(.hostLimit, "b:80", count: 2))
        #expect(obstacle([RunObstacle(.hostLimit, "b:80"), limit]) == limit)
        #expect(obstacle([limit], ["The disk is full."]) == RunObstacle(.fullDisk, "The disk is full."))
        #expect(obstacle([limit, limit], ["full", "full"]) == RunObstacle(.fullDisk, "full", count: 2))
        #expect(obstacle([rests, limit]) == limit)
    }

    @Test func `a past obstacle is not shown, nor what a running file waits for`() {
        var account = RunAccount(Self.files(2))
        let (one, two) = (JobFileID(1), JobFileID(2))
        _ = account.handle(.progressed(one, Self.waiting(.diskFull("full"))), at: .zero)
        _ = account.handle(.progressed(one, JobProgress(DownloadProgress(state: .queued))), at: .zero)
        account.tick(at: .zero, waitingFor: [RunObstacle(.hostLimit, "a:80")])
        #expect(account.handle(.began(two), at: .seconds(1)) == [.began(two)])
        #expect(account.handle(.began(two), at: .seconds(2)).isEmpty)
        _ = account.handle(.progressed(two, Self.waiting(.hostLimit(host: "a:80"))), at: .seconds(2))
        account.tick(at: .seconds(3))
        #expect(account.progress.obstacle == nil && account.progress.running.map(\.name) == ["2.bin"])
    }

    @Test func `an end is reported with the time since the file's beginning, and counted once`() {
        var account = RunAccount(Self.files(3))
        let (one, two, three) = (JobFileID(1), JobFileID(2), JobFileID(3))
        _ = account.handle(.began(one), at: .seconds(2))
        let failed = JobOutcome.failed(.fetch, .selectsNothing("x"), fetched: nil)
        #expect(account.handle(.ended(one, failed), at: .seconds(5)) == [.ended(one, failed, after: .seconds(3))])
        // A failure that never began is reported as a beginning and an end. One of several files stopped before it
        // began is only counted.
        #expect(
            account.handle(.ended(two, failed), at: .seconds(6)) == [.began(two), .ended(two, failed, after: .zero)])
        #expect(account.handle(.ended(three, .stopped(.fetch, fetched: nil)), at: .seconds(7)).isEmpty)
        let summary = account.summary(at: .seconds(8))
        #expect(
            summary.failures.map(\.id) == [one, two] && summary.stopped == 1 && summary.completed == 0
                && summary.elapsed == .seconds(8))
    }

    @Test func `old bytes that are discarded count as fetched again`() {
        var account = RunAccount(Self.files(1))
        let id = JobFileID(1)
        _ = account.handle(.began(id), at: .zero)
        _ = account.handle(.notice(id, DownloadNotice(.resumed(offset: 100), now: .zero)), at: .zero)
        _ = account.handle(
            .progressed(id, JobProgress(DownloadProgress(state: .running(.downloading), bytesStored: 150))), at: .zero)
        #expect(account.progress.fetched == 50)
        _ = account.handle(.notice(id, DownloadNotice(.startedOver(keeping: .always), now: .zero)), at: .zero)
        #expect(account.progress.fetched == 150)
    }
}
