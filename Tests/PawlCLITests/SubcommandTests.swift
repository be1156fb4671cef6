import PawlCore
import PawlJobs
import PawlOptions
import Testing

@testable import PawlCLI

@Suite struct SubcommandTests {
    private func message(_ words: String...) -> String? { message(words) }

    private func message(_ words: [String]) -> String? {
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
        for words in [["probe", "-vh"], ["probe", "-4vh"], ["add", "-qh", "http://h/"]] {
            #expect(PawlCommand.answer(to: words, columns: 80) == PawlCommand.named(words[0])?.help(columns: 80))
        }
        #expect(HelpTopic.answer(to: ["get", "-qh"], columns: 80) == HelpTopic.everyday(columns: 80))
        // A value, and letters that are no options.
        for words in [["get", "-oh"], ["get", "-qoh"], ["get", "-fh"], ["get", "--", "-qh"]] {
            #expect(
                PawlCommand.answer(to: words, columns: 80) == nil && HelpTopic.answer(to: words, columns: 80) == nil)
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
                == "“--prox” is not an option of this command. Did you mean “--proxy”?")
        #expect(message("probe") == "An argument is missing: <url>.")
        #expect(message("probe", "http://h/a", "http://u:secret@h/b")?.contains("secret") == false)
        #expect(message("completions", "csh") == "<shell> takes one of bash, zsh, fish.")
        #expect(message("get", "--jobs", "many", "http://h/") == "--jobs takes a number of files from 1 to 100.")
        #expect(
            message("get", "--cookie", "cookies.txt", "http://h/")
                == "--cookie takes 'name=value', several separated by semicolons; the cookies of a file are for --cookies."
        )
    }

    @Test(arguments: [
        ["get", "--jobs", "many", "http://h/"], ["get", "--prox", "p", "http://h/"], ["get", "http://h/", "-o"],
    ])
    func `an error in the words names the command whose help says more`(words: [String]) {
        let error = #expect(throws: UsageError.self) { try PawlCommand.subcommand(from: words) }
        #expect(error?.command == "get")
    }

    /// The URL would have been the file's name.
    @Test(arguments: [
        ["-o", "-vv"], ["-o", "-4"], ["-o", "-5"], ["-o", "--no-glbo"], ["-o", "-z"], ["--tag", "-4"],
        ["--on-complete", "-4"], ["--user-agent", "-v"],
    ])
    func `a word that begins with a hyphen is not taken for the value before it`(words: [String]) {
        let command = words[0] == "--tag" ? "add" : "get"
        #expect(
            message([command] + words + ["http://h/"])
                == "\(words[0]) needs a value, and “\(words[1])” begins with a hyphen. If that is the value, write \(words[0])=VALUE."
        )
    }

    @Test func `a negative number is the value of an option that takes numbers`() throws {
        let part = try GetCommand.parse(["--range", "-500", "http://h/"])
        #expect(part.jobs.words.job.options.ranges != nil && part.jobs.urls == ["http://h/"])
        #expect(try AddCommand.parse(["--priority", "-5", "http://h/"]).queue.priority == -5)
        for option in ["--retries", "--max-speed", "--timeout", "-x", "-j", "--max-ratio", "--connect-timeout"] {
            #expect(message("get", option, "-5", "http://h/")?.hasPrefix("\(option) takes a") == true, "\(option)")
        }
    }

    @Test func `a secret is not repeated in place of a value that is missing`() {
        let message = message("get", "http://h/", "-o", "--user=me:secret")
        #expect(message?.contains("“--user” begins with a hyphen") == true && message?.contains("secret") == false)
        for option in ["--bearer", "--user", "--cookie", "--header"] {
            let token = self.message("get", option, "-AbC123secret", "http://h/")
            #expect(
                token?.hasPrefix("\(option) needs a value, and the next word begins with a hyphen.") == true
                    && token?.contains("AbC") == false, "\(token ?? "")")
        }
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
