import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// Where else the file is.
struct MirrorOptions: RequestOptions {
    @Option(
        help: ArgumentHelp(
            "Another URL of the same file. With a checksum, all are used at once; without, one after the other. May be repeated.",
            valueName: "url"))
    var mirror: [String] = []

    @Flag(
        help:
            "Use the mirrors and the Metalink that the server names in Link headers (RFC 6249). Mirrors are used only if it also sends a digest."
    )
    var serverMirrors = false

    @Option(
        help: ArgumentHelp(
            "Prefer mirrors in this country (two letters). May be repeated, nearest first.", valueName: "country"))
    var mirrorCountry: [String] = []

    func apply(to job: inout JobSpec) throws(UsageError) {
        if case .url(let url, let others) = job.source {
            job.source = .url(url, mirrors: others + mirror.map { Mirror($0) })
        }
        job.options.usesServerMirrors = serverMirrors
        job.options.preferredLocations = mirrorCountry
    }

    /// A URL may hold credentials.
    var holdsSecrets: Bool { mirror.contains(where: JobDocument.holdsSecrets) }
}
