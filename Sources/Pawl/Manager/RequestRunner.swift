import PawlCore
import PawlEngine
import Synchronization

/// Makes downloads of the entries of a manager's queue.
///
/// A request with more than a URL and a target leaves its template here, beside the queue; entries that ask for the
/// same share one.
final class RequestRunner: DownloadRunner {
    private struct State {
        /// The parts of requests that ask for more than a URL and a target.
        var kept: [DownloadID: Kept] = [:]
        /// The work that runs in place of a download of the file.
        var works: [DownloadID: QueuedWork] = [:]
        /// The latest templates that were kept: of a long list, most ask for the same.
        var recent: [Boxed<DownloadSettings.Template>] = []
        var running: [DownloadID: Download] = [:]
        /// On the short way.
        var small: [DownloadID: SmallRun] = [:]
        /// Restored without their secrets and without a name of the caller's, by what is known of them.
        var lacking: [Place: [DownloadID]] = [:]

        func template(of id: DownloadID) -> Boxed<DownloadSettings.Template> {
            kept[id]?.template ?? DownloadSettings.plain
        }

        mutating func keep(
            _ template: Boxed<DownloadSettings.Template>, _ refreshURL: (@Sendable () async -> String?)?,
            for id: DownloadID
        ) {
            guard template != DownloadSettings.plain || refreshURL != nil else { return kept[id] = nil }
            let same = recent.first { $0.isShared(with: template) || $0.value.isExactly(template.value) }
            if same == nil { recent = [template] + recent.prefix(RequestRunner.maximumRecent - 1) }
            kept[id] = Kept(template: same ?? template, refreshURL: refreshURL)
        }
    }

    private struct Kept {
        var template: Boxed<DownloadSettings.Template>
        let refreshURL: (@Sendable () async -> String?)?
    }

    /// The known parts of a download whose secrets and name are not known.
    private struct Place: Hashable {
        let urlIdentity: ExactText
        let directory: ExactText
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

    /// Keeps what an entry does not hold of its request. A request that is given again takes the place of what the
    /// session knew of it.
    func register(_ plan: Plan, _ refreshURL: (@Sendable () async -> String?)?, for id: DownloadID) {
        state.withLock { $0.keep(plan.settings.template, refreshURL, for: id) }
    }

    /// Keeps what runs in place of a download of the entry's file.
    func register(_ work: @escaping QueuedWork, for id: DownloadID) { state.withLock { $0.works[id] = work } }

    func forgetWorks() { state.withLock { $0.works = [:] } }

    /// Sets the limit of a download from now on, and for each run to come.
    func setMaximumBytesPerSecond(_ limit: Int64?, of id: DownloadID) {
        state.withLock { state in
            var template = state.template(of: id)
            template.value.options.maximumBytesPerSecond = limit
            state.keep(template, state.kept[id]?.refreshURL, for: id)
        }
        running(id)?.apply(limit)
    }

    func url(_ text: String) -> HTTPURL? { try? HTTPURL.checked(text) }

    func plan(of entry: QueueEntry) -> Plan {
        let template = state.withLock { $0.template(of: entry.id) }
        var plan = Plan(settings: DownloadSettings(url: entry.url, template), directory: entry.directory)
        plan.fileName = entry.fileName
        plan.settings.netrc = downloader.netrc
        return plan
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
    func register(
        _ plan: Plan, _ refreshURL: (@Sendable () async -> String?)?, supplying id: DownloadID
    ) {
        register(plan, refreshURL, for: id)
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
    func canServe(_ holder: QueueEntry, _ asked: Plan) -> Bool {
        !holder.lacksSecrets && plan(of: holder).settings.canShareDownload(with: asked.settings)
    }

    /// Whether one that lacks secrets may be what is asked for, by the rest.
    func mayBe(_ holder: QueueEntry, _ asked: Plan) -> Bool {
        guard holder.lacksSecrets else { return false }
        let settings = plan(of: holder).settings
        return settings.digest == asked.settings.digest
            && settings.urlIdentity.isExactly(asked.settings.urlIdentity)
    }

    /// Returns the download while it runs. One on the short way leaves that for it, unless its file is being made.
    func running(_ id: DownloadID) -> Download? {
        state.withLock { $0.small[id] }?.giveWayNow()
        return state.withLock { $0.running[id] }
    }

    // MARK: Running

    func begin(
        _ id: DownloadID, _ plan: Plan, _ listener: any RunListener
    ) throws(DownloadError) -> any RunningDownload {
        if let refusal = placeRefusal?(plan.directory) { throw refusal }
        if let work = state.withLock({ $0.works[id] }) {
            // Nobody has to wait for a name of it.
            listener.claimed()
            return work(QueueTurn(listener, plan))
        }
        let small = downloader.small(plan, listener) { [self] handover in
            Result { () throws(DownloadError) in try drive(id, plan, listener, takingOver: handover) }
        }
        guard let small else { return try drive(id, plan, listener, takingOver: nil) }
        state.withLock { $0.small[id] = small }
        // The caller may have set a limit meanwhile.
        if limit(of: id) != nil { small.giveWayNow() } else { small.start() }
        return small
    }

    func ended(_ id: DownloadID) {
        state.withLock { state in
            state.running[id] = nil
            state.small[id] = nil
        }
    }

    private func limit(of id: DownloadID) -> Int64? {
        state.withLock { $0.template(of: id).value.options.maximumBytesPerSecond }
    }

    private func drive(
        _ id: DownloadID, _ plan: Plan, _ listener: any RunListener, takingOver handover: Handover?
    ) throws(DownloadError) -> any RunningDownload {
        let refreshURL = state.withLock { $0.kept[id]?.refreshURL }
        let download = try downloader.start(
            plan, refreshURL: refreshURL, listener: listener, id: id, takingOver: handover)
        state.withLock { state in
            state.running[id] = download
            state.small[id] = nil
        }
        // It may have been changed meanwhile.
        let limit = limit(of: id)
        if limit != plan.maximumBytesPerSecond { download.apply(limit) }
        // It may have been quicker than that.
        if download.hasEnded { state.withLock { _ = $0.running.removeValue(forKey: id) } }
        return RunningHandle(download: download)
    }

    // MARK: The session

    func store(_ entry: QueueEntry) -> StoredDownload {
        // What was left out when it was loaded is still missing, and what is there is kept as it is.
        var stored = entry
        let template = state.withLock { $0.template(of: entry.id) }
        // A completed download asks for nothing any more.
        let storesSecrets = storesSecrets && !entry.isCompleted
        let (options, leftOut) = template.value.storedOptions(withSecrets: storesSecrets)
        var isIncomplete = leftOut
        if !storesSecrets, entry.url.hasSecrets {
            stored.url = entry.url.withoutSecrets
            isIncomplete = true
        }
        if isIncomplete, !entry.lacksSecrets { stored.identityHash = identityHash(of: entry) }
        return StoredDownload(entry: stored, options: options, lacksSecrets: isIncomplete || entry.lacksSecrets)
    }

    /// Returns the hash of the request's identity; nil if the entry has no number to salt it with.
    private func identityHash(of entry: QueueEntry) -> [UInt8]? {
        guard entry.markerNumber != 0 else { return nil }
        return plan(of: entry).settings.identityHash(markerNumber: entry.markerNumber)
    }

    func restore(_ download: StoredDownload) throws(DownloadError) -> QueueEntry {
        var entry = download.entry
        entry.lacksSecrets = download.lacksSecrets
        var request = DownloadRequest(entry.url.withUserinfo, in: entry.directory)
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
        register(plan, nil, for: entry.id)
        return entry
    }

    func forget(_ id: DownloadID) {
        state.withLock {
            $0.kept[id] = nil
            $0.works[id] = nil
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
