import PawlCore
import PawlOptions

/// A command: its options and operands as typed, and what it does.
protocol Subcommand: Sendable {
    /// Known without the declaration, which takes longer to make.
    static var name: String { get }
    static var declaration: CommandDeclaration<Self> { get }

    init()
    /// - Parameter words: those behind the command's name.
    static func parse(_ words: [String]) throws(UsageError) -> Self
    /// Checks what the words say together.
    func check() throws(UsageError)
    /// - Throws: what ``Session/reportKnown(_:)`` can say.
    func execute(in session: Session) async throws -> ExitCode
}

extension Subcommand {
    static func parse(_ words: [String]) throws(UsageError) -> Self {
        var command = Self()
        do throws(CommandLineProblem) {
            try declaration.read(words, into: &command)
        } catch {
            throw UsageError(error, of: name, flags: declaration.options.map(\.flag))
        }
        try command.check()
        return command
    }

    func check() throws(UsageError) {}

    static func help(columns: Int) -> String { declaration.help(columns: columns) }

    /// The lines of one option; nil if the command has none of this spelling.
    static func help(of spelling: String, columns: Int) -> String? {
        declaration.options.first { $0.isShown && $0.spellings.containsExactly(spelling) }?.help(columns: columns)
    }

    static var described: CommandDescription { declaration.described }

    static var takingValues: [ExactText: Bool] { declaration.takingValues }
}

extension UsageError {
    /// - Parameter flags: those of the command, among which a mistyped one is looked for.
    fileprivate init(_ problem: CommandLineProblem, of command: String, flags: [String]) {
        switch problem {
        case .refused: self.init(problem.message)
        case .unknown(let option):
            let suggestion = Suggestion.sentence(for: option, among: flags)
            self.init("\(problem.message)\(suggestion) See “pawl \(command) --help”.")
        case .needsValue, .needsNoValue, .missing, .tooMany:
            self.init("\(problem.message) See “pawl \(command) --help”.")
        }
    }
}
