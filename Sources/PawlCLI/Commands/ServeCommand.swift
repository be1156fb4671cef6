import ArgumentParser

struct ServeCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the service, whose downloads continue when terminals close.",
        usage: "pawl serve [<arguments of pawld> ...]",
        discussion:
            "Starts 'pawld', the program beside this one, with the same arguments. 'pawl serve --help' lists them.")

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("Passed on to pawld.", valueName: "argument"))
    var arguments: [String] = []
}

struct TokenCommand: ParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Show the token that HTTP clients of the service need.",
        discussion: """
            Whoever has the token controls the service. It is stored in a file that only you can read. The page asks for it once; the socket needs none.
            """)

    @Flag(help: "Replace the token. Whatever uses the old one must log in again.")
    var renew = false
}
