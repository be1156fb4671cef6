import Pawl
import PawlCore
import PawlJobs

extension Aria2 {
    func addURI(_ given: RPCParameters) async throws(RPCError) -> GID {
        let urls = try given.texts(0)
        guard !urls.isEmpty else { throw RPCError("URI is not provided.") }
        let own = try Self.options(given.optionalOptions(1), takenBy: .adding)
        let position = try given.position(2)
        let options = own.over(memory.global)
        var spec: JobSpec
        do throws(JobSpec.Aria2Problem) { spec = try JobSpec(aria2: urls, options) } catch { throw RPCError(error.message) }
        try place(&spec, options)
        if let text = own["gid"] { spec.id = try freshID(for: text) }
        return try await add([spec], own, at: position)[0]
    }

    func addMetalink(_ given: RPCParameters) async throws(RPCError) -> [GID] {
        guard let document = Base64.decode(try given.text(0).utf8) else { throw RPCError("The Metalink is not in Base64.") }
        let own = try Self.options(given.optionalOptions(1), takenBy: .adding)
        let position = try given.position(2)
        let options = own.over(memory.global)
        var specs: [JobSpec]
        do throws(JobFailure) { specs = try JobDocument.jobs(inMetalink: document).jobs } catch { throw RPCError(error.message) }
        for index in specs.indices {
            let name = specs[index].fileName
            do throws(JobSpec.Aria2Problem) { try specs[index].set(options) } catch { throw RPCError(error.message) }
            specs[index].fileName = name
            try place(&specs[index], options)
        }
        return try await add(specs, own, at: position)
    }

    static func options(_ json: JSONValue?, takenBy calls: Aria2Option.Calls) throws(RPCError) -> Aria2Options {
        do throws(Aria2Option.Problem) { return try Aria2Options(json, takenBy: calls) } catch { throw RPCError(error.message) }
    }

    /// Where the file goes: a directory beneath a root, made if it is not there. The name may have directories in front, as aria2's may.
    func place(_ spec: inout JobSpec, _ options: Aria2Options) throws(RPCError) {
        var directory = options["dir"] ?? settings.current.directory
        if let name = spec.fileName {
            let parts = name.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
            guard let last = parts.last else { throw RPCError("“\(name)” is no name of a file.") }
            spec.fileName = last
            directory = ([directory] + parts.dropLast()).joined(separator: "/")
        }
        do throws(Problem) {
            spec.directory = try roots.madeDirectory(directory, from: settings.current.directory, field: "dir")
        } catch {
            throw RPCError([error.detail, error.hint].compactMap { $0 }.joined(separator: " "))
        }
    }

    private func freshID(for text: String) throws(RPCError) -> String {
        guard let gid = GID(text), let prefix = GID.idPrefix(of: text) else { throw RPCError("\(text) is invalid for GID.") }
        let isTaken = try reading { () throws(DownloadError) in try !store.jobs(withIDPrefix: prefix, limit: 1).isEmpty }
        guard !isTaken, memory.removed(withIDPrefix: prefix).isEmpty else { throw RPCError("GID \(text) is not unique.") }
        return gid.freshID()
    }

    private func add(_ specs: [JobSpec], _ own: Aria2Options, at position: Int?) async throws(RPCError) -> [GID] {
        let current = settings.current
        let jobs = specs.map { spec -> JobService.NewJob in
            var spec = spec
            if own.connections == nil { spec.options.maximumConnections = current.connections }
            var job = JobService.NewJob(spec)
            job.isPaused = own.isTrue("pause")
            return job
        }
        var gids: [GID] = []
        var previous: String?
        for outcome in await service.add(jobs) {
            let job = try await refusing { () async throws(JobService.Refusal) in try outcome.get() }.job
            memory.give(own.filter { !$0.calls.contains(.secret) && $0.hasNoMeaning }, to: job.id)
            if let previous {
                try await move(job, to: .after(previous))
            } else if let position {
                try await move(job, toWaiting: position)
            }
            if position != nil { previous = job.id }
            gids.append(GID(of: job.id))
        }
        return gids
    }
}

extension Aria2Option {
    /// The job itself tells the others.
    var hasNoMeaning: Bool {
        !["dir", "out", "checksum", "header", "referer", "user-agent", "max-download-limit", "gid", "pause"].containsExactly(name)
    }
}
