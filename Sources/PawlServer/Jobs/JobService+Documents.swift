import Pawl
import PawlCore
import PawlJobs

/// Jobs that name documents: Metalinks, lists of digests, descriptions by the server of the file.
extension JobService {
    /// Who adds a job waits for its documents so long.
    private static let documentTime = Duration.seconds(20)

    /// The result of the work; after ``documentTime``, what it makes of being stopped.
    private static func inTime<Value: Sendable>(_ documents: LiveDocuments, _ work: @escaping @Sendable () async -> Value) async -> Value {
        let working = Task { await work() }
        let watch = Task {
            try await Task.sleep(for: documentTime)
            working.cancel()
            documents.stop()
        }
        defer { watch.cancel() }
        return await working.value
    }

    /// The files of a job that names documents, each as a job.
    func files(of spec: JobSpec) async throws(Refusal) -> (jobs: [JobSpec], notices: [String]) {
        let documents = LiveDocuments(manager.downloader, SecretReader(), for: [spec])
        return try await Self.inTime(documents) { () async -> Result<(jobs: [JobSpec], notices: [String]), Refusal> in
            do throws(JobFailure) {
                return .success(try await documents.files(of: spec))
            } catch {
                return .failure(.failed(error))
            }
        }.get()
    }

    /// The jobs in their order, with what their documents say of each file. One that is known already reads nothing.
    func readingDocuments(of jobs: [NewJob]) async -> [Result<NewJob, Refusal>] {
        guard jobs.contains(where: { !$0.spec.isOneFile }) else { return jobs.map { .success($0) } }
        let documents = LiveDocuments(manager.downloader, SecretReader(), for: jobs.map(\.spec))
        return await Self.inTime(documents) { await self.read(documents, of: jobs) }
    }

    private func read(_ documents: LiveDocuments, of jobs: [NewJob]) async -> [Result<NewJob, Refusal>] {
        await withTaskGroup(of: (Int, Result<NewJob, Refusal>).self) { group in
            for (index, job) in jobs.enumerated() {
                group.addTask {
                    do throws(Refusal) {
                        return (index, .success(try await self.reading(documents, of: job)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var read = [Result<NewJob, Refusal>](repeating: .failure(.unknown), count: jobs.count)
            for await (index, job) in group { read[index] = job }
            return read
        }
    }

    private func reading(_ documents: LiveDocuments, of job: NewJob) async throws(Refusal) -> NewJob {
        var job = job
        guard job.spec.members.isEmpty, !job.spec.isOneFile else { return job }
        job.namesDocuments = true
        if isKnown(job) { return job }
        let files: [JobSpec]
        do throws(JobFailure) {
            try Self.checked(job.spec)
            files = try await documents.files(of: job.spec).jobs
        } catch {
            throw .failed(error)
        }
        guard files.count == 1 else {
            throw .failed(.spec(JobSpecError(
                .contradiction, ["metalink"], "The Metalink names \(files.count) files, and a job is one. Choose one by “select”, or ask for its jobs by POST /documents.")))
        }
        let id = job.spec.id
        job.spec = files[0]
        job.spec.id = id
        return job
    }

    private static func checked(_ spec: JobSpec) throws(JobFailure) {
        do throws(JobSpecError) { try spec.checked() } catch { throw .spec(error) }
    }

    /// It is there and lacks nothing that this request could bring.
    private func isKnown(_ job: NewJob) -> Bool {
        let known = job.spec.id.flatMap { try? store.job($0) } ?? job.requestKey.flatMap { try? store.job(requestKey: $0) }
        return known.map { !$0.lacksSecrets } ?? false
    }
}
