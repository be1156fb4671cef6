import Pawl
import PawlCore
import PawlJobs
import PawlSystem
import PawlWork

extension ShardCommand: Subcommand {
    func check() throws(UsageError) {
        _ = try place()
        do throws(DownloadError) {
            try plan.checkContext()
        } catch {
            throw UsageError(error.message, moreFrom: Self.name)
        }
        guard form == .tar || !lacksConditions else {
            throw UsageError(
                "--as files and --without-conditions exclude each other: one file would replace another of its name.",
                moreFrom: Self.name)
        }
    }

    private func place() throws(UsageError) -> String {
        guard let to, !to.isEmpty else {
            throw UsageError("--to is missing: the directory of the batch, or s3://bucket/prefix.", moreFrom: Self.name)
        }
        return to
    }

    func execute(in session: Session) async throws -> ExitCode {
        let store = try BatchStore(try place(), server, spool: spool, in: session, of: Self.name)
        try Self.make(store.spool, mode: 0o700)
        guard let directory = store.directory else { return try await cut(to: store, in: session) }
        let isNew = FileKind(path: directory) == .missing
        try Self.make(directory)
        do {
            return try await cut(to: store, in: session)
        } catch {
            // Only where nothing is in it.
            if isNew { _ = rmdir(directory) }
            throw error
        }
    }

    private static func make(_ directory: String, mode: UInt32 = 0o777) throws(WorkError) {
        guard !SystemCalls.makeDirectories(directory, mode: mode) else { return }
        throw WorkError(.store, "The directory “\(directory)” cannot be made: \(SystemCalls.text(of: errno)).")
    }

    private func cut(to store: BatchStore, in session: Session) async throws -> ExitCode {
        let cutting: LiveCutting
        do {
            cutting = try await LiveCutting(plan, to: store, spread: spread)
        } catch is LiveCutting.LacksConditions {
            throw WorkError(
                .store,
                "This store ignores that an object is there already, so that two tasks could commit the same slice. --without-conditions accepts that."
            )
        }
        for list in lists {
            do throws(CutProblem) {
                try cutting.read(list)
            } catch {
                throw error.usageError ?? error
            }
        }
        let (forecast, duplicates) = try await cutting.finish()
        if json { return session.write(WorkJSON.forecast(forecast, duplicates, plan).encoded + "\n") }
        if !quiet { WorkWords.forecast(forecast, duplicates, plan, hostRate).forEach(session.say) }
        return .done
    }

    private var plan: BatchPlan {
        var plan = BatchPlan(batch: "", shards: shards)
        (plan.form, plan.hostConnections) = (form, hostConnections)
        plan.sliceItems = slice ?? BatchPlan.usualSliceItems(form)
        plan.lacksConditions = lacksConditions
        plan.maximumFailed = Double(maximumFailed) / 100
        (plan.hostRate, plan.connectTimeout) = (hostRate, connectTimeout)
        (plan.options, plan.context) = (files.options, files.context)
        return plan
    }
}

extension CutProblem {
    fileprivate var usageError: (any Error)? {
        switch self {
        case .list(let list, let line, let message):
            UsageError(line == 0 ? "\(list) \(message)" : "\(list), line \(line): \(message)")
        case .storage(let error): DownloadError.storage(error)
        }
    }
}
