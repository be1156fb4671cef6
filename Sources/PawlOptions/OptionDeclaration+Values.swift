import PawlCore

// Options that each are one value.
extension OptionDeclaration {
    /// An option that is there or not. `false` says that it is not, where somebody said before that it is.
    package static func flag(
        _ name: String, letter: Character? = nil, _ path: any WritableKeyPath<Values, Bool> & Sendable, help: String,
        aria2: [String] = []
    ) -> Self {
        Self(name, letter: letter, help: help, aria2: aria2) { (values, text) in
            values[keyPath: path] = text.isExactly("true")
        }
    }

    /// An option whose text is the value.
    package static func text(
        _ name: String, letter: Character? = nil, _ word: String,
        _ path: any WritableKeyPath<Values, String?> & Sendable, help: String, completion: OptionCompletion = .none,
        aria2: [String] = []
    ) -> Self {
        Self(name, letter: letter, .value(word), help: help, completion: completion, aria2: aria2) { (values, text) in
            values[keyPath: path] = text
        }
    }

    /// An option that may be repeated.
    package static func texts(
        _ name: String, letter: Character? = nil, _ word: String,
        _ path: any WritableKeyPath<Values, [String]> & Sendable, help: String, completion: OptionCompletion = .none
    ) -> Self {
        Self(name, letter: letter, .values(word), help: help, completion: completion) { (values, text) in
            values[keyPath: path].append(text)
        }
    }

    /// An option that takes one of a few words.
    package static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ word: String, _ path: any WritableKeyPath<Values, Word> & Sendable, initial: Word? = nil,
        help: String
    ) -> Self {
        let choices = Word.allCases.map(\.rawValue)
        return Self(name, .value(word), choices: choices, initial: initial?.rawValue, help: help) {
            (values, text) throws(OptionValueProblem) in
            guard let word = Word(rawValue: text) else { throw OptionValueProblem(oneOf: choices) }
            values[keyPath: path] = word
        }
    }

    /// Declares an option like the others, for a value that may be missing.
    package static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ word: String, _ path: any WritableKeyPath<Values, Word?> & Sendable, help: String
    ) -> Self {
        let choices = Word.allCases.map(\.rawValue)
        return Self(name, .value(word), choices: choices, help: help) { (values, text) throws(OptionValueProblem) in
            guard let word = Word(rawValue: text) else { throw OptionValueProblem(oneOf: choices) }
            values[keyPath: path] = word
        }
    }

    /// An option whose text is read as one value, usually a number.
    package static func value<Value>(
        _ name: String, letter: Character? = nil, _ word: String,
        _ path: any WritableKeyPath<Values, Value> & Sendable, initial: String? = nil, help: String,
        aria2: [String] = [], takesNumber: Bool = true,
        read: @escaping @Sendable (String) throws(OptionValueProblem) -> Value
    ) -> Self {
        Self(name, letter: letter, .value(word), initial: initial, help: help, aria2: aria2, takesNumber: takesNumber) {
            (values, text) throws(OptionValueProblem) in
            values[keyPath: path] = try read(text)
        }
    }

    /// Declares an option like the others, for a value that may be missing.
    package static func value<Value>(
        _ name: String, letter: Character? = nil, _ word: String,
        _ path: any WritableKeyPath<Values, Value?> & Sendable, help: String, aria2: [String] = [],
        takesNumber: Bool = true, read: @escaping @Sendable (String) throws(OptionValueProblem) -> Value
    ) -> Self {
        Self(name, letter: letter, .value(word), help: help, aria2: aria2, takesNumber: takesNumber) {
            (values, text) throws(OptionValueProblem) in
            values[keyPath: path] = try read(text)
        }
    }

    /// `--version` and `--help`, which whoever reads the command line answers before any option is read.
    package static var standard: [Self] {
        let alone: Setter = { (_, _) throws(OptionValueProblem) in
            throw OptionValueProblem(accepted: "no other letters beside it")
        }
        return [
            Self("version", help: "Show the version.", set: alone),
            Self("help", letter: "h", help: "Show help information.", set: alone),
        ].map { $0.without([.lists, .configuration], because: .question) }
    }
}

extension OptionValueProblem {
    package init(oneOf choices: [String]) {
        self.init(accepted: "one of " + choices.joined(separator: ", "))
    }
}
