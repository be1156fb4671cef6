import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// Work on finished files: verifying and extracting.
extension JobService {
    /// Reads the file again, and compares it with its digest. What it finds is an event.
    ///
    /// - Throws: ``Refusal``, for one that is not completed, has no digest, or is being unpacked.
    package func verify(_ id: String) async throws(Refusal) {
        let job = try completed(id)
        guard let digest = job.spec.options.digest, let path = job.path else {
            throw .conflict(Conflict(.noDigest, "No expected digest is known for this file."))
        }
        try await work(on: job, .verify) { [self] in
            let outcome: Result<Bool, any Error>
            do {
                let actual = try await OwnThread.run { flag in
                    try Digest.compute(digest.algorithm, ofFileAt: path, isStopped: { flag.isUp })
                }
                guard let actual else { return end(job, nil) }
                outcome = .success(actual == digest)
            } catch {
                outcome = .failure(error)
            }
            end(job) { job in
                switch outcome {
                case .success(true): (job.isVerified, job.failure) = (true, nil)
                case .success(false):
                    let error = DownloadError(
                        .digestMismatch,
                        "The file does not match the expected digest. It was changed after the download, or the disk is damaged.",
                        remedies: [.checkDisk, .tryAgain], recovery: .restart)
                    (job.isVerified, job.failure) = (false, StoredJob.Failure(.download(error)))
                case .failure(let error): JobFailure(error).map { job.failure = StoredJob.Failure($0) }
                }
            }
            ledger.note(
                job.number, "verified",
                (try? outcome.get()) == true
                    ? "The file matches the expected digest." : "The file does not match the expected digest.")
        }
    }

    /// Unpacks the archive, beside it if the job says nothing else.
    ///
    /// - Throws: ``Refusal``, for one that is not completed, no archive, or being verified.
    package func extract(_ id: String) async throws(Refusal) {
        let job = try completed(id)
        if let refusal = refusal(of: job.spec) { throw .conflict(Conflict(.outsideRoots, refusal.message)) }
        guard let path = job.path else { throw .conflict(Conflict(.fileMissing, "The file has no name.")) }
        let unpacking = job.spec.unpacking ?? Unpacking()
        let began = Signal<Refusal?>()
        let isBegun = try await work(on: job, .unpack) { [self] in
            do {
                var options = try unpacking.options(members: [], SecretReader())
                options.followsDirectoryLinks = followsDirectoryLinks
                let directory = Unpacking.target(of: path, in: unpacking.directory, isAlone: true)
                let result = try await Archive(path).extract(into: directory, options: options) { _ in began.send(nil) }
                end(job) { ($0.unpacked, $0.failure) = (result.directory, nil) }
                ledger.note(job.number, "extracted", result.logged)
            } catch let error as ArchiveError where error.code == .notAnArchive {
                end(job) { _ in }
                began.send(.conflict(Conflict(.notAnArchive, error.message)))
            } catch {
                let failure = JobFailure(error)
                end(job) { job in if let failure { job.failure = StoredJob.Failure(failure) } }
                if let failure { ledger.note(job.number, "extractionFailed", failure.message) }
            }
            began.send(nil)
        }
        if isBegun, let refusal = await began.value ?? nil { throw refusal }
    }

    /// Records that a step of a completed job runs, and runs it.
    ///
    /// - Returns: false if this step is running already.
    /// - Throws: ``Refusal`` if another one is.
    @discardableResult
    private func work(
        on job: StoredJob, _ step: JobStep, _ body: @escaping @Sendable () async -> Void
    ) async throws(Refusal) -> Bool {
        let (isShutDown, running) = state.withLock { state in
            let running = state.working[job.number]
            if running == nil && !state.isShutDown { state.working[job.number] = step }
            return (state.isShutDown, running)
        }
        if isShutDown { throw .conflict(Conflict(.busy, "The service is stopping.")) }
        if let running {
            guard running == step else {
                throw .conflict(Conflict(.busy, "The file is being \(running == .verify ? "verified" : "unpacked")."))
            }
            return false
        }
        ledger.edit(job.number) { $0.step = step }
        do throws(Refusal) { try await settle() } catch {
            end(job, nil)
            throw error
        }
        state.withLock { $0.workers[job.number] = Task { await body() } }
        return true
    }

    private func end(_ job: StoredJob, _ change: (@Sendable (inout StoredJob) -> Void)?) {
        ledger.edit(job.number) { job in
            let step = job.step
            job.step = nil
            change?(&job)
            if job.failure != nil { job.step = step }
        }
        state.withLock { state in
            state.working[job.number] = nil
            state.workers[job.number] = nil
        }
    }

    private func completed(_ id: String) throws(Refusal) -> StoredJob {
        let job = try job(id)
        guard job.state == .completed else { throw .conflict(Conflict(.notCompleted, "The download is not complete.")) }
        guard !job.isMissing else {
            throw .conflict(Conflict(.fileMissing, "The file is no longer at the path it was downloaded to."))
        }
        return job
    }
}

/// A value that comes once, for one who waits.
private final class Signal<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1)) }

    func send(_ value: Value) {
        continuation.yield(value)
        continuation.finish()
    }

    var value: Value? { get async { await stream.first { _ in true } } }
}
