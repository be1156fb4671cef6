import PawlCore
import PawlEngine
import Synchronization

/// Makes downloads of the entries of a manager's queue, and keeps of their requests what no session can.
final class RequestRunner: DownloadRunner {
    private struct State {
        var refreshURLs: [DownloadID: @Sendable () async -> String?] = [:]
        /// The work that runs in place of a download of the file.
        var works: [DownloadID: QueuedWork] = [:]
        var running: [DownloadID: Download] = [:]
        /// On the short way.
        var small: [DownloadID: SmallRun] = [:]
        /// The limits that were set for those on the short way, which has none.
        var limits: [DownloadID: Int64?] = [:]
        /// Restored without their secrets and without a name of the caller's, by what is known of them.
        var lacking: [Place: [DownloadID]] = [:]

        mutating func forgetRun(_ id: DownloadID) { (running[id], small[id], limits[id]) = (nil, nil, nil) }
    }

    /// The known parts of a download whose secrets and name are not known.
    private struct Place: Hashable {
        let urlIdentity: ExactText
        let directory: ExactText
    }

    private let downloader: Downloader
    private let state = Locked(State())

    private let storesSecrets: Bool
    private let placeRefusal: (@Sendable (String) -> DownloadError?)?
    private let receiver: (any FileReceiver)?

    init(
        _ downloader: Downloader, storesSecrets: Bool, placeRefusal: (@Sendable (String) -> DownloadError?)? = nil,
        receiver: (any FileReceiver)? = nil
    ) {
        self.downloader = downloader
        self.storesSecrets = storesSecrets
        self.placeRefusal = placeRefusal
        self.receiver = receiver
    }

    // MARK: Requests

    func register(_ refreshURL: (@Sendable () async -> String?)?, for id: DownloadID) {
        if let refreshURL { state.withLock { $0.refreshURLs[id] = refreshURL } }
    }

    /// Keeps what runs in place of a download of the entry's file.
    func register(_ work: @escaping QueuedWork, for id: DownloadID) { state.withLock { $0.works[id] = work } }

    func forgetWorks() { state.withLock { $0.works = [:] } }

    func url(_ text: String) -> HTTPURL? { try? HTTPURL.checked(text) }

    func plan(of entry: QueueEntry) -> Plan {
        var plan = Plan(settings: DownloadSettings(entry.request), directory: entry.directory)
        plan.fileName = entry.fileName
        plan.settings.netrc = downloader.netrc
        plan.receiver = receiver
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
        register(refreshURL, for: id)
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
        small.start()
        return small
    }

    func ended(_ id: DownloadID) {
        state.withLock { $0.forgetRun(id) }
    }

    func setMaximumBytesPerSecond(_ limit: Int64?, of id: DownloadID) {
        state.withLock { state in if state.small[id] != nil { state.limits[id] = .some(limit) } }
        running(id)?.apply(limit)
    }

    private func drive(
        _ id: DownloadID, _ plan: Plan, _ listener: any RunListener, takingOver handover: Handover?
    ) throws(DownloadError) -> any RunningDownload {
        let refreshURL = state.withLock { $0.refreshURLs[id] }
        let download = try downloader.start(
            plan, refreshURL: refreshURL, listener: listener, id: id, takingOver: handover)
        state.withLock { state in
            state.running[id] = download
            state.small[id] = nil
        }
        // It may have been changed meanwhile.
        if let limit = state.withLock({ $0.limits.removeValue(forKey: id) }) { download.apply(limit) }
        // It may have been quicker than that.
        if download.hasEnded { state.withLock { _ = $0.running.removeValue(forKey: id) } }
        return RunningHandle(download: download)
    }

    // MARK: The session

    func store(_ entry: QueueEntry) -> StoredDownload {
        // What was left out when it was loaded is still missing, and what is there is kept as it is.
        var stored = entry
        // A completed download asks for nothing any more.
        let storesSecrets = storesSecrets && !entry.isCompleted
        let (options, leftOut) = entry.request.template.value.storedOptions(withSecrets: storesSecrets)
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
        entry.request.template = plan.settings.request.template
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
        return entry
    }

    func forget(_ id: DownloadID) {
        state.withLock {
            $0.refreshURLs[id] = nil
            $0.works[id] = nil
            $0.forgetRun(id)
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
