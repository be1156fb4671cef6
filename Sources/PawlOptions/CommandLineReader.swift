import PawlCore

/// Reads the words of a command line by the options that a command declares.
///
/// As POSIX (XBD 12.2) and GNU have it: options and operands in any order, `--name value` and `--name=value`,
/// `-x value`, `-xvalue` and `-x=value`, several letters behind one hyphen, of which the last may take a value, and
/// `--` before operands that begin with a hyphen. A hyphen by itself is an operand. Names are not abbreviated, and a
/// value that begins with a hyphen is joined to its option, unless it is a number for an option that takes numbers.
package struct CommandLineReader<Values> {
    private let options: [OptionDeclaration<Values>]
    /// The option of each flag and negation, and the text that it stands for if it takes no value.
    private let byFlag: [ExactText: (index: Int, text: String)]
    private let byLetter: [Character: Int]

    /// - Parameter options: no two of the same name or letter; of two, the first counts.
    package init(_ options: [OptionDeclaration<Values>]) {
        self.options = options
        let flags = options.enumerated().map { (ExactText($1.flag), ($0, "true")) }
        let negations = options.enumerated().compactMap { (index, option) in
            option.negation.map { (ExactText($0), (index, "false")) }
        }
        byFlag = Dictionary(flags + negations) { first, _ in first }
        byLetter = Dictionary(options.enumerated().compactMap { (index, option) in option.letter.map { ($0, index) } })
        {
            first, _ in first
        }
    }

    /// - Parameters:
    ///   - words: without the program and the command.
    ///   - values: has what was read before the error when this throws.
    /// - Returns: the operands, in their order.
    /// - Throws: ``CommandLineProblem`` for the first word that cannot be read.
    package func read(_ words: [String], into values: inout Values) throws(CommandLineProblem) -> [String] {
        var operands: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word.isExactly("--") { return operands + rest }
            if word.begins(with: "--") {
                try readLong(word, &rest, &values)
            } else if word.begins(with: "-"), word.utf8.count > 1 {
                try readShort(word, &rest, &values)
            } else {
                operands.append(word)
            }
        }
        return operands
    }

    private func readLong(
        _ word: String, _ rest: inout ArraySlice<String>, _ values: inout Values
    ) throws(CommandLineProblem) {
        let bytes = word.utf8
        let sign = bytes.firstIndex(of: UInt8(ascii: "="))
        let flag = String(decoding: bytes[..<(sign ?? bytes.endIndex)], as: UTF8.self)
        guard let found = byFlag[ExactText(flag)] else { throw .unknown(CommandLineProblem.shown(word)) }
        let option = options[found.index]
        let joined = sign.map { String(decoding: bytes[$0...].dropFirst(), as: UTF8.self) }
        if option.argument == .none {
            guard joined.map({ option.choices.containsExactly($0) }) ?? true else {
                let accepted = (["no value"] + option.choices).joined(separator: ", or ")
                throw option.choices.isEmpty ? .needsNoValue(flag) : .refused(flag, accepted: accepted)
            }
            try set(option, flag, joined ?? found.text, &values)
        } else {
            let text = if let joined { joined } else { try value(of: option, flag, &rest) }
            try set(option, flag, text, &values)
        }
    }

    private func readShort(
        _ word: String, _ rest: inout ArraySlice<String>, _ values: inout Values
    ) throws(CommandLineProblem) {
        var letters = word.utf8.dropFirst()
        while let byte = letters.popFirst() {
            let typed = "-" + String(decoding: [byte], as: UTF8.self)
            // Letters are ASCII, so a byte of another character is no option's.
            guard byte < 0x80, let index = byLetter[Character(Unicode.Scalar(byte))] else {
                throw .unknown(byte < 0x80 ? typed : CommandLineProblem.shown(word))
            }
            let option = options[index]
            if option.argument == .none {
                try set(option, typed, "true", &values)
                continue
            }
            if letters.first == UInt8(ascii: "=") {
                letters.removeFirst()
            } else if letters.isEmpty {
                return try set(option, typed, try value(of: option, typed, &rest), &values)
            }
            return try set(option, typed, String(decoding: letters, as: UTF8.self), &values)
        }
    }

    /// The next word. One that looks like an option was hardly meant as a value, whether the command has it or not;
    /// whoever does mean it writes `--name=value`.
    private func value(
        of option: OptionDeclaration<Values>, _ typed: String, _ rest: inout ArraySlice<String>
    ) throws(CommandLineProblem) -> String {
        guard let next = rest.popFirst() else { throw .needsValue(typed, before: nil) }
        let bytes = next.utf8.prefix(2)
        guard bytes.first == UInt8(ascii: "-"), let second = bytes.dropFirst().first,
            !(option.takesNumber && ASCII.isDigit(second))
        else { return next }
        let isSecret = option.absences.contains { $0.reason == .secret }
        throw .needsValue(typed, before: isSecret ? known(next) : CommandLineProblem.shown(next))
    }

    /// The option that a word begins with; empty if it is none, and may as well be a token.
    private func known(_ word: String) -> String {
        let name = String(decoding: word.utf8.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
        return options.contains { $0.spellings.containsExactly(name) } ? name : ""
    }

    private func set(
        _ option: OptionDeclaration<Values>, _ typed: String, _ text: String, _ values: inout Values
    ) throws(CommandLineProblem) {
        do throws(OptionValueProblem) {
            try option.set(&values, text)
        } catch {
            throw .refused(typed, accepted: error.accepted)
        }
    }
}

/// A word of a command line that cannot be read.
package enum CommandLineProblem: Error, Hashable, Sendable {
    /// The word is no option of the command; it is given as typed: `--max-sped`.
    case unknown(String)
    /// The value is missing, because the line ends or what looks like an option follows: its name, or nothing of a word
    /// that is none.
    case needsValue(String, before: String?)
    /// A value was given to an option that takes none.
    case needsNoValue(String)
    /// The value is none that the option takes.
    case refused(String, accepted: String)
    /// The operand that the command cannot do without, by its name.
    case missing(String)
    /// The number of operands that nothing takes. They may hold secrets, and are not repeated.
    case tooMany(Int)

    /// The name of an option, without what may be a secret behind it: a value, or a text that is no name.
    package static func shown(_ word: String) -> String {
        let name = word.utf8.prefix { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        let isWhole = name.endIndex == word.utf8.endIndex || word.utf8[name.endIndex] == UInt8(ascii: "=")
        return String(decoding: name, as: UTF8.self) + (isWhole ? "" : "…")
    }

    package var message: String {
        switch self {
        case .unknown(let option): "“\(option)” is not an option of this command."
        case .needsValue(let option, nil): "\(option) needs a value."
        case .needsValue(let option, let next?):
            "\(option) needs a value, and \(next.isEmpty ? "the next word" : "“\(next)”") begins with a hyphen. If that is the value, write \(option)=VALUE."
        case .needsNoValue(let option): "\(option) takes no value."
        case .refused(let option, let accepted): "\(option) takes \(accepted)."
        case .missing(let operand): "An argument is missing: <\(operand)>."
        case .tooMany(1): "There is one argument too many."
        case .tooMany(let count): "There are \(count) arguments too many."
        }
    }
}
