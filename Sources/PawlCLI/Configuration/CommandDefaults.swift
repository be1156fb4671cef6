import Pawl
import PawlConfiguration
import PawlCore
import PawlJobs
import PawlOptions
import PawlSystem

/// Defaults for the options of `pawl get`, and of the other commands that contact a server: environment variables such
/// as `PAWL_RETRIES`, and the table `[get]` of the configuration file, which is also that of the service. A variable
/// comes before the file.
struct CommandDefaults {
    private(set) var given: [ConfiguredOption] = []

    /// The commands that have defaults.
    private static let commands: [any Subcommand.Type] = [
        GetCommand.self, IndexCommand.self, ProbeCommand.self, VerifyCommand.self, ListCommand.self,
    ]

    /// Takes `--no-quiet` out of a command line that has defaults, and `--quiet` or `-q` before it.
    ///
    /// - Returns: the keys of the defaults that are overridden so.
    static func takeBack(_ words: inout [String]) -> [String] {
        guard applies(to: words) else { return [] }
        var options = Array(words.prefix { !$0.isExactly("--") })
        let rest = words.dropFirst(options.count)
        let keys = schema.keys.filter { $0.kind != .value }.map(\.name).filter { options.containsExactly(negation($0)) }
        for key in keys {
            let last = options.lastIndex { $0.isExactly(negation(key)) } ?? 0
            let spellings = GetCommand.declaration.option(ConfigurationKey.flag(of: key))?.spellings ?? []
            options = options.enumerated().filter { index, word in
                !word.isExactly(negation(key)) && (index > last || !spellings.containsExactly(word))
            }.map(\.element)
        }
        words = options + rest
        return keys
    }

    private static func applies(to words: [String]) -> Bool { command(of: words) != nil }

    private static func command(of words: [String]) -> (any Subcommand.Type)? {
        words.first.flatMap { word in commands.first { $0.name.isExactly(word) } }
    }

    private static func negation(_ key: String) -> String { ConfigurationKey.flag(of: "no_" + key) }

    /// The defaults for a command line that asks for more than help.
    ///
    /// - Parameters:
    ///   - words: with the command in front.
    ///   - keys: those that were taken back.
    init(for words: [String], without keys: [String] = [], environment: (String) -> String?) throws(UsageError) {
        let typed = words.dropFirst().prefix { !$0.isExactly("--") }
        guard let command = Self.command(of: words), !typed.containsExactly("--no-config") else { return }
        do throws(ConfigurationError) {
            let file = try ConfigurationFile.usualPath(environment: environment).flatMap {
                (path) throws(ConfigurationError) in try ConfigurationFile(path, Self.schema)
            }
            given = Self.expanded(
                try Self.schema.options(in: file, environment: environment), home: environment("HOME"))
        } catch {
            throw Self.refused(error)
        }
        given.removeAll { keys.containsExactly($0.key.name) }
        guard !given.isEmpty, command != GetCommand.self else { return }
        let own = command.takingValues
        given.removeAll { own[ExactText($0.key.flag)] == nil }
    }

    /// `~/` at the beginning of a value in the file is the home directory, which no shell has put in its place.
    static func expanded(_ options: [ConfiguredOption], home: String?) -> [ConfiguredOption] {
        options.map { option in
            guard case .line = option.origin, let home, home.begins(with: "/") else { return option }
            var option = option
            option.arguments = option.arguments.map { expanded($0, home) }
            return option
        }
    }

    private static func expanded(_ argument: String, _ home: String) -> String {
        guard let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")),
            argument.utf8[sign...].starts(with: "=~/".utf8) || argument.utf8[sign...].elementsEqual("=~".utf8)
        else { return argument }
        return String(decoding: argument.utf8[...sign], as: UTF8.self) + home
            + String(decoding: argument.utf8[sign...].dropFirst(2), as: UTF8.self)
    }

    /// The arguments, to stand in front of those that were typed: of two the later one counts.
    ///
    /// - Parameter typed: without the command.
    func arguments(before typed: some Collection<String>) -> [String] {
        // A name that was typed is looked for where its user is.
        let namesFile =
            given.contains { $0.key.name == "directory" }
            && (try? GetCommand.parse(Array(typed)))?.jobs.target.output != nil
        return given.filter { !namesFile || $0.key.name != "directory" }.flatMap(\.arguments)
    }

    private static func refused(_ error: ConfigurationError) -> UsageError {
        UsageError(
            "\(error.message)\(error.message.ends(with: ".") || error.message.ends(with: "?") ? "" : ".") --no-config ignores the file and the variables."
        )
    }

    /// A warning about a variable whose name is nearly that of a default.
    ///
    /// - Parameters:
    ///   - words: with the command in front.
    ///   - variables: each as `NAME=value`.
    static func warning(for words: [String], about variables: [[UInt8]]) -> String? {
        guard applies(to: words), !["--no-config", "-q", "--quiet"].contains(where: words.containsExactly) else {
            return nil
        }
        let prefix = schema.variablePrefix
        let known = schema.keys.filter { schema.variable(of: $0) != nil }.map(\.name)
        for variable in variables where variable.starts(with: prefix.utf8) {
            let name = String(
                decoding: variable.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            let typed = name.lowercased()
            guard !known.containsExactly(typed), !HookFacts.names.contains(where: (prefix + name).isExactly),
                let meant = Suggestion.nearest(to: typed, among: known), abs(meant.utf8.count - typed.utf8.count) <= 2
            else { continue }
            return "$\(prefix + name) is ignored. Did you mean $\(prefix + meant.uppercased())?"
        }
        return nil
    }

    /// The origins of the defaults in use, for a person who looks for the cause of an error; nil without any.
    var places: String? {
        given.isEmpty
            ? nil
            : "Defaults are in use: \(given.map { "\($0.key.name) (\($0.origin.text))" }.joined(separator: ", ")). --no-config ignores them."
    }

    /// The first default that cannot be used, with its place, as an error; nil if all can be used.
    var problem: UsageError? {
        Self.schema.problems(of: given).first.map(Self.refused)
    }
}

extension CommandDefaults {
    /// The options that can have a default.
    static let options = GetCommand.declaration.options.filter { $0.places.contains(.configuration) }

    static let schema = ConfigurationSchema(
        table: .get, keys: options.map { ConfigurationKey($0) }, others: PawlConfiguration.ServiceOptions.keys,
        variablePrefix: "PAWL_", whereKeysAre: "“pawl help defaults” lists those of [get]."
    ) { arguments in
        do {
            let get = try GetCommand.parse(arguments)
            var job = try get.jobs.words.described()
            job.source = .url("http://example.org/")
            try job.checked()
            var configuration = Downloader.Configuration()
            try get.server.apply(to: &configuration, reading: NamedFiles())
            return nil
        } catch {
            return (error as? UsageError)?.message ?? (error as? DownloadError)?.text ?? (error as? JobSpecError)?
                .text ?? "\(error)"
        }
    }
}
