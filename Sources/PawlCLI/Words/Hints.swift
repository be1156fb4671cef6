import Pawl
import PawlArchive
import PawlClient
import PawlCore

/// The only place that words remedies for this command: which flag, which command.
///
/// Each is half a sentence, so that several can be told as one.
enum Hints {
    static func clause(for remedy: DownloadError.Remedy) -> String? { downloads[remedy] }
    static func clause(for remedy: ArchiveError.Remedy) -> String? { archives[remedy] }

    /// `Use this, do that, or try the other.`
    static func sentence(_ clauses: [String]) -> String? {
        guard let last = clauses.last else { return nil }
        let others = clauses.dropLast()
        let text = others.isEmpty ? last : others.joined(separator: ", ") + ", or " + last
        // Clauses begin with a letter of ASCII.
        let first = String(decoding: text.utf8.prefix(1), as: UTF8.self)
        return first.uppercased() + String(decoding: text.utf8.dropFirst(), as: UTF8.self) + "."
    }

    /// A message, and what would help.
    fileprivate static func words(_ message: String, _ clauses: [String]) -> String {
        sentence(clauses).map { "\(message) \($0)" } ?? message
    }

    // MARK: Of the service

    /// Of what the client alone can know; the service says itself what helps.
    static func clauses(for code: ServiceError.Code) -> [String] {
        switch code {
        case .notRunning: ["start it with 'pawl serve'", "name another one with --service"]
        case .tokenRequired, .wrongToken: ["give the token of 'pawl token' in $PAWL_TOKEN", "use the socket"]
        case .foreignAnswer: ["check --service", "use a service of the same version"]
        case .tooFewThreads: [clause(for: .allowMoreProcesses)].compactMap(\.self)
        case .connectionLost, .timedOut: ["check with 'pawl ls' what was done"]
        default: []
        }
    }

    /// What does for a download of the service what would help, around its id.
    static func command(for remedy: DownloadError.Remedy) -> (verb: String, rest: String)? { commands[remedy] }

    private static let commands: [DownloadError.Remedy: (verb: String, rest: String)] = [
        .renewURL: ("change", " --url URL"),
        .checkURL: ("change", " --url URL"),
        .giveCredentials: ("change", " --user NAME"),
        .checkCredentials: ("change", " --user NAME"),
        .addSource: ("change", " --mirror URL"),
        .useFewerConnections: ("change", " -x NUMBER"),
        .checkDigest: ("retry", ""),
        .tryAgain: ("retry", ""),
        .tryLater: ("retry", ""),
        .freeSpace: ("retry", ""),
        .makeWritable: ("retry", ""),
        .checkDisk: ("retry", ""),
        .checkNetwork: ("retry", ""),
        .logIn: ("retry", ""),
        .moveExisting: ("retry", ""),
    ]

    // MARK: Of arguments

    static let urlPattern = "--no-glob takes the URL as it is."
    static let checksumList = "--checksum takes the checksum itself."

    // MARK: Of errors

    private static let downloads: [DownloadError.Remedy: String] = [
        .chooseName: "choose another name with -o",
        .chooseDirectory: "choose another directory with -d",
        .createDirectory: "create it with --create-dirs",
        .decideIfExists: "use --if-exists skip, rename or replace",
        .renameIfExists: "use --if-exists rename",
        .replaceExisting: "use --if-exists replace",
        .moveExisting: "move the existing one and run it again",
        .restartOnChange: "start over with --on-change restart",
        .stopAdopting: "leave --adopt out",
        .finishElsewhere: "finish it with the program that started it",
        .removeJournal: "remove the journal to start over",
        .removePartialFile: "remove the partial file and its journal",
        .useNewerVersion: "use that version of Pawl",
        .waitForOther: "wait for the other one",
        .freeSpace: "free some space and run it again",
        .makeWritable: "make it writable and run it again",
        .checkDisk: "check the disk, then run it again",
        .allowMoreProcesses: "end some of them, or raise the limit (ulimit -u or -v, pids.max of the container)",
        .openFewerFiles: "close some files, or raise the limit (ulimit -n)",
        .downloadToFile: "download to a file",
        .raiseMaximumSize: "allow more with --max-filesize",
        .allowMoreTime: "allow more with --max-time",
        .acceptWebPage: "store the page with --allow-web-page",
        .acceptIncomplete: "leave out --require-complete",
        .allowInsecureRedirect: "allow it with --allow-insecure-redirect if you trust the network",
        .giveDigest: "give the expected checksum with --checksum",
        .checkDigest: "check the expected checksum, then run it again",
        .fetchWhole: "download the whole file",
        .fetchWholeArchive: "download it completely and unpack it (pawl get --extract)",
        .tryAgain: "run it again",
        .tryLater: "run it again later",
        .ignoreRetryAfter: "send requests anyway with --ignore-retry-after",
        .checkURL: "check the URL",
        .renewURL: "run it again with a fresh link",
        .giveCredentials: "give credentials with --user, --netrc or --bearer-file",
        .checkCredentials: "check them and run it again",
        .logIn: "log in with a browser, then run it again",
        .openInBrowser: "open it in a browser",
        .addSource: "add another source with --mirror",
        .useFewerConnections: "use fewer connections with -x",
        .checkNetwork: "check the network and run it again",
        .checkProxy: "check --proxy and what the proxy allows",
        .checkCertificate: "check the clock and the certificate",
        .checkClientCertificate: "check --certificate and --private-key",
        .nameAuthority: "name a private certificate authority with --ca-certificate",
    ]

    private static let archives: [ArchiveError.Remedy: String] = [
        .raiseMaximumBytes: "raise the limit with --max-unpacked if you trust it",
        .raiseMaximumRatio: "raise the limit with --max-ratio if you trust it",
        .raiseMaximumMembers: "raise the limit with --max-members if you trust it",
        .decideIfExists: "use --if-exists rename, or replace, which deletes what is there",
        .chooseTarget: "choose another name",
        .listMembers: "list its members with pawl list",
        .fetchWhole: "download it completely and unpack it (pawl get --extract)",
        .tryAgain: "run it again",
        .fetchAgain: "fetch the archive again",
        .askMaker: "ask whoever made it",
        .useOtherProgram: "use the program that made it",
        .installLibArchive: "install a libarchive that was built with it",
        .splitArchive: "split it by hand",
        .distrust: "do not trust this archive",
        .givePassword: "give its password with --password-file",
        .allowTwins: "unpack both with --allow-twins",
        .chooseMembers: "take the members you need with --member",
        .unpackToDirectory: "unpack to a directory instead",
        .useOtherDisk: "unpack to another disk",
        .freeSpace: "free some space and run it again",
        .waitForOther: "wait for the other one",
        .removeIfUnused: "remove it if no other run is using it",
        .moveExisting: "move the existing one",
        .removeLeftover: "remove it by hand",
        .restoreFormer: "move it back and remove the rest",
        .packUndisturbed: "pack again while nothing changes the files",
        .nameOnce: "give it once",
        .leaveOut: "leave that file out",
        .renameFile: "rename it",
        .makeTar: "make a .tar.gz",
        .makeCompressedTar: "make a .tar.gz or .tar.zst",
        .leaveLevelOut: "leave the level out",
        .enterDirectory: "change to the directory first",
        .giveWholePath: "give the full path",
    ]
}

extension DownloadError {
    /// How this command words every error: what failed, then what would help.
    var words: String { Hints.words(message, remedies.compactMap { Hints.clause(for: $0) }) }
}

extension DownloadNotice {
    /// As of a ``DownloadError``.
    var words: String { Hints.words(message, (error?.remedies ?? []).compactMap { Hints.clause(for: $0) }) }
}

extension ArchiveError {
    /// As of a ``DownloadError``.
    var words: String { Hints.words(message, remedies.compactMap { Hints.clause(for: $0) }) }
}
