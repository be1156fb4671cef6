/// A command as completions need it: what may follow it on a command line.
package struct DescribedCommand: Hashable, Sendable {
    package let name: String
    /// One sentence, shown beside the name.
    package let summary: String
    /// In the order of the help.
    package let options: [DescribedOption]
    /// In their order. Only the last one may repeat.
    package let operands: [DescribedOperand]

    package init(
        _ name: String, summary: String, options: [DescribedOption] = [], operands: [DescribedOperand] = []
    ) {
        self.name = name
        self.summary = summary
        self.options = options
        self.operands = operands
    }
}

/// An option as completions need it.
package struct DescribedOption: Hashable, Sendable {
    /// As they are typed: `-x`, `--connections`.
    package let names: [String]
    package let help: String
    /// The word that stands for the value in help: `number`.
    package let label: String
    package let value: DescribedValue
    /// Whether the option is offered again after it was given.
    package let repeats: Bool

    package init(
        names: [String], help: String, label: String = "value", value: DescribedValue = .none, repeats: Bool = false
    ) {
        self.names = names
        self.help = help
        self.label = label
        self.value = value
        self.repeats = repeats
    }
}

/// A word of a command that is no option, as completions need it.
package struct DescribedOperand: Hashable, Sendable {
    /// The word that stands for it in help: `url`.
    package let label: String
    package let value: DescribedValue
    package let repeats: Bool

    package init(_ label: String, value: DescribedValue = .any, repeats: Bool = false) {
        self.label = label
        self.value = value
        self.repeats = repeats
    }
}

/// The texts that a shell offers as a value.
package enum DescribedValue: Hashable, Sendable {
    /// The option takes no value.
    case none
    /// Any text, so none is offered.
    case any
    case file
    case directory
    case words([String])
    /// The lines that the program prints when it is called with these arguments (``CompletionScript/request``).
    case called([String])
}

/// A topic of `help`.
package struct DescribedTopic: Hashable, Sendable {
    package let name: String
    /// Shown beside the name, where a shell can.
    package let summary: String

    package init(_ name: String, summary: String = "") {
        self.name = name
        self.summary = summary
    }
}
