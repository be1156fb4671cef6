import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// The archives of a job of the service. Before one is looked at, the database has what was fetched, and before one is
/// removed, that it was unpacked: whenever the process ends, the next one finds out what is left to do.
struct RecordedArchives: JobArchivePort {
    /// Makes durable how far the run has got.
    typealias Record = @Sendable () async -> Recording

    enum Recording: Hashable, Sendable {
        case done
        /// Recording failed for now and must be tried again.
        case notYet
        /// The job was removed, or another request has taken its place.
        case needless
        /// The service stops, and nothing begins any more.
        case stopping
    }

    /// The time between two tries.
    fileprivate static let pause = Duration.seconds(1)

    private let archives: any JobArchivePort
    private let record: Record

    init(_ archives: any JobArchivePort, _ record: @escaping Record) {
        (self.archives, self.record) = (archives, record)
    }

    func inspect(
        _ id: JobFileID, _ archive: ArchiveToUnpack, digest: Digest?,
        _ ended: @escaping @Sendable (JobArchiveEnd<Inspection>) -> Void
    ) -> any JobWork {
        RecordedWork(record) {
            archives.inspect(id, archive, digest: digest, ended)
        } stopped: {
            ended(.stopped)
        }
    }

    func unpack(
        _ id: JobFileID, _ archive: ArchiveToUnpack, ifExists: ExtractionOptions.IfExists,
        progress: @escaping @Sendable (ArchiveProgress) -> Void,
        _ ended: @escaping @Sendable (JobArchiveEnd<UnpackedFile>) -> Void
    ) -> any JobWork {
        archives.unpack(id, archive, ifExists: ifExists, progress: progress, ended)
    }

    /// Removes the archive. If the service stops before, the archive stays and the next process removes it.
    func remove(_ fetched: FetchedFile, _ ended: @escaping @Sendable (Result<Void, JobFailure>) -> Void) {
        Task {
            while true {
                switch await record() {
                case .done, .needless: return archives.remove(fetched, ended)
                case .notYet: try? await Task.sleep(for: Self.pause)
                case .stopping: return
                }
            }
        }
    }
}

/// Follows how far a run of one file has got.
final class RunRecorder: Sendable {
    private let record: Locked<(run: RunRecord, file: RunRecord.File)>

    init(_ file: RunRecord.File) { record = Locked((RunRecord([file]), file)) }

    var file: RunRecord.File { record.withLock { $0.file } }

    /// - Returns: its record, for an event that ends it.
    func take(_ event: JobEvent) -> String? {
        record.withLock { record in
            guard record.run.handle(event), let file = record.run.files?.first else { return nil }
            record.file = file
            return file.outcome == nil ? nil : file.json
        }
    }
}

/// Work that begins once what came before it is durable.
private final class RecordedWork: JobWork {
    private struct State {
        var work: (any JobWork)?
        var isStopped = false
    }

    private let state = Locked(State())

    init(
        _ record: @escaping RecordedArchives.Record, begin: @escaping @Sendable () -> any JobWork,
        stopped: @escaping @Sendable () -> Void
    ) {
        Task {
            while true {
                let recording = await record()
                if ![.done, .notYet].contains(recording) || state.withLock({ $0.isStopped }) { return stopped() }
                if recording == .done { break }
                try? await Task.sleep(for: RecordedArchives.pause)
            }
            let work = begin()
            let mustStop = state.withLock { state in
                state.work = work
                return state.isStopped
            }
            if mustStop { work.stop() }
        }
    }

    func stop() {
        let work = state.withLock { state in
            state.isStopped = true
            return state.work
        }
        work?.stop()
    }
}
