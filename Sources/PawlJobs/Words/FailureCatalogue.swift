import PawlArchive
import PawlCore
import PawlMetalink

/// A row of the catalogue of failures.
private struct FailureRow {
    var code: String
    var message: String
    var remedies: [JobRemedy]

    init(_ code: DownloadError.Code, _ message: String, _ remedies: [JobRemedy] = []) {
        (self.code, self.message, self.remedies) = (code.rawValue, message, remedies)
    }

    init(_ code: ArchiveError.Code, _ message: String, _ remedies: [JobRemedy] = []) {
        (self.code, self.message, self.remedies) = (code.rawValue, message, remedies)
    }

    init(_ error: JobSpecError) { (code, message, remedies) = (error.code.rawValue, error.message, []) }
}

extension JobFailure {
    /// A word for programs: that of the error, where there is one. The web page has a title for it under `error.CODE`.
    package var code: String { row.code }

    /// The sentence that says what failed, the same in every shell.
    package var message: String { row.message }

    /// The remedies that would help.
    package var remedies: [JobRemedy] { row.remedies }

    private var row: FailureRow {
        switch self {
        case .download(let error): .init(error.code, error.message, error.remedies.map { .init($0) })
        case .archive(let error): .init(error.code, error.message, error.remedies.map { .init($0) })
        case .spec(let error): .init(error)
        case .sameTarget(let first, let second):
            .init(
                DownloadError.Code.fileExists,
                "Two URLs would be saved as “\(second.likelyPath)”: \(Self.both(first.shownURL, second.shownURL)).",
                [.init(.nameEach), .init(.downloadSeparately), .init(DownloadError.Remedy.renameIfExists)])
        case .clash(let clash, let other, let path):
            .init(
                DownloadError.Code.fileExists, "“\(path)” \(clash.kind.predicate(of: other.shownURL)).",
                [.init(.nameEach), .init(DownloadError.Remedy.renameIfExists)])
        case .existingFileDiffers(let path):
            .init(
                ArchiveError.Code.damaged,
                "“\(path)” already existed and does not match the checksum, so it is not unpacked.")
        case .mayBeCutOff(let path):
            .init(
                ArchiveError.Code.damaged,
                "“\(path)” may be incomplete: the server gave neither a length nor a clear end. It is not unpacked.")
        case .directoryMadeInRun(let path):
            .init(
                ArchiveError.Code.targetExists,
                "“\(path)” was made from another archive in this run, and is not replaced.", [.init(.unpackElsewhere)])
        case .changedSinceFetched(let path):
            .init(
                ArchiveError.Code.changed,
                "“\(path)” was changed or replaced after it was downloaded, so it is not unpacked.")
        case .document(let place, let problem): problem.row(place)
        case .selectsNothing(let word):
            .init(
                DownloadError.Code.invalidArgument, "“\(word)” selects none of the Metalink's files.",
                [.init(.checkSelection)])
        }
    }

    private static func both(_ first: String, _ second: String) -> String {
        first.isExactly(second) ? first : "\(first) and \(second)"
    }
}

extension JobDocumentProblem {
    fileprivate func row(_ place: String) -> FailureRow {
        let code = DownloadError.Code.invalidArgument
        return switch self {
        case .notMetalink(let error):
            .init(DownloadError.Code.badResponse, "The Metalink \(place) cannot be used: \(error)")
        case .noUsableURL(let name): .init(code, "The Metalink \(place) has no http or https URL for “\(name)”.")
        case .noDigest(let error):
            .init(code, "\(place): \(error.message)", [.init(DownloadError.Remedy.giveDigest)])
        case .notOneFile(let name, let count, let names):
            .init(
                code,
                "The Metalink \(place) has \(count == 0 ? "no file" : "several files") named “\(name)”. "
                    + "It has: \(names.map { "“\($0)”" }.joined(separator: ", ")).")
        case .noSource:
            .init(code, "The Metalink \(place) has no http or https URL for the file.", [.init(.giveSource)])
        case .noPieceHashes:
            .init(
                code,
                "The Metalink \(place) has no piece hashes for the file, so wrong bytes cannot be located.",
                [.init(.fetchAllAgain)])
        case .otherOrigins:
            .init(
                code,
                "Headers and credentials are sent only to the origin of a given URL, "
                    + "but the Metalink \(place) names other servers.", [.init(.leaveSecretsOut), .init(.giveFileURL)])
        }
    }
}

extension TargetClash.Kind {
    fileprivate func predicate(of url: String) -> String {
        switch self {
        case .bothExisted: "existed before this run, and another URL of it has the same name (\(url))"
        case .madeByOther: "was made from another URL in this run (\(url))"
        case .foundByOther: "was downloaded, and another URL of this run has the same name (\(url))"
        case .replacedOther: "replaced the file that this run downloaded from \(url)"
        }
    }
}
