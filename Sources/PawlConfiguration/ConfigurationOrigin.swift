import PawlCore

/// The place where an option was set.
package enum ConfigurationOrigin: Hashable, Sendable {
    case argument
    case variable(String)
    /// A line of a configuration file; zero if the line is not known.
    case line(Int, of: String)

    package var text: String {
        switch self {
        case .argument, .variable: short
        case .line(0, let path): path
        case .line(_, let path): "\(path), \(short)"
        }
    }

    /// The short form of ``text``, for readers who know the file.
    package var short: String {
        switch self {
        case .argument: "argument"
        case .variable(let name): name
        case .line(0, _): "the file"
        case .line(let number, _): "line \(number)"
        }
    }
}

/// An option that a configuration file or a variable sets.
package struct ConfiguredOption: Sendable {
    package let key: ConfigurationKey
    package let origin: ConfigurationOrigin
    /// The arguments that say the same.
    package var arguments: [String]

    package init(_ key: ConfigurationKey, _ origin: ConfigurationOrigin, _ arguments: [String]) {
        (self.key, self.origin, self.arguments) = (key, origin, arguments)
    }

    /// The texts of the value: `true` or `false` of a flag, any number of texts of a list.
    package var values: [String] {
        if case .flag = key.kind { return ["\(arguments.contains(where: key.flag.isExactly))"] }
        let beginning = key.flag + "="
        return arguments.filter { !$0.isExactly(key.flag) }.map { argument in
            guard argument.begins(with: beginning) else { return argument }
            return String(decoding: argument.utf8.dropFirst(beginning.utf8.count), as: UTF8.self)
        }
    }
}
