package import PawlCore

/// A command as its declaration describes it, for programs that do not run it: completions and the manual.
package struct CommandDescription: Hashable, Sendable {
    package struct Option: Hashable, Sendable {
        /// The subject that the option belongs to.
        package let title: String
        /// As they are typed: `-x`, `--connections`.
        package let spellings: [String]
        package let help: String
        /// The word that stands for the value; nil for an option without one.
        package let value: String?
        package let isRepeated: Bool
        package let choices: [String]
        package let initial: String?
        package let completion: OptionCompletion
    }

    package struct Operand: Hashable, Sendable {
        package let name: String
        package let help: String
        package let isOptional: Bool
        package let isRepeated: Bool
        package let completion: OptionCompletion
    }

    package let name: String
    package let summary: String
    package let discussion: String
    package let operands: [Operand]
    /// By subject, in the order of the help.
    package let options: [Option]
}

extension CommandDeclaration {
    package var described: CommandDescription {
        CommandDescription(
            name: name, summary: summary, discussion: discussion,
            operands: operands.map {
                .init(
                    name: $0.name, help: $0.help, isOptional: $0.isOptional, isRepeated: $0.isRepeated,
                    completion: $0.completion)
            },
            options: groups.flatMap { group in
                group.options.filter(\.isShown).map { $0.described(under: group.title) }
            })
    }
}

extension OptionDeclaration {
    fileprivate func described(under title: String) -> CommandDescription.Option {
        let isRepeated = if case .values = argument { true } else { false }
        return .init(
            title: title, spellings: spellings, help: help, value: argument.word, isRepeated: isRepeated,
            choices: choices, initial: initial, completion: completion)
    }
}

extension CommandDescription {
    /// Read by `scripts/manual-page`.
    package var json: JSONValue {
        [
            "name": .string(name), "summary": .string(summary), "discussion": .string(discussion),
            "operands": .array(operands.map(\.json)), "options": .array(options.map(\.json)),
        ]
    }
}

extension CommandDescription.Operand {
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "help": .string(help), "isOptional": .boolean(isOptional),
            "isRepeated": .boolean(isRepeated),
        ]
    }
}

extension CommandDescription.Option {
    fileprivate var json: JSONValue {
        [
            "title": .string(title), "spellings": .array(spellings.map(JSONValue.string)), "help": .string(help),
            "value": value.map(JSONValue.string) ?? .null, "choices": .array(choices.map(JSONValue.string)),
            "initial": initial.map(JSONValue.string) ?? .null,
        ]
    }
}
