import PawlArchive
import PawlCore

/// The only place that words remedies for clients of the API.
enum Hints {
    /// `Do this, do that, or try the other.` Nil if there is nothing to say.
    static func sentence(_ remedies: [String]) -> String? {
        let clauses = remedies.compactMap { clause in
            downloads[.init(rawValue: clause)] ?? archives[.init(rawValue: clause)]
        }
        guard let last = clauses.last else { return nil }
        let text = clauses.count == 1 ? last : clauses.dropLast().joined(separator: ", ") + ", or " + last
        // Clauses begin with a letter of ASCII.
        let first = String(decoding: text.utf8.prefix(1), as: UTF8.self)
        return first.uppercased() + String(decoding: text.utf8.dropFirst(), as: UTF8.self) + "."
    }

    static let downloads: [DownloadError.Remedy: String] = [
        .chooseName: "choose another name",
        .chooseDirectory: "choose another directory",
        .createDirectory: "create the directory first",
        .decideIfExists: "choose what happens to existing files: skip, rename or replace",
        .renameIfExists: "have the download renamed",
        .replaceExisting: "have the existing file replaced",
        .moveExisting: "move the existing file and retry",
        .restartOnChange: "allow a restart from zero when the file changes on the server",
        .stopAdopting: "do not adopt files of other programs",
        .finishElsewhere: "finish it with the program that started it",
        .removeJournal: "remove the journal to start over",
        .removePartialFile: "remove the partial file and its journal",
        .useNewerVersion: "use the newer version of Pawl",
        .waitForOther: "wait for it",
        .freeSpace: "free some space",
        .makeWritable: "make it writable and retry",
        .checkDisk: "check the disk and retry",
        .allowMoreProcesses:
            "raise the limit of processes and threads (TasksMax of the unit, pids.max of the container)",
        .openFewerFiles: "run fewer downloads at once, or raise the limit of open files",
        .downloadToFile: "download to a file",
        .raiseMaximumSize: "allow a larger file",
        .allowMoreTime: "allow more time",
        .acceptWebPage: "accept a web page",
        .acceptIncomplete: "accept a file that may be incomplete",
        .allowInsecureRedirect: "allow the redirect to http if you trust the network",
        .giveDigest: "provide the expected digest",
        .checkDigest: "check the expected digest, then retry",
        .fetchWhole: "download the whole file",
        .fetchWholeArchive: "download and unpack the whole archive",
        .tryAgain: "retry",
        .tryLater: "retry later",
        .ignoreRetryAfter: "set options.ignoreRetryAfter",
        .checkURL: "check the URL",
        .renewURL: "provide a fresh URL",
        .giveCredentials: "provide credentials",
        .checkCredentials: "check the credentials and retry",
        .logIn: "log in with a browser and retry",
        .openInBrowser: "open it in a browser",
        .addSource: "add a mirror",
        .useFewerConnections: "use fewer connections",
        .checkNetwork: "check the network and retry",
        .checkProxy: "check the proxy and what it allows",
        .checkCertificate: "check the clock and the certificate of the server",
        .checkClientCertificate: "check the client certificate and its key",
        .nameAuthority: "name the private certificate authority in the configuration",
    ]

    static let archives: [ArchiveError.Remedy: String] = [
        .raiseMaximumBytes: "allow more unpacked bytes if you trust it",
        .raiseMaximumRatio: "allow a higher ratio if you trust it",
        .raiseMaximumMembers: "allow more members if you trust it",
        .decideIfExists: "choose what happens to existing files: rename or replace",
        .chooseTarget: "choose another directory",
        .listMembers: "list the members with pawl list",
        .fetchWhole: "download and unpack the whole archive",
        .tryAgain: "retry",
        .fetchAgain: "download the archive again",
        .askMaker: "ask its author",
        .useOtherProgram: "use the program that created it",
        .installLibArchive: "install a libarchive that was built with it",
        .splitArchive: "split it by hand",
        .distrust: "do not trust this archive",
        .givePassword: "provide its password",
        .allowTwins: "allow names that differ only in case",
        .chooseMembers: "take only the members you need",
        .unpackToDirectory: "unpack to a directory instead",
        .useOtherDisk: "unpack to another disk",
        .freeSpace: "free some space",
        .waitForOther: "wait for it",
        .removeIfUnused: "remove that if nothing else uses it",
        .moveExisting: "move it away",
        .removeLeftover: "remove it by hand",
        .restoreFormer: "move it where it belongs and remove the rest",
        .packUndisturbed: "pack again when no program is writing to the files",
        .nameOnce: "name one of them",
        .leaveOut: "leave that file out",
        .renameFile: "rename it",
        .makeTar: "create a .tar.gz",
        .makeCompressedTar: "create a .tar.gz or .tar.zst",
        .leaveLevelOut: "leave the level out",
        .enterDirectory: "change to the directory first",
        .giveWholePath: "give the full path",
    ]
}
