import Pawl
import PawlCore
import PawlJobs

extension VerifyCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        try checkWords()
        // What only one origin may see is for that of the file, and without a URL of it for that of the first document.
        let places = (repair ? Array(files.dropFirst()) : []) + [metalink, expected.digestList].compactMap(\.self)
        let (template, configuration) = try server.settled(
            words, for: places.first(where: JobDocument.isURL) ?? "", in: session)
        let verification = Verification(configuration, session: session, writesJSON: json, isQuiet: quiet)
        let code =
            repair
            ? try await repairFile(verification, like: template) : try await checkFiles(verification, like: template)
        try server.finish(configuration)
        return code
    }

    private func checkFiles(_ verification: Verification, like template: JobSpec) async throws -> ExitCode {
        let expectation = try await expectation(verification.documents, like: template)
        // All of them before the first is read: what is missing is told at once.
        let facts = try files.map { try expectation.facts(of: $0) }
        var first: ExitCode?
        for (file, facts) in zip(files, facts) {
            let code = try verification.check(file, facts)
            if code != .done, first == nil { first = code }
        }
        return first ?? .done
    }

    private func expectation(_ documents: LiveDocuments, like template: JobSpec) async throws -> FileExpectation {
        if let digest = expected.options.digest { return .digest(digest) }
        if let place = expected.digestList {
            return .list(try await documents.digestList(place, for: template), shown: JobDocument.shown(place))
        }
        let place = metalink ?? ""
        return .metalink(try await documents.metalink(place, for: template), shown: JobDocument.shown(place))
    }

    private func repairFile(_ verification: Verification, like template: JobSpec) async throws -> ExitCode {
        guard let file = files.first, !JobDocument.isURL(file), files.dropFirst().allSatisfy(JobDocument.isURL) else {
            throw UsageError("--repair takes one file, followed by URLs to download it from.")
        }
        let plan = RepairPlan(
            of: file, metalink: metalink ?? "", urls: Array(files.dropFirst()),
            digest: expected.options.digest, digestList: expected.digestList)
        let request = try await plan.request(like: template, verification.documents, verification.session.secrets)
        return try await verification.repair(request, shown: file)
    }

    /// Checks the arguments for errors that need no file to be read.
    private func checkWords() throws(UsageError) {
        let digest = expected.options.digest
        let given = [digest != nil, expected.digestList != nil, metalink != nil].count { $0 }
        guard !expected.searchesDigest else {
            throw UsageError(
                "--checksum-file auto looks beside the URL of a download. To verify a file, name the list.")
        }
        guard given > 0 else {
            throw UsageError("Say what to check against: --checksum, --checksum-file or --metalink.")
        }
        guard !repair else {
            guard metalink != nil else {
                throw UsageError(
                    "--repair needs a Metalink with piece hashes, which show what is wrong: name one with --metalink. Without one, “pawl get --if-exists replace” downloads the whole file again."
                )
            }
            return try TypedJob.checkDigests(expected)
        }
        guard given == 1 else { throw UsageError("Give one of --checksum, --checksum-file and --metalink.") }
        guard digest == nil || files.count == 1 else {
            throw UsageError("--checksum applies to one file. For several, give a list with --checksum-file.")
        }
        if let url = files.first(where: JobDocument.isURL) {
            throw UsageError(
                "\((try? HTTPURL(parsing: url))?.redacted ?? "A URL") is not a local file. URLs are only for --repair, to download from."
            )
        }
    }
}
