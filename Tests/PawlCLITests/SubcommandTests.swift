import PawlCore
import PawlJobs
import PawlOptions
import Testing

@testable import PawlCLI

@Suite struct SubcommandTests {
    private func message(_ words: String...) -> String? {
        do throws(UsageError) {
            _ = try PawlCommand.subcommand(from: words)
            return nil
        } catch {
            return error.message
        }
    }

    // MARK: Declarations

    @Test(arguments: PawlCommand.described)
    func `a declaration names the command, and no spelling twice`(command: CommandDescription) {
        #expect(PawlCommand.named(command.name)?.name == command.name)
        #expect(PawlCommand.named(command.name)?.help(columns: 80).contains("USAGE: pawl \(command.name)") == true)
        let spellings = command.options.flatMap(\.spellings)
        #expect(Set(spellings).count == spellings.count, "\(spellings)")
        #expect(spellings.suffix(3) == ["--version", "-h", "--help"])
        #expect(command.operands.dropLast().allSatisfy { !$0.isRepeated && !$0.isOptional })
        #expect(command.options.allSatisfy { !$0.help.isEmpty } && !command.summary.isEmpty)
    }

    @Test func `help of a command is what its words ask for, before the rest is read`() throws {
        for words in [["probe", "-h"], ["help", "probe"], ["probe", "--no-such", "--help"]] {
            #expect(PawlCommand.answer(to: words, columns: 80) == ProbeCommand.help(columns: 80))
        }
        for words in [["--version"], ["get", "--version"], ["ls", "--version", "x"]] {
            #expect(PawlCommand.answer(to: words, columns: 80) == "pawl \(ProgramVersion.text)\n")
        }
        for words in [["probe", "--", "-h"], ["serve", "--help"], ["serve", "--version"], ["probe"], []] {
            #expect(PawlCommand.answer(to: words, columns: 80) == nil, "\(words)")
        }
        let help = try #require(PawlCommand.answer(to: ["help"], columns: 80))
        #expect(PawlCommand.answer(to: ["--help"], columns: 80) == help)
        for name in PawlCommand.names { #expect(help.contains("\n  \(name) "), "\(name)") }
        let json = try #require(try PawlCommand.answer(to: PawlCommand.withCommand(["--help-json"]), columns: 80))
        #expect(json.contains(#"{"name":"probe","summary":"Show what a server says"#))
    }

    // MARK: Errors

    @Test func `a word that cannot be read is told with what helps`() {
        #expect(
            message("probe", "--prox", "p", "http://h/")
                == "“--prox” is not an option of this command. Did you mean “--proxy”? See “pawl probe --help”.")
        #expect(message("probe") == "An argument is missing: <url>. See “pawl probe --help”.")
        #expect(message("probe", "http://h/a", "http://u:secret@h/b")?.contains("secret") == false)
        #expect(message("completions", "csh") == "<shell> takes one of bash, zsh, fish.")
        #expect(message("get", "--jobs", "many", "http://h/") == "--jobs takes a number of files from 1 to 100.")
        #expect(message("get", "http://h/", "-qh")?.hasPrefix("-h takes ") == true)
    }

    @Test func `a secret is not repeated in place of a value that is missing`() {
        let message = message("get", "http://h/", "-o", "--user=me:secret")
        #expect(message?.contains("“--user” is an option") == true && message?.contains("secret") == false)
    }

    // MARK: Credentials

    /// Nobody is asked while words are read, which may be done several times.
    @Test func `a password is asked for only when the job is made`() throws {
        let named = try GetCommand.parse(["--user", "me", "http://h/"])
        #expect(named.jobs.words.authenticates && named.jobs.words.job.authentication == nil && !named.holdsSecrets)
        let given = try GetCommand.parse(["--user", "me", "--user", "me:pass:word", "http://h/"])
        #expect(
            try given.jobs.template().authentication == .password(name: "me", .value("pass:word"))
                && given.holdsSecrets)
    }

    @Test(arguments: [
        ["--user", "a:b", "--bearer", "t"], ["--bearer", "t", "--bearer-env", "T"],
        ["--user", "a", "--bearer-file", "f"],
    ])
    func `credentials that exclude each other are refused`(words: [String]) {
        #expect(throws: UsageError.self) { try GetCommand.parse(words + ["http://h/"]).jobs.template() }
    }

    @Test func `of a token that is given twice the last counts`() throws {
        let command = try GetCommand.parse(["--bearer", "a", "--bearer=b", "http://h/"])
        #expect(try command.jobs.template().authentication == .bearer(.value("b")))
    }
}
