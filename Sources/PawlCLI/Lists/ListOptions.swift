import ArgumentParser
import Pawl
import PawlCore

/// What a list says of one file: options of `pawl get` itself, and those of aria2 that mean the same.
///
/// They are set in a copy of the command that was typed, so that the same groups read them as read its flags. The command line is not
/// parsed again: that takes milliseconds, and a list may have a million files.
struct ListOptions {
    enum Meaning: Sendable {
        case output
        case directory
        /// A flag that takes the value.
        case value(String, Setting)
        /// The flag that `true` stands for; `false` changes nothing.
        case switched(String, Setting)
        /// One half of `--user`, as aria2 writes it.
        case userName
        case password
        /// Of aria2 alone, and nothing is lost without it.
        case ignored
    }

    /// - Throws: for a value that the flag does not take.
    typealias Setting = @Sendable (inout GetCommand, DownloadList.Option) throws(DownloadList.Problem) -> Void

    private(set) var output: String?
    private(set) var directory: String?
    /// The names of what is passed over.
    private(set) var ignored: [String] = []
    private var settings: [(option: DownloadList.Option, set: Setting)] = []

    /// Nothing is changed in the command but where the file goes.
    var isPlain: Bool { settings.isEmpty }

    init(_ options: [DownloadList.Option]) throws(DownloadList.Problem) {
        var user: (name: String, password: String)?
        for option in options {
            guard let meaning = Self.meanings[option.name] else {
                throw DownloadList.Problem(
                    line: option.line, message: "“\(option.name)” is not an option of a list. Known are \(Self.known).")
            }
            switch meaning {
            case .output: output = option.value
            case .directory: directory = option.value
            case .value(_, let set): settings.append((option, set))
            case .switched(_, let set): if try Self.isTrue(option) { settings.append((option, set)) }
            case .userName: user = (option.value, user?.password ?? "")
            case .password: user = (user?.name ?? "", option.value)
            case .ignored: ignored.append(option.name)
            }
        }
        guard let user, let last = options.last else { return }
        let credentials = user.name + ":" + user.password
        settings.append((last, { (command, _) in command.credentials.user = credentials }))
    }

    private static func isTrue(_ option: DownloadList.Option) throws(DownloadList.Problem) -> Bool {
        switch option.value {
        case "true": true
        case "false": false
        default: throw DownloadList.Problem(line: option.line, message: "“\(option.name)” is true or false.")
        }
    }

    /// The command with these options in place of its own.
    func applied(to command: GetCommand) throws(DownloadList.Problem) -> GetCommand {
        var command = command
        for (option, set) in settings { try set(&command, option) }
        return command
    }

    private static let known = meanings.filter { if case .ignored = $0.value { false } else { true } }.map(\.key).sorted()
        .joined(separator: ", ")
}
