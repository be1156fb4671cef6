import Logging
import Pawl
import PawlAria2
import PawlConfiguration
import PawlCore
import PawlJobs
import PawlOptions
import PawlSystem

/// The arguments of the program.
struct Pawld {
    var options = ServiceOptions()
    /// The text that was asked for instead of the service.
    private var page: String?
    private var configurationPath: String?
    private var checks = false
    private var installs = false
    /// The path of the program in a unit that is to be printed.
    private var unitProgram: String?
    private var printsLink = false

    private static let declaration = CommandDeclaration<Pawld>(
        "pawld", summary: "Download in the background: a service with an HTTP API and a web page.",
        usage: ["pawld <options>"],
        discussion: """
            The service listens on a Unix socket and on loopback. Its page is at http://127.0.0.1:6871/; 'pawl token' shows the token to log in with.

            The options from --port on can also be set in the configuration file, as port = 6871 or public_url = "…", or in the environment, as \
            PAWLD_PORT or PAWLD_PUBLIC_URL (lists with commas). Arguments take precedence over the environment, and the environment over the file.
            """,
        groups: [.init("Options", own + ServiceOptions.declaration.map { $0.within(\.options) } + pages)])

    private static let own: [OptionDeclaration<Pawld>] = [
        .init("config", .value("file"), help: "Configuration file. Default: pawl/config.toml in $XDG_CONFIG_HOME.") {
            $0.configurationPath = $1
        },
        .init("check", help: "Check the configuration, show where each option was set, and exit.") { (pawld, _) in
            pawld.checks = true
        },
        .init("install", help: "Write a systemd user unit with the other arguments, and exit.") { (pawld, _) in
            pawld.installs = true
        },
        // For packages.
        .init("print-unit", .value("program"), help: "") { $0.unitProgram = $1 },
        .init("open", help: "Print a link that opens the page without the token; it works once, within a minute.") {
            (pawld, _) in pawld.printsLink = true
        },
    ]

    private static let pages: [OptionDeclaration<Pawld>] = [
        .init("version", help: "Show the version.") { (pawld, _) in pawld.page = "pawld \(ProgramVersion.text)\n" },
        .init("help", letter: "h", help: "Show help information.") { (pawld, _) in
            pawld.page = declaration.help(columns: columns)
        },
        // For scripts/manual-page.
        .init("help-json", help: "") { (pawld, _) in pawld.page = declaration.described.json.encoded + "\n" },
    ]

    /// - Parameter words: without the program.
    /// - Returns: the exit code, of sysexits.h where there is one.
    static func run(_ words: [String]) async -> Int32 {
        var pawld = Pawld()
        let problem = pawld.read(words)
        if let page = pawld.page {
            print(page, terminator: "")
            return 0
        }
        if let problem {
            complain("\(problem) “pawld --help” lists the options.")
            return 64
        }
        do {
            try await pawld.act(words)
            return 0
        } catch {
            complain(ServiceLoop.text(error))
            return error is ConfigurationError ? 78 : 1
        }
    }

    /// - Returns: why the words cannot be used; nil if they can.
    mutating func read(_ words: [String]) -> String? {
        do throws(CommandLineProblem) {
            try Self.declaration.read(words, into: &self)
            return nil
        } catch {
            guard case .unknown(let flag) = error else { return error.message }
            let flags = Self.declaration.options.filter(\.isShown).map(\.flag)
            return error.message + Suggestion.sentence(for: flag, among: flags)
        }
    }

    private func act(_ words: [String]) async throws {
        if let unitProgram { return print(ServiceUnit.text(unitProgram, [], in: nil), terminator: "") }
        let arguments = words.filter { !["--check", "--install", "--open"].containsExactly($0) }
        let source = try ConfigurationSource(arguments, path: configurationPath)
        let setup = try ServiceSetup(source)
        for variable in source.unknownVariables {
            Self.complain("The environment variable \(variable) is not an option and is ignored.")
        }
        if checks { return try describe(source) }
        if installs {
            let path = try ServiceUnit.install(source.arguments)
            return print(
                """
                Written: \(path)
                Start it now and at each login:   systemctl --user daemon-reload && systemctl --user enable --now pawl
                Run it without a login session:   loginctl enable-linger
                Show its log:                     journalctl --user -fu pawl
                """)
        }
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        try await ServiceLoop(source: source, printsLink: printsLink).run(setup)
    }

    private func describe(_ source: ConfigurationSource) throws(ConfigurationError) {
        let given = try source.read().given
        print("The configuration is valid.")
        print(
            FileKind(path: source.path) == .missing
                ? "There is no file “\(source.path)”." : "The file is “\(source.path)”.")
        for option in given { print("\(option.key): \(option.origin.short)") }
    }

    /// The width of the terminal on stdout.
    private static var columns: Int {
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    static func complain(_ text: String) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { Aria2Text.shown(String(Substring($0))) }
        Array("pawld: \(lines.joined(separator: "\n"))\n".utf8).withUnsafeBytes {
            _ = SystemCalls.writeOnce(STDERR_FILENO, $0)
        }
    }
}
