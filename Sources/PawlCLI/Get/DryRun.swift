import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import PawlJobs

/// `--dry-run`: what the run would do with each file.
struct DryRun {
    let get: ResolvedGet
    /// The outlooks of the downloads, in their order.
    let outlooks: [FileOutlook]

    func print(in session: Session) -> ExitCode {
        for remark in get.remarks { session.warn(remark) }
        let all = zip(get.downloads, outlooks)
        let lines =
            get.writesJSON
            ? all.map { json($0, $1).encoded } + [summary.encoded]
            : (all.flatMap { directories($1) + [text($0, $1)] } + total).map { $0.shown(in: Locale.current) }
        for line in lines {
            guard session.output.write(line + "\n") else { return .outputClosed }
        }
        return exitCode
    }

    /// The exit code of the run: that of the first failure in the order of the list.
    var exitCode: ExitCode {
        if let failure = outlooks.lazy.compactMap(\.failure).first { return ExitCode(failure) }
        return outlooks.contains { $0.unpackingFailure != nil } ? .notUnpacked : .done
    }

    private func directories(_ outlook: FileOutlook) -> [String] {
        outlook.directories.map { "directory “\($0)” would be created" }
    }

    // MARK: One file

    func text(_ download: PlannedDownload, _ outlook: FileOutlook) -> String {
        let mirrors = download.file.mirrors.count
        let source =
            url(download.file.url) + (mirrors == 0 ? "" : mirrors == 1 ? " and 1 mirror" : " and \(mirrors) mirrors")
        if get.streamsToOutput {
            return source + " -> standard output" + size(outlook)
                + (outlook.failure.map { ": would fail: \($0.text)" } ?? "")
        }
        if !download.file.spec.members.isEmpty { return source + members(download, outlook) }
        return source + " -> " + FileTarget.path(in: download.file.spec.directory, outlook.name)
            + (outlook.isNameFixed ? "" : ", unless the server names it otherwise") + size(outlook) + outcome(outlook)
            + unpacking(outlook)
    }

    private func members(_ download: PlannedDownload, _ outlook: FileOutlook) -> String {
        let place = outlook.unpacking?.path
        let target = place ?? "what the archive names, in \(download.file.spec.directory)"
        if let failure = outlook.failure { return ", members -> \(target): would fail: \(failure.text)" }
        let effect: String =
            switch outlook.unpacking {
            case .creates, nil: ""
            case .replaces: ": exists, would be replaced"
            case .renames: ": another file has its name"
            case .skips: ": exists, would be skipped"
            }
        return ", members -> \(target)\(effect)"
    }

    /// The effect on the directory for a file that is unpacked.
    private func unpacking(_ outlook: FileOutlook) -> String {
        guard outlook.failure == nil else { return "" }
        if let failure = outlook.unpackingFailure { return "; would not be unpacked: \(failure.text)" }
        return switch outlook.unpacking {
        case nil: ""
        case .creates(let path): "; would be unpacked to \(path)"
        case .replaces(let path): "; would be unpacked to \(path), which exists and would be replaced"
        case .renames(let path): "; would be unpacked to \(path), as another directory has its name"
        case .skips(let path): "; is already unpacked to \(path)"
        }
    }

    private func size(_ outlook: FileOutlook) -> String {
        outlook.answer.map { $0.total.map { ", \(ByteCount.text($0))" } ?? ", of unknown length" } ?? ""
    }

    private func outcome(_ outlook: FileOutlook) -> String {
        if let failure = outlook.failure { return ": would fail: \(failure.text)" }
        return switch outlook.target {
        case .resumes(let stored, let total):
            ": would be resumed from \(ByteCount.text(stored))" + (total.map { " of \(ByteCount.text($0))" } ?? "")
        case .takesOver(let stored, let url, let proof):
            ": would be resumed from \(ByteCount.text(stored)) of \(url.redacted), \(Self.condition(proof))"
        case .setsAside(let name): ": would begin anew; “\(name)” is not Pawl's, and would be moved aside"
        case .adopts: ": would resume what another program has stored"
        case .replaces: ": exists, would be replaced"
        case .compares: ": exists, would be downloaded if the server's file is newer"
        case .renames: ": another file has its name"
        case .skips: ": exists, would be skipped"
        case .isCurrent: ": exists, and the server's file is not newer"
        case .isFinished: ": is complete, would be skipped"
        case .begins, .fails, nil: ""
        }
    }

    private static func condition(_ proof: UnprovenBytes.Evidence?) -> String {
        switch proof {
        case nil: "if the server's file is the same"
        case .version: "as the server's file is the same"
        case .samples: "if samples of it are the same at the server"
        case .digest: "and the checksum would decide"
        }
    }

    /// Queries tell the URLs of a pattern apart, so they are shown but for what looks like a secret.
    private func url(_ text: String) -> String {
        (try? HTTPURL(parsing: text))?.withoutSecrets.serialized ?? ""
    }

    // MARK: All

    /// The length of what would be downloaded; nil if the servers were not asked.
    private var bytes: (sum: Int64, unknown: Int)? {
        let asked = outlooks.filter { $0.failure == nil }.compactMap(\.answer)
        guard !asked.isEmpty else { return nil }
        let sum = asked.reduce(0.0) { $0 + Double($1.total ?? 0) }
        return (Int64(saturating: sum), asked.count { $0.total == nil })
    }

    private var skipped: Int {
        outlooks.count { outlook in
            switch outlook.target {
            case .skips, .isFinished, .isCurrent: outlook.failure == nil
            default: false
            }
        }
    }

    private var failing: Int { outlooks.count { $0.failure != nil || $0.unpackingFailure != nil } }

    private var total: [String] {
        guard outlooks.count > 1 else { return [] }
        var parts = ["\(outlooks.count) files"]
        if let bytes {
            parts.append(
                ByteCount.text(bytes.sum) + (bytes.unknown > 0 ? " and \(bytes.unknown) of unknown length" : ""))
        }
        if skipped > 0 { parts.append("\(skipped) would be skipped") }
        if failing > 0 { parts.append("\(failing) would fail") }
        return [parts.joined(separator: ", ")]
    }

    // MARK: JSON

    func json(_ download: PlannedDownload, _ outlook: FileOutlook) -> JSONValue {
        var stored: Int64?
        switch outlook.target {
        case .resumes(let bytes, _), .takesOver(let bytes, _, _): stored = bytes
        default: break
        }
        return [
            "event": .string("planned"), "id": .integer(download.id.number), "url": .string(url(download.file.url)),
            "mirrors": .integer(download.file.mirrors.count), "directory": .string(download.file.spec.directory),
            "file": .optional(download.file.spec.fileName ?? (outlook.isNameFixed ? outlook.name : nil)),
            "likelyName": .string(outlook.name), "outcome": .string(word(outlook)),
            "createsDirectories": .array(outlook.directories.map { .string($0) }), "stored": .optional(stored),
            "total": .optional(outlook.answer?.total), "unpacksTo": .optional(outlook.unpacking?.path),
            "code": .optional((outlook.failure ?? outlook.unpackingFailure)?.code),
            "message": .optional((outlook.failure ?? outlook.unpackingFailure)?.text),
        ]
    }

    private func word(_ outlook: FileOutlook) -> String {
        if outlook.failure != nil || outlook.unpackingFailure != nil { return "fail" }
        return switch outlook.target {
        case .begins, .setsAside, .fails, nil: "download"
        case .resumes: "resume"
        case .takesOver: "takeOver"
        case .adopts: "adopt"
        case .replaces: "replace"
        case .compares: "compare"
        case .renames: "rename"
        case .skips, .isFinished, .isCurrent: "skip"
        }
    }

    private var summary: JSONValue {
        [
            "event": .string("plan"), "files": .integer(outlooks.count), "skipped": .integer(skipped),
            "failing": .integer(failing), "bytes": .optional(bytes?.sum),
            "exitCode": .integer(Int(exitCode.rawValue)),
        ]
    }
}
