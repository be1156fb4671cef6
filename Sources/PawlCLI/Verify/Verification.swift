import Pawl
import PawlCore
import PawlJobs
import PawlSystem

/// Checks files, repairs them, and says what was found.
struct Verification {
    /// What a file must be.
    struct Facts {
        var digest: Digest?
        var pieces: PieceHashes?
        /// In bytes.
        var size: Int64?
    }

    let session: Session
    let writesJSON: Bool
    let isQuiet: Bool
    private let configuration: Downloader.Configuration
    /// What holds for the documents, too.
    let template: JobSpec
    let documents: LiveDocuments

    init(_ configuration: Downloader.Configuration, like template: JobSpec, session: Session, writesJSON: Bool, isQuiet: Bool) {
        self.configuration = configuration
        self.session = session
        self.writesJSON = writesJSON
        self.isQuiet = isQuiet
        self.template = template
        // Only where a document has to be fetched is the network touched at all.
        documents = LiveDocuments(session.secrets) { () throws(DownloadError) in try Downloader.forThisProcess(configuration) }
    }

    // MARK: Checking

    func check(_ file: String, against facts: Facts) async throws -> ExitCode {
        switch FileKind(path: file) {
        case .missing:
            session.complain("There is no file “\(file)”.")
            return .disk
        case .directory:
            session.complain("“\(file)” is a directory; name a file in it.")
            return .disk
        case .other: break
        }
        if let pieces = facts.pieces { return try check(file, pieces, facts) }
        if let size = facts.size, facts.digest == nil { return try check(file, size: size) }
        guard let expected = facts.digest else {
            throw UsageError("Nothing is known of “\(file)” that it could be checked against: neither a checksum nor its length.")
        }
        let actual = try Digest.compute(expected.algorithm, ofFileAt: file)
        let fact: JSONValue = [
            "file": .string(file), "algorithm": .string(expected.algorithm.rawValue), "expected": .string(expected.hex),
            "actual": .string(actual.hex), "matches": .boolean(actual == expected),
        ]
        return tell(
            fact, isRight: actual == expected, "\(file): OK (\(expected.algorithm.rawValue))",
            "“\(file)” does not match. Its \(expected.algorithm.rawValue) is \(actual.hex), not \(expected.hex).")
    }

    private func check(_ file: String, _ pieces: PieceHashes, _ facts: Facts) throws -> ExitCode {
        let findings = try FileRepair.Findings(ofFileAt: file, pieceHashes: pieces, size: facts.size, digest: facts.digest)
        return tell(
            Self.json(file, findings), isRight: findings.isIntact,
            "\(file): OK (\(findings.pieceCount) pieces, \(facts.digest?.algorithm.rawValue ?? pieces.algorithm.rawValue))",
            "“\(file)” does not match. \(Self.sentence(findings)) --repair fetches what is wrong again.")
    }

    private func check(_ file: String, size: Int64) throws -> ExitCode {
        let actual = try FileRepair.Findings.size(ofFileAt: file)
        let fact: JSONValue = [
            "file": .string(file), "bytes": .integer(actual), "total": .integer(size), "matches": .boolean(actual == size),
        ]
        return tell(
            fact, isRight: actual == size, "\(file): the length is right, and nothing else is known of it",
            "“\(file)” does not match. It has \(actual) bytes, not \(size).")
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
            return tell(Self.json(file, findings), isRight: true, "\(file): OK (\(findings.pieceCount) pieces), nothing to repair", "")
        }
        announce(repair.findings, file)
        session.interruption.onStop { Task { _ = try? await download.pause() } }
        let display = isQuiet || writesJSON || !Terminal.canRedraw
            ? nil : Task { await RepairDisplay(name: file.shown(in: Locale.current), errors: session.errors).show(download) }
        let ending: Result<DownloadResult, any Error>
        do { ending = .success(try await download.result()) } catch { ending = .failure(error) }
        display?.cancel()
        // Nothing may be drawn after the last line.
        await display?.value
        do {
            let result = try ending.get()
            let fetched = result.byteCount - result.resumedFrom
            return tell(
                ["file": .string(file), "bytes": .integer(result.byteCount), "fetched": .integer(fetched), "repaired": .boolean(true), "matches": .boolean(true)],
                isRight: true, "\(file): repaired, \(ByteCount.text(fetched)) fetched", "")
        } catch is CancellationError {
            session.complain("Stopped; “\(file)” is as it was. Run the same command to go on.")
            return session.interruption.cause?.exitCode ?? .failure
        }
    }

    private func announce(_ findings: FileRepair.Findings?, _ file: String) {
        guard !writesJSON, !isQuiet else { return }
        session.say("\(file): " + (findings.map(Self.sentence) ?? "Going on with a repair that was begun before."))
    }

    private static func sentence(_ findings: FileRepair.Findings) -> String {
        var parts: [String] = []
        if findings.wrongPieces > 0 {
            parts.append("\(findings.wrongPieces) of \(findings.pieceCount) pieces are wrong, \(ByteCount.text(findings.wrongBytes)).")
        }
        if let total = findings.totalBytes, total != findings.fileSize { parts.append("It has \(findings.fileSize) bytes, not \(total).") }
        if parts.isEmpty { parts.append("Its pieces are right, and the whole is not: the piece hashes and the checksum are of two different files.") }
        return parts.joined(separator: " ")
    }

    private static func json(_ file: String, _ findings: FileRepair.Findings) -> JSONValue {
        [
            "file": .string(file), "pieces": .integer(findings.pieceCount), "wrongPieces": .integer(findings.wrongPieces),
            "wrongBytes": .integer(findings.wrongBytes), "bytes": .integer(findings.fileSize), "total": .optional(findings.totalBytes),
            "matches": .boolean(findings.isIntact),
        ]
    }
}
