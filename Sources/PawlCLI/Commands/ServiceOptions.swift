import PawlClient
import PawlCore
import PawlJobs
import PawlOptions
import PawlSystem

/// The options that select the service.
struct ServiceOptions: Sendable {
    var service: String?

    static let options: [OptionDeclaration<Self>] = [
        .text(
            "service", "socket|url", \.service,
            help:
                "Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.",
            completion: .file)
    ]

    func client() throws(ServiceError) -> ServiceClient {
        guard let service, !service.isEmpty else { return try ServiceClient() }
        guard JobDocument.isURL(service) else { return ServiceClient(.socket(service)) }
        return ServiceClient(try .url(service, token: Environment.value("PAWL_TOKEN")))
    }
}

/// The options that select the downloads for an action.
struct ChosenOptions: Sendable {
    var ids: [String] = []
    var all = false
    var filter = FilterOptions()

    static let id = CommandDeclaration<Self>.Operand(
        "id", help: "Ids as 'pawl ls' shows them. Their first four characters are enough if they are unique.",
        isOptional: true, isRepeated: true, completion: .ids
    ) { $0.ids.append($1) }

    static let options: [OptionDeclaration<Self>] =
        [.flag("all", \.all, help: "All downloads.")] + FilterOptions.options.within(\.filter)

    func check() throws(UsageError) {
        guard ids.isEmpty == (all || filter.isGiven) else {
            throw UsageError(
                ids.isEmpty
                    ? "Say which: ids, --all, or a filter such as --state failed."
                    : "Give ids, or --all or a filter, not both.")
        }
        guard !(all && filter.isGiven) else {
            throw UsageError("--all is every download; leave it out to use a filter.")
        }
    }
}

/// Filters of the list.
struct FilterOptions: Sendable {
    var state: [String] = []
    var tag: String?
    var search: String?

    static let options: [OptionDeclaration<Self>] = [
        .texts(
            "state", "state", \.state,
            help: "Only downloads in this state: \(names). May be repeated, or several with commas.",
            completion: .words(ServiceDownload.State.all.map(\.rawValue))),
        .text("tag", "tag", \.tag, help: "Only downloads with this tag."),
        .text("search", "text", \.search, help: "Only downloads with this text in their name, URL or tag."),
    ]

    private static let names = ServiceDownload.State.all.map(\.rawValue).joined(separator: ", ")

    var isGiven: Bool { !state.isEmpty || tag != nil || search != nil }

    func filter() throws(UsageError) -> DownloadFilter {
        var filter = DownloadFilter()
        for word in state.flatMap({ $0.utf8.split(separator: UInt8(ascii: ",")) }).map({ String(Substring($0)) }) {
            let state = ServiceDownload.State(rawValue: word)
            guard ServiceDownload.State.all.contains(state) else {
                throw UsageError("--state takes \(Self.names), not “\(word)”.")
            }
            filter.states.append(state)
        }
        filter.tag = tag
        filter.text = search
        return filter
    }
}

extension DownloadIDs {
    /// Returns completions for shells; none if there is no service.
    ///
    /// - Parameter words: the command line, which may name a service.
    static func completions(_ words: [String]) async -> [String] {
        var options = ServiceOptions()
        for (word, next) in zip(words, words.dropFirst()) where word.isExactly("--service") { options.service = next }
        for word in words where word.begins(with: "--service=") {
            options.service = String(decoding: word.utf8.dropFirst("--service=".utf8.count), as: UTF8.self)
        }
        guard let client = try? options.client() else { return [] }
        return (try? await DownloadIDs(client: client).all()) ?? []
    }
}
