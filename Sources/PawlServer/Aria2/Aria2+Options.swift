import Pawl
import PawlAria2
import PawlCore
import PawlJobs
import PawlSystem

extension Aria2 {
    // MARK: Of the service

    /// The options that are settings of the service.
    static let settingNames: [StaticString] = [
        "dir", "max-concurrent-downloads", "max-overall-download-limit", "split", "max-connection-per-server",
    ]

    /// The options that apply to jobs without their own.
    var globalOptions: Aria2Options {
        let current = settings.current
        var live = Aria2Options()
        live["dir"] = current.directory
        live["max-concurrent-downloads"] = String(current.maximumRunning)
        live["max-overall-download-limit"] = String(current.speedLimit ?? 0)
        live["split"] = String(current.connections)
        live["max-connection-per-server"] = String(current.connections)
        live["auto-file-renaming"] = "true"
        return memory.global.over(live).over(.initial)
    }

    func changeGlobalOptions(_ json: JSONValue) async throws(RPCError) -> JSONValue {
        var given = try Self.options(json, takenBy: .global)
        var patch: [JSONValue.Member] = []
        if let directory = given["dir"] {
            patch.append(.init(key: "directory", value: .string(try madeDirectory(directory))))
        }
        if let number = given.number("max-concurrent-downloads") {
            patch.append(.init(key: "maximumRunning", value: .integer(min(number, 100))))
        }
        if let limit = given.number("max-overall-download-limit") {
            patch.append(.init(key: "speedLimit", value: limit > 0 ? .integer(limit) : .null))
        }
        if let connections = given.connections { patch.append(.init(key: "connections", value: .integer(connections))) }
        if let refusal = given.refusal ?? given.refusalOfOne(amongThose: memory.global) { throw RPCError(refusal) }
        if let path = given["save-session"], !path.isEmpty { given["save-session"] = try file(path) }
        if !patch.isEmpty {
            do throws(Problem) { try await settings.patch(.object(patch), roots, ifChange: nil) } catch {
                throw RPCError(error.detail)
            }
        }
        for name in Self.settingNames { given[name] = nil }
        memory.changeGlobal(given)
        return Self.done
    }

    /// A client may have files written beneath the roots only.
    ///
    /// - Returns: the absolute path.
    private func file(_ path: String) throws(RPCError) -> String {
        let parts = PathParts(path)
        do throws(Problem) {
            return try roots.directory(parts.directory, from: settings.current.directory, field: "save-session") + "/"
                + parts.name
        } catch {
            throw RPCError([error.detail, error.hint].compactMap { $0 }.joined(separator: " "))
        }
    }

    // MARK: Of a download

    func options(of text: String) throws(RPCError) -> JSONValue {
        let known = try known(text)
        var options = options(of: known.job).filter { $0.calls.contains(.adding) }
        // It is said when a download is added, and done with.
        options["pause"] = nil
        return options.json
    }

    /// The options that the job itself tells again, and its id and its state.
    static let shownOptions = [
        "allow-overwrite", "auto-file-renaming", "checksum", "conditional-get", "continue", "dir", "gid", "header",
        "max-download-limit", "out", "pause", "referer", "remote-time", "user-agent",
    ]

    func options(of job: StoredJob) -> Aria2Options {
        let spec = service.spec(of: job)
        var own = Aria2Options()
        own["dir"] = spec.directory
        own["out"] = spec.fileName
        own["checksum"] = spec.options.digest.map { "\($0.algorithm.rawValue)=\($0.hex)" }
        own["header"] =
            spec.headers.isEmpty ? nil : spec.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
        own["referer"] = spec.referer
        own["user-agent"] = spec.userAgent
        own["max-download-limit"] = String(spec.options.maximumBytesPerSecond ?? 0)
        own["conditional-get"] = "\(spec.options.onlyIfNewer)"
        own["remote-time"] = "\(spec.options.keepsRemoteTime)"
        own["continue"] = "\(spec.options.adoptsPartialFile)"
        own["allow-overwrite"] = "\(spec.ifExists == .replace)"
        own["auto-file-renaming"] = "\(spec.ifExists == .rename)"
        let given = memory.given(of: job.id)
        own["split"] = given["split"] ?? String(spec.options.maximumConnections)
        own["max-connection-per-server"] = given["max-connection-per-server"] ?? String(spec.options.maximumConnections)
        return own.over(given).over(globalOptions)
    }

    /// A download that runs starts again with what cannot be changed while it does, from what it has.
    func changeOptions(of text: String, _ json: JSONValue) async throws(RPCError) -> JSONValue {
        let known = try known(text)
        guard let job = known.unfinished else {
            throw RPCError("Cannot change option for GID#\(GID(of: known.job.id).text)")
        }
        let own = try Self.options(json, takenBy: [.changing, .restarting])
        if let refusal = own.refusal ?? own.refusalOfOne(amongThose: memory.global) { throw RPCError(refusal) }
        var given = own
        var changes = JobService.Changes()
        if let limit = given.number("max-download-limit") { changes.maxSpeed = .some(limit > 0 ? limit : nil) }
        given["max-download-limit"] = nil
        var wanted = service.spec(of: job)
        let before = wanted
        do throws(JobSpec.Aria2Problem) { try wanted.set(given) } catch { throw RPCError(error.message) }
        if given["dir"] != nil || given["out"] != nil {
            var place = given
            place["dir"] = given["dir"] ?? wanted.directory
            wanted.directory = "."
            try self.place(&wanted, place)
        }
        if wanted != before {
            changes.edit = { [given, wanted] spec in
                // The rest is what it is by then.
                try? spec.set(given)
                (spec.directory, spec.fileName) = (wanted.directory, wanted.fileName)
            }
        }
        try await change(job, changes)
        remember(own, of: job.id)
        return Self.done
    }

    /// Returns the piece length of a job, in bytes.
    func pieceLength(of job: StoredJob) -> Int64 {
        memory.given(of: job.id).number("piece-length") ?? memory.global.number("piece-length") ?? 1 << 20
    }
}
