import PawlOptions

struct ServeCommand: Sendable {
    static let name = "serve"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Run the service, whose downloads continue when terminals close.",
        usage: ["pawl serve [<arguments of pawld> ...]"],
        discussion:
            "Starts 'pawld', the program beside this one, with the same arguments. 'pawl serve --help' lists them.",
        operands: [
            .init("argument", help: "Passed on to pawld.", isOptional: true, isRepeated: true) {
                $0.arguments.append($1)
            }
        ],
        groups: [.others()])

    var arguments: [String] = []

    static func parse(_ words: [String]) -> Self { Self(arguments: words) }
}

struct TokenCommand: Sendable {
    static let name = "token"
    static let declaration = CommandDeclaration<Self>(
        name, summary: "Show the token that HTTP clients of the service need.", usage: ["pawl token [--renew]"],
        discussion:
            "Whoever has the token controls the service. It is stored in a file that only you can read. The page asks for it once; the socket needs none.",
        groups: [
            .others([
                .flag("renew", \.renew, help: "Replace the token. Clients that use the old one must log in again.")
            ])
        ])

    var renew = false
}
