import PawlCore

/// The part of a run that must outlast its process, so that another one can resume it: the files, and the steps behind
/// them.
///
/// A record that is kept after each event for which ``take(_:)`` is true, before the next event, lets a file be resumed
/// in the step that it had reached. Steps may be repeated; none is skipped.
package struct RunRecord: Hashable, Sendable {
    package struct File: Hashable, Sendable {
        package var file: JobFile
        /// Whether the members cannot be fetched alone.
        package var fetchesWhole = false
        /// The fetched file; nil until it is complete. A file that is not unpacked ends then.
        package var fetched: FetchedFile?
        /// The unpacked archive, if only the removal of the archive file is left.
        package var unpacked: UnpackedFile?
        package var isPaused = false
        package var outcome: JobOutcome?
        /// Whether the outcome is known and the hook, if any, has run.
        package var hasEnded = false

        package init(_ file: JobFile) { self.file = file }
    }

    /// The files by their numbers; nil until the run is planned.
    package private(set) var files: [File]?

    package init(_ files: [File]? = nil) { self.files = files }

    /// - Returns: Whether the event has changed the record.
    package mutating func handle(_ event: JobEvent) -> Bool {
        switch event {
        case .planned(let planned, _): files = planned.map { File($0) }
        case .refused: files = []
        case .fetchesWhole(let id): change(id) { $0.fetchesWhole = true }
        case .fetched(let id, let fetched): change(id) { $0.fetched = fetched }
        case .removesArchive(let id, let unpacked): change(id) { $0.unpacked = unpacked }
        case .paused(let id): change(id) { $0.isPaused = true }
        case .resumed(let id): change(id) { $0.isPaused = false }
        case .ended(let id, let outcome):
            // A stopped file can be resumed.
            guard !outcome.isStopped else { return false }
            change(id) { file in
                file.outcome = outcome
                // A hook that was cut off runs again.
                file.hasEnded = file.file.spec.hook.isEmpty
            }
        case .hookEnded(let id, _): change(id) { $0.hasEnded = true }
        case .noticed, .began, .choseMembers, .progressed, .notice, .unpacking, .unpacked, .archiveKept, .neverBegun,
            .finished:
            return false
        }
        return true
    }

    private subscript(_ id: JobFileID) -> File? {
        files.flatMap { $0.indices.contains(id.number - 1) ? $0[id.number - 1] : nil }
    }

    private mutating func change(_ id: JobFileID, _ body: (inout File) -> Void) {
        guard var file = self[id] else { return }
        body(&file)
        files?[id.number - 1] = file
    }
}
