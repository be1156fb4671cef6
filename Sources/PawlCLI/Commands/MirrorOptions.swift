import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// Where else the file is.
struct MirrorOptions: RequestOptions {
    @Option(
        help: ArgumentHelp(
            "Another URL of the same file. May be repeated. With a checksum all are used at once, else one after the other.",
            valueName: "url"))
    var mirror: [String] = []

    @Flag(help: "Use the mirrors and the Metalink that the server names in Link headers (RFC 6249); mirrors only where it sends a digest with them.")
    var serverMirrors = false

    @Option(help: ArgumentHelp("Ask mirrors in this country first: two letters. May be repeated, nearest first.", valueName: "country"))
    var mirrorCountry: [String] = []

    func apply(to job: inout JobSpec) throws(UsageError) {
        if case .url(let url, let others) = job.source { job.source = .url(url, mirrors: others + mirror.map { Mirror($0) }) }
        job.options.usesServerMirrors = serverMirrors
        job.options.preferredLocations = mirrorCountry
    }

    /// A URL may hold credentials.
    var holdsSecrets: Bool { mirror.contains(where: JobDocument.holdsSecrets) }
}
