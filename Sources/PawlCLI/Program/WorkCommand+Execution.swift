import Pawl
import PawlCore
import PawlJobs
import PawlSystem
import PawlWork

extension WorkCommand: Subcommand {
    func check() throws(UsageError) {
        if batch.isEmpty { throw UsageError("The name of the batch is empty.", moreFrom: Self.name) }
    }

    func execute(in session: Session) async throws -> ExitCode {
        let store = try BatchStore(batch, server, spool: spool, in: session, of: Self.name)
        var work = LiveWork.Configuration(store)
        if case .one(let shard) = try index ?? ShardIndex.given(by: Environment.value) { work.shard = shard }
        work.maximumRunning = jobs
        work.maximumTime = maximumTime
        work.downloader = store.network
        work.downloader.speedLimit = limit
        let display = WorkDisplay(session, writesJSON: json, isQuiet: quiet)
        let task = try LiveWork(work, committed: display.committed)
        let patience = Interruption.Patience(
            seconds: 2, complaint: "The slice is abandoned; what it has stays in the spool.")
        session.interruption.onStop(within: patience) { task.stop() }
        let end = try await task.run()
        let code = try code(of: end, in: session)
        return display.finish(code, isFinished: end == .finished) ?? code
    }

    private func code(of end: LiveWork.End, in session: Session) throws(UsageError) -> ExitCode {
        switch end {
        case .finished: return .done
        case .noSuchShard(let count):
            throw UsageError("There is no shard \(work(index)): the batch has \(count), from 0 to \(count - 1).")
        case .failed(let error):
            session.complain(error.message)
            return ExitCode(error)
        case .stopped: return session.interruption.cause?.exitCode ?? .again
        }
    }

    private func work(_ index: ShardIndex?) -> String {
        if case .one(let number)? = index ?? (try? ShardIndex.given(by: Environment.value)) { "\(number)" } else { "" }
    }
}
