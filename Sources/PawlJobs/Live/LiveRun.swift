package import Pawl
import PawlCore
import PawlEngine

/// A run of jobs by the library: the driver, its ports, and its events.
package final class LiveRun: Sendable {
    package struct Configuration: Sendable {
        package var rules = JobMachine.Rules()
        /// The configuration of the manager that downloads several files; its downloader is that of the run.
        package var manager = DownloadManager.Configuration()
        /// The only file of a run is the manager's, too.
        package var queuesSingleFiles = true
        /// Takes the bytes of the only file of a run, in order and instead of a file.
        package var reader: LiveFetches.Reader?
        package var secrets = SecretReader()
        package var words: FailureWords
        /// Returns another password for an archive that needs one; nil gives up.
        package var password: LiveArchives.Password = { _, _, _ in nil }

        package init(_ words: FailureWords) { self.words = words }
    }

    package let events: JobEvents.Reader
    private let driver: JobDriver
    private let fetches: LiveFetches

    /// - Parameters:
    ///   - downloader: for documents, members and single files.
    ///   - observe: told everything at once, on any thread; it must not block.
    package init(
        _ jobs: JobRows, _ downloader: Downloader, _ configuration: Configuration,
        observe: @escaping @Sendable (JobEvent) -> Void = { _ in }
    ) {
        let (secrets, manager) = (configuration.secrets, configuration.manager)
        fetches = LiveFetches(
            downloader, secrets, netrc: manager.downloader.netrc, queuesSingleFiles: configuration.queuesSingleFiles,
            reader: configuration.reader, password: configuration.password
        ) { () throws(DownloadError) in try DownloadManager(configuration: manager) }
        let ports = JobPorts(
            documents: LiveDocuments(
                downloader, secrets, for: jobs, maximumConnectionsPerHost: manager.maximumConnectionsPerHost),
            fetches: fetches,
            archives: LiveArchives(secrets, password: configuration.password),
            hooks: LiveHooks(configuration.words))
        let events = JobEvents.Reader()
        self.events = events
        driver = JobDriver(jobs, rules: configuration.rules, ports: ports) { news in
            for event in news { observe(event) }
            events.offer(news.map(\.item))
            if case .finished = news.last { events.finish() }
        }
    }

    package func start() { driver.start() }

    /// Ends everything; received bytes are kept. May take a while, as it performs the consequences.
    package func stop() {
        driver.beginNothing()
        // All at once, so that none that waits takes the place of one that ends.
        Task { await fetches.shutdown() }
        driver.stop()
    }

    /// The hosts that files wait for which have not begun, each with the number of these.
    package var obstacles: [RunObstacle] { fetches.obstacles }

    /// Saves the host memory. Call it once, after the last event.
    package func finish() async { await fetches.shutdown() }
}

/// The files that a run would fetch.
package struct RunPlan: Sendable {
    package var files = JobFiles()
    /// The number of further files that were given twice.
    package var repeated = 0
    /// Parts of documents that could not be used.
    package var notices: [String] = []

    /// Reads the documents of the jobs. Nothing is made or changed.
    ///
    /// - Throws: ``JobFailure`` where a run would be refused.
    package init(of jobs: JobRows, _ downloader: Downloader, _ configuration: LiveRun.Configuration) async throws {
        var configuration = configuration
        configuration.rules.onlyPlans = true
        let run = LiveRun(jobs, downloader, configuration)
        run.start()
        while let events = await run.events.next() {
            for event in events {
                switch event {
                case .noticed(_, let notices): self.notices += notices
                case .planned(let files, let repeated): (self.files, self.repeated) = (files, repeated)
                case .refused(let failure): throw failure
                default: break
                }
            }
        }
    }
}
