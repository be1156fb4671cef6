import Logging
import Pawl
import PawlCore
import PawlJobs
import PawlOptions
import PawlSystem

/// Options of every command that contacts a server, apart from those of a job.
struct ServerOptions: Sendable {
    var caCertificate: String?
    var connection = ConnectionOptions()
    var files = CredentialFiles()
    /// The verbosity: 1 for `-v`, 2 for `-vv`.
    var verbosity = 0
    /// Defaults are left out, as ``CommandDefaults`` has seen before.
    var noConfig = false

    /// - Parameter words: where the command keeps the options of a job.
    static func groups<Command>(
        _ words: any WritableKeyPath<Command, TypedJob> & Sendable,
        _ server: any WritableKeyPath<Command, ServerOptions> & Sendable
    ) -> [CommandDeclaration<Command>.Group] {
        let network = ConnectionOptions.options.within(\Self.connection)
        let files = CredentialFiles.options.within(\Self.files)
        return [
            .init("Server", TypedJob.options(JobOptions.headers).within(words)),
            .init("Server", [certificate.within(server)]), .init("Network", network.within(server)),
            .init("Credentials and cookies", TypedJob.options(JobOptions.credentials).within(words)),
            .init("Credentials and cookies", files.within(server)),
            .init("Requests", TypedJob.options(JobOptions.caller).within(words)),
        ]
    }

    static let certificate = OptionDeclaration<Self>.text(
        "ca-certificate", "file", \.caCertificate,
        help: "Trust the certificate authorities in this PEM file instead of the system's.", completion: .file
    )
    .without(.lists, because: .wholeRun)

    static let output = OptionDeclaration<Self>.without(
        [.lists, .configuration], because: .output,
        [
            .init(
                "verbose", letter: "v",
                help:
                    "Show each request, response and decision on stderr, even with -q. -vv also shows all fields of responses, connections and checkpoints."
            ) { (options, _) in options.verbosity += 1 },
            .flag(
                "no-config", \.noConfig,
                help: "Ignore the defaults in pawl/config.toml and in $PAWL_… (docs/options.md)."),
        ])

    /// - Throws: for values that are wrong together, and files that cannot be used. The message says what is accepted.
    func apply(to configuration: inout Downloader.Configuration, reading named: NamedFiles) throws(UsageError) {
        configuration.certificateAuthorityFile = caCertificate
        configuration.authorityVariables = AuthorityVariables(Environment.value)
        configuration.pemFiles = named.pem
        try connection.apply(to: &configuration)
        try files.apply(to: &configuration, reading: named)
        guard verbosity > 0 else { return }
        let output = VerboseOutput(isDetailed: verbosity > 1)
        configuration.logger = Logger(label: "pawl") { _ in VerboseLogHandler(output) }
    }

    /// The job for this URL, and the configuration of its downloader, as the options say. Their warnings are told.
    func settled(
        _ words: TypedJob, for url: String, in session: Session
    ) throws -> (job: JobSpec, configuration: Downloader.Configuration) {
        var job = try words.described()
        job.source = .url(try Self.checked(url))
        var configuration = Downloader.Configuration()
        try apply(to: &configuration, reading: session.files)
        words.droppedNotice.map(session.warn)
        warnings(reading: session.files).forEach(session.warn)
        return (job, configuration)
    }

    private static func checked(_ url: String) throws(UsageError) -> String {
        guard JobDocument.isURL(url) else { return url }
        do throws(HTTPURLError) {
            let written = try HTTPURL.writingHostInASCII(url)
            try HTTPURL.check(typed: written)
            return written
        } catch { throw UsageError(error.message) }
    }

    var holdsSecrets: Bool { connection.proxy?.utf8.contains(UInt8(ascii: "@")) == true }

    /// Warnings that are shown even with `-q`.
    func warnings(reading named: NamedFiles) -> [String] { connection.warnings + files.warnings(reading: named) }

    /// Finishes the work that remains when everything has ended, successfully or not.
    func finish(_ configuration: Downloader.Configuration) throws(DownloadError) {
        if let path = files.saveCookies { try configuration.cookies?.save(to: path) }
    }
}
