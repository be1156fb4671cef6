import PawlArchive
import PawlCore

// The catalogue of remedies: each has its row, with the words of the API and, where they differ, of the command. This
// is the only file of the library that names flags of the command.

extension DownloadError.Remedy.Known {
    var words: RemedyWords {
        switch self {
        case .chooseName: .init("choose another name", with: "-o")
        case .chooseDirectory: .init("choose another directory", with: "-d")
        case .createDirectory: .init("create the directory", with: "--create-dirs")
        case .decideIfExists:
            .init(
                "choose what happens to existing files: skip, rename or replace",
                command: "use --if-exists skip, rename or replace")
        case .renameIfExists: .init("have the download renamed", command: "use --if-exists rename")
        case .replaceExisting: .init("have the existing file replaced", command: "use --if-exists replace")
        case .moveExisting: .repeating("move the existing one")
        case .restartOnChange:
            .init(
                "allow a restart from zero when the file changes on the server",
                command: "start over with --on-change restart")
        case .stopAdopting: .init("do not adopt files of other programs", command: "leave --adopt out")
        case .compareExisting:
            .init(
                "set adopt to resume if samples of the data match",
                command: "resume with -c if samples of the data match", then: .change("--adopt"))
        case .addFormerURL: .init("add the former URL as a mirror", with: "--mirror", then: .change("--mirror URL"))
        case .replacePartialFile:
            .init(
                "set ifExists to replace to start over", command: "start over with --if-exists replace",
                then: .change("--if-exists replace"))
        case .finishElsewhere: .init("finish it with the program that started it")
        case .removeJournal: .init("remove the journal to start over")
        case .removePartialFile: .init("remove the partial file and its journal")
        case .useNewerVersion: .init("use the newer version of Pawl")
        case .waitForOther: .init("wait for the other one")
        case .freeSpace: .repeating("free some space")
        case .makeWritable: .repeating("make it writable")
        case .checkDisk: .repeating("check the disk")
        case .openFewerFiles:
            .init(
                "run fewer downloads at once, or raise the limit of open files",
                command: "close some files, or raise the limit (ulimit -n)")
        case .allowMoreProcesses:
            .init(
                "raise the limit of processes and threads (TasksMax of the unit, pids.max of the container)",
                command: "end some of them, or raise the limit (ulimit -u or -v, pids.max of the container)")
        case .downloadToFile: .init("download to a file")
        case .raiseMaximumSize: .init("allow a larger file", with: "--max-filesize")
        case .allowMoreTime: .init("allow more time", with: "--max-time")
        case .acceptWebPage: .init("accept a web page", with: "--allow-web-page")
        case .acceptIncomplete:
            .init("accept a file that may be incomplete", command: "leave out --require-complete")
        case .allowInsecureRedirect:
            .init(
                "allow the redirect to http if you trust the network",
                command: "allow it with --allow-insecure-redirect if you trust the network")
        case .giveDigest: .init("give the expected checksum", with: "--checksum")
        case .checkDigest: .repeating("check the expected checksum")
        case .fetchWhole: .init("download the whole file")
        case .fetchWholeArchive: .wholeArchive
        case .tryAgain: .init("retry", command: "run it again", then: .retry)
        case .tryLater: .init("retry later", command: "run it again later", then: .retry)
        case .ignoreRetryAfter:
            .init("set options.ignoreRetryAfter", command: "send requests anyway with --ignore-retry-after")
        case .checkURL: .init("check the URL", then: .change("--url URL"))
        case .renewURL:
            .init("provide a fresh URL", command: "run it again with a fresh link", then: .change("--url URL"))
        case .giveCredentials:
            .init(
                "give credentials", with: "--user, --netrc or --bearer-file", then: .change("--user NAME"))
        case .checkCredentials: .repeating("check the credentials", then: .change("--user NAME"))
        case .logIn: .repeating("log in with a browser")
        case .openInBrowser: .init("open it in a browser")
        case .giveCookies: .init("give the cookies of a login", with: "--cookies")
        case .addSource: .init("add another source", with: "--mirror", then: .change("--mirror URL"))
        case .useFewerConnections: .init("use fewer connections", with: "-x", then: .change("-x NUMBER"))
        case .checkNetwork: .repeating("check the network")
        case .checkPort: .init("check the port", then: .change("--url URL"))
        case .checkProxy:
            .init(
                "check the proxy and what it allows",
                command: "check the proxy (--proxy, http_proxy or https_proxy) and what it allows")
        case .checkCertificate: .init("check the clock and the certificate of the server")
        case .checkClientCertificate:
            .init("check the client certificate and its key", command: "check --certificate and --private-key")
        case .nameAuthority:
            .init(
                "name the private certificate authority in the configuration",
                command: "name a private certificate authority with --ca-certificate")
        }
    }
}

extension ArchiveError.Remedy.Known {
    var words: RemedyWords {
        switch self {
        case .raiseMaximumBytes:
            .init(
                "allow more unpacked bytes if you trust it",
                command: "raise the limit with --max-unpacked if you trust it")
        case .raiseMaximumRatio:
            .init("allow a higher ratio if you trust it", command: "raise the limit with --max-ratio if you trust it")
        case .raiseMaximumMembers:
            .init("allow more members if you trust it", command: "raise the limit with --max-members if you trust it")
        case .decideIfExists:
            .init(
                "choose what happens to existing files: rename or replace",
                command: "use --if-exists rename, or replace, which deletes what is there")
        case .chooseTarget: .init("choose another directory", command: "choose another name")
        case .listMembers: .init("list its members with pawl list")
        case .fetchWhole: .wholeArchive
        case .tryAgain: DownloadError.Remedy.Known.tryAgain.words
        case .fetchAgain: .init("download the archive again")
        case .askMaker: .init("ask its author")
        case .useOtherProgram: .init("use the program that created it")
        case .installLibArchive: .init("install a libarchive that was built with it")
        case .splitArchive: .init("split it by hand")
        case .distrust: .init("do not trust this archive")
        case .givePassword: .init("give its password", with: "--password-file")
        case .allowTwins: .init("allow names that differ only in case", with: "--allow-twins")
        case .chooseMembers: .init("take the members you need", with: "--member")
        case .unpackToDirectory: .init("unpack to a directory instead")
        case .useOtherDisk: .init("unpack to another disk")
        case .freeSpace: DownloadError.Remedy.Known.freeSpace.words
        case .waitForOther: DownloadError.Remedy.Known.waitForOther.words
        case .removeIfUnused: .init("remove it if no other run is using it")
        case .moveExisting: .init("move the existing one", then: .retry)
        case .removeLeftover: .init("remove it by hand")
        case .restoreFormer: .init("move it back and remove the rest")
        case .packUndisturbed: .init("pack again when the files no longer change")
        case .nameOnce: .init("give it once")
        case .leaveOut: .init("leave that file out")
        case .renameFile: .init("rename it")
        case .makeTar: .init("create a .tar.gz")
        case .makeCompressedTar: .init("create a .tar.gz or .tar.zst")
        case .leaveLevelOut: .init("leave the level out")
        case .enterDirectory: .init("change to the directory first")
        case .giveWholePath: .init("give the full path")
        }
    }
}

extension JobRemedy.Known {
    var words: RemedyWords {
        switch self {
        case .nameEach: .init("give each its own name")
        case .downloadSeparately: .init("download one of them separately")
        case .unpackElsewhere: .init("unpack this one into another directory")
        case .leaveSecretsOut: .init("leave headers and credentials out", command: "leave them out")
        case .giveFileURL: .init("give a URL of the file")
        case .giveSource: .init("add a URL of the file", command: "give one after the file")
        case .fetchAllAgain:
            .init("download all of it again", command: "fetch all of it again with pawl get --if-exists replace")
        case .checkSelection: .init("choose a file that the Metalink lists", with: "--select")
        }
    }
}

extension RemedyWords {
    fileprivate static let wholeArchive = Self(
        "download and unpack the whole archive",
        command: "download it completely and unpack it (pawl get --extract)")
}
