import Pawl
import PawlCore
import PawlJobs

/// Jobs that name documents: Metalinks, lists of digests, descriptions by the server of the file.
extension JobService {
    /// The longest time that adding a job waits for the documents it names.
    private static let documentTime = Duration.seconds(20)
    private static let documentTries = 3

    /// The result of the work; after ``documentTime``, or when nobody waits any more, what it makes of being stopped.
    private static func inTime<Value: Sendable>(
        _ documents: LiveDocuments, _ work: @escaping @Sendable () async -> Value
    ) async -> Value {
        let working = Task { await work() }
        @Sendable func stop() {
            working.cancel()
            documents.stop()
        }
        let watch = Task {
            try await Task.sleep(for: documentTime)
            stop()
        }
        defer { watch.cancel() }
        return await withTaskCancellationHandler {
            await working.value
        } onCancel: {
            stop()
        }
    }

    /// The files of a job that names documents, each as a job, whose directory is there then.
    ///
    /// - Parameter limit: of more files, none gets a directory.
    func files(of spec: JobSpec, limit: Int) async throws(Refusal) -> (jobs: [JobSpec], notices: [String]) {
        let documents = LiveDocuments(manager.downloader, SecretReader(), for: [spec], maximumTries: Self.documentTries)
        return try await Self.inTime(documents) { () async -> Result<(jobs: [JobSpec], notices: [String]), Refusal> in
            do throws(JobFailure) {
                let found = try await documents.files(of: spec)
                let jobs = found.jobs
                if jobs.count <= limit { try self.makeDirectories(of: found) }
                return .success((jobs, found.notices))
            } catch {
                return .failure(.failed(error))
            }
        }.get()
    }

    /// The jobs in their order, with what their documents say of each file. One that is known already reads nothing.
    func readingDocuments(of jobs: [NewJob]) async -> [Result<NewJob, Refusal>] {
        guard jobs.contains(where: { !$0.spec.isOneFile }) else { return jobs.map { .success($0) } }
        let documents = LiveDocuments(
            manager.downloader, SecretReader(), for: JobRows(jobs.map(\.spec)), maximumTries: Self.documentTries)
        return await Self.inTime(documents) {
            await concurrently(jobs.count, width: .max) { await self.read(documents, of: jobs[$0]) }
        }
    }

    private func read(_ documents: LiveDocuments, of job: NewJob) async -> Result<NewJob, Refusal> {
        do throws(Refusal) { return .success(try await reading(documents, of: job)) } catch { return .failure(error) }
    }

    private func reading(_ documents: LiveDocuments, of job: NewJob) async throws(Refusal) -> NewJob {
        var job = job
        guard job.spec.members.isEmpty, !job.spec.isOneFile else { return job }
        if isKnown(job) { return job }
        let id = job.spec.id
        do throws(JobFailure) {
            try Self.checked(job.spec)
            let found = try await documents.files(of: job.spec)
            let files = found.jobs
            guard files.count == 1 else {
                throw .spec(
                    JobSpecError(
                        .contradiction, ["metalink"],
                        "The Metalink lists \(files.count) files, but a job downloads one. Choose one with “select”, or send the Metalink to POST /documents to get a job for each."
                    ))
            }
            try makeDirectories(of: found)
            job.spec = files[0]
        } catch {
            throw .failed(error)
        }
        job.spec.id = id
        return job
    }

    private func makeDirectories(of found: NamedByDocuments) throws(JobFailure) {
        do throws(DownloadError) { try found.makeDirectories(followsLinks: followsDirectoryLinks) } catch {
            throw .download(error)
        }
    }

    private static func checked(_ spec: JobSpec) throws(JobFailure) {
        do throws(JobSpecError) { try spec.checked() } catch { throw .spec(error) }
    }

    /// Returns whether the job already exists and lacks nothing that this request could bring.
    private func isKnown(_ job: NewJob) -> Bool {
        let known = job.keys.lazy.compactMap { try? self.store.job(requestKey: $0.text)?.job }.first
        return known.map { !$0.lacksSecrets } ?? false
    }
}
