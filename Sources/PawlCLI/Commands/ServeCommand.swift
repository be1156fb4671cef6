import ArgumentParser

struct ServeCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the service, whose downloads go on when terminals and programs end.",
        usage: "pawl serve [<arguments of pawld> ...]",
        discussion: "Starts 'pawld', which stands beside this program, and passes all arguments on. See pawl serve --help.")

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("Passed on to pawld.", valueName: "argument"))
    var arguments: [String] = []
}

struct TokenCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Show the token that the service demands of HTTP clients.",
        discussion: """
            Who has the token controls the service. It is in a file that only you can read. The page asks for it once; on the socket none is needed.
            """)

    @Flag(help: "Replace the token: what uses the old one has to log in again.")
    var renew = false
}
