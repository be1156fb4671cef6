import Pawl
import PawlAria2
import PawlCore
import PawlJobs

extension Aria2 {
    func addURI(_ given: RPCParameters) async throws(RPCError) -> GID {
        let urls = try given.texts(0)
        guard !urls.isEmpty else { throw RPCError("URI is not provided.") }
        let own = try Self.options(given.optionalOptions(1), takenBy: .adding)
        let position = try given.position(2)
        if let refusal = own.refusalOfOne(amongThose: memory.global) { throw RPCError(refusal) }
        let options = own.extending(memory.global)
        var spec: JobSpec
        do throws(JobSpec.Aria2Problem) { spec = try JobSpec(aria2: urls, options) } catch {
            throw RPCError(error.message)
        }
        try place(&spec, options)
        if let text = own["gid"] { spec.id = try freshID(for: text) }
        return try await add([spec], options, own, at: position)[0].get()
    }

    func addMetalink(_ given: RPCParameters) async throws(RPCError) -> [GID] {
        guard let document = Base64.decode(try given.text(0).utf8) else {
            throw RPCError("The Metalink is not in Base64.")
        }
        let own = try Self.options(given.optionalOptions(1), takenBy: .adding)
        let position = try given.position(2)
        if let refusal = own.refusalOfOne(amongThose: memory.global) { throw RPCError(refusal) }
        var options = own.extending(memory.global)
        // The document names its files.
        options["out"] = nil
        var specs: [JobSpec]
        do throws(JobFailure) { specs = try JobDocument.jobs(inMetalink: document).jobs } catch {
            throw RPCError(error.message)
        }
        for index in specs.indices {
            specs[index].ifExists = specs[index].ifExists ?? .rename
            do throws(JobSpec.Aria2Problem) { try specs[index].set(options) } catch { throw RPCError(error.message) }
            try place(&specs[index], options)
        }
        let outcomes = try await add(specs, options, own, at: position)
        let gids = outcomes.compactMap { try? $0.get() }
        if gids.isEmpty, let first = outcomes.first { _ = try first.get() }
        return gids
    }

    static func options(_ json: JSONValue?, takenBy calls: Aria2Option.Calls) throws(RPCError) -> Aria2Options {
        do throws(Aria2Option.Problem) { return try Aria2Options(json, takenBy: calls) } catch {
            throw RPCError(error.message)
        }
    }

    /// Sets the target of a job: a directory beneath a root, created if necessary. A Metalink's file may have one of
    /// its own.
    func place(_ spec: inout JobSpec, _ options: Aria2Options) throws(RPCError) {
        do throws(JobSpec.Aria2Problem) {
            let place = try options.place(else: settings.current.directory)
            spec.directory = spec.directory.isExactly(".") ? place.directory : place.directory + "/" + spec.directory
            if let name = place.name { spec.fileName = name }
        } catch {
            throw RPCError(error.message)
        }
        // A refused call makes no directory.
        do throws(JobSpecError) { try spec.checked() } catch { throw RPCError(error.message) }
        spec.directory = try madeDirectory(spec.directory)
    }

    func madeDirectory(_ path: String) throws(RPCError) -> String {
        do throws(Problem) {
            return try roots.madeDirectory(path, from: settings.current.directory, field: "dir")
        } catch {
            throw RPCError([error.detail, error.hint].compactMap { $0 }.joined(separator: " "))
        }
    }

    /// Remembers the options that the job itself does not record.
    func remember(_ own: Aria2Options, of id: String) {
        memory.give(own.filter { !$0.calls.contains(.secret) && !Self.shownOptions.containsExactly($0.name) }, to: id) {
            [store] id in ((try? store.job(id)) ?? nil) != nil
        }
    }

    private func freshID(for text: String) throws(RPCError) -> String {
        guard let gid = GID(text), let prefix = GID.idPrefix(of: text) else {
            throw RPCError("\(text) is invalid for GID.")
        }
        let isTaken = try reading { () throws(DownloadError) in try !store.jobs(withIDPrefix: prefix, limit: 1).isEmpty
        }
        guard !isTaken, memory.removed(withIDPrefix: prefix).isEmpty else {
            throw RPCError("GID \(text) is not unique.")
        }
        return gid.id
    }

    /// - Parameters:
    ///   - options: that hold for them.
    ///   - own: those of them that were given for them.
    func add(
        _ specs: [JobSpec], _ options: Aria2Options, _ own: Aria2Options, at position: Int?
    ) async throws(RPCError) -> [Result<GID, RPCError>] {
        let current = settings.current
        let jobs = specs.map { spec -> JobService.NewJob in
            var spec = spec
            if options.connections == nil { spec.options.maximumConnections = current.connections }
            var job = JobService.NewJob(spec)
            job.isPaused = options.isTrue("pause")
            return job
        }
        var gids: [Result<GID, RPCError>] = []
        var previous: String?
        for (spec, outcome) in zip(specs, await service.add(jobs)) {
            do throws(RPCError) {
                let added = try await refusing { () async throws(JobService.Refusal) in try outcome.get() }
                let gid = GID(of: added.job.id)
                gids.append(.success(gid))
                guard added.isNew else {
                    // It goes on as it was asked for then.
                    if let id = spec.id, !id.isExactly(added.job.id) {
                        gids[gids.count - 1] = .failure(RPCError("The same download has the GID \(gid.text)."))
                    }
                    continue
                }
                remember(own, of: added.job.id)
                // It is accepted, wherever it stands.
                if let previous {
                    try? await move(added.job, to: .after(previous))
                } else if let position {
                    try? await move(added.job, toWaiting: position)
                }
                if position != nil { previous = added.job.id }
            } catch {
                gids.append(.failure(error))
            }
        }
        return gids
    }
}
