import Pawl
import PawlArchive
import PawlCore
import PawlJobs

/// The changes that events make to a job.
extension StoredJob {
    /// A download of the manager that has not ended.
    mutating func take(_ sketch: JobSketch) {
        (state, name, total, priority, rank) = (sketch.state, sketch.name, sketch.total, sketch.priority, sketch.rank)
        step = state == .running ? .fetch : nil
    }

    mutating func take(_ event: JobEvent, at now: Int64) {
        switch event {
        case .began: started = started ?? now
        case .fetched(_, let file):
            started = started ?? now
            take(file)
            if !isPaused { (state, step) = (.running, .unpack) }
        case .ended(_, let outcome):
            // One that ends at once is not told to begin.
            if !outcome.isStopped { started = started ?? now }
            end(outcome, at: now)
        case .refused(let failure):
            end(.failed(.resolve, failure, fetched: nil), at: now)
        default: break
        }
    }

    /// Queues a failed job again. The former end is no longer reported to hooks; the next one will be.
    mutating func retry() { (state, failure, ended, record, isHookDue) = (.queued, nil, nil, nil, false) }

    private mutating func take(_ file: FetchedFile) {
        name = file.target.name?.text ?? name
        (stored, total) = (file.result.byteCount, file.result.byteCount)
        (isComplete, isVerified, isSkipped) = (file.result.isComplete, file.result.isVerified, file.result.wasSkipped)
    }

    private mutating func end(_ outcome: JobOutcome, at now: Int64) {
        if let file = outcome.file { take(file) }
        switch outcome {
        case .completed(_, let unpacked):
            (state, step, failure, ended) = (.completed, nil, nil, now)
            self.unpacked = unpacked?.result.directory
        case .failed(let step, let failure, _):
            (state, self.step, ended) = (.failed, step, now)
            self.failure = Failure(failure)
        // It resumes.
        case .stopped: break
        }
    }
}

extension JobEvent {
    /// The record of a job that could not begin.
    var refusal: String? {
        guard case .refused(let failure) = self else { return nil }
        var file = RunRecord.File(JobFile(spec: JobSpec("")))
        file.outcome = .failed(.resolve, failure, fetched: nil)
        return file.json
    }
}

extension DownloadProgress {
    /// Whether the download has looked for what an earlier run stored.
    var hasBegun: Bool {
        switch state {
        case .queued, .paused, .waiting, .running(.probing): false
        case .running, .completed, .failed, .cancelled: true
        }
    }
}

extension JobSketch {
    /// - Returns: nil for one that has ended: what that means for its job is for its run to say.
    func following(_ snapshot: DownloadSnapshot, _ place: (priority: Int32, rank: Int64)) -> JobSketch? {
        var sketch = self
        switch snapshot.state {
        // One that is paused has not been told yet to run.
        case .queued, .paused: sketch.state = .queued
        case .running: sketch.state = .running
        case .waiting: sketch.state = .waiting
        case .completed, .failed, .cancelled: return nil
        }
        // Until it is resumed, even if its download has not stopped yet.
        if isPaused { sketch.state = .paused }
        sketch.name = snapshot.fileName ?? name
        sketch.total = snapshot.progress.totalBytes ?? total
        (sketch.priority, sketch.rank) = place
        return sketch
    }
}
