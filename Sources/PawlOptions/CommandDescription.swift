package import PawlCore

/// A command as its declaration describes it, for programs that do not run it: completions and the manual.
package struct CommandDescription: Hashable, Sendable {
    package struct Option: Hashable, Sendable {
        /// The subject that the option belongs to.
        package var title = ""
        /// The spellings as they are typed: `-x`, `--connections`.
        package var spellings: [String]
        package var help = ""
        /// The word that stands for the value; nil for an option without one.
        package var value: String?
        package var isRepeated = false
        package var choices: [String] = []
        package var initial: String?
        package var completion = OptionCompletion.none
    }

    package struct Operand: Hashable, Sendable {
        package var name: String
        package var help = ""
        package var isOptional = false
        package var isRepeated = false
        package var completion = OptionCompletion.none
    }

    package var name: String
    package var summary = ""
    package var discussion = ""
    package var operands: [Operand] = []
    /// The options by subject, in the order of the help.
    package var options: [Option] = []
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
    /// The description as JSON, for `scripts/manual-page`.
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
