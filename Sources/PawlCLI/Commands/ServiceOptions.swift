import ArgumentParser
import PawlClient
import PawlCore
import PawlJobs
import PawlSystem

/// Which service a command talks to.
struct ServiceOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.",
            valueName: "socket|url"), completion: .file())
    var service: String?

    func client() throws(ServiceError) -> ServiceClient {
        guard let service, !service.isEmpty else { return try ServiceClient() }
        guard JobDocument.isURL(service) else { return ServiceClient(.socket(service)) }
        return ServiceClient(try .url(service, token: Environment.value("PAWL_TOKEN")))
    }
}

/// Which downloads an action is for.
struct ChosenOptions: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp(
            "Ids as 'pawl ls' shows them. Their first four characters are enough if they are unique.", valueName: "id"),
        completion: .custom(DownloadIDs.completions))
    var ids: [String] = []

    @Flag(help: "All downloads.")
    var all = false

    @OptionGroup var filter: FilterOptions

    func validate() throws {
        guard ids.isEmpty == (all || filter.isGiven) else {
            throw ValidationError(
                ids.isEmpty
                    ? "Say which: ids, --all, or a filter such as --state failed."
                    : "Give ids, or --all or a filter, not both.")
        }
        guard !(all && filter.isGiven) else {
            throw ValidationError("--all is every download; leave it out to use a filter.")
        }
    }
}

/// Filters of the list.
struct FilterOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Only downloads in this state: \(Self.names). May be repeated, or several with commas.", valueName: "state"),
        completion: .list(ServiceDownload.State.all.map(\.rawValue)))
    var state: [String] = []

    @Option(help: ArgumentHelp("Only downloads with this tag.", valueName: "tag"))
    var tag: String?

    @Option(help: ArgumentHelp("Only downloads with this text in their name, URL or tag.", valueName: "text"))
    var search: String?

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
    /// For shells; nothing if there is no service.
    @Sendable static func completions(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        let service = words.firstIndex { $0.isExactly("--service") }.flatMap {
            $0 + 1 < words.count ? words[$0 + 1] : nil
        }
        guard let options = try? ServiceOptions.parse(service.map { ["--service", $0] } ?? []),
            let client = try? options.client()
        else { return [] }
        return ((try? await DownloadIDs(client: client).all()) ?? []).filter { $0.begins(with: prefix) }
    }
}
