import Pawl
import PawlArchive
import PawlCore

/// What a shell says of failures.
package struct FailureWords: Sendable {
    /// What a person is told.
    package let message: @Sendable (JobFailure) -> String
    /// What a program is told that waits for it.
    package let exitCode: @Sendable (JobStep, JobFailure) -> Int32

    package init(
        message: @escaping @Sendable (JobFailure) -> String,
        exitCode: @escaping @Sendable (JobStep, JobFailure) -> Int32
    ) {
        self.message = message
        self.exitCode = exitCode
    }
}

extension JobFailure {
    /// A word for programs: that of the error, where there is one.
    package var code: String {
        switch self {
        case .download(let error): error.code.rawValue
        case .archive(let error): error.code.rawValue
        case .spec(let error): error.code.rawValue
        case .sameTarget, .clash: DownloadError.Code.fileExists.rawValue
        case .existingFileDiffers, .mayBeCutOff: ArchiveError.Code.damaged.rawValue
        case .directoryMadeInRun: ArchiveError.Code.targetExists.rawValue
        case .document(_, .noUsableURL), .document(_, .noDigest), .document(_, .notOneFile), .document(_, .noSource),
            .document(_, .noPieceHashes), .document(_, .otherOrigins), .selectsNothing:
            DownloadError.Code.invalidArgument.rawValue
        case .document(_, .notMetalink): DownloadError.Code.badResponse.rawValue
        case .changedSinceFetched: ArchiveError.Code.changed.rawValue
        }
    }
}
