import Pawl
import PawlCore

/// The options of one file in a list (docs/lists.md): those of a job, and those of aria2 with the same meaning.
package struct ListOptions {
    package typealias Setting = @Sendable (inout JobSpec, String) throws(OptionText.Problem) -> Void

    package enum Meaning: Sendable {
        case output
        case directory
        case value(Setting)
        /// What `true` stands for; `false` changes nothing.
        case switched(@Sendable (inout JobSpec) -> Void)
        /// Halves of a login, as aria2 writes them.
        case userName
        case password
        /// An option of aria2 that can be ignored safely.
        case ignored
    }

    /// The file's name, perhaps with directories in front.
    package private(set) var output: String?
    package private(set) var directory: String?
    /// The names of ignored options.
    package private(set) var ignored: [String] = []
    private var settings: [(option: DownloadList.Option, set: Setting)] = []

    package init(_ options: [DownloadList.Option]) throws(DownloadList.Problem) {
        var login: (name: String, password: String)?
        for option in options {
            guard let meaning = Self.byName[ExactText(option.name)] else {
                throw DownloadList.Problem(
                    line: option.line,
                    message: "“\(option.name)” is not an option of a list. The options are \(Self.known).")
            }
            switch meaning {
            case .output: output = option.value
            case .directory: directory = option.value
            case .value(let set): settings.append((option, set))
            case .switched(let set): if try Self.isTrue(option) { settings.append((option, { (job, _) in set(&job) })) }
            case .userName: login = (option.value, login?.password ?? "")
            case .password: login = (login?.name ?? "", option.value)
            case .ignored: ignored.append(option.name)
            }
        }
        guard let login, let last = options.last else { return }
        let authentication = JobSpec.Authentication.password(name: login.name, .value(login.password))
        settings.append((last, { (job, _) in job.authentication = authentication }))
    }

    private static func isTrue(_ option: DownloadList.Option) throws(DownloadList.Problem) -> Bool {
        switch option.value {
        case "true": true
        case "false": false
        default: throw DownloadList.Problem(line: option.line, message: "“\(option.name)” must be true or false.")
        }
    }

    /// Everything but where the file goes.
    package func apply(to job: inout JobSpec) throws(DownloadList.Problem) {
        for (option, set) in settings {
            do throws(OptionText.Problem) {
                try set(&job, option.value)
            } catch {
                // The value is not repeated: a mistyped line may hold a secret.
                throw DownloadList.Problem(line: option.line, message: "“\(option.name)” takes \(error.accepted).")
            }
        }
    }

    private static let byName = Dictionary(uniqueKeysWithValues: meanings.map { (ExactText($0.key), $0.value) })

    private static let known = meanings.filter { if case .ignored = $0.value { false } else { true } }.map(\.key)
        .sorted()
        .joined(separator: ", ")

    // MARK: Meanings

    package static let meanings: [String: Meaning] = [
        "out": .output, "output": .output,
        "dir": .directory, "directory": .directory,
        "checksum": .value { (job, text) throws(OptionText.Problem) in job.options.digest = try OptionText.digest(text)
        },
        "header": .value { (job, text) throws(OptionText.Problem) in
            job.headers.append(try OptionText.headerField(text))
        },
        "referer": .value { (job, text) in job.referer = text },
        "user-agent": .value { (job, text) in job.userAgent = text },
        "http-user": .userName, "http-passwd": .password, "user": .value(login),
        "range": .value { (job, text) throws(OptionText.Problem) in job.options.ranges = try OptionText.ranges(text) },
        "sparse": .switched { $0.options.isSparse = true },
        // Of aria2, which replaces a file only where it is told to.
        "conditional-get": .switched { job in
            job.options.onlyIfNewer = true
            job.ifExists = job.ifExists ?? .rename
        },
        "if-newer": .switched { $0.options.onlyIfNewer = true },
        "remote-time": .switched { $0.options.keepsRemoteTime = true },
        "xattr": .switched { $0.options.recordsOrigin = true },
        "split": connections, "max-connection-per-server": connections, "connections": connections,
        "max-download-limit": maximumSpeed, "max-speed": maximumSpeed,
        "max-filesize": .value { (job, text) throws(OptionText.Problem) in
            job.options.maximumFileSize = try OptionText.size(text)
        },
        "on-change": .value { (job, text) throws(OptionText.Problem) in job.options.onChange = try OptionText.word(text)
        },
        "sync": .value { (job, text) throws(OptionText.Problem) in job.options.sync = try OptionText.word(text) },
        "if-exists": .value { (job, text) throws(OptionText.Problem) in job.ifExists = try OptionText.word(text) },
        "allow-overwrite": .switched { $0.ifExists = .replace },
        "auto-file-renaming": .switched { $0.ifExists = .rename },
        "continue": adopt, "adopt": adopt,
        "allow-insecure-redirect": .switched { $0.options.allowsInsecureRedirect = true },
        "allow-web-page": .switched { $0.options.allowsWebPage = true },
        "require-complete": .switched { $0.options.requiresComplete = true },
        "always-resume": .ignored, "async-dns": .ignored, "file-allocation": .ignored, "gid": .ignored,
        "max-tries": .ignored, "min-split-size": .ignored, "no-file-allocation-limit": .ignored, "pause": .ignored,
        "piece-length": .ignored, "realtime-chunk-checksum": .ignored, "reuse-uri": .ignored,
        "stream-piece-selector": .ignored,
        "uri-selector": .ignored,
    ]

    private static let adopt = Meaning.switched { $0.options.adoptsPartialFile = true }

    private static let maximumSpeed = Meaning.value { (job, text) throws(OptionText.Problem) in
        job.options.maximumBytesPerSecond = try OptionText.rate(text)
    }

    private static let connections = Meaning.value { (job, text) throws(OptionText.Problem) in
        guard let number = OptionText.wholeNumber(text), (1...16).contains(number) else {
            throw OptionText.Problem(accepted: "a number of connections from 1 to 16")
        }
        job.options.maximumConnections = Int(number)
    }

    /// `name:password`. A missing password cannot be asked for here.
    private static func login(_ job: inout JobSpec, _ text: String) throws(OptionText.Problem) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw OptionText.Problem(accepted: "name:password")
        }
        let password = String(decoding: text.utf8[text.utf8.index(after: colon)...], as: UTF8.self)
        job.authentication = .password(name: String(decoding: text.utf8[..<colon], as: UTF8.self), .value(password))
    }
}
