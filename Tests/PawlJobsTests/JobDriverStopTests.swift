import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@testable import PawlJobs

@Suite struct JobDriverStopTests {
    /// Fetches that end when the test says so.
    private final class HeldFetches: JobFetchPort {
        let tellings = Locked<[JobFileID: JobTelling]>([:])

        func prepare(_ file: JobFile) throws(JobFailure) -> PreparedFile {
            PreparedFile(file, identity: [UInt8(file.job)], target: FileTarget(directory: "/d", name: nil))
        }

        func fetch(_ id: JobFileID, _ file: JobFile, _ tell: @escaping JobTelling) {
            tellings.withLock { $0[id] = tell }
        }

        func stop(_ id: JobFileID) {}
    }

    @Test func `a fetch that ends before the stop begins no other one`() throws {
        let runtime = SimulatedRuntime(seed: 1, now: .zero)
        let disk = SimulatedDisk(seed: 1)
        let others = SimulatedPorts(SimulatedNetwork(SimulatedOrigin(versions: []), runtime: runtime), disk, runtime)
            .ports
        let (fetches, events) = (HeldFetches(), Shared<[JobEvent]>([]))
        var rules = JobMachine.Rules()
        rules.maximumFetching = 1
        let ports = JobPorts(
            documents: others.documents, fetches: fetches, archives: others.archives, hooks: others.hooks)
        let driver = JobDriver((1...2).map { JobSpec("http://a.example/\($0)") }, rules: rules, ports: ports) { news in
            events.value.withLock { $0 += news }
        }
        driver.start()
        let (one, two) = (JobFileID(1), JobFileID(2))
        driver.beginNothing()
        let failure = JobFailure.download(DownloadError(.network, "cut", recovery: .retryNow))
        let tell = try #require(fetches.tellings.withLock { $0[one] })
        tell([.fetchFailed(one, failure)])
        #expect(fetches.tellings.withLock { $0[two] } == nil)
        #expect(events.value.withLock { $0.contains(.ended(two, .stopped(.fetch, fetched: nil))) })
    }
}
