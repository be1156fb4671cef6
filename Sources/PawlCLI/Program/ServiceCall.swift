import PawlClient
import PawlCore
import PawlJobs

extension Session {
    /// What is asked of the service; Ctrl-C ends the wait for its answer.
    func ask<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await body() }
        interruption.onStop { task.cancel() }
        return try await task.value
    }

    /// What was done, and what was not.
    func report(_ action: ServiceAction, _ results: [ActionResult], names: [ExactText: String]) -> ExitCode {
        let done = results.filter { $0.error == nil }.map { names[ExactText($0.id)] ?? $0.id }
        if !done.isEmpty { say(ServiceWords.done(action, done)) }
        var code = ExitCode.done
        for result in results {
            guard let error = result.error else { continue }
            complain("\(names[ExactText(result.id)] ?? result.id): \(error.words)")
            if code == .done { code = ExitCode(error) }
        }
        return code
    }

    func report(_ action: ServiceAction, _ counts: ActionCounts) -> ExitCode {
        say(ServiceWords.done(action, counts.done, of: counts.matched))
        if counts.notPossible > 0 { warn("Of \(counts.notPossible), the state does not allow it.") }
        return .done
    }
}

extension ChosenOptions {
    /// Does it to the downloads that were chosen.
    func act(_ action: ServiceAction, _ service: ServiceOptions, in session: Session) async throws -> ExitCode {
        let client = try service.client()
        if ids.isEmpty {
            let filter = try filter.filter()
            return session.report(action, try await session.ask { try await client.act(action, onAll: filter) })
        }
        return try await DownloadIDs.act(action, on: ids, client, in: session)
    }
}

extension DownloadIDs {
    static func act(
        _ action: ServiceAction, on words: [String], _ client: ServiceClient, in session: Session
    ) async throws -> ExitCode {
        let (results, names) = try await session.ask {
            let ids = try await DownloadIDs(client: client).resolve(words)
            // Of a few, names say more than ids; a download that is gone has none.
            var names: [ExactText: String] = [:]
            if ids.count <= namedAtMost {
                for id in ids {
                    names[ExactText(id)] = (try? await client.download(id)).map { ServiceWords.name($0.download) }
                }
            }
            return (try await client.act(action, on: ids), names)
        }
        return session.report(action, results, names: names)
    }

    private static let namedAtMost = 5
}
