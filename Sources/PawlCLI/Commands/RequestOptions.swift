import ArgumentParser
import Pawl
import PawlJobs

/// A group of flags that belong to one subject, as typed. `pawl get` holds such groups, and asks each to put what it says into the
/// jobs and into what holds for all of them.
///
/// A new subject is a new file with a group, and a line in ``GetCommand``.
protocol RequestOptions: ParsableArguments, Sendable {
    /// - Throws: for what the words alone show to be wrong. The message says what is accepted.
    func apply(to job: inout JobSpec) throws(UsageError)
    func apply(to configuration: inout Downloader.Configuration, reading files: NamedFiles) throws(UsageError)
    /// The same for a group whose flags name no file that has to be read now.
    func apply(to configuration: inout Downloader.Configuration) throws(UsageError)
    /// Whether one of the words may hold what must not be shown again.
    var holdsSecrets: Bool { get }
    /// What is told each time, however quiet the command is asked to be.
    func warnings(reading files: NamedFiles) -> [String]
    /// What is left to do when everything has ended, well or not.
    func finish(_ configuration: Downloader.Configuration) throws(DownloadError)
}

extension RequestOptions {
    func apply(to configuration: inout Downloader.Configuration, reading files: NamedFiles) throws(UsageError) {
        try apply(to: &configuration)
    }
    func apply(to job: inout JobSpec) throws(UsageError) {}
    func apply(to configuration: inout Downloader.Configuration) throws(UsageError) {}
    var holdsSecrets: Bool { false }
    func warnings(reading files: NamedFiles) -> [String] { [] }
    func finish(_ configuration: Downloader.Configuration) throws(DownloadError) {}
}

extension [any RequestOptions] {
    /// What all groups together say of a job for this URL, and of what it is done with. Their warnings are told.
    func settled(for url: String, in session: Session) throws -> (job: JobSpec, configuration: Downloader.Configuration) {
        var job = JobSpec(url)
        var configuration = Downloader.Configuration()
        for group in self {
            try group.apply(to: &job)
            try group.apply(to: &configuration, reading: session.files)
            group.warnings(reading: session.files).forEach(session.complain)
        }
        return (job, configuration)
    }
}
