import PawlCore
package import PawlOptions

/// What one program takes from the configuration file and from the environment.
package struct ConfigurationSchema: Sendable {
    package var table: ConfigurationTable
    /// What the names of its environment variables begin with, such as `PAWLD_`.
    package var variablePrefix: String
    /// Where a user finds the keys, in a sentence.
    package var whereKeysAre: String
    /// Why arguments cannot be used; nil if they can.
    package var refusal: @Sendable (_ arguments: [String]) -> String?

    package init(
        table: ConfigurationTable, variablePrefix: String, whereKeysAre: String,
        refusal: @escaping @Sendable ([String]) -> String?
    ) {
        self.table = table
        self.variablePrefix = variablePrefix
        self.whereKeysAre = whereKeysAre
        self.refusal = refusal
    }

    package var keys: [ConfigurationKey] { table.keys }

    package func variable(of key: ConfigurationKey) -> String { variablePrefix + key.name.uppercased() }

    /// The arguments that say what an environment variable says.
    package func arguments(_ key: ConfigurationKey, variable value: String) throws(ConfigurationError) -> [String] {
        let name = variable(of: key)
        let arguments: [String]
        switch key.kind {
        case .flag(let negated):
            switch value {
            case "true", "1": arguments = [key.flag]
            case "false", "0", "": arguments = negated.map { [$0] } ?? []
            default: throw ConfigurationError("\(name) takes true or false.")
            }
        case .value: arguments = key.arguments(value)
        case .list:
            arguments = value.utf8.split(separator: UInt8(ascii: ",")).map { "\(key.flag)=" + String(Substring($0)) }
        }
        return arguments
    }

    /// - Parameter given: arguments, and the place in the file or the variable that says the same.
    /// - Throws: for the first that cannot be used.
    package func check(_ given: [(place: String, arguments: [String])]) throws(ConfigurationError) {
        // Together first: most are right, and parsing takes its time.
        guard refusal(given.flatMap(\.arguments)) != nil else { return }
        for (place, arguments) in given {
            if let refusal = refusal(arguments) { throw ConfigurationError("\(place): \(refusal)") }
        }
    }
}

/// An option that has a name in the configuration file, such as `public_url` for `--public-url`.
package struct ConfigurationKey: Sendable {
    package enum Kind: Hashable, Sendable {
        /// With the flag that says the opposite, if there is one; without it, `false` leaves the flag out.
        case flag(negated: String?)
        case value
        case list
    }

    package var name: String
    package var kind: Kind

    package init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// The key of an option, with the flag that takes it back.
    package init(_ option: OptionDeclaration<some Any>) {
        name = String(
            decoding: option.name.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
        kind =
            switch option.argument {
            case .none: .flag(negated: option.negation)
            case .value: .value
            case .values: .list
            }
    }

    package var flag: String { Self.flag(of: name) }

    /// With a sign between them, a value may begin with a hyphen; an empty one has to be a word of its own.
    func arguments(_ value: String) -> [String] { value.isEmpty ? [flag, value] : ["\(flag)=\(value)"] }

    package static func flag(of name: String) -> String {
        "--" + String(decoding: name.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
    }
}
