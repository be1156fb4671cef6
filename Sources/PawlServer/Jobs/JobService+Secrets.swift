import Pawl
import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// What is secret in jobs: kept while they are unfinished, if anything is, and then forgotten.
extension JobService {
    /// What the database keeps of it, and whether that is all.
    func kept(of spec: JobSpec) -> (spec: JobSpec, isComplete: Bool) {
        storesSecrets ? (spec, true) : spec.withoutSecrets
    }

    /// What a restart would take from a job, by the names of its JSON: none of it is stored.
    func notStored(of job: StoredJob) -> [String] {
        guard job.lacksSecrets, !job.state.hasEnded || job.state == .failed else { return [] }
        return state.withLock { $0.secretSpecs[job.number] }?.secretFields ?? []
    }

    /// What a job asks for is known again.
    func supply(_ spec: JobSpec, to number: Int64) {
        state.withLock { state in
            guard storesSecrets else { return state.secretSpecs[number] = spec }
            ledger.edit(number) { job in
                if job.lacksSecrets { (job.spec, job.lacksSecrets) = (spec, false) }
            }
        }
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
            try? await ledger.settle()
            _ = await manager.saveSession()
            await store.discardLog()
        }
    }
}
