import PawlCore

/// The service's downloads, for programs: an app hands a download over and ends; the download goes on, and the app
/// finds it again.
///
/// ```swift
/// let client = try ServiceClient()
/// let added = try await client.add([NewDownload("https://example.org/disk.iso")])
/// for try await event in client.events() { print(event) }
/// ```
///
/// Each call makes a connection of its own. A call whose answer is lost is sent again if that cannot do anything twice.
/// All calls throw ``ServiceError``, with the code `cancelled` if the task is cancelled.
public struct ServiceClient: Sendable {
    public let address: ServiceAddress
    /// The longest wait for a connection, and for each part of an answer.
    var timeout = Duration.seconds(60)
    /// The number of times that a call is sent whose answer was lost.
    var tries = 3
    var eventTiming = EventTiming()
    /// The longest answer, in bytes. A page of 1,000 downloads has about two million.
    var maximumAnswer = 64 << 20

    public init(_ address: ServiceAddress) { self.address = address }

    /// A client of this user's own service.
    ///
    /// - Throws: if the environment does not tell where its socket is.
    public init() throws(ServiceError) { address = try .standard() }

    // MARK: Reading

    public func version() async throws(ServiceError) -> ServiceVersion {
        try ServiceVersion(try await call(.get("version")))
    }

    public func stats() async throws(ServiceError) -> ServiceStats { try ServiceStats(try await call(.get("stats"))) }

    /// Returns one page of downloads.
    public func downloads(_ query: DownloadQuery = DownloadQuery()) async throws(ServiceError) -> ServicePage {
        try ServicePage(try await call(.get("downloads" + query.text)))
    }

    /// - Throws: `unknownDownload` if there is none.
    public func download(_ id: String) async throws(ServiceError) -> ServiceDownloadDetail {
        try ServiceDownloadDetail(try await call(.get(Self.path(id))))
    }

    /// Returns the events from now on, or after the change with this number.
    public func events(since change: Int64? = nil) -> ServiceEvents {
        ServiceEvents(address: address, since: change, timing: eventTiming)
    }

    // MARK: Changing

    /// Changes a download: all that the patch has, or nothing.
    public func change(_ id: String, _ patch: DownloadPatch) async throws(ServiceError) -> ServiceDownload {
        let isIdempotent = patch.position?.isIdempotent ?? true
        return try ServiceDownload(
            try await call(
                ServiceRequest(method: .patch, target: Self.path(id), body: patch.json, isIdempotent: isIdempotent)))
    }

    /// Takes a download off the list, after stopping it.
    ///
    /// - Parameters:
    ///   - id: the download to remove.
    ///   - deletingFiles: also deletes its file, finished or not.
    public func remove(_ id: String, deletingFiles: Bool = false) async throws(ServiceError) {
        let request = ServiceRequest(
            method: .delete, target: Self.path(id) + (deletingFiles ? "?files=delete" : ""), isIdempotent: true)
        _ = try await call(request, isDone: { $0.code == .unknownDownload })
    }

    /// Does one thing to some downloads.
    ///
    /// - Returns: what became of each, in order.
    public func act(_ action: ServiceAction, on ids: [String]) async throws(ServiceError) -> [ActionResult] {
        var results: [ActionResult] = []
        var rest = ids[...]
        while !rest.isEmpty {
            let some = rest.prefix(Self.maximumItems)
            rest = rest.dropFirst(some.count)
            var request = action.request
            request.ids = Array(some)
            results += try ActionResults(try await act(action, request)).results
        }
        return results
    }

    /// Does one thing to all downloads that match.
    public func act(_ action: ServiceAction, onAll filter: DownloadFilter) async throws(ServiceError) -> ActionCounts {
        var request = action.request
        request.filter = filter
        return try ActionCounts(try await act(action, request))
    }

    private func act(_ action: ServiceAction, _ request: ActionRequest) async throws(ServiceError) -> JSONValue {
        try await call(
            ServiceRequest(
                method: .post, target: "downloads/actions", body: request.json, isIdempotent: action.isIdempotent))
    }

    // MARK: Settings

    public func settings() async throws(ServiceError) -> ServiceSettings {
        try ServiceSettings(try await call(.get("settings")))
    }

    public func changeSettings(_ patch: SettingsPatch) async throws(ServiceError) -> ServiceSettings {
        try ServiceSettings(
            try await call(ServiceRequest(method: .patch, target: "settings", body: patch.json, isIdempotent: true)))
    }

    // MARK: Preparing

    /// Has the service read a list of downloads or a Metalink. Nothing is added.
    public func jobs(inDocument bytes: [UInt8], type: DocumentType) async throws(ServiceError) -> DocumentJobs {
        var request = ServiceRequest(method: .post, target: "documents", isIdempotent: true)
        request.body = bytes
        request.fields.append(HTTPField("Content-Type", type.rawValue))
        return try DocumentJobs(try await call(request))
    }

    /// Has the service read what a job names by URL, such as a Metalink, and say which files that are. Nothing is
    /// added.
    public func jobs(of download: NewDownload) async throws(ServiceError) -> DocumentJobs {
        try DocumentJobs(
            try await call(ServiceRequest(method: .post, target: "documents", body: download.json, isIdempotent: true)))
    }

    /// The kinds of documents that ``jobs(inDocument:type:)`` takes.
    public enum DocumentType: String, Sendable {
        /// A list as `pawl get` and aria2 take it.
        case list = "text/plain"
        /// A Metalink of version 4 (RFC 5854).
        case metalink4 = "application/metalink4+xml"
        /// A Metalink of version 3.
        case metalink3 = "application/metalink+xml"
    }

    // MARK: Calls

    /// The largest number of items in one request.
    static let maximumItems = 10_000

    private static func path(_ id: String) -> String { "downloads/" + DownloadQuery.encoded(id) }

    /// Sends the request, and sends it again if its answer was lost and that is safe.
    ///
    /// - Parameter isDone: a repeated request that fails so has been done by an earlier try.
    func call(
        _ request: ServiceRequest, isDone: (ServiceError) -> Bool = { _ in false }
    ) async throws(ServiceError) -> JSONValue {
        var failures = 0
        while true {
            do throws(ServiceError) {
                return try await send(request)
            } catch {
                if failures > 0, isDone(error) { return .null }
                failures += 1
                guard error.isLostAnswer, request.isIdempotent, failures < tries else { throw error }
                try await eventTiming.pause(beforeTry: failures)
            }
        }
    }

    private func send(_ request: ServiceRequest) async throws(ServiceError) -> JSONValue {
        let connection = try await ServiceConnection(request, to: address, connectTimeout: timeout)
        defer { connection.close() }
        return try await connection.answer(maximumBytes: maximumAnswer, within: timeout).json()
    }
}
