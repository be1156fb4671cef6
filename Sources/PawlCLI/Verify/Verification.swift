import Pawl
import PawlCore
import PawlJobs
import PawlSystem

/// Checks files, repairs them, and reports the result.
struct Verification {
    let session: Session
    let writesJSON: Bool
    let isQuiet: Bool
    private let configuration: Downloader.Configuration
    let documents: LiveDocuments

    init(_ configuration: Downloader.Configuration, session: Session, writesJSON: Bool, isQuiet: Bool) {
        self.configuration = configuration
        self.session = session
        self.writesJSON = writesJSON
        self.isQuiet = isQuiet
        // Only where a document has to be fetched is the network touched at all.
        documents = LiveDocuments(session.secrets) { () throws(DownloadError) in
            try Downloader.forThisProcess(configuration)
        }
    }

    // MARK: Checking

    func check(_ file: String, _ facts: ExpectedContent) throws -> ExitCode {
        switch FileKind(path: file) {
        case .missing:
            session.complain("There is no file “\(file)”.")
            return .disk
        case .directory:
            session.complain("“\(file)” is a directory; name a file in it.")
            return .disk
        case .other: break
        }
        guard let verdict = try FileVerdict(ofFileAt: file, facts) else {
            throw UsageError(
                "“\(file)” cannot be checked: neither a checksum nor its length is known.")
        }
        return tell(
            verdict.json(file), isRight: verdict.isRight, "\(file): \(verdict.successText)",
            "“\(file)” does not match. \(verdict.failureText)")
    }

    private func tell(_ fact: JSONValue, isRight: Bool, _ good: String, _ bad: String) -> ExitCode {
        let verdict: ExitCode = isRight ? .done : .digestMismatch
        if writesJSON {
            let code = session.write(fact.encoded + "\n")
            return code == .done ? verdict : code
        }
        if !isRight { session.complain(bad) } else if !isQuiet { session.say(good) }
        return verdict
    }

    // MARK: Repairing

    func repair(_ request: DownloadRequest, shown file: String) async throws -> ExitCode {
        let downloader = try Downloader.forThisProcess(configuration)
        let repair = try await downloader.repair(request)
        guard let download = repair.download else {
            guard let findings = repair.findings else { return .done }
            return tell(
                findings.json(file), isRight: true, "\(file): OK (\(findings.pieceCount) pieces), nothing to repair", ""
            )
        }
        announce(repair.findings, file)
        session.interruption.onStop { download.stop() }
        let display =
            isQuiet || writesJSON || !Terminal.canRedraw
            ? nil
            : Task { await RepairDisplay(name: file.shown(in: Locale.current), errors: session.errors).show(download) }
        let ending: Result<DownloadResult, any Error>
        do { ending = .success(try await download.result()) } catch { ending = .failure(error) }
        display?.cancel()
        // No drawing may follow the last line.
        await display?.value
        do {
            let result = try ending.get()
            let fetched = result.byteCount - result.resumedFrom
            return tell(
                [
                    "file": .string(file), "bytes": .integer(result.byteCount), "fetched": .integer(fetched),
                    "repaired": .boolean(true), "matches": .boolean(true),
                ],
                isRight: true, "\(file): repaired, \(ByteCount.text(fetched)) fetched", "")
        } catch is CancellationError {
            session.say("pawl: Stopped; “\(file)” is unchanged. Run the same command to resume.")
            return session.interruption.cause?.exitCode ?? .failure
        }
    }

    private func announce(_ findings: FileRepair.Findings?, _ file: String) {
        guard !writesJSON, !isQuiet else { return }
        session.say("\(file): " + (findings?.text ?? "Resuming an earlier repair."))
    }
}
