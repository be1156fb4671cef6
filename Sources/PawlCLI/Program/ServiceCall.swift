import PawlClient
import PawlCore
import PawlJobs

extension Session {
    /// Calls the service; Ctrl-C ends the wait for its answer.
    func ask<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await body() }
        interruption.onStop { task.cancel() }
        return try await task.value
    }

    /// Reports the outcome of an action on each download.
    func report(_ action: ServiceAction, _ results: [ActionResult], _ known: [ExactText: ServiceDownload]) -> ExitCode {
        let names = known.mapValues(ServiceWords.name)
        let ids = results.filter { $0.error == nil }.map { ExactText($0.id) }
        if !ids.isEmpty {
            let states = ids.map { known[$0]?.state }
            say(ServiceWords.done(action, ids.map { names[$0] ?? $0.text }) + ServiceWords.kept(action, states))
        }
        var code = ExitCode.done
        for result in results {
            guard let error = result.error else { continue }
            complain("\(names[ExactText(result.id)] ?? result.id): \(error.text)")
            if code == .done { code = ExitCode(error) }
        }
        return code
    }

    func report(_ action: ServiceAction, _ counts: ActionCounts) -> ExitCode {
        guard counts.matched > 0 else {
            say("Nothing to \(ServiceWords.infinitive(action)).")
            return .done
        }
        say(
            ServiceWords.done(action, counts.done, of: counts.matched)
                + ServiceWords.kept(action, Array(repeating: nil, count: counts.done)))
        if counts.notPossible > 0 { warn("Not possible for \(counts.notPossible): their state does not allow it.") }
        return .done
    }
}

extension SteeringWords {
    /// Does it to the downloads that were chosen.
    func act(_ action: ServiceAction, in session: Session) async throws -> ExitCode {
        let client = try service.client()
        if chosen.ids.isEmpty {
            var filter = try chosen.filter.filter()
            if filter.states.isEmpty { filter.states = action.possibleStates }
            let asked = filter
            return session.report(action, try await session.ask { try await client.act(action, onAll: asked) })
        }
        return try await DownloadIDs.act(action, on: chosen.ids, client, in: session)
    }
}

extension ServiceAction {
    /// The states whose downloads the action applies to, for “--all”; empty for every state.
    var possibleStates: [ServiceDownload.State] {
        switch self {
        case .pause: [.running, .waiting, .queued]
        case .resume: [.paused, .waiting]
        case .retry: [.failed]
        case .remove, .verify, .extract, .prioritize, .move: []
        }
    }
}

extension DownloadIDs {
    static func act(
        _ action: ServiceAction, on words: [String], _ client: ServiceClient, in session: Session
    ) async throws -> ExitCode {
        let (results, known) = try await session.ask {
            let ids = try await DownloadIDs(client: client).resolve(words)
            // Of a few, names say more than ids; a download that is gone has none.
            var known: [ExactText: ServiceDownload] = [:]
            if ids.count <= namedAtMost {
                for id in ids { known[ExactText(id)] = (try? await client.download(id))?.download }
            }
            return (try await client.act(action, on: ids), known)
        }
        return session.report(action, results, known)
    }

    private static let namedAtMost = 5
}
