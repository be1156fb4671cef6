import PawlCore
import PawlEngine
import Synchronization

/// Turns a manager's requests into downloads.
///
/// A request with nothing but a URL and a target is not stored: it is rebuilt from the queue's entry.
final class RequestRunner: DownloadRunner {
    private struct State {
        /// The requests that ask for more than a URL and a target.
        var requests: [DownloadID: Kept] = [:]
        /// The latest that were kept: of a long list, most ask for the same.
        var recent: [Kept] = []
        var running: [DownloadID: Download] = [:]
        /// On the short way.
        var small: [DownloadID: SmallRun] = [:]
        /// Restored without their secrets and without a name of the caller's, by what is known of them.
        var lacking: [Place: [DownloadID]] = [:]
        /// Equal texts share their memory.
        var directories: [DownloadID: String] = [:]
    }

    /// The known parts of a download whose secrets and name are not known.
    private struct Place: Hashable {
        let urlIdentity: ExactText
        let directory: ExactText
    }

    /// The parts of a request besides the URL and the target, which the queue's entry has. Shared by equal requests.
    private final class Kept: Sendable {
        let request: DownloadRequest
        /// The request as the session stores it.
        let stored: (options: [StoredOption], isIncomplete: Bool)

        init(_ request: DownloadRequest, _ stored: (options: [StoredOption], isIncomplete: Bool)) {
            (self.request, self.stored) = (request, stored)
        }

        /// Whether it asks for nothing but a URL and a target.
        var isPlain: Bool { stored.options.isEmpty && !stored.isIncomplete }
    }

    private static let maximumRecent = 8

    private let downloader: Downloader
    private let state = Locked(State())

    private let storesSecrets: Bool
    private let placeRefusal: (@Sendable (String) -> DownloadError?)?

    init(
        _ downloader: Downloader, storesSecrets: Bool, placeRefusal: (@Sendable (String) -> DownloadError?)? = nil
    ) {
        self.downloader = downloader
        self.storesSecrets = storesSecrets
        self.placeRefusal = placeRefusal
    }

    // MARK: Requests

    func register(_ request: DownloadRequest, for id: DownloadID) {
        // One that is given again takes the place of what the session knew of it.
        state.withLock { $0.requests[id] = keeping(request, &$0) }
    }

    /// Returns the parts of a request to keep; nil if it asks for nothing but a URL and a target.
    private func keeping(_ request: DownloadRequest, _ state: inout State) -> Kept? {
        var request = request
        (request.url, request.directory, request.fileName) = ("", "", nil)
        // To write down what is asked for costs more than to compare it.
        let hasOnlyOptions = request.hasOnlyOptions
        if hasOnlyOptions {
            let same = state.recent.first { $0.request.hasOnlyOptions && $0.request.options == request.options }
            if let same { return same.isPlain ? nil : same }
        }
        let stored = request.storedOptions(withSecrets: storesSecrets)
        // What no text can say, or only a secret tells apart, is each one's own.
        guard request.refreshURL == nil, !stored.isIncomplete else { return Kept(request, stored) }
        if stored.options.isEmpty, !hasOnlyOptions { return nil }
        if let same = state.recent.first(where: { $0.stored.options == stored.options }) { return same }
        let kept = Kept(request, stored)
        state.recent = [kept] + state.recent.prefix(Self.maximumRecent - 1)
        return kept.isPlain ? nil : kept
    }

    /// Sets the limit of a download from now on, and for each run to come.
    func setMaximumBytesPerSecond(_ limit: Int64?, of entry: QueueEntry) {
        state.withLock { state in
            var request = Self.request(for: entry, state)
            request.maximumBytesPerSecond = limit
            state.requests[entry.id] = keeping(request, &state)
        }
        running(entry.id)?.apply(limit)
    }

    private func request(for entry: QueueEntry) -> DownloadRequest { state.withLock { Self.request(for: entry, $0) } }

    private static func request(for entry: QueueEntry, _ state: State) -> DownloadRequest {
        guard var request = state.requests[entry.id]?.request else {
            var request = DownloadRequest(entry.url, in: entry.directory)
            request.fileName = entry.fileName
            return request
        }
        (request.url, request.directory, request.fileName) = (entry.url, entry.directory, entry.fileName)
        return request
    }

    func target(of plan: Plan, named name: String?) -> UInt64 {
        FileTarget(in: plan.directory, name, identity: plan.settings.identity).hash
    }

    func target(of entry: QueueEntry, named name: String) -> UInt64? { FileTarget(in: entry.directory, name).hash }

    /// Returns the downloads that were restored without their secrets, and may be the one requested.
    func lacking(_ plan: Plan) -> [DownloadID] {
        if state.withLock({ $0.lacking.isEmpty }) { return [] }
        let place = place(of: plan)
        return state.withLock { $0.lacking[place] ?? [] }
    }

    /// Registers the supplied request of a download that was restored without its secrets.
    func register(_ request: DownloadRequest, supplying id: DownloadID, _ plan: Plan) {
        register(request, for: id)
        let place = place(of: plan)
        state.withLock { $0.lacking[place]?.removeAll { $0 == id } }
    }

    /// Whether a request has the identity that a session kept the hash of.
    func isSame(_ plan: Plan, salt: UInt64, hash: [UInt8]) -> Bool {
        plan.settings.identityHash(markerNumber: salt) == hash
    }

    private func place(of plan: Plan) -> Place {
        Place(
            urlIdentity: ExactText(plan.settings.urlIdentity),
            directory: ExactText(POSIXStorage.settledPath(plan.directory)))
    }

    private func mixed(_ first: UInt64, _ second: UInt64) -> UInt64 {
        [first, second].withUnsafeBytes { XXHash64.hash($0) }
    }

    /// Whether one that has all its secrets serves a request as well.
    func canServe(_ holder: QueueEntry, _ plan: Plan) -> Bool {
        guard !holder.lacksSecrets, let other = resolved(holder) else { return false }
        return other.settings.canShareDownload(with: plan.settings)
    }

    /// Whether one that lacks secrets may be what is asked for, by the rest.
    func mayBe(_ holder: QueueEntry, _ plan: Plan) -> Bool {
        guard holder.lacksSecrets, let other = resolved(holder) else { return false }
        return other.settings.digest == plan.settings.digest
            && other.settings.urlIdentity.isExactly(plan.settings.urlIdentity)
    }

    func settings(of entry: QueueEntry) -> DownloadSettings? { resolved(entry)?.settings }

    private func resolved(_ entry: QueueEntry) -> Plan? { try? downloader.resolved(request(for: entry)) }

    /// Returns the download while it runs. One on the short way leaves that for it, unless its file is being made.
    func running(_ id: DownloadID) -> Download? {
        state.withLock { $0.small[id] }?.giveWayNow()
        return state.withLock { $0.running[id] }
    }

    // MARK: Running

    func begin(_ order: RunOrder, _ listener: RunListener) throws(DownloadError) -> any RunningDownload {
        let id = order.entry.id
        let request = request(for: order.entry)
        if let refusal = placeRefusal?(request.directory) { throw refusal }
        var plan = try request.resolved()
        order.apply(to: &plan)
        var own = listener
        let ended = listener.ended
        own.ended = { [weak self] ending in
            self?.state.withLock { state in
                state.running[id] = nil
                state.small[id] = nil
            }
            ended(ending)
        }
        let begun = (plan, own)
        let small = downloader.small(plan, own) { [self] handover in
            Result { () throws(DownloadError) in
                try begin(begun.0, id, order.entry, request, begun.1, takingOver: handover)
            }
        }
        guard let small else { return try begin(plan, id, order.entry, request, own, takingOver: nil) }
        state.withLock { $0.small[id] = small }
        // The caller may have set a limit meanwhile.
        let isLimited = state.withLock { $0.requests[id]?.request.maximumBytesPerSecond != nil }
        if isLimited { small.giveWayNow() } else { small.start() }
        return small
    }

    private func begin(
        _ plan: Plan, _ id: DownloadID, _ entry: QueueEntry, _ request: DownloadRequest,
        _ listener: RunListener, takingOver handover: Handover?
    ) throws(DownloadError) -> any RunningDownload {
        let download = try downloader.start(
            plan, refreshURL: request.refreshURL, listener: listener, id: id, takingOver: handover)
        state.withLock { state in
            state.running[id] = download
            state.small[id] = nil
        }
        // It may have been changed meanwhile.
        let limit = self.request(for: entry).maximumBytesPerSecond
        if limit != request.maximumBytesPerSecond { download.apply(limit) }
        // It may have been quicker than that.
        if download.hasEnded { state.withLock { _ = $0.running.removeValue(forKey: id) } }
        return RunningHandle(download: download)
    }

    // MARK: The session

    func store(_ entry: QueueEntry) -> StoredDownload {
        // What was left out when it was loaded is still missing, and what is there is kept as it is.
        let asked = entry
        let kept = state.withLock { $0.requests[entry.id] }
        var (options, isIncomplete) = kept?.stored ?? ([], false)
        var entry = entry
        // A completed download asks for nothing any more.
        let storesSecrets = storesSecrets && !entry.isCompleted
        if !storesSecrets, self.storesSecrets, let kept {
            (options, isIncomplete) = kept.request.storedOptions(withSecrets: false)
        }
        if !storesSecrets, let url = try? HTTPURL(parsing: entry.url), url.hasSecrets {
            entry.url = url.withoutSecrets.serialized
            isIncomplete = true
        }
        if isIncomplete, !entry.lacksSecrets { entry.identityHash = identityHash(of: asked) }
        return StoredDownload(entry: entry, options: options, lacksSecrets: isIncomplete || entry.lacksSecrets)
    }

    /// Returns the hash of the request's identity; nil if the entry has no number to salt it with.
    private func identityHash(of entry: QueueEntry) -> [UInt8]? {
        guard entry.markerNumber != 0 else { return nil }
        return settings(of: entry)?.identityHash(markerNumber: entry.markerNumber)
    }

    func restore(_ download: StoredDownload) throws(DownloadError) -> QueueEntry {
        var entry = download.entry
        entry.lacksSecrets = download.lacksSecrets
        var request = DownloadRequest(entry.url, in: entry.directory)
        request.fileName = entry.fileName
        try request.take(download.options)
        let plan = try downloader.resolved(request)
        entry.host = plan.settings.askedURL.hostKey
        // As it was added, so that the same request finds it.
        entry.target = target(of: plan, named: entry.isNameGiven ? entry.fileName : nil)
        if entry.lacksSecrets, !entry.isNameGiven {
            // Several may differ in nothing but what was left out.
            entry.target = mixed(entry.target, entry.id.number)
            let place = place(of: plan)
            state.withLock { $0.lacking[place, default: []].append(entry.id) }
        }
        // Also reserve the server-chosen name.
        if !entry.isNameGiven, let name = entry.fileName { entry.claimed = target(of: plan, named: name) }
        register(request, for: entry.id)
        return entry
    }

    func forget(_ id: DownloadID) {
        state.withLock {
            $0.requests[id] = nil
            $0.running[id] = nil
            $0.small[id] = nil
        }
    }
}

extension QueueEntry {
    fileprivate var isCompleted: Bool { if case .completed = state { true } else { false } }
}

private struct RunningHandle: RunningDownload {
    let download: Download

    func pause() { download.stop() }

    func cancel() { download.cancel() }
}
