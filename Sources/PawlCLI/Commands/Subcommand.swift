import PawlCore
import PawlOptions

/// A question that is answered before the other words are read.
enum Question {
    case help, version

    init?(_ word: String) {
        switch word {
        case "--help", "-h": self = .help
        case "--version": self = .version
        default: return nil
        }
    }
}

/// A command: its options and operands as typed, and what it does.
protocol Subcommand: Sendable {
    /// The name, known without the declaration, which takes longer to make.
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

    /// The question that the words ask in place of anything else; nil if they ask none.
    static func question(in words: some Collection<String>) -> Question? {
        let words = words.prefix { !$0.isExactly("--") }
        let asked = words.compactMap { Question($0) }
        if asked.contains(.version) { return .version }
        return asked.contains(.help) || words.contains(where: asksForHelp) ? .help : nil
    }

    /// Whether one of several letters behind a hyphen is that of help, as in `-qh`, and no value as in `-oh`.
    private static func asksForHelp(_ word: String) -> Bool {
        let letters = word.utf8.dropFirst()
        guard word.begins(with: "-"), letters.first != UInt8(ascii: "-"), letters.contains(UInt8(ascii: "h")) else {
            return false
        }
        let takingValues = takingValues
        let before = letters.prefix { $0 != UInt8(ascii: "h") }
        return before.allSatisfy { takingValues[ExactText("-" + String(decoding: [$0], as: UTF8.self))] == false }
    }

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
        var message = problem.message
        if case .unknown(let option) = problem { message += Suggestion.sentence(for: option, among: flags) }
        self.init(message, moreFrom: command)
    }
}
