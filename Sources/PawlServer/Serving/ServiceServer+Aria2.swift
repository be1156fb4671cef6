import Pawl
package import PawlAria2
import PawlCore
import PawlJobs

/// The facts about a download that hooks and messages report.
package struct Aria2Facts: Hashable, Sendable {
    package var gid: GID
    /// The path of the file; nil until it is named.
    package var path: String?
    /// The URL, without secrets.
    package var url = ""
    /// aria2's number of the error, 0 for none.
    package var errorCode = Aria2Status.complete
    package var message = ""
    package var stored: Int64 = 0
    package var total: Int64?
    /// The time since the download began, until it ended, in seconds.
    package var seconds: Double?
}

extension ServiceServer.Aria2Settings {
    /// The options that apply to downloads. The directory, the number of downloads at once and the like are settings.
    var global: Aria2Options {
        var global = options
        for name in Aria2.settingNames { global[name] = nil }
        return global
    }
}

extension ServiceServer {
    /// Adds what aria2c was started with. Calls are answered once that is done, but for Metalinks, which may have to be
    /// fetched.
    ///
    /// - Returns: what could not be added, as sentences.
    package func start(_ downloads: [Aria2Invocation.Download]) async -> [String] {
        let failures = await rpc.aria2.start(downloads, remoteDocuments: false)
        await rpc.aria2.waitForFirst()
        rpc.aria2.beginning.open()
        return failures + (await rpc.aria2.start(downloads, remoteDocuments: true))
    }

    /// Reports the downloads that have ended and were not reported yet.
    package func tellAria2Ends() { rpc.notifier.tellEnds() }

    /// Writes what is left to do to the file that was named for it, if one was.
    package func saveAria2Session() async throws(Aria2Failure) {
        // A service that has stopped has settled.
        try? await rpc.aria2.service.settle()
        do throws(RPCError) { _ = try rpc.aria2.writeSession() } catch { throw Aria2Failure(error.message) }
    }

    package var aria2Running: [Aria2Readout.Running] { rpc.aria2.running }

    /// The downloads that have neither completed nor failed.
    package var aria2Unfinished: [Aria2Facts] { rpc.aria2.unfinished }
}

extension Aria2 {
    var running: [Aria2Readout.Running] {
        let jobs = (try? jobs(Self.active, Self.everything)) ?? []
        return jobs.map { job in
            let (progress, facts) = (progress(of: job), facts(of: job))
            return Aria2Readout.Running(
                gid: facts.gid, path: facts.path ?? facts.url, stored: facts.stored, total: facts.total,
                connections: progress?.connections.count ?? 0,
                speed: Int64(saturating: progress?.bytesPerSecond ?? 0))
        }
    }

    var unfinished: [Aria2Facts] {
        ((try? jobs(Self.active.union(Self.waiting), Self.everything)) ?? []).map { facts(of: $0) }
    }

    /// Returns the facts about a job, or about one that was removed.
    func facts(of id: String) -> Aria2Facts {
        let job = ((try? store.job(id)) ?? nil) ?? memory.removed.last { $0.id.isExactly(id) }
        return job.map { facts(of: $0) } ?? Aria2Facts(gid: GID(of: id))
    }

    private func facts(of job: StoredJob) -> Aria2Facts {
        let progress = progress(of: job)
        var facts = Aria2Facts(gid: GID(of: job.id))
        facts.path = name(of: job).map { FileTarget.path(in: job.spec.directory, $0) }
        facts.url = (try? HTTPURL(parsing: job.url))?.redacted ?? ""
        if let failure = job.failure, job.state == .failed {
            (facts.errorCode, facts.message) = (Aria2Status.number(of: failure.code), failure.message)
        }
        facts.stored = max(job.stored, progress?.bytesStored ?? 0)
        facts.total = progress?.totalBytes ?? job.total
        if let started = job.started {
            facts.seconds = Double((job.ended ?? LiveRuntime.wallClockMilliseconds) - started) / 1000
        }
        return facts
    }
}
