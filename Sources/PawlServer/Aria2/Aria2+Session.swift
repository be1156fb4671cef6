import Pawl
import PawlAria2
import PawlCore
import PawlJobs
import PawlSystem

/// The session at both ends of the service: the list with which it starts, and the one that it saves (`save-session`).
extension Aria2 {
    /// Saves the session. Without a file for it, there is nothing to save: every change is durable when it is answered.
    func saveSession() async throws(RPCError) -> JSONValue {
        try await refusing { () async throws(JobService.Refusal) in try await service.settle() }
        if try !writeSession(), isOnlySession { throw RPCError("Filename is not given.") }
        return Self.done
    }

    /// Writes what is left as the database has it, also once the service has stopped. False if no file was named.
    func writeSession() throws(RPCError) -> Bool {
        guard let path = memory.global["save-session"], !path.isEmpty else { return false }
        let entries = try sessionEntries()
        do throws(Aria2Failure) { try Aria2Session.save(entries, to: path) } catch { throw RPCError(error.message) }
        return true
    }

    /// Returns the entries in aria2's order: failed, running, waiting.
    private func sessionEntries() throws(RPCError) -> [Aria2Session.Entry] {
        var left = try jobs([.failed], Self.everything).filter { job in
            Aria2Status.number(of: job.failure?.code ?? "") != Aria2Status.notFound
                || !options(of: job).isFalse("save-not-found")
        }
        left += try jobs([.completed], Self.everything).filter { options(of: $0).isTrue("force-save") }
        left += try jobs(Self.active, Self.everything) + jobs(Self.waiting, Self.everything)
        return memory.left
            + left.map {
                Aria2Session.Entry(
                    urls: sources(of: $0), gid: GID(of: $0.id), isPaused: $0.isPaused, options: savedOptions(of: $0))
            }
    }

    /// Returns the options that differ from the defaults of aria2.
    private func savedOptions(of job: StoredJob) -> Aria2Options {
        var saved = options(of: job).filter { $0.calls.contains(.adding) }
        for (option, value) in saved.entries where option.isHarmless(value) { saved.remove(option) }
        // The number of connections is Pawl's own where nobody has said it.
        let given = memory.given(of: job.id).over(memory.global)
        for name in ["split", "max-connection-per-server"] as [StaticString] { saved[name] = given[name] }
        if case .password(let name, .value(let password)) = service.spec(of: job).authentication {
            (saved["http-user"], saved["http-passwd"]) = (name, password)
        }
        return saved
    }

    // MARK: The start

    /// Adds what aria2c was started with, in its order. One that cannot be added keeps none of the others from it.
    ///
    /// - Parameter remoteDocuments: those that are Metalinks which have to be fetched; else the others.
    /// - Returns: what could not be added, as sentences.
    func start(_ downloads: [Aria2Invocation.Download], remoteDocuments: Bool) async -> [String] {
        var failures: [String] = []
        var begun: [ExactText: Int] = [:]
        for download in downloads where download.isRemoteDocument == remoteDocuments {
            do throws(RPCError) {
                for var spec in try await specs(of: download) {
                    // The same file once more is another download here, as its GID is another.
                    if let url = spec.url, spec.fileName == nil {
                        let count = begun[ExactText("\(spec.directory)\n\(url)"), default: 0]
                        begun[ExactText("\(spec.directory)\n\(url)")] = count + 1
                        let name =
                            (try? HTTPURL(parsing: url)).map { FileName.choose(contentDisposition: nil, url: $0) } ?? ""
                        if count > 0 { spec.fileName = FileName.renamed(name, attempt: count) }
                    }
                    spec.resumeLeftByAria2()
                    _ = try await add([spec], download.options, download.own, at: nil)[0].get()
                }
            } catch {
                failures.append(error.message)
                memory.leave(download.entry)
            }
        }
        return failures
    }

    private func specs(of download: Aria2Invocation.Download) async throws(RPCError) -> [JobSpec] {
        var spec: JobSpec
        do throws(JobSpec.Aria2Problem) { spec = try download.spec(else: settings.current.directory) } catch {
            throw RPCError(error.message)
        }
        spec.directory = try madeDirectory(spec.directory)
        guard case .metalink = download.source else {
            spec.id = download.gid.id
            return [spec]
        }
        let files = try await refusing { [service, spec] () async throws(JobService.Refusal) in
            try await service.files(of: spec, limit: .max).jobs
        }
        return files.enumerated().map { index, file in
            var file = file
            file.id = index == 0 ? download.gid.id : nil
            return file
        }
    }
}
