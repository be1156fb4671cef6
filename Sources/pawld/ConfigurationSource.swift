import ArgumentParser
import PawlCore
import PawlSystem

/// Where the options come from: the arguments, else the environment, else the configuration file.
struct ConfigurationSource {
    /// Of the program.
    let arguments: [String]
    let path: String
    private let mustExist: Bool

    /// - Parameter path: of the configuration file; nil for the usual one, which need not exist.
    init(_ arguments: [String], path: String?) throws(ConfigurationError) {
        self.arguments = arguments
        mustExist = path != nil
        self.path = if let path { path } else { try Places.configuration + "/pawl/config.toml" }
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
            case .line(let number): "line \(number)"
            }
        }
    }

    /// Reads the file and the environment anew.
    func read() throws(ConfigurationError) -> (options: ServiceOptions, given: [Given]) {
        let file = try ConfigurationFile(path)
        guard file != nil || !mustExist else { throw ConfigurationError("There is no file “\(path)”.") }
        var given: [Given] = []
        var all: [String] = []
        for (key, kind) in ServiceOptions.keys {
            if isArgument(key) {
                given.append(Given(key: key, place: .argument))
            } else if let value = Environment.value(ServiceOptions.variable(of: key)) {
                given.append(Given(key: key, place: .variable(ServiceOptions.variable(of: key))))
                all += try Self.arguments(key, kind, value)
            } else if let entry = file?.entries.first(where: { $0.key.isExactly(key) }) {
                given.append(Given(key: key, place: .line(entry.line)))
                all += entry.arguments
            }
        }
        do {
            return (try Pawld.parse(all + arguments).options, given)
        } catch {
            throw ConfigurationError(Pawld.message(for: error))
        }
    }

    /// The same, with the place where the option was given in front.
    func placed(_ error: ConfigurationError, _ given: [Given]) -> ConfigurationError {
        guard let key = error.key else { return error }
        let place =
            switch given.first(where: { $0.key.isExactly(key) })?.place {
            case .argument: ServiceOptions.flag(of: key)
            case .variable(let name): name
            case .line(let number): "\(path), line \(number): \(key)"
            case nil: key
            }
        return ConfigurationError("\(place): \(error.message)")
    }

    /// Variables whose beginning is ours and that are none of ours.
    var unknownVariables: [String] {
        let known = ServiceOptions.keys.map { ServiceOptions.variable(of: $0.key) }
        return Environment.entries.map { String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self) }
            .filter { $0.utf8.starts(with: "PAWLD_".utf8) && !known.containsExactly($0) }
    }

    private func isArgument(_ key: String) -> Bool {
        let flags = [ServiceOptions.flag(of: key), ServiceOptions.flag(of: "no_" + key)]
        return arguments.contains { argument in
            flags.contains { argument.utf8.starts(with: $0.utf8) && (argument.utf8.count == $0.utf8.count || argument.utf8.dropFirst($0.utf8.count).first == UInt8(ascii: "=")) }
        }
    }

    private static func arguments(_ key: String, _ kind: ServiceOptions.Kind, _ value: String) throws(ConfigurationError) -> [String] {
        let name = ServiceOptions.variable(of: key)
        let flag = ServiceOptions.flag(of: key)
        let arguments: [String]
        switch kind {
        case .flag:
            switch value {
            case "true", "1": arguments = [flag]
            case "false", "0", "": arguments = [ServiceOptions.flag(of: "no_" + key)]
            default: throw ConfigurationError("\(name) takes true or false.")
            }
        case .value: arguments = ["\(flag)=\(value)"]
        case .list: arguments = value.utf8.split(separator: UInt8(ascii: ",")).map { "\(flag)=" + String(Substring($0)) }
        }
        try ServiceOptions.check(arguments, name)
        return arguments
    }
}
