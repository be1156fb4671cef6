import PawlArchive
import PawlCore

/// How the unpacking of a download ended.
enum UnpackingEnding: Sendable {
    case unpacked(ExtractionResult)
    case failed(ArchiveError)
    /// The program was told to stop; nothing of it is left.
    case stopped
}

/// One archive that was downloaded and is to be unpacked.
struct PlannedUnpacking: Sendable {
    var archive: String
    var directory: String
    /// The directory was chosen, so that a command to try again has to name it.
    var isNamed: Bool
    /// What was asked for beside the directory.
    var flags: [String] = []

    /// What unpacks it by hand; nil where it cannot be shown and typed.
    var command: String? {
        func shown(_ path: String) -> String { path.begins(with: "-") ? "./" + path : path }
        return ShellWords.join(["pawl", "extract", shown(archive)] + (isNamed ? ["-d", shown(directory)] : []) + flags)
    }
}
