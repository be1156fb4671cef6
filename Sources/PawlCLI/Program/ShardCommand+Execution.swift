import Pawl
import PawlCore
import PawlJobs
import PawlSystem
import PawlWork

extension ShardCommand: Subcommand {
    func check() throws(UsageError) { _ = try place() }

    private func place() throws(UsageError) -> String {
        guard let to, !to.isEmpty else {
            throw UsageError("--to is missing: the directory of the batch.", moreFrom: Self.name)
        }
        return to
    }

    func execute(in session: Session) async throws -> ExitCode {
        let to = try place()
        let spool = try WorkSpool.path(spool, of: Self.name)
        try Self.make(spool, mode: 0o700)
        let isNew = FileKind(path: to) == .missing
        try Self.make(to)
        do {
            return try await cut(to: to, by: spool, in: session)
        } catch {
            // Only where nothing is in it.
            if isNew { _ = rmdir(to) }
            throw error
        }
    }

    private static func make(_ directory: String, mode: UInt32 = 0o777) throws(WorkError) {
        guard !SystemCalls.makeDirectories(directory, mode: mode) else { return }
        throw WorkError(.store, "The directory “\(directory)” cannot be made: \(SystemCalls.text(of: errno)).")
    }

    private func cut(to: String, by spool: String, in session: Session) async throws -> ExitCode {
        let cutting = try await LiveCutting(plan, to: to, spool: spool, spread: spread)
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
        (plan.sliceItems, plan.hostConnections) = (slice, hostConnections)
        plan.maximumFailed = Double(maximumFailed) / 100
        (plan.hostRate, plan.connectTimeout, plan.options) = (hostRate, connectTimeout, files.options)
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

/// The directory in which files lie until they are delivered.
enum WorkSpool {
    static func path(_ given: String?, of command: String) throws(UsageError) -> String {
        if let given {
            guard !given.isEmpty else { throw UsageError("--spool is empty; it takes a directory.", moreFrom: command) }
            return given
        }
        if let directory = Environment.value("TMPDIR"), directory.begins(with: "/") { return directory }
        if let directory = CacheDirectory.path(environment: Environment.value) { return directory + "/work" }
        throw UsageError("There is no place for the spool: set --spool, $TMPDIR or $HOME.")
    }
}
