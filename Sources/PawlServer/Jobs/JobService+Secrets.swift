import Pawl
import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// The secrets of jobs: kept while a job is unfinished, if at all, and then forgotten.
extension JobService {
    /// Returns the part of a specification that the database keeps, and whether that is all of it.
    func kept(of spec: JobSpec) -> (spec: JobSpec, isComplete: Bool) {
        storesSecrets ? (spec, true) : spec.withoutSecrets
    }

    /// The fields of a job, by the names of its JSON, that a restart would lose because they are not stored.
    func notStored(of job: StoredJob) -> [String] {
        guard job.lacksSecrets, !job.state.hasEnded || job.state == .failed else { return [] }
        return state.withLock { $0.secretSpecs[job.number] }?.secretFields ?? []
    }

    /// Stores the complete specification of a job whose secrets are known again.
    func supply(_ spec: JobSpec, to number: Int64) {
        state.withLock { state in
            // Also where it is stored: a run may begin before the commit.
            state.secretSpecs[number] = spec
            guard storesSecrets else { return }
            ledger.edit(number) { job in
                if job.lacksSecrets { (job.spec, job.lacksSecrets) = (spec, false) }
            }
        }
    }

    /// Does the same for a job that lacks secrets, by the same request that has some.
    func supply(_ spec: JobSpec, to job: StoredJob) {
        if lacksSecrets(job), spec.holdsSecrets { supply(spec, to: job.number) }
    }

    /// Erases secrets after rows of these jobs were removed or their requests replaced, and the session no longer has
    /// them.
    func eraseSecrets(of jobs: [StoredJob]) {
        if jobs.contains(where: \.spec.holdsSecrets) { eraseForgotten() }
    }

    /// Takes what was forgotten out of the log of the database as well, once all of it is written.
    func eraseForgotten() {
        let isFirst = isErasing.withLock { isErasing in
            defer { isErasing = true }
            return !isErasing
        }
        guard isFirst else { return }
        Task {
            // Others that end meanwhile share it.
            try? await Task.sleep(for: .seconds(1))
            isErasing.withLock { $0 = false }
            let isErased = await discardForgotten()
            // The end of the service empties the log as well.
            if !isErased, !state.withLock({ $0.isShutDown }) { eraseForgotten() }
        }
    }

    /// - Returns: false where a full disk or a reader is in the way.
    private func discardForgotten() async -> Bool {
        do throws(DownloadError) { try await ledger.settle() } catch { return false }
        guard await manager.saveSession() else { return false }
        return await store.discardLog()
    }
}
