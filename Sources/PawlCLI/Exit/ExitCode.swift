import PawlArchive
import PawlClient
import PawlCore
import PawlJobs
import PawlWork

/// The program's exit codes. The values are stable: scripts test them.
enum ExitCode: Int32, CaseIterable {
    case done = 0
    case failure = 1
    case network = 3
    case refused = 4
    case changed = 5
    case digestMismatch = 6
    case diskFull = 7
    case disk = 8
    case fileExists = 9
    case locked = 10
    case journal = 11
    case tooLarge = 12
    case hookFailed = 13
    case timedOut = 14
    case archive = 15
    case unsafeArchive = 16
    case password = 17
    case notUnpacked = 18
    case incomplete = 19
    case tooFewThreads = 20
    /// The code EX_USAGE of sysexits.h.
    case usage = 64
    /// The codes EX_DATAERR, EX_CANTCREAT and EX_TEMPFAIL: for engines that start tasks.
    case batch = 65
    case store = 73
    case again = 75
    /// The sum of 128 and the signal's number, as shells report it.
    case hangUp = 129
    case interrupted = 130
    case outputClosed = 141
    case terminated = 143

    init(_ code: DownloadError.Code) {
        self =
            switch code {
            case .invalidURL, .invalidArgument, .alreadyCompleted, .unknownDownload: .usage
            case .network, .tls: .network
            case .unauthorized, .notFound, .refused, .rangesNotSupported, .badResponse, .redirect: .refused
            case .changed: .changed
            case .digestMismatch: .digestMismatch
            case .diskFull: .diskFull
            case .notWritable, .diskError, .partialFileChanged: .disk
            case .fileExists: .fileExists
            case .locked: .locked
            case .journal: .journal
            case .tooLarge: .tooLarge
            case .timeout: .timedOut
            case .incomplete: .incomplete
            case .tooFewThreads: .tooFewThreads
            default: .failure
            }
    }

    init(_ code: ArchiveError.Code) {
        self =
            switch code {
            case .invalidArgument: .usage
            case .unreadable, .notWritable, .diskError: .disk
            case .notAnArchive, .truncated, .damaged, .unsupported, .noSuchMember: .archive
            case .unsafeName, .unsafeLink, .duplicateName, .unsafeKind, .tooLarge: .unsafeArchive
            case .passwordNeeded, .wrongPassword: .password
            case .targetExists: .fileExists
            case .locked: .locked
            case .diskFull: .diskFull
            case .changed: .changed
            default: .failure
            }
    }

    init(_ failure: JobFailure) {
        self =
            switch failure {
            case .download(let error): ExitCode(error.code)
            case .archive(let error): ExitCode(error.code)
            case .spec, .selectsNothing, .document(_, .noUsableURL), .document(_, .noDigest),
                .document(_, .notOneFile),
                .document(_, .noSource), .document(_, .noPieceHashes), .document(_, .otherOrigins):
                .usage
            case .sameTarget, .clash: .fileExists
            case .document(_, .notMetalink): .refused
            case .existingFileDiffers, .mayBeCutOff, .directoryMadeInRun, .changedSinceFetched: .notUnpacked
            }
    }

    init(_ error: WorkError) {
        self =
            switch error.kind {
            case .batch: .batch
            case .store: .store
            case .again: .again
            }
    }

    init(_ error: ServiceError) {
        self =
            switch error.code {
            case .notRunning, .unreachable, .connectionLost, .timedOut, .foreignAnswer, .answerTooLarge: .network
            case .tokenRequired, .wrongToken: .refused
            case .unusableFile: .disk
            case .tooFewThreads: .tooFewThreads
            case .targetInUse: .locked
            case .storeFull: .diskFull
            case .changed, .cancelled: .failure
            default:
                switch error.status {
                case 403, 429: .refused
                case 400, 404, 413, 415, 422, nil: .usage
                default: .failure
                }
            }
    }

    /// Creates the exit code for a download that the service reports as failed, or as completed with an error.
    init(_ failure: ServiceDownload.Failure) {
        self =
            switch failure.step {
            case "unpack": .notUnpacked
            case "hook": .hookFailed
            default: ExitCode(DownloadError.Code(rawValue: failure.code))
            }
    }

    var meaning: String {
        switch self {
        case .done: "done"
        case .failure: "unexpected failure"
        case .network: "network or TLS failure, or no service"
        case .refused: "not found, or refused by the server"
        case .changed: "the file changed on the server (--on-change fail), or while being packed"
        case .digestMismatch: "the bytes do not match the checksum"
        case .diskFull: "disk full"
        case .disk: "disk error, or the file cannot be written or read"
        case .fileExists: "the file already exists"
        case .locked: "another process is working on the same file"
        case .journal: "the journal of the partial file cannot be used"
        case .tooLarge: "the file is larger than --max-filesize allows"
        case .hookFailed: "done, but a command of --on-complete failed"
        case .timedOut: "not finished within --max-time; progress is saved"
        case .archive: "the archive is damaged, of an unknown format, or lacks a member"
        case .unsafeArchive: "the archive has harmful contents, or exceeds the limits"
        case .password: "the archive needs a password, or the password is wrong"
        case .notUnpacked: "downloaded, but not unpacked (--extract)"
        case .incomplete: "the file may be cut off (--require-complete); progress is saved"
        case .tooFewThreads: "no threads are available; nothing was done"
        case .usage, .batch, .store, .again:
            "wrong arguments; of a batch: 65 unreadable, 73 refused, 75 try again"
        case .hangUp, .terminated: "stopped by SIGHUP, or by SIGTERM (143); progress is saved"
        case .interrupted: "stopped by SIGINT; progress is saved"
        case .outputClosed: "stopped because stdout was closed; progress is saved"
        }
    }

    /// The table of exit codes for `--help`.
    static var table: String {
        // Codes of one meaning share a line.
        allCases.filter { ![.terminated, .batch, .store, .again].contains($0) }
            .map { "  " + padded("\($0.rawValue)", toWidth: 3) + "  " + $0.meaning }.joined(separator: "\n")
    }
}
