/// The single declaration of an option, from which the command line, lists, the configuration, help, the manual and
/// completions are made.
///
///     let retries = OptionDeclaration<JobSpec>(
///         "retries", .value("number"), help: "Maximum number of retries in a row without progress."
///     ) { (job, text) throws(OptionValueProblem) in job.options.maximumRetries = try OptionText.count(text) }
///
/// `Values` is the value that the option is a part of.
package struct OptionDeclaration<Values>: Sendable {
    package typealias Setter = @Sendable (inout Values, String) throws(OptionValueProblem) -> Void

    /// The name without hyphens: `max-speed`.
    package let name: String
    /// The letter of the short form: `x` for `-x`.
    package let letter: Character?
    package let argument: OptionArgument
    /// The only texts that the option takes; empty if it takes others as well. For an option without an argument, the
    /// words that may be joined to it: `--dry-run=online`.
    package let choices: [String]
    /// The text that holds if nothing is said, for people; nil if `help` tells it, or nothing does.
    package let initial: String?
    /// The sentence or two that `--help` shows; empty for an option that it does not show.
    package private(set) var help: String
    /// The completions that shells offer for the value.
    package let completion: OptionCompletion
    /// The places where the option cannot be said, with the reason.
    package private(set) var absences: [(places: OptionPlaces, reason: OptionReason)] = []
    /// Names of aria2's options that mean the same, and are words of lists as well.
    package let aria2: [String]
    /// Whether a hyphen and a digit begin a value, as in `--priority -5`, rather than an option: `-4`.
    package let takesNumber: Bool
    /// Whether `--no-name` says `false`; only of options without an argument.
    package let isNegatable: Bool
    /// Takes the text as it was given; an option without an argument takes `true`.
    package private(set) var set: Setter

    package init(
        _ name: String, letter: Character? = nil, _ argument: OptionArgument = .none, choices: [String] = [],
        initial: String? = nil, help: String, completion: OptionCompletion = .none, aria2: [String] = [],
        takesNumber: Bool = false, isNegatable: Bool = false, set: @escaping Setter
    ) {
        self.name = name
        self.letter = letter
        self.argument = argument
        self.choices = choices
        self.initial = initial
        self.help = help
        self.completion = completion
        self.aria2 = aria2
        self.takesNumber = takesNumber
        self.isNegatable = isNegatable
        self.set = set
    }

    /// The option as it is typed: `--max-speed`.
    package var flag: String { "--" + name }

    /// The flag that takes the option back: `--no-quiet`; nil if there is none.
    package var negation: String? { isNegatable ? "--no-" + name : nil }

    /// The words that begin with a hyphen: `-x` and `--connections`.
    package var spellings: [String] { (letter.map { ["-\($0)"] } ?? []) + [flag] + (negation.map { [$0] } ?? []) }

    /// The same option of a larger value.
    package func within<Whole>(_ part: any WritableKeyPath<Whole, Values> & Sendable) -> OptionDeclaration<Whole> {
        var option = OptionDeclaration<Whole>(
            name, letter: letter, argument, choices: choices, initial: initial, help: help, completion: completion,
            aria2: aria2, takesNumber: takesNumber, isNegatable: isNegatable
        ) { [set] (whole, text) throws(OptionValueProblem) in
            try set(&whole[keyPath: part], text)
        }
        option.absences = absences
        return option
    }

    /// The places where the option can be said.
    package var places: OptionPlaces { absences.reduce(.all) { $0.subtracting($1.places) } }

    /// The same option, which cannot be said in these places.
    package func without(_ places: OptionPlaces, because reason: OptionReason) -> Self {
        var option = self
        option.absences.append((places, reason))
        return option
    }

    /// The same options, none of which can be said in these places.
    package static func without(_ places: OptionPlaces, because reason: OptionReason, _ options: [Self]) -> [Self] {
        options.map { $0.without(places, because: reason) }
    }

    /// The same option with another effect.
    package func setting(_ set: @escaping Setter) -> Self {
        var option = self
        option.set = set
        return option
    }

    /// The same option with other help, for a command where it means less or more.
    package func described(_ help: String) -> Self {
        var option = self
        option.help = help
        return option
    }
}

extension Sequence {
    /// The same options of a larger value.
    package func within<Part, Whole>(
        _ part: any WritableKeyPath<Whole, Part> & Sendable
    ) -> [OptionDeclaration<Whole>] where Element == OptionDeclaration<Part> {
        map { $0.within(part) }
    }
}

/// The text that goes with an option.
package enum OptionArgument: Hashable, Sendable {
    /// The option is there or not. On a command line it is a word by itself; elsewhere it is `true` or `false`.
    case none
    /// A text, and the word that stands for it in help: `number`. The last one given counts.
    case value(String)
    /// A value like ``value(_:)``, but each one given counts.
    case values(String)

    /// The word that stands for the text in help.
    package var word: String? {
        switch self {
        case .none: nil
        case .value(let word), .values(let word): word
        }
    }
}

/// The places where an option of a download can be said.
package struct OptionPlaces: OptionSet, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// `--name` after a command.
    package static let commandLine = OptionPlaces(rawValue: 1)
    /// `name=value` beneath a URL in a list (docs/lists.md).
    package static let lists = OptionPlaces(rawValue: 2)
    /// `max_speed = …` in the program's table of the configuration file (docs/options.md).
    package static let configuration = OptionPlaces(rawValue: 4)
    /// `PAWL_MAX_SPEED`, of an option that has a key in the configuration file.
    package static let environment = OptionPlaces(rawValue: 8)
    package static let all: OptionPlaces = [.commandLine, .lists, .configuration, .environment]
}

/// The reason why an option cannot be said in a place, as the rest of a sentence that begins with the place.
package enum OptionReason: String, CaseIterable, Sendable {
    case oneDownload = "it applies to a single download"
    case wholeRun = "it applies to all files of a run"
    case otherForm = "in a list, several URLs on one line do this"
    case secret = "it is a secret, or names one"
    case safety = "it decides what is safe"
    case repeated = "typed values would be added to it"
    case output = "it determines the output that other programs read"
    case question = "it asks about the program"
    case alias = "it is another program's name for options of Pawl"
    case hooks = "hooks find a directory in the variable of that name"
}

/// A text that an option does not take.
package struct OptionValueProblem: Error, Hashable, Sendable {
    /// The texts that it takes, behind "takes": `a number of connections from 1 to 16`.
    package let accepted: String

    package init(accepted: String) { self.accepted = accepted }
}
