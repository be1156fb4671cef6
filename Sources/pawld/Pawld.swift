import ArgumentParser
import Logging
import Pawl
import PawlAria2
import PawlConfiguration
import PawlJobs
import PawlSystem

struct Pawld: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pawld",
        abstract: "Download in the background: a service with an HTTP API and a web page.",
        discussion: """
            The service listens on a Unix socket and on loopback. Its page is at http://127.0.0.1:6871/; 'pawl token' shows the token to log in with.

            The options from --port on can also be set in the configuration file, as port = 6871 or public_url = "…", or in the environment, as \
            PAWLD_PORT or PAWLD_PUBLIC_URL (lists with commas). Arguments take precedence over the environment, and the environment over the file.
            """, version: "pawld \(ProgramVersion.text)")

    @Option(help: ArgumentHelp("Configuration file. Default: pawl/config.toml in $XDG_CONFIG_HOME.", valueName: "file"))
    var config: String?

    @Flag(help: "Check the configuration, show where each option was set, and exit.")
    var check = false

    @Flag(help: "Write a systemd user unit with the other arguments, and exit.")
    var install = false

    @Option(
        help: ArgumentHelp(
            "Print a systemd user unit that starts this program, and exit.", valueName: "program", visibility: .hidden))
    var printUnit: String?

    @Flag(help: "Print a link that opens the page without the token; it works once, within a minute.")
    var open = false

    @OptionGroup var options: ServiceOptions

    /// sysexits.h.
    private static let configurationExit = ExitCode(78)

    func run() async throws {
        do {
            try await act()
        } catch let error as ExitCode {
            throw error
        } catch let error as ConfigurationError {
            Self.complain(error.message)
            throw Self.configurationExit
        } catch {
            Self.complain(ServiceLoop.text(error))
            throw ExitCode(1)
        }
    }

    private func act() async throws {
        if let printUnit { return print(ServiceUnit.text(printUnit, [], in: nil), terminator: "") }
        let arguments = Environment.arguments.dropFirst().filter {
            !["--check", "--install", "--open"].containsExactly($0)
        }
        let source = try ConfigurationSource(Array(arguments), path: config)
        let setup = try ServiceSetup(source)
        for variable in source.unknownVariables {
            Self.complain("The environment variable \(variable) is not an option and is ignored.")
        }
        if check { return try describe(source) }
        if install {
            let path = try ServiceUnit.install(source.arguments)
            return print(
                """
                Written: \(path)
                Start it now and at each login:   systemctl --user daemon-reload && systemctl --user enable --now pawl
                Let it run while nobody is in:    loginctl enable-linger
                See what it does:                 journalctl --user -fu pawl
                """)
        }
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        try await ServiceLoop(source: source, printsLink: open).run(setup)
    }

    private func describe(_ source: ConfigurationSource) throws(ConfigurationError) {
        let given = try source.read().given
        print("The configuration is valid.")
        print(
            FileKind(path: source.path) == .missing
                ? "There is no file “\(source.path)”." : "The file is “\(source.path)”.")
        for option in given { print("\(option.key): \(option.place.text)") }
    }

    static func complain(_ text: String) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { Aria2Text.shown(String(Substring($0))) }
        Array("pawld: \(lines.joined(separator: "\n"))\n".utf8).withUnsafeBytes {
            _ = SystemCalls.writeOnce(STDERR_FILENO, $0)
        }
    }
}
