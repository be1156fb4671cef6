import Pawl
import PawlCore
import PawlJobs
import PawlMetalink

extension VerifyCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        try check()
        // What only one origin may see is for that of the file, and without a URL of it for that of the first document.
        let places = (repair ? Array(files.dropFirst()) : []) + [metalink, list.checksumFile].compactMap(\.self)
        let (template, configuration) = try groups.settled(for: places.first(where: JobDocument.isURL) ?? "", in: session)
        let verification = Verification(configuration, like: template, session: session, writesJSON: json, isQuiet: quiet)
        let code = repair ? try await repairFile(verification, like: template) : try await checkFiles(verification)
        for group in groups { try group.finish(configuration) }
        return code
    }

    private func checkFiles(_ verification: Verification) async throws -> ExitCode {
        let expectation = try await expectation(verification)
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
            return try list.check(besides: checksum != nil)
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
        case list(DigestList, shown: String)
        case metalink(MetalinkDocument, shown: String)

        func of(_ file: String) throws -> Verification.Facts {
            switch self {
            case .digest(let digest): return Verification.Facts(digest: digest)
            case .list(let list, let shown): return Verification.Facts(digest: try list.digest(for: [file], shown))
            case .metalink(let document, let shown):
                let entry = try VerifyCommand.entry(for: file, in: document, shown)
                return Verification.Facts(digest: entry.digests.first, pieces: entry.pieceHashes, size: entry.size)
            }
        }
    }

    private func expectation(_ verification: Verification) async throws -> Expectation {
        if let checksum { return .digest(try ChecksumOption.parse(checksum)) }
        if let place = list.checksumFile {
            return .list(try await verification.documents.digestList(place, for: verification.template), shown: JobDocument.shown(place))
        }
        let place = metalink ?? ""
        return .metalink(try await verification.documents.metalink(place, for: verification.template), shown: JobDocument.shown(place))
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

    private func repairFile(_ verification: Verification, like template: JobSpec) async throws -> ExitCode {
        guard let file = files.first, !JobDocument.isURL(file) else { throw UsageError("--repair takes a file, and then URLs it can be had from.") }
        let urls = Array(files.dropFirst())
        guard urls.allSatisfy(JobDocument.isURL) else {
            throw UsageError("--repair takes one file at a time, and then URLs it can be had from.")
        }
        let place = metalink ?? ""
        let shown = JobDocument.shown(place)
        let document = try await verification.documents.metalink(place, for: template)
        let entry = try Self.entry(for: file, in: document, shown)
        let sources = urls.map { Mirror($0) } + entry.mirrors
        guard let first = sources.first else {
            throw UsageError("The Metalink \(shown) has no http or https URL for the file. Give one after the file.")
        }
        guard !template.isForOneOrigin || JobDocument.isSameOrigin(first.url, urls.first ?? place) else {
            throw UsageError("Headers and credentials go to the origin of a URL given here, and the Metalink names other servers. Leave them out, or give a URL after the file.")
        }
        var job = template
        job.source = .url(first.url, mirrors: Array(sources.dropFirst().prefix(Mirror.most)))
        var request = try job.request(verification.session.secrets)
        (request.directory, request.fileName) = { ($0.directory, $0.fileName) }(DownloadRequest("", to: file))
        request.pieceHashes = entry.pieceHashes
        request.expectedSize = entry.size
        request.digest = entry.digests.first
        if let checksum { request.digest = try ChecksumOption.parse(checksum) }
        if let place = list.checksumFile {
            let names = JobSpec.namesInLists(urls: [request.url] + request.mirrors.map(\.url), fileName: request.fileName)
            request.digest = try await verification.documents.digestList(place, for: job).digest(for: names, JobDocument.shown(place))
        }
        guard request.pieceHashes != nil else {
            throw UsageError(
                "The Metalink \(shown) has no piece hashes for the file, so nothing tells which bytes are wrong. “pawl get --if-exists replace” fetches all of it again.")
        }
        return try await verification.repair(request, shown: file)
    }
}

extension DigestList {
    /// - Parameter shown: what to call the list.
    fileprivate func digest(for paths: [String], _ shown: String) throws(JobFailure) -> Digest {
        do throws(DigestListError) {
            return try digest(forFileAt: paths)
        } catch {
            throw .document(shown, .noDigest(error))
        }
    }
}
