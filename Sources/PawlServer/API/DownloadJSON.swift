import FoundationEssentials
import Pawl
import PawlCore
import PawlEngine
import PawlJobs
import PawlSystem

/// Snapshots of jobs as the API tells them (openapi.json, `Download`).
struct DownloadJSON: Sendable {
    let service: JobService

    func value(_ job: StoredJob, position: Int?) -> JSONValue { .object(members(job, position: position)) }

    /// Returns the JSON of jobs, with their positions, which are counted together.
    func values(_ jobs: [StoredJob]) throws(DownloadError) -> [JSONValue] {
        let positions = try service.store.positions(of: jobs)
        return jobs.map { value($0, position: positions[$0.number]) }
    }

    func value(_ job: StoredJob) throws(DownloadError) -> JSONValue { try values([job])[0] }

    func members(_ job: StoredJob, position: Int?) -> [JSONValue.Member] {
        let live = job.state.hasEnded ? nil : job.download.flatMap { service.snapshot($0) }
        let progress = live?.progress ?? (job.isDirect ? service.directProgress(of: job.number) : nil)
        let state = Self.state(of: job, live)
        let isRunning = state == .running
        var members: [JSONValue.Member] = []
        func add(_ key: String, _ value: JSONValue) { members.append(.init(key: key, value: value)) }
        add("id", .string(job.id))
        add("change", .integer(job.change))
        add("state", .string(state.rawValue))
        add(
            "step",
            .optional(
                isRunning
                    ? (job.step ?? .fetch).name : job.state == .completed && job.failure == nil ? job.step?.name : nil))
        add("url", .string(Self.shown(job.url)))
        add("directory", .string(job.spec.directory))
        add("file", .optional(live?.fileName ?? job.name))
        add("priority", .integer(Int64(job.priority)))
        add("position", position.map { .integer($0) } ?? .null)
        add("tag", .optional(job.tag))
        let knows = progress.map { $0.bytesStored > 0 || $0.hasBegun } ?? false
        add("bytes", .integer(knows ? progress?.bytesStored ?? 0 : job.stored))
        add("durable", .integer(knows ? progress?.bytesDurable ?? 0 : job.stored))
        add("total", .optional(progress?.totalBytes ?? job.total))
        add("rate", .rounded(isRunning ? progress?.bytesPerSecond ?? 0 : 0))
        add("secondsLeft", isRunning ? .rounded(progress?.secondsLeft?.rounded(.up)) : .null)
        add("connections", .array(isRunning ? (progress?.connections ?? []).map(Self.connection) : []))
        // The second is the name until version 2 of jobs.
        for name in ["maxSpeed", "speedLimit"] { add(name, .optional(job.spec.options.maximumBytesPerSecond)) }
        add(
            "whyWaiting",
            .optional(
                job.state.hasEnded || isRunning
                    ? nil : job.isPaused ? "Paused." : live?.whyWaiting ?? "Waiting for its turn."))
        add("waiting", state == .waiting ? live.flatMap(Self.waiting) ?? .null : .null)
        add("notStored", .array(service.notStored(of: job).map { .string($0) }))
        add("error", job.failure.map { Self.error($0, of: job) } ?? .null)
        add("complete", job.state.hasEnded ? job.isComplete.map { .boolean($0) } ?? .null : .null)
        add("verified", .boolean(job.isVerified ?? false))
        add("skipped", .boolean(job.isSkipped))
        add("missing", .boolean(job.isMissing))
        add("unpacked", .optional(job.unpacked))
        add("added", Self.time(job.added / 1000))
        add("started", job.started.map { Self.time($0 / 1000) } ?? .null)
        add("ended", job.ended.map { Self.time($0 / 1000) } ?? .null)
        add("files", [])
        return members
    }

    /// Returns the state to report. The stored one can be a moment older than the live one.
    private static func state(of job: StoredJob, _ live: DownloadSnapshot?) -> StoredJob.State {
        switch (job.state, live?.state) {
        case (.waiting, .running): .running
        case (.waiting, .waiting): .waiting
        case (.waiting, _): .queued
        default: job.state
        }
    }

    /// Returns the content of the event `progress` for a running download.
    static func progress(_ id: String, _ progress: DownloadProgress) -> JSONValue {
        [
            "id": .string(id), "bytes": .integer(progress.bytesStored), "durable": .integer(progress.bytesDurable),
            "total": .optional(progress.totalBytes), "rate": .rounded(progress.bytesPerSecond),
            "secondsLeft": .rounded(progress.secondsLeft?.rounded(.up)),
            "connections": .array(progress.connections.map(connection)),
        ]
    }

    // MARK: Parts

    static func connection(_ connection: DownloadProgress.Connection) -> JSONValue {
        [
            "id": .integer(connection.id), "position": .integer(connection.position), "end": .optional(connection.end),
            "rate": .rounded(connection.bytesPerSecond), "host": .string(connection.host),
        ]
    }

    private static func waiting(_ snapshot: DownloadSnapshot) -> JSONValue? {
        guard case .waiting(let reason) = snapshot.state else { return nil }
        let (code, host, seconds): (String, String?, Double?) =
            switch reason {
            case .hostLimit(let host): ("hostLimit", host, nil)
            case .hostRests(let host, let seconds): ("hostRests", host, seconds)
            case .backOff(let seconds, _), .network(let seconds, _): ("backOff", nil, seconds)
            case .diskFull: ("diskFull", nil, nil)
            case .freshURL: ("freshURL", nil, nil)
            case .timetable(let pause):
                ("timetable", nil, Double(ServiceSettings.end(of: pause) - LiveRuntime.wallClockSeconds))
            case .credentials: ("credentials", nil, nil)
            }
        return [
            "code": .string(code), "host": .optional(host), "seconds": .rounded(seconds?.rounded(.up)),
            "until": seconds.map { time(LiveRuntime.wallClockSeconds + Int64(saturating: $0.rounded(.up))) } ?? .null,
        ]
    }

    private static func error(_ failure: StoredJob.Failure, of job: StoredJob) -> JSONValue {
        [
            "code": .string(failure.code), "message": .string(failure.message),
            "hint": .optional(job.hint),
            "remedies": .array(failure.remedies.map { .string($0) }), "recovery": .string(failure.recovery),
            "step": .string((job.step ?? .fetch).name),
        ]
    }

    static func counts(_ counts: [StoredJob.State: Int]) -> JSONValue {
        .object(
            [.queued, .running, .waiting, .paused, .completed, .failed].map { (state: StoredJob.State) in
                JSONValue.Member(key: state.rawValue, value: .integer(counts[state] ?? 0))
            })
    }

    /// Returns the time in UTC, as RFC 3339 writes it.
    static func time(_ seconds: Int64) -> JSONValue {
        .string(Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601))
    }

    /// The job without what is secret, or may be.
    static func shown(_ spec: JobSpec) -> JSONValue {
        var spec = spec.withoutSecrets.spec
        switch spec.source {
        case .url(let url, let mirrors):
            let others = mirrors.map { Mirror(shown($0.url), priority: $0.priority, location: $0.location) }
            spec.source = .url(shown(url), mirrors: others)
        case .metalink(let place, let select): spec.source = .metalink(shown(place), select: select)
        }
        spec.freshURL = spec.freshURL.map(shown)
        spec.digestList = spec.digestList.map(shown)
        spec.referer = spec.referer.map(shown)
        spec.headers.removeAll { $0.isNamed("referer") }
        return spec.jsonValue
    }

    /// Returns a URL without its userinfo and the values of its query.
    static func shown(_ place: String) -> String { (try? HTTPURL(parsing: place))?.redacted ?? place }
}
