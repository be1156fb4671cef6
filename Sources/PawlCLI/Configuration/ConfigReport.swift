import PawlConfiguration
import PawlCore
import PawlJobs
import PawlOptions

/// The answer of `pawl config`: the file, what it and the environment set, and what is wrong with them.
struct ConfigReport {
    /// The path of the configuration file; nil if neither `HOME` nor `XDG_CONFIG_HOME` is set.
    let path: String?
    private(set) var fileExists = false
    /// The defaults of `pawl get` that are in force, with `~` replaced.
    private(set) var defaults: [ConfiguredOption] = []
    /// The options of the service in the file. Its variables are those of another process.
    private(set) var serviceOptions: [ConfiguredOption] = []
    private(set) var problems: [ConfigurationError] = []

    /// - Parameter path: of the file; nil for the usual one.
    init(file path: String?, environment: (String) -> String?) {
        self.path = path ?? ConfigurationFile.usualPath(environment: environment)
        let own = CommandDefaults.schema
        let service = PawlConfiguration.ServiceOptions.schema(besides: own.keys)
        var files: (own: ConfigurationFile?, service: ConfigurationFile?)
        do throws(ConfigurationError) {
            if let path = self.path { files = (try ConfigurationFile(path, own), try ConfigurationFile(path, service)) }
        } catch {
            problems = [error]
        }
        fileExists = files.own != nil || !problems.isEmpty
        serviceOptions = files.service?.entries ?? []
        let sorted = own.sorted(files.own, environment: environment)
        defaults = CommandDefaults.expanded(sorted.options, home: environment("HOME"))
        let overridden = (files.own?.entries ?? []).filter { entry in
            !defaults.contains { $0.origin == entry.origin && $0.key.name.isExactly(entry.key.name) }
        }
        let found = sorted.problems + own.problems(of: defaults + overridden)
        add(found + (files.service?.problems ?? []) + service.problems(of: serviceOptions))
        if problems.isEmpty { add([own.contradiction(of: defaults)].compactMap(\.self)) }
    }

    /// Adds problems, leaving out repetitions: both programs report a key that neither knows.
    private mutating func add(_ found: [ConfigurationError]) {
        for problem in found
        where !problems.contains(where: { $0.key == problem.key && $0.origin == problem.origin }) {
            problems.append(problem)
        }
    }

    /// The defaults of `pawl get` that are not set: the key, and the value that holds.
    private var unset: [(key: String, value: String?)] {
        zip(CommandDefaults.schema.keys, CommandDefaults.options).compactMap { key, option in
            defaults.contains { $0.key.name.isExactly(key.name) } ? nil : (key.name, option.initial)
        }
    }

    // MARK: For people

    /// - Parameter all: with what is not set.
    func text(all: Bool, in locale: Locale) -> String {
        var own = Table()
        for option in defaults { own.row("  \(option.shown)", option.origin.short) }
        if all {
            for (key, value) in unset {
                own.row("  " + (value.map { "\(key) = \($0)" } ?? key), value == nil ? "not set" : "default")
            }
        }
        var service = Table()
        for option in serviceOptions { service.row("  \(option.shown)", option.origin.short) }
        let tables = [("[get], the defaults of pawl get:", own), ("Options of the service:", service)].map {
            ($0, $1.text(in: locale))
        }.filter { !$1.isEmpty }
        let parts = [file.shown(in: locale) + "\n"] + tables.map { "\($0)\n\($1)" }
        return parts.joined(separator: "\n")
            + (tables.isEmpty ? "\nNo option is set. “pawl help defaults” lists those that can be.\n" : "")
    }

    /// The one line of a check that found nothing.
    func validity(in locale: Locale) -> String {
        (fileExists ? "“\(path ?? "")” is valid." : "\(file) The variables are valid.").shown(in: locale) + "\n"
    }

    private var file: String {
        guard let path else { return "There is no configuration file, since HOME is not set." }
        return fileExists ? "The file is “\(path)”." : "There is no file “\(path)”."
    }

    // MARK: For programs

    /// - Parameters:
    ///   - all: with what is not set.
    ///   - check: without options.
    func json(all: Bool, check: Bool) -> JSONValue {
        var members = [
            ("file", path.map(JSONValue.string) ?? .null), ("exists", JSONValue.boolean(fileExists)),
        ]
        if !check {
            let set = defaults.map { $0.json(of: "get") } + serviceOptions.map { $0.json(of: nil) }
            let others: [JSONValue] = unset.map { key, value in
                [
                    "table": "get", "key": .string(key), "value": value.map(JSONValue.string) ?? .null,
                    "origin": "default", "line": .null, "variable": .null,
                ]
            }
            members.append(("options", .array(set + (all ? others : []))))
        }
        let errors: [JSONValue] = problems.map { problem in
            [
                "key": problem.key.map(JSONValue.string) ?? .null,
                "line": problem.origin?.line.map { .integer(Int64($0)) } ?? .null,
                "message": .string(problem.message),
            ]
        }
        members.append(("errors", .array(errors)))
        return .object(members.map { JSONValue.Member(key: $0, value: $1) })
    }
}

extension ConfigurationOrigin {
    fileprivate var line: Int? { if case .line(let number, _) = self, number > 0 { number } else { nil } }
}

extension ConfiguredOption {
    /// The option as `max_speed = 2M`, without secrets.
    fileprivate var shown: String { "\(key.name) = \(shownValues.joined(separator: ", "))" }

    /// The values without logins, and without the arguments of a command, which may be tokens.
    private var shownValues: [String] {
        guard key.name.isExactly("on_complete") else { return values.map(Self.withoutLogin) }
        return values.map { line in
            let words = ShellWords.split(line) ?? []
            // A line that cannot be split is told as an error.
            return words.count == 1 ? line : "\(words.first ?? "") …"
        }
    }

    /// `http://name:password@host` as `http://…@host`.
    private static func withoutLogin(_ value: String) -> String {
        let bytes = Array(value.utf8)
        guard let sign = bytes.lastIndex(of: UInt8(ascii: "@")) else { return value }
        let scheme = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }.map { bytes[..<($0 + 3)] }
        let kept = scheme.flatMap { $0.endIndex <= sign ? Array($0) : nil } ?? []
        return String(decoding: kept + Array("…".utf8) + bytes[sign...], as: UTF8.self)
    }

    fileprivate func json(of table: String?) -> JSONValue {
        let texts = shownValues.map(JSONValue.string)
        let variable: String? = if case .variable(let name) = origin { name } else { nil }
        return [
            "table": table.map(JSONValue.string) ?? .null, "key": .string(key.name),
            "value": key.kind == .list ? .array(texts) : texts.first ?? .null,
            "origin": variable == nil ? "file" : "variable",
            "line": origin.line.map { .integer(Int64($0)) } ?? .null,
            "variable": variable.map(JSONValue.string) ?? .null,
        ]
    }
}
