import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// A group of flags about one subject, as typed. `pawl get` consists of such groups, each of which adds its settings to
/// the jobs and to what they share.
///
/// A new subject is a new file with a group, and a line in ``GetCommand``.
protocol RequestOptions: ParsableArguments, Sendable {
    /// - Throws: for values that are wrong by themselves. The message says what is accepted.
    func apply(to job: inout JobSpec) throws(UsageError)
    func apply(to configuration: inout Downloader.Configuration, reading files: NamedFiles) throws(UsageError)
    /// The same for a group whose flags name no file that has to be read now.
    func apply(to configuration: inout Downloader.Configuration) throws(UsageError)
    /// Whether an argument may hold a secret.
    var holdsSecrets: Bool { get }
    /// Warnings that are shown even with `-q`.
    func warnings(reading files: NamedFiles) -> [String]
    /// Work that remains when everything has ended, successfully or not.
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
    func settled(for url: String, in session: Session) throws -> (job: JobSpec, configuration: Downloader.Configuration)
    {
        if JobDocument.isURL(url) {
            do throws(HTTPURLError) { try HTTPURL.check(typed: url) } catch { throw UsageError(error.message) }
        }
        var job = JobSpec(url)
        var configuration = Downloader.Configuration()
        for group in self {
            try group.apply(to: &job)
            try group.apply(to: &configuration, reading: session.files)
            group.warnings(reading: session.files).forEach(session.warn)
        }
        return (job, configuration)
    }
}
