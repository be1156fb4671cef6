import ArgumentParser
import Pawl
import PawlCore
import PawlJobs
import PawlSystem

/// Options of every command that contacts a server.
struct ServerOptions: RequestOptions {
    @OptionGroup var headers: HeaderOptions

    @Option(
        help: ArgumentHelp(
            "Trust the certificate authorities in this PEM file instead of the system's.", valueName: "file"),
        completion: .file())
    var caCertificate: String?

    func apply(to job: inout JobSpec) throws(UsageError) { try headers.apply(to: &job) }

    func apply(to configuration: inout Downloader.Configuration, reading files: NamedFiles) {
        configuration.certificateAuthorityFile = caCertificate
        configuration.authorityVariables = AuthorityVariables(Environment.value)
        configuration.pemFiles = files.pem
    }

    var holdsSecrets: Bool { headers.holdsSecrets }
}

/// Header fields of requests.
struct HeaderOptions: RequestOptions {
    @Option(
        help: ArgumentHelp(
            "Send a header field to the URL's own origin and no other. May be repeated.", valueName: "Name: value"))
    var header: [String] = []

    func apply(to job: inout JobSpec) throws(UsageError) {
        for text in header { job.headers.append(try UsageError.value(of: "--header", text, OptionText.headerField)) }
    }

    var holdsSecrets: Bool { !header.isEmpty }
}
