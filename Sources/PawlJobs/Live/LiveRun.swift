package import Pawl
import PawlCore

/// One run of jobs by the library: the driver, its ports, and what happens.
package final class LiveRun: Sendable {
    package struct Configuration: Sendable {
        package var rules = JobMachine.Rules()
        /// Of the manager that brings several files; its downloader is that of the run.
        package var manager = DownloadManager.Configuration()
        /// The only file of a run is the manager's, too.
        package var queuesSingleFiles = true
        package var secrets = SecretReader()
        package var words: FailureWords
        /// Asked for where an archive wants another one.
        package var password: LiveArchives.Password = { _, _, _ in nil }

        package init(_ words: FailureWords) { self.words = words }
    }

    package let events = JobEvents()
    private let driver: JobDriver
    private let fetches: LiveFetches

    /// - Parameters:
    ///   - downloader: for documents, members and single files.
    ///   - observe: told everything at once, on any thread; it must not block.
    package init(
        _ jobs: [JobSpec], _ downloader: Downloader, _ configuration: Configuration, observe: @escaping @Sendable (JobEvent) -> Void = { _ in }
    ) {
        let (secrets, manager) = (configuration.secrets, configuration.manager)
        fetches = LiveFetches(
            downloader, secrets, netrc: manager.downloader.netrc, queuesSingleFiles: configuration.queuesSingleFiles, password: configuration.password
        ) { () throws(DownloadError) in try DownloadManager(configuration: manager) }
        let ports = JobPorts(
            documents: LiveDocuments(downloader, secrets, for: jobs), fetches: fetches, archives: LiveArchives(secrets, password: configuration.password),
            hooks: LiveHooks(configuration.words))
        let events = events
        driver = JobDriver(jobs, rules: configuration.rules, ports: ports) { event in
            observe(event)
            events.offer(event)
        }
    }

    package func start() { driver.start() }

    /// Ends everything; what has come is kept. To be called where it may take its time: it performs what follows.
    package func stop() {
        // All at once, so that none that waits takes the place of one that ends.
        Task { await fetches.shutdown() }
        driver.stop()
    }

    /// To be called once, after the last event: what hosts have taught is written with this.
    package func finish() async { await fetches.shutdown() }
}
