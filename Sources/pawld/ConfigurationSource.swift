import PawlConfiguration
import PawlCore
import PawlJobs
import PawlOptions
import PawlSystem

/// The sources of the options: the arguments, else the environment, else the configuration file.
struct ConfigurationSource {
    /// The arguments of the program.
    let arguments: [String]
    let path: String
    private let mustExist: Bool

    private static let schema = ServiceOptions.schema(
        besides: ServiceOptions.sharedKeys
            + JobOptions.all.filter { $0.places.contains(.configuration) }.map { ConfigurationKey($0) })

    /// - Parameter path: of the configuration file; nil for the usual one, which need not exist.
    init(_ arguments: [String], path: String?) throws(ConfigurationError) {
        self.arguments = arguments
        mustExist = path != nil
        guard let path = path ?? ConfigurationFile.usualPath(environment: Environment.value) else {
            throw ConfigurationError("HOME is not set.")
        }
        self.path = path
    }

    /// An option that was given, and by whom.
    typealias Given = (key: String, origin: ConfigurationOrigin)

    /// Reads the file and the environment anew.
    func read() throws(ConfigurationError) -> (options: ServiceOptions, given: [Given]) {
        let file = try ConfigurationFile(path, Self.schema)
        guard file != nil || !mustExist else { throw ConfigurationError("There is no file “\(path)”.") }
        let set = try Self.schema.options(in: file, environment: Environment.value)
        if let problem = Self.schema.problems(of: set + (file?.entries ?? [])).first { throw problem }
        var given: [Given] = []
        var words: [String] = []
        for key in Self.schema.keys {
            if isArgument(key) {
                given.append((key.name, .argument))
            } else if let option = set.first(where: { $0.key.name.isExactly(key.name) }) {
                given.append((key.name, option.origin))
                words += option.arguments
            }
        }
        var pawld = Pawld()
        if let problem = pawld.read(words + arguments) { throw ConfigurationError(problem) }
        return (pawld.options, given)
    }

    /// The same, with the place where the option was given in front.
    func placed(_ error: ConfigurationError, _ given: [Given]) -> ConfigurationError {
        guard let key = error.key else { return error }
        switch given.first(where: { $0.key.isExactly(key) })?.origin {
        case .argument: return ConfigurationError("\(ConfigurationKey.flag(of: key)): \(error.reason)")
        case .variable(let name): return ConfigurationError(error.reason, about: key, at: .variable(name))
        case .line(let number, let path):
            return ConfigurationError("\(key): \(error.reason)", about: key, at: .line(number, of: path))
        case nil: return ConfigurationError("\(key): \(error.reason)")
        }
    }

    /// Variables whose beginning is ours and that are none of ours.
    var unknownVariables: [String] {
        let known = Self.schema.keys.compactMap(Self.schema.variable(of:))
        return Environment.entries.map { String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self) }
            .filter { $0.begins(with: Self.schema.variablePrefix) && !known.containsExactly($0) }
    }

    private func isArgument(_ key: ConfigurationKey) -> Bool {
        var flags = [key.flag]
        if case .flag(let negated?) = key.kind { flags.append(negated) }
        return arguments.contains { argument in
            flags.contains { argument.isExactly($0) || argument.begins(with: $0 + "=") }
        }
    }
}
