import PawlCore
import PawlJobs
import PawlSystem
import Synchronization

/// The progress of a run as a terminal shows it in its tab or in the taskbar: ConEmu's sequence
/// `ESC ] 9 ; 4 ; state ; percent ST` (conemu.github.io, “ANSI X3.64 and Xterm-256 Colors”).
enum TaskbarProgress: Hashable, Sendable {
    case none
    case normal(percent: Int)
    case failed(percent: Int)
    case unknown
    case paused(percent: Int)

    var sequence: String {
        let (state, percent) =
            switch self {
            case .none: (0, 0)
            case .normal(let percent): (1, percent)
            case .failed(let percent): (2, percent)
            case .unknown: (3, 0)
            case .paused(let percent): (4, percent)
            }
        return "\u{1B}]9;4;\(state);\(percent)\u{1B}\\"
    }

    /// The progress of a run that goes on.
    init(_ run: RunProgress) {
        let isUnknown = !run.isLarge && run.running.first?.progress.fractionCompleted == nil
        // Proven: the fraction is between 0 and 1.
        let percent = isUnknown ? 0 : Int(run.fraction * 100)
        if run.failed > 0 {
            self = .failed(percent: percent)
        } else if run.pause != nil {
            self = .paused(percent: percent)
        } else {
            self = isUnknown ? .unknown : .normal(percent: percent)
        }
    }

    /// Creates the state left by a run that has ended: a failure stays visible for whoever looks at another window.
    init(_ ending: RunEnding) {
        self = ending.cause == nil && ending.exitCode != .done ? .failed(percent: 100) : .none
    }

    /// Whether the terminal is known to understand the sequence. Others may take it for something else: iTerm2 before
    /// 3.6.6 and kitty show a notification for each.
    static func isSupported(environment: (String) -> String?) -> Bool {
        let isHidden = ["TMUX", "STY", "KITTY_WINDOW_ID"].contains { environment($0) != nil }
        // Variables of the terminal around it are inherited.
        let kind = environment("TERM") ?? "dumb"
        guard !isHidden, !["dumb", "linux", "xterm-kitty"].contains(where: { kind.isExactly($0) }),
            !kind.begins(with: "screen"), !kind.begins(with: "tmux")
        else { return false }
        let version = environment("TERM_PROGRAM_VERSION") ?? ""
        switch environment("TERM_PROGRAM").map({ ExactText($0) }) {
        case ExactText("WezTerm"), ExactText("ghostty"), ExactText("vscode"): return true
        case ExactText("iTerm.app"): return numbers(version).lexicographicallyPrecedes([3, 6, 6]) == false
        default: break
        }
        if environment("WT_SESSION") != nil || environment("ConEmuANSI")?.isExactly("ON") ?? false { return true }
        // GNOME's library of terminals understands it since 0.79.
        return kind.isExactly("xterm-ghostty")
            || numbers(environment("VTE_VERSION") ?? "").first.map { $0 >= 7900 } ?? false
    }

    private static func numbers(_ version: String) -> [Int] {
        version.utf8.split(separator: UInt8(ascii: ".")).map { Int(Substring($0)) ?? 0 }
    }
}

/// The state of this terminal's taskbar, shared by the code that draws and the code that ends the program.
final class Taskbar: Sendable {
    /// The taskbar of this process's terminal; nil if it has none.
    static let current: Taskbar? =
        Terminal.canRedraw && TaskbarProgress.isSupported(environment: Environment.value) ? Taskbar() : nil

    private let shown = Mutex((progress: TaskbarProgress.none, calls: 0))
    /// The number of calls after which a progress is repeated: Ghostty takes one for abandoned after a quarter of a
    /// minute.
    private static let callsUntilRepeated = 40

    /// Returns the text that shows it; empty if the terminal shows it already. Called at each drawing.
    func show(_ progress: TaskbarProgress) -> String {
        shown.withLock { shown in
            shown.calls += 1
            let isDue = progress != .none && shown.calls >= Self.callsUntilRepeated
            guard progress != shown.progress || isDue else { return "" }
            shown = (progress, 0)
            return progress.sequence
        }
    }
}
