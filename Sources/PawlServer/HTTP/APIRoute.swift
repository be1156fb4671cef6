/// The resource that a path names, and the methods that it takes.
enum APIRoute: Hashable, Sendable {
    enum Action: String, CaseIterable, Hashable, Sendable { case pause, resume, retry, verify, extract }

    /// A file of the page, by its path.
    case page(String)
    case health, metrics
    /// aria2's RPC.
    case rpc
    case downloads, actions
    case download(String), action(String, Action), map(String), file(String)
    case probe, documents, directories, settings, stats, events, version, description
    case login, ticket(String), logout

    /// Calls without an argument, behind `/api/v1/`.
    private enum Name: String, CaseIterable {
        case downloads, probe, documents, directories, settings, stats, events, version, login, logout
        case description = "openapi.json"
    }

    /// Parses a path; nil if it names nothing.
    init?(path: [String]) {
        func part(_ index: Int, is name: StaticString) -> Bool {
            index < path.count && name.withUTF8Buffer { path[index].utf8.elementsEqual($0) }
        }
        if path.count == 1, part(0, is: "healthz") { self = .health; return }
        if path.count == 1, part(0, is: "metrics") { self = .metrics; return }
        if path.count == 1, part(0, is: "jsonrpc") { self = .rpc; return }
        guard part(0, is: "api") else {
            self = .page(path.joined(separator: "/"))
            return
        }
        guard part(1, is: "v1"), path.count > 2, !path.contains(where: \.isEmpty), let name = Name(exactly: path[2])
        else { return nil }
        switch (name, path.count) {
        case (.downloads, 3): self = .downloads
        case (.downloads, 4): self = part(3, is: "actions") ? .actions : .download(path[3])
        case (.downloads, 5):
            if part(4, is: "map") {
                self = .map(path[3])
            } else if part(4, is: "file") {
                self = .file(path[3])
            } else {
                guard let action = Action(exactly: path[4]) else { return nil }
                self = .action(path[3], action)
            }
        case (.login, 4): self = .ticket(path[3])
        case (.probe, 3): self = .probe
        case (.documents, 3): self = .documents
        case (.directories, 3): self = .directories
        case (.settings, 3): self = .settings
        case (.stats, 3): self = .stats
        case (.events, 3): self = .events
        case (.version, 3): self = .version
        case (.description, 3): self = .description
        case (.login, 3): self = .login
        case (.logout, 3): self = .logout
        default: return nil
        }
    }

    var methods: [String] {
        switch self {
        case .page, .health, .metrics, .map, .file, .directories, .stats, .events, .version, .description, .ticket:
            ["GET", "HEAD"]
        case .downloads: ["GET", "HEAD", "POST"]
        case .download: ["GET", "HEAD", "PATCH", "DELETE"]
        case .settings: ["GET", "HEAD", "PATCH"]
        case .rpc: ["GET", "POST", "OPTIONS"]
        case .actions, .action, .probe, .documents, .login, .logout: ["POST"]
        }
    }

    /// Whether it answers those who have not shown that they may. None of these tells anything of a download.
    var isPublic: Bool {
        switch self {
        case .page, .health, .description, .login, .ticket, .logout: true
        default: false
        }
    }
}
