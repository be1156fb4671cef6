import PawlConfiguration
import PawlCore
import PawlSystem

/// Where the options come from: the arguments, else the environment, else the configuration file.
struct ConfigurationSource {
    /// Of the program.
    let arguments: [String]
    let path: String
    private let mustExist: Bool

    private static let schema = ConfigurationSchema(
        table: .service, variablePrefix: "PAWLD_",
        whereKeysAre: "“pawld --help” lists the options; their names have underscores here."
    ) { arguments in
        var pawld = Pawld()
        return pawld.read(arguments)
    }

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
    struct Given {
        var key: String
        var place: Place
    }

    enum Place: Hashable {
        case argument
        case variable(String)
        /// Of the file.
        case line(Int)

        var text: String {
            switch self {
            case .argument: "argument"
            case .variable(let name): name
            case .line(let number): number > 0 ? "line \(number)" : "the file"
            }
        }
    }

    /// Reads the file and the environment anew.
    func read() throws(ConfigurationError) -> (options: ServiceOptions, given: [Given]) {
        let file = try ConfigurationFile(path, Self.schema)
        guard file != nil || !mustExist else { throw ConfigurationError("There is no file “\(path)”.") }
        if let file { try Self.schema.check(file.entries.map { (file.place($0.line), $0.arguments) }) }
        var given: [Given] = []
        var all: [String] = []
        for key in Self.schema.keys {
            let variable = Self.schema.variable(of: key)
            if isArgument(key) {
                given.append(Given(key: key.name, place: .argument))
            } else if let value = Environment.value(variable) {
                given.append(Given(key: key.name, place: .variable(variable)))
                let arguments = try Self.schema.arguments(key, variable: value)
                try Self.schema.check([(variable, arguments)])
                all += arguments
            } else if let entry = file?.entries.first(where: { $0.key.isExactly(key.name) }) {
                given.append(Given(key: key.name, place: .line(entry.line)))
                all += entry.arguments
            }
        }
        var pawld = Pawld()
        if let problem = pawld.read(all + arguments) { throw ConfigurationError(problem) }
        return (pawld.options, given)
    }

    /// The same, with the place where the option was given in front.
    func placed(_ error: ConfigurationError, _ given: [Given]) -> ConfigurationError {
        guard let key = error.key else { return error }
        let place =
            switch given.first(where: { $0.key.isExactly(key) })?.place {
            case .argument: ConfigurationKey.flag(of: key)
            case .variable(let name): name
            case .line(let number): "\(path)\(number > 0 ? ", line \(number)" : ""): \(key)"
            case nil: key
            }
        return ConfigurationError("\(place): \(error.message)")
    }

    /// Variables whose beginning is ours and that are none of ours.
    var unknownVariables: [String] {
        let known = Self.schema.keys.map(Self.schema.variable(of:))
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
