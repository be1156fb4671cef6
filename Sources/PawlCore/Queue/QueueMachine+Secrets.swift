/// Downloads whose secrets were not stored in the session.
extension QueueMachine {
    /// Returns the download whose missing secrets a request supplies; nil if there is none.
    ///
    /// - Parameter isSame: whether the request has the identity of which this is the salt and the hash.
    package func lacking(among ids: [DownloadID], isSame: (_ salt: UInt64, _ hash: [UInt8]) -> Bool) -> DownloadID? {
        let waiting = ids.compactMap { self[$0] }.filter(\.canBeSupplied)
        let same = waiting.first { entry in entry.identityHash.map { isSame(entry.markerNumber, $0) } ?? false }
        if let same { return same.id }
        // Sessions of earlier versions keep no hash. A name that the server chose belongs to the request that was
        // answered with it.
        let unknown = waiting.filter { $0.identityHash == nil }
        guard unknown.count == 1, let entry = unknown.first, entry.isNameGiven || entry.fileName == nil else {
            return nil
        }
        return entry.id
    }

    mutating func supply(
        _ slot: Int32, _ request: DownloadSettings.Request, _ target: UInt64, _ priority: Int32, isPaused: Bool,
        at now: Instant
    ) -> [QueueAction] {
        guard let entry = entries[Int(slot)], entry.canBeSupplied else { return [] }
        // Its own target may be held by nobody: it was another's when the session was read, and that one has gone.
        if targets.holder(of: target) == nil {
            targets.release([entry.target], of: slot)
            targets.give(target, to: slot)
            entries[Int(slot)]?.target = target
        }
        entries[Int(slot)]?.request = request
        entries[Int(slot)]?.lacksSecrets = false
        entries[Int(slot)]?.identityHash = nil
        let actions = setPriority(slot, priority)
        set(slot, isPaused ? .paused : .queued, at: now)
        return actions
    }

    /// A back-off would end in a run without them. A paused or failed one is asked for them when it is to run again.
    func awaitSecrets(_ entry: inout QueueEntry) {
        switch entry.state {
        case .queued, .running, .waiting: entry.state = .waiting(.credentials)
        case .paused, .completed, .failed: break
        }
    }
}

extension QueueEntry {
    /// Whether a request can supply the secrets. A download that has ended never resumes: a request like it is a new
    /// download.
    var canBeSupplied: Bool { lacksSecrets && (state == .waiting(.credentials) || state == .paused) }
}
