import PawlCore
package import PawlOptions

/// The keys that one program takes from the configuration file and from the environment.
package struct ConfigurationSchema: Sendable {
    package let table: ConfigurationTable
    /// The keys of the table.
    package let keys: [ConfigurationKey]
    /// The keys of the other program's table, as far as this program knows them.
    private let others: [ConfigurationKey]
    /// The prefix of its environment variables, such as `PAWLD_`.
    package let variablePrefix: String
    /// The sentence that tells a user where the keys are listed.
    let whereKeysAre: String
    /// Returns the reason why arguments cannot be used; nil if they can.
    private let refusal: @Sendable (_ arguments: [String]) -> String?

    package init(
        table: ConfigurationTable, keys: [ConfigurationKey], others: [ConfigurationKey], variablePrefix: String,
        whereKeysAre: String, refusal: @escaping @Sendable ([String]) -> String?
    ) {
        (self.table, self.keys, self.others) = (table, keys, others)
        (self.variablePrefix, self.whereKeysAre, self.refusal) = (variablePrefix, whereKeysAre, refusal)
    }

    func keys(of table: ConfigurationTable) -> [ConfigurationKey] { table == self.table ? keys : others }

    func key(_ name: String, in table: ConfigurationTable) -> ConfigurationKey? {
        keys(of: table).first { $0.name.isExactly(name) }
    }

    /// Returns the name of the environment variable for an option; nil if no variable sets it.
    package func variable(of key: ConfigurationKey) -> String? {
        key.hasVariable ? variablePrefix + key.name.uppercased() : nil
    }

    /// The arguments that say what an environment variable says.
    private func arguments(_ key: ConfigurationKey, variable value: String) throws(ConfigurationError) -> [String] {
        switch key.kind {
        case .flag(let negated):
            switch value {
            case "true", "1": [key.flag]
            case "false", "0", "": negated.map { [$0] } ?? []
            default:
                throw ConfigurationError("\(variable(of: key) ?? key.name) takes true or false.", about: key.name)
            }
        case .value: key.arguments(value)
        case .list:
            value.utf8.split(separator: UInt8(ascii: ",")).map { "\(key.flag)=" + String(Substring($0)) }
        }
    }

    /// Returns the options set by the environment and the file, in the order of the keys. A variable overrides the
    /// file.
    ///
    /// - Throws: for the first thing that is wrong in the file, or else with a variable.
    package func options(
        in file: ConfigurationFile?, environment: (String) -> String?
    ) throws(ConfigurationError) -> [ConfiguredOption] {
        let (options, problems) = sorted(file, environment: environment)
        if let problem = problems.first { throw problem }
        return options
    }

    /// Returns the options set by the environment and the file, and the problems found in them; see ``problems(of:)``
    /// for the values.
    package func sorted(
        _ file: ConfigurationFile?, environment: (String) -> String?
    ) -> (options: [ConfiguredOption], problems: [ConfigurationError]) {
        var options: [ConfiguredOption] = []
        var problems = file?.problems ?? []
        for key in keys {
            if let name = variable(of: key), let value = environment(name) {
                do throws(ConfigurationError) {
                    options.append(ConfiguredOption(key, .variable(name), try arguments(key, variable: value)))
                } catch {
                    problems.append(error)
                }
            } else if let entry = file?.entries.first(where: { $0.key.name.isExactly(key.name) }) {
                options.append(entry)
            }
        }
        return (options, problems)
    }

    /// The options whose values cannot be used.
    package func problems(of options: [ConfiguredOption]) -> [ConfigurationError] {
        // Together first: most are right, and parsing takes its time.
        guard refusal(options.flatMap(\.arguments)) != nil else { return [] }
        return options.compactMap { option in
            refusal(option.arguments).map { ConfigurationError($0, about: option.key.name, at: option.origin) }
        }
    }

    /// Returns the reason why options that are each usable cannot be used together; nil if they can.
    package func contradiction(of options: [ConfiguredOption]) -> ConfigurationError? {
        refusal(options.flatMap(\.arguments)).map { ConfigurationError($0) }
    }
}

/// An option that has a name in the configuration file, such as `public_url` for `--public-url`.
package struct ConfigurationKey: Sendable {
    package enum Kind: Hashable, Sendable {
        /// A flag; `negated` is the flag for the opposite. Without one, `false` leaves the flag out.
        case flag(negated: String?)
        case value
        case list
    }

    package let name: String
    package let kind: Kind
    let hasVariable: Bool

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
        hasVariable = option.places.contains(.environment)
    }

    package var flag: String { Self.flag(of: name) }

    /// Returns the arguments for a value. After “=”, the value may begin with a hyphen; an empty one has
    /// to be a word of its own.
    func arguments(_ value: String) -> [String] { value.isEmpty ? [flag, value] : ["\(flag)=\(value)"] }

    package static func flag(of name: String) -> String {
        "--" + String(decoding: name.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
    }
}
