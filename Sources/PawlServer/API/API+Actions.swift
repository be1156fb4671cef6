import PawlCore
import PawlJobs

/// Actions on downloads, one or many at once.
extension API {
    fileprivate enum Verb: String, CaseIterable { case pause, resume, retry, remove, verify, extract, prioritize }

    /// The number of downloads changed in one commit. Other changes wait for it.
    private static let batch = 2000
    /// The number of downloads handled at once by actions that take them one by one.
    private static let width = 64

    func act(_ action: APIRoute.Action, on id: String) async throws(Problem) -> HTTPAnswer {
        let job = try known(id)
        try await perform(Verb(action), on: job.id)
        return try snapshot(try known(id))
    }

    private func perform(
        _ verb: Verb, on id: String, deletesFiles: Bool = false, _ changes: JobService.Changes? = nil
    ) async throws(Problem) {
        try await refusing(id) { () async throws(JobService.Refusal) in
            switch verb {
            case .pause: try await service.pause(id)
            case .resume: try await service.resume(id)
            case .retry: try await service.retry(id)
            case .remove: try await service.remove(id, deletesFiles: deletesFiles)
            case .verify: try await service.verify(id)
            case .extract: try await service.extract(id)
            case .prioritize: if let changes { try await service.change(id, changes) }
            }
        }
    }

    // MARK: Many

    func act(_ call: HTTPCall) async throws(Problem) -> HTTPAnswer {
        var members = try RequestObject(try call.json())
        guard let word = try members.string("action", 1...20), let verb = Verb(exactly: word) else {
            throw .invalid(
                "action", "“action” must be one of \(Verb.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        let files = try members.string("files", 1...20)
        guard files.map({ $0.utf8.elementsEqual("keep".utf8) || $0.utf8.elementsEqual("delete".utf8) }) ?? true else {
            throw .invalid("files", "“files” must be keep or delete.")
        }
        let deletes = files.map { $0.utf8.elementsEqual("delete".utf8) } ?? false
        var changes = JobService.Changes()
        changes.priority = try members.integer("priority", -1000...1000).map { Int32($0) }
        changes.position = try members.value("position").map { (value) throws(Problem) in try .init(value) }
        if verb == .prioritize, changes.priority == nil, changes.position == nil {
            throw Problem(
                422, "missingField", "“prioritize” needs “priority” or “position”.", fields: ["priority", "position"])
        }
        if case .array(let ids)? = members.members.first(where: { $0.key.utf8.elementsEqual("ids".utf8) })?.value,
            ids.count > Self.maximumItems
        {
            throw Problem(
                422, "tooMany", "There are \(ids.count) ids; one call accepts at most \(Self.maximumItems).",
                hint: "Split them over several calls.", fields: ["ids"])
        }
        let ids = try members.strings("ids", atMost: Self.maximumItems)
        let filter = try members.value("filter").map { (value) throws(Problem) in try JobQuery(filter: value) }
        try members.finish()
        switch (ids, filter) {
        case (let ids?, nil):
            guard !ids.isEmpty, ids.allSatisfy(isDownloadID) else {
                throw .invalid("ids", "“ids” must be ids of downloads: UUIDs in lower case.")
            }
            let outcomes = await perform(verb, on: ids, deletes, changes)
            return .json(["results": .array(zip(ids, outcomes).map(Self.result)), "change": .integer(try lastChange())])
        case (nil, let filter?):
            let ids = try reading { () throws(DownloadError) in try store.ids(filter) }
            let outcomes = await perform(verb, on: ids, deletes, changes)
            // What is gone meanwhile needed nothing.
            let failed = outcomes.count { $0.map { $0.status != 404 } ?? false }
            if let problem = outcomes.compactMap({ $0 }).first(where: { $0.status >= 500 }) { throw problem }
            return .json([
                "matched": .integer(ids.count), "done": .integer(ids.count - failed), "notPossible": .integer(failed),
                "change": .integer(try lastChange()),
            ])
        default: throw Problem(422, "contradiction", "Give either “ids” or “filter”.", fields: ["ids", "filter"])
        }
    }

    private func lastChange() throws(Problem) -> Int64 {
        try reading { () throws(DownloadError) in try store.lastChange() }
    }

    private static func result(_ id: String, _ problem: Problem?) -> JSONValue {
        guard let problem else { return ["id": .string(id), "status": 200] }
        return ["id": .string(id), "status": problem.status == 404 ? 404 : 409, "problem": problem.json]
    }

    /// - Returns: for each id why it was not done.
    private func perform(
        _ verb: Verb, on ids: [String], _ deletes: Bool, _ changes: JobService.Changes
    ) async -> [Problem?] {
        switch verb {
        case .pause: await inBatches(ids) { await service.pause($0) }
        case .resume: await inBatches(ids) { await service.resume($0) }
        case .retry: await inBatches(ids) { await service.retry($0) }
        case .remove: await inBatches(ids) { await service.remove($0, deletesFiles: deletes) }
        // Each is moved behind or before the one before it, so that they keep their order.
        case .prioritize where changes.position != nil: await move(ids, changes)
        case .verify, .extract, .prioritize:
            await concurrently(ids.count, width: Self.width) {
                await problem(of: verb, on: ids[$0], deletesFiles: deletes, changes)
            }
        }
    }

    private func inBatches(
        _ ids: [String], _ act: ([String]) async -> [JobService.Refusal?]
    ) async -> [Problem?] {
        var outcomes: [Problem?] = []
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            let some = Array(ids[start..<min(start + Self.batch, ids.count)])
            outcomes += zip(some, await act(some)).map { id, refusal in refusal.map { Problem($0, id: id) } }
        }
        return outcomes
    }

    private func problem(
        of verb: Verb, on id: String, deletesFiles: Bool, _ changes: JobService.Changes
    ) async -> Problem? {
        do throws(Problem) {
            guard isDownloadID(id) else { throw Problem(.unknown, id: id) }
            try await perform(verb, on: id, deletesFiles: deletesFiles, changes)
            return nil
        } catch {
            return error
        }
    }

    private func move(_ ids: [String], _ changes: JobService.Changes) async -> [Problem?] {
        var outcomes: [ExactText: Problem] = [:]
        var changes = changes
        for id in inOrder(ids) {
            do throws(Problem) {
                try await perform(.prioritize, on: id, changes)
                // A step by so many places is made by each of them.
                if case .by = changes.position { continue }
                changes.position = .after(id)
            } catch {
                outcomes[ExactText(id)] = error
            }
        }
        return ids.map { outcomes[ExactText($0)] }
    }

    /// Returns the ids in the order of the queue.
    private func inOrder(_ ids: [String]) -> [String] {
        let places = ids.map { id in
            let place = (try? store.job(id))?.map { ($0.listPlace.group, $0.listPlace.key, $0.number) } ?? nil
            return (id, place ?? (.max, .max, .max))
        }
        return places.sorted { $0.1 < $1.1 }.map(\.0)
    }
}

extension API.Verb {
    fileprivate init(_ action: APIRoute.Action) {
        switch action {
        case .pause: self = .pause
        case .resume: self = .resume
        case .retry: self = .retry
        case .verify: self = .verify
        case .extract: self = .extract
        }
    }
}

extension JobQuery {
    /// - Throws: ``Problem``.
    fileprivate init(filter: JSONValue) throws(Problem) {
        self.init()
        var members = try RequestObject(filter, "filter")
        if let words = try members.strings("state", atMost: 6) {
            guard !words.isEmpty else { throw .invalid("filter.state", "“filter.state” is empty.") }
            for word in words {
                guard let state = StoredJob.State(exactly: word) else {
                    throw .invalid("filter.state", "“\(word)” is not a state.")
                }
                states.insert(state)
            }
        }
        text = try members.string("q", 1...256)
        // SQLite would take the text to end there.
        if let text, text.utf8.contains(0) { throw .invalid("filter.q", "“filter.q” must be a string without NUL.") }
        tag = try members.string("tag", 1...256).map(NewDownload.tag)
        except = try members.strings("except", atMost: 1000) ?? []
        try members.finish()
    }
}
