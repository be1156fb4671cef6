import Pawl
import PawlCore
import PawlJobs
import PawlSystem

/// `--notify`: what somebody who looks elsewhere is told once a run has ended.
struct RunNotification: Hashable, Sendable {
    /// The title, in Pawl's own words alone: servers of notifications may read markup in it, too.
    let title: String
    /// The body, which may hold what a server has chosen.
    let body: String

    /// Shows it on the desktop; where there is none, rings the bell of the terminal.
    func send(_ errors: OutputStream) async {
        if Self.hasDesktop(Environment.value, isSocket: { FileKind(path: $0) != .missing }),
            LiveHooks.canRun(Self.program), await LiveHooks(.command).run(words) == .exited(0)
        {
            return
        }
        if errors.isTerminal { errors.write("\u{07}") }
    }

    private static let program = "notify-send"

    /// The words of notify-send(1): after `--` none is an option.
    var words: [String] { [Self.program, "-a", "Pawl", "--", title, Self.escaped(body)] }

    /// The text as the body of a notification. It may have markup, which is XML (Desktop Notifications Specification,
    /// “Markup”), and notify-send reads escapes of C in it, by which a name could bring in what was escaped here.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\\": escaped += "\\\\"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Whether there is a session bus that a notification can go over (D-Bus Specification, “Well-known Message Bus
    /// Instances”).
    static func hasDesktop(_ environment: (String) -> String?, isSocket: (String) -> Bool) -> Bool {
        if environment("DBUS_SESSION_BUS_ADDRESS")?.isEmpty == false { return true }
        guard let directory = environment("XDG_RUNTIME_DIR"), !directory.isEmpty else { return false }
        return isSocket(directory + "/bus")
    }
}

extension GetWords {
    /// A file that has ended.
    struct Ended: Sendable {
        let download: PlannedDownload
        let outcome: JobOutcome
        let elapsed: Duration
    }

    /// Describes a run in which nothing was fetched.
    func notification(of refusal: JobFailure) -> RunNotification {
        RunNotification(title: Self.failed, body: refusal.text.shown(in: locale))
    }

    private static let failed = "Download failed"

    /// Describes the end of a run; nil if somebody has stopped it.
    ///
    /// - Parameter last: the last file of the run that has ended.
    func notification(of ending: RunEnding, last: Ended?) -> RunNotification? {
        guard ending.cause == nil else { return nil }
        let title = ending.exitCode == .done ? "Download complete" : Self.failed
        guard get.isAlone, let last else {
            return RunNotification(title: title, body: account(ending.summary).shown(in: locale))
        }
        let body =
            switch last.outcome {
            case .failed(_, let failure, _): withURL(failure.text, of: last.download)
            case .completed, .stopped:
                lines(for: last.outcome, of: last.download, after: last.elapsed).joined(separator: " ")
            }
        return RunNotification(title: title, body: body.shown(in: locale))
    }
}
