import Pawl
import PawlCore
import PawlJobs

extension JobFailure {
    /// The failure of a job in the words of this command.
    var text: String {
        if case .spec(let error) = self { error.text } else { Hints.text(message, remedies) }
    }
}

extension HookEnding {
    var text: String {
        switch self {
        case .exited(let status): "ended with status \(status)"
        case .signalled(let signal): "was terminated by signal \(signal)"
        case .notStarted(let cause): "could not be started: \(cause)"
        case .notRun: "was not run"
        }
    }
}

extension JobSpecError {
    /// The message, with the flags in front that set the fields.
    var text: String {
        let flags = fields.compactMap { Self.flags[$0] }
        return flags.isEmpty ? message : "\(flags.joined(separator: " and ")): \(message)"
    }

    /// The flag for each field of a job that may be named in an error.
    static let flags = [
        "directory": "-d", "file": "-o", "mirrors": "--mirror", "metalink": "--metalink", "unpacking": "--extract",
        "unpacking.directory": "--extract", "unpacking.maximumBytes": "--max-unpacked",
        "unpacking.maximumRatio": "--max-ratio", "unpacking.maximumMembers": "--max-members", "hook": "--on-complete",
        "options.connections": "-x",
    ].merging(
        JobMember.all.compactMap { member in member.option.map { (member.name, "--" + $0) } }
    ) { first, _ in first }
}

extension FailureWords {
    /// The words and exit codes of this command.
    static let command = FailureWords {
        $0.text
    } exitCode: { step, failure in
        (step == .fetch ? ExitCode(failure) : .notUnpacked).rawValue
    }
}

extension FileVerdict {
    /// The verdict on a correct file.
    var successText: String {
        switch self {
        case .digest(_, let expected): "OK (\(expected.algorithm.rawValue))"
        case .pieces(let findings, let algorithm, let whole):
            "OK (\(findings.pieceCount) pieces, \((whole ?? algorithm).rawValue))"
        case .size: "the length matches; no checksum is known"
        }
    }

    /// The verdict on a file that is not correct.
    var failureText: String {
        switch self {
        case .digest(let actual, let expected):
            "Its \(expected.algorithm.rawValue) is \(actual.hex), not \(expected.hex)."
        case .pieces(let findings, _, _): "\(findings.text)\(findings.advice)"
        case .size(let actual, let expected): "It has \(actual) bytes, not \(expected)."
        }
    }
}

extension FileRepair.Findings {
    var text: String {
        var parts: [String] = []
        if wrongPieces > 0 {
            parts.append(
                "\(wrongPieces) of \(pieceCount) pieces \(wrongPieces == 1 ? "is" : "are") wrong (\(ByteCount.text(wrongBytes)))."
            )
        }
        if let totalBytes, totalBytes != fileSize { parts.append("It has \(fileSize) bytes, not \(totalBytes).") }
        if parts.isEmpty {
            parts.append(
                "All pieces match, but the file's checksum does not: they describe different files."
            )
        }
        return parts.joined(separator: " ")
    }

    /// Begins with a space. Empty where a repair would change nothing.
    fileprivate var advice: String {
        switch wrongPieces {
        case 0: totalBytes == nil || totalBytes == fileSize ? "" : " --repair corrects the length."
        case 1: " --repair downloads it again."
        default: " --repair downloads them again."
        }
    }
}

extension RunObstacle {
    /// - Parameter perHost: the most connections to one host.
    func text(in run: RunProgress, perHost: Int?) -> String {
        switch kind {
        case .hostLimit: "\(count) waiting: \(connections(run.connections(to: subject), perHost))"
        case .hostRests: "\(count) waiting: no requests to \(HTTPURL.shown(host: subject)) for a while"
        case .fullDisk: "\(count) waiting: \(subject)"
        }
    }

    private func connections(_ inUse: Int, _ perHost: Int?) -> String {
        switch inUse {
        case 0: "all connections to \(HTTPURL.shown(host: subject)) are in use"
        case 1: "1 connection to \(HTTPURL.shown(host: subject)) is in use" + (perHost == 1 ? " (--per-host)" : "")
        // The host may have refused more: then it is not the flag that helps.
        default:
            "\(inUse) connections to \(HTTPURL.shown(host: subject)) are in use"
                + (perHost.map { inUse >= $0 } ?? false ? " (--per-host)" : "")
        }
    }
}
