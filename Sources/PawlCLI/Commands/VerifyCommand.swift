import ArgumentParser
import Pawl
import PawlCore
import PawlJobs
import PawlMetalink

struct VerifyCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check files against a checksum, a list of checksums or a Metalink, and repair what is wrong.",
        discussion: """
            Exit code 0: all match. 6: one does not. 8: one cannot be read.

            With --repair, the pieces that are wrong are fetched again and nothing else: pawl verify --repair FILE URL --metalink FILE.meta4. The file is \
            replaced when the repaired one is whole, and not touched before.
            """)

    @Argument(help: ArgumentHelp("The files to read. With --repair one file, and then the URLs it can be had from.", valueName: "file"))
    var files: [String]

    @Option(
        help: ArgumentHelp("What the file must hash to; ALGO is sha-256, sha-512, sha-1 or md5.", valueName: "ALGO:HEX"))
    var checksum: String?

    @OptionGroup var list: ChecksumFileOption

    @Option(help: ArgumentHelp("Check against what this Metalink document says of the file: length, pieces, checksum.", valueName: "file or url"))
    var metalink: String?

    @Flag(help: "Fetch the pieces that are wrong again. The Metalink has to have piece hashes.")
    var repair = false

    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup(title: "Network") var connection: ConnectionOptions
    @OptionGroup(title: "Credentials and cookies") var credentials: CredentialOptions
    @OptionGroup(title: "Requests") var caller: CallerOptions
    @OptionGroup(title: "Output") var verbosity: VerboseOptions

    @Flag(help: "Write JSON objects to stdout, one a line (docs/json-events.md).")
    var json = false

    @Flag(name: [.customShort("q"), .customLong("quiet")], help: "Say nothing but errors.")
    var quiet = false

    /// All groups that change the request or the configuration: a new one is added here.
    private var groups: [any RequestOptions] { [server, connection, credentials, caller, verbosity] }

    func execute(in session: Session) async throws -> ExitCode {
        try check()
        var configuration = Downloader.Configuration()
        // What only one origin may see is for that of the file, and without a URL of it for that of the first document.
        let places = (repair ? Array(files.dropFirst()) : []) + [metalink, list.checksumFile].compactMap(\.self)
        var template = DownloadRequest(places.first(where: JobDocument.isURL) ?? "")
        for group in groups {
            try group.apply(to: &configuration, reading: session.files)
            try group.apply(to: &template, reading: session.files)
            group.warnings(reading: session.files).forEach(session.complain)
        }
        let verification = Verification(configuration, like: template, session: session, writesJSON: json, isQuiet: quiet)
        let code = repair ? try await repairFile(verification, like: template) : try await checkFiles(verification)
        for group in groups { try group.finish(configuration) }
        return code
    }

    private func checkFiles(_ verification: Verification) async throws -> ExitCode {
        let expectation = try await expectation(verification.reader)
        // All of them before the first is read: what is missing is told at once.
        let facts = try files.map { try expectation.of($0) }
        var first: ExitCode?
        for (file, facts) in zip(files, facts) {
            let code = try await verification.check(file, against: facts)
            if code != .done, first == nil { first = code }
        }
        return first ?? .done
    }

    /// What the words alone show to be wrong.
    func check() throws(UsageError) {
        let given = [checksum, list.checksumFile, metalink].count { $0 != nil }
        guard given > 0 else { throw UsageError("Say what to check against: --checksum, --checksum-file or --metalink.") }
        guard !repair else {
            guard metalink != nil else {
                throw UsageError(
                    "--repair needs to know which pieces are wrong, and only a Metalink with piece hashes tells: name one with --metalink. A checksum tells no more than that the file is wrong; “pawl get --if-exists replace” fetches all of it again.")
            }
            return try list.check(besides: checksum)
        }
        guard given == 1 else { throw UsageError("Give one of --checksum, --checksum-file and --metalink.") }
        guard checksum == nil || files.count == 1 else {
            throw UsageError("--checksum is of one file. For several, write a list and give it with --checksum-file.")
        }
        if let url = files.first(where: JobDocument.isURL) {
            throw UsageError("\((try? HTTPURL(parsing: url))?.redacted ?? "A URL") is no file here. With --repair a URL says where the file can be had.")
        }
    }

    // MARK: What is expected

    private enum Expectation {
        case digest(Digest)
        case list(NamedDigestList)
        case metalink(MetalinkDocument, shown: String)

        func of(_ file: String) throws(UsageError) -> Verification.Facts {
            switch self {
            case .digest(let digest): return Verification.Facts(digest: digest)
            case .list(let list): return Verification.Facts(digest: try list.digest(for: [file]))
            case .metalink(let document, let shown):
                let entry = try VerifyCommand.entry(for: file, in: document, shown)
                return Verification.Facts(digest: entry.digests.first, pieces: entry.pieceHashes, size: entry.size)
            }
        }
    }

    private func expectation(_ reader: DocumentReader) async throws -> Expectation {
        if let checksum { return .digest(try ChecksumOption.parse(checksum)) }
        if let list = try await list.list(reader) { return .list(list) }
        let place = metalink ?? ""
        return .metalink(try await MetalinkOptions.document(at: place, reader), shown: MetalinkOptions.shown(place))
    }

    /// The document's file of this name; or its only one, whatever the file here is called.
    fileprivate static func entry(
        for file: String, in document: MetalinkDocument, _ shown: String
    ) throws(UsageError) -> MetalinkDocument.File {
        if document.files.count == 1, let only = document.files.first { return only }
        let name = file.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? file
        let found = document.files.filter { $0.name == file }
        let named = found.isEmpty ? document.files.filter { $0.path.last == name } : found
        guard named.count == 1, let entry = named.first else {
            let names = document.files.prefix(8).map { "“\($0.name)”" }.joined(separator: ", ")
            throw UsageError("The Metalink \(shown) has \(named.isEmpty ? "no file" : "several files") named “\(name)”. It has: \(names).")
        }
        return entry
    }

    // MARK: Repair

    private func repairFile(_ verification: Verification, like template: DownloadRequest) async throws -> ExitCode {
        guard let file = files.first, !JobDocument.isURL(file) else { throw UsageError("--repair takes a file, and then URLs it can be had from.") }
        let urls = Array(files.dropFirst())
        guard urls.allSatisfy(JobDocument.isURL) else {
            throw UsageError("--repair takes one file at a time, and then URLs it can be had from.")
        }
        let place = metalink ?? ""
        let document = try await MetalinkOptions.document(at: place, verification.reader)
        let entry = try Self.entry(for: file, in: document, MetalinkOptions.shown(place))
        let sources = urls.map { Mirror($0) } + entry.mirrors
        guard let first = sources.first else {
            throw UsageError("The Metalink \(MetalinkOptions.shown(place)) has no http or https URL for the file. Give one after the file.")
        }
        var request = DownloadRequest(first.url, to: file)
        guard !template.isForOneOrigin || JobDocument.isSameOrigin(first.url, urls.first ?? place) else {
            throw UsageError("Headers and credentials go to the origin of a URL given here, and the Metalink names other servers. Leave them out, or give a URL after the file.")
        }
        for group in groups { try group.apply(to: &request, reading: verification.session.files) }
        request.mirrors = Array(sources.dropFirst().prefix(Mirror.most))
        request.pieceHashes = entry.pieceHashes
        request.expectedSize = entry.size
        request.digest = entry.digests.first
        if let checksum { request.digest = try ChecksumOption.parse(checksum) }
        if let list = try await list.list(verification.reader) { request.digest = try list.digest(for: request.namesInLists) }
        guard request.pieceHashes != nil else {
            throw UsageError(
                "The Metalink \(MetalinkOptions.shown(place)) has no piece hashes for the file, so nothing tells which bytes are wrong. “pawl get --if-exists replace” fetches all of it again.")
        }
        return try await verification.repair(request, shown: file)
    }
}
