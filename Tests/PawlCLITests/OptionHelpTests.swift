import PawlOptions
import Testing

@testable import PawlCLI

@Suite struct OptionHelpTests {
    private func page(_ word: String) throws -> String {
        let arguments = try PawlCommand.withCommand(["help", word])
        return try #require(HelpTopic.answer(to: arguments, columns: 80), "\(word)")
    }

    /// The lines, each with single blanks.
    private func lines(_ word: String) throws -> [String] {
        try page(word).split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test func `an option has one entry, with its names everywhere`() throws {
        #expect(
            try page("max-speed") == """
                  --max-speed <rate>      Maximum speed of each file, in bytes per second: 500k,
                                          2M, 1.5MB.

                  Commands       get, add
                  Configuration  max_speed in [get]
                  Environment    PAWL_MAX_SPEED
                  Lists          max-speed
                  In curl        --limit-rate RATE
                  In wget        --limit-rate RATE
                  In aria2c      --max-download-limit RATE
                  More           pawl help limits

                """)
        #expect(try page("--max-speed") == page("max-speed"))
    }

    @Test func `where an option cannot be said the reason is told`() throws {
        let checksum = try lines("checksum")
        #expect(checksum.contains("Configuration no: it applies to a single download"))
        #expect(checksum.contains("Lists checksum"))
        #expect(try lines("directory").contains("Environment no: hooks find a directory in the variable of that name"))
        #expect(try lines("jobs").contains("Lists no: it applies to all files of a run"))
        #expect(try lines("--unfinished").contains("Commands clean"))
    }

    @Test func `a letter is the option and what other programs mean by it`() throws {
        let text = try lines("-x")
        #expect(text.first?.hasPrefix("-x, --connections <number>") == true)
        #expect(text.contains("-x HOST:PORT (curl) the same as --proxy"))
    }

    @Test(arguments: [
        ("--limit-rate", "--limit-rate RATE (curl, wget) the same as --max-speed"),
        ("limit-rate", "--max-speed <rate> Maximum speed of each file, in bytes per second: 500k,"),
        ("--no-clobber", "-nc, --no-clobber (wget, curl) translated to --if-exists=skip"),
        ("-t", "-t, --tries N (wget) translated to --retries, not counting the first try"),
        ("--url", "--url URL (curl) translated to an argument without a flag"),
        ("--continue", "--continue=true (aria2c) the same as --adopt"),
    ])
    func `an option of another program is told with what it means here`(word: String, line: String) throws {
        let lines = try lines(word)
        #expect(lines.contains(line), "\(lines)")
    }

    @Test func `what is harmless or refused is told with the reason`() throws {
        #expect(try page("--location").contains("harmless, without effect: redirects are followed"))
        #expect(try page("--compressed").contains("harmless, without effect: files are stored as the server keeps"))
        #expect(try page("--ciphers").contains("refused: the ciphers of TLS"))
        let both = try page("-k")
        #expect(both.contains("the same as --insecure") && both.contains("harmless") && !both.contains("Commands"))
    }

    @Test func `help about every option of every command is found`() throws {
        for option in PawlCommand.described.flatMap(\.options)
        where !["--help", "--version"].contains(option.spellings.last) {
            for spelling in option.spellings { #expect(OptionHelp.page(spelling, columns: 80) != nil, "\(spelling)") }
        }
        for word in ["--help", "-h", "--version", "--no-such", "no-such"] {
            #expect(OptionHelp.page(word, columns: 80) == nil, "\(word)")
        }
        #expect(try PawlCommand.withCommand(["help", "--help"]) == ["help", "--help"])
    }

    @Test func `help about an option that does not exist names one that is near`() {
        let error = #expect(throws: UsageError.self) { try PawlCommand.withCommand(["help", "max-sped"]) }
        #expect(error?.message.contains("“max-speed”") == true)
    }

    @Test func `each name that is suggested for a word of people is an option or a command`() {
        let names = PawlCommand.names
        for known in Suggestion.known {
            let isOption = GetCommand.declaration.option("--" + known.name) != nil
            #expect(isOption || names.contains(known.name), "\(known.name)")
        }
    }

    @Test(arguments: [
        ("--force", "“--if-exists replace”"), ("--resume", "“--adopt”"), ("--threads", "“--connections”"),
        ("--no-progress", "“--progress none”"),
    ])
    func `what people type is told with the option that does it`(typed: String, suggestion: String) {
        let error = #expect(throws: UsageError.self) {
            try PawlCommand.subcommand(from: ["get", typed, "https://h/"])
        }
        #expect(error?.message.contains("Did you mean \(suggestion)") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [("remove", "rm"), ("download", "get"), ("stop", "pause"), ("unzip", "extract")])
    func `a command that people type is told by its name here`(typed: String, name: String) {
        let error = #expect(throws: UsageError.self) { try PawlCommand.withCommand([typed]) }
        #expect(error?.message.contains("Did you mean “\(name)”?") == true)
    }
}
