import ArgumentParser
import PawlCore

/// What a list says of one file, as words of a command line: the names of `pawl get` itself, and those of aria2 that mean the same.
struct ListOptions: Equatable {
    enum Meaning: Equatable {
        case output
        case directory
        /// The flag that takes the value.
        case option(String)
        /// The words that stand for `true`; `false` is how it is without.
        case switched([String])
        /// One half of `--user`, as aria2 writes it.
        case userName
        case password
        /// Of aria2 alone, and nothing is lost without it.
        case ignored
    }

    private(set) var output: String?
    private(set) var directory: String?
    /// Each is a flag with its value.
    private(set) var words: [String] = []
    /// The names of what is passed over.
    private(set) var ignored: [String] = []

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
            case .option(let flag): words.append("\(flag)=\(Self.value(option))")
            case .switched(let flags):
                switch option.value {
                case "true": words += flags
                case "false": break
                default: throw DownloadList.Problem(line: option.line, message: "“\(option.name)” is true or false.")
                }
            case .userName: user = (option.value, user?.password ?? "")
            case .password: user = (user?.name ?? "", option.value)
            case .ignored: ignored.append(option.name)
            }
        }
        if let user { words.append("--user=\(user.name):\(user.password)") }
    }

    /// aria2 writes `sha-256=HEX`.
    private static func value(_ option: DownloadList.Option) -> String {
        guard option.name == "checksum", let sign = option.value.firstIndex(where: { $0 == "=" || $0 == ":" }) else { return option.value }
        return option.value[..<sign] + ":" + option.value[option.value.index(after: sign)...]
    }

    /// The command with these words at the end of its flags.
    static func command(words: [String], options: [String]) throws(UsageError) -> GetCommand {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        do {
            let command = try PawlCommand.subcommand(from: words[..<end] + options + words[end...])
            guard let command = command as? GetCommand else { throw UsageError("The options of a list go with 'pawl get'.") }
            return command
        } catch let error as UsageError {
            throw error
        } catch {
            throw UsageError(PawlCommand.message(for: error))
        }
    }

    private static var known: String {
        meanings.filter { $0.value != .ignored }.map(\.key).sorted().joined(separator: ", ")
    }

    /// In docs/lists.md, too.
    static let meanings: [String: Meaning] = [
        "out": .output, "output": .output,
        "dir": .directory, "directory": .directory,
        "checksum": .option("--checksum"),
        "header": .option("--header"), "referer": .option("--referer"), "user-agent": .option("--user-agent"),
        "http-user": .userName, "http-passwd": .password, "user": .option("--user"),
        "range": .option("--range"), "sparse": .switched(["--sparse"]),
        "conditional-get": .switched(["--if-newer"]), "if-newer": .switched(["--if-newer"]),
        "remote-time": .switched(["--remote-time"]), "xattr": .switched(["--xattr"]),
        "split": .option("--connections"), "max-connection-per-server": .option("--connections"),
        "connections": .option("--connections"),
        "max-download-limit": .option("--max-speed"), "max-speed": .option("--max-speed"),
        "max-filesize": .option("--max-filesize"),
        "on-change": .option("--on-change"),
        "if-exists": .option("--if-exists"),
        "allow-overwrite": .switched(["--if-exists=replace"]),
        "auto-file-renaming": .switched(["--if-exists=rename"]),
        "adopt": .switched(["--adopt"]),
        "allow-insecure-redirect": .switched(["--allow-insecure-redirect"]),
        "allow-web-page": .switched(["--allow-web-page"]),
        "always-resume": .ignored, "async-dns": .ignored, "continue": .ignored, "file-allocation": .ignored, "gid": .ignored,
        "max-tries": .ignored, "min-split-size": .ignored, "no-file-allocation-limit": .ignored, "pause": .ignored,
        "piece-length": .ignored, "realtime-chunk-checksum": .ignored, "reuse-uri": .ignored, "stream-piece-selector": .ignored,
        "uri-selector": .ignored,
    ]
}
