import Pawl
import PawlCore
import PawlJobs

extension JobFailure {
    /// What a person is told wherever this command tells of a failure.
    var words: String {
        switch self {
        case .download(let error): error.words
        case .archive(let error): error.words
        case .spec(let error): error.words
        case .sameTarget(let first, let second): Self.sameTarget(PlannedDownload(JobFileID(1), first), PlannedDownload(JobFileID(2), second))
        case .clash(let clash, let other, let path):
            "“\(path)” \(Self.clash(clash.kind, PlannedDownload(clash.other, other).shownURL)). Name them apart, or use --if-exists rename."
        case .existingFileDiffers(let path): "“\(path)” was there before and does not match the checksum, so it is not unpacked."
        case .mayBeCutOff(let path): "“\(path)” may be cut off: the server gave neither a length nor a clear end. It is not unpacked."
        case .directoryMadeInRun(let path):
            "“\(path)” was made from another archive in this run, and is not replaced. Unpack this one into another directory."
        case .changedSinceFetched(let path): "“\(path)” was changed or replaced after it was downloaded, so it is not unpacked."
        case .document(let place, .notMetalink(let error)): "The Metalink \(place) cannot be used: \(error)"
        case .document(let place, .noUsableURL(let name)): "The Metalink \(place) has no http or https URL for “\(name)”."
        case .document(let place, .noDigest(let error)): "\(place): \(error.message) \(Hints.checksumList)"
        case .selectsNothing(let word): "--select “\(word)” names none of the Metalink's files."
        }
    }

    private static func sameTarget(_ first: PlannedDownload, _ second: PlannedDownload) -> String {
        let shown = first.shownURL.isExactly(second.shownURL) ? first.shownURL : "\(first.shownURL) and \(second.shownURL)"
        return "Two URLs are to become “\(second.likelyPath)”: \(shown). Give each its own name, download one of them separately, or use --if-exists rename."
    }

    private static func clash(_ kind: TargetClash.Kind, _ url: String) -> String {
        switch kind {
        case .bothExisted: "existed before this run, and another URL of it has the same name (\(url))"
        case .madeByOther: "was made from another URL in this run (\(url))"
        case .replacedOther: "replaced the file that this run downloaded from \(url)"
        }
    }
}

extension HookEnding {
    var words: String {
        switch self {
        case .exited(let status): "ended with status \(status)"
        case .signalled(let signal): "was ended by signal \(signal)"
        case .notStarted(let cause): "could not be started: \(cause)"
        }
    }
}

extension JobSpecError {
    /// The message, with the flags in front that set the fields.
    var words: String {
        let flags = fields.compactMap { Self.flags[$0] }
        return flags.isEmpty ? message : "\(flags.joined(separator: " and ")): \(message)"
    }

    /// The flag for each field of a job that may be named in an error.
    static let flags: [String: String] = [
        "directory": "-d", "file": "-o", "mirrors": "--mirror", "metalink": "--metalink", "digestList": "--checksum-file", "referer": "--referer",
        "members": "--member", "unpacking": "--extract", "unpacking.directory": "--extract", "unpacking.maximumBytes": "--max-unpacked",
        "unpacking.maximumRatio": "--max-ratio", "unpacking.maximumMembers": "--max-members", "hook": "--on-complete",
        "options.connections": "-x", "options.rate": "--max-speed", "options.stallTimeout": "--timeout", "options.responseTimeout": "--timeout",
        "options.maximumTime": "--max-time", "options.insecureRedirect": "--allow-insecure-redirect", "options.digestOnly": "--digest",
        "options.location": "--mirror-country", "options.serverMirrors": "--server-mirrors", "options.digest": "--checksum",
        "options.maximumSize": "--max-filesize", "options.webPage": "--allow-web-page", "options.requireComplete": "--require-complete",
        "options.onChange": "--on-change", "options.ranges": "--range", "options.sparse": "--sparse", "options.ifExists": "--if-exists",
        "options.onlyIfNewer": "--if-newer", "options.adopts": "--adopt", "options.remoteTime": "--remote-time", "options.recordsOrigin": "--xattr",
    ]
}

extension FailureWords {
    /// Those of this command.
    static let command = FailureWords {
        $0.words
    } exitCode: { step, failure in
        (step == .fetch ? ExitCode(failure) : .notUnpacked).rawValue
    }
}
