import ArgumentParser
import Logging
import Pawl
import PawlConfiguration
import PawlSystem

struct Pawld: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pawld", abstract: "Downloads that go on without you: a service with an HTTP API and a page.",
        discussion: """
            It listens on a unix socket and on loopback. The page is at http://127.0.0.1:6871/; pawl token shows the token that it asks for.

            The options from --port on can also stand in the configuration file, as port = 6871 or public_url = "…", or in the environment, as \
            PAWLD_PORT or PAWLD_PUBLIC_URL (lists with commas). Arguments come before the environment, and the environment before the file.
            """)

    @Option(help: ArgumentHelp("The configuration file. Default: pawl/config.toml in XDG_CONFIG_HOME.", valueName: "file"))
    var config: String?

    @Flag(help: "Say what the configuration is and whether it can be used, and end.")
    var check = false

    @Flag(help: "Write a unit for the user's systemd, with the other arguments given, and end.")
    var install = false

    @Option(help: ArgumentHelp("Print a unit for the systemd of any user that starts this program, and end.", valueName: "program", visibility: .hidden))
    var printUnit: String?

    @Flag(help: "Print a link that opens the page without the token, once and within a minute.")
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
            complain(error.message)
            throw Self.configurationExit
        } catch {
            complain(ServiceLoop.text(error))
            throw ExitCode(1)
        }
    }

    private func act() async throws {
        if let printUnit { return print(ServiceUnit.text(printUnit, [], in: nil), terminator: "") }
        let arguments = CommandLine.arguments.dropFirst().filter { !["--check", "--install", "--open"].containsExactly($0) }
        let source = try ConfigurationSource(Array(arguments), path: config)
        let setup = try ServiceSetup(source)
        for variable in source.unknownVariables { complain("The environment variable \(variable) is no option, and does nothing.") }
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
        print("The configuration can be used.")
        print(FileKind(path: source.path) == .missing ? "There is no file “\(source.path)”." : "The file is “\(source.path)”.")
        for option in given { print("\(option.key): \(option.place.text)") }
    }

    private func complain(_ text: String) {
        Array("pawld: \(text)\n".utf8).withUnsafeBytes { _ = SystemCalls.writeOnce(STDERR_FILENO, $0) }
    }
}
