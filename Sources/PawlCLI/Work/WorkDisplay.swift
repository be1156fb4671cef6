import PawlCore
import PawlJobs
import PawlStore
import PawlSystem
import PawlWork
import Synchronization

/// Tells of a task: a line for each slice, and what came of it.
final class WorkDisplay: Sendable {
    private let session: Session
    private let writesJSON: Bool
    private let isQuiet: Bool
    private let begun = ContinuousClock.now
    private let account = Mutex(WorkAccount())

    init(_ session: Session, writesJSON: Bool, isQuiet: Bool) {
        (self.session, self.writesJSON, self.isQuiet) = (session, writesJSON, isQuiet)
    }

    /// Tells of a slice that has a manifest.
    @Sendable func committed(_ head: ManifestHead, _ isOurs: Bool) {
        account.withLock { $0.add(head, isOurs: isOurs) }
        if writesJSON {
            _ = session.writeBytes(Array((WorkJSON.slice(head, isOurs: isOurs).encoded + "\n").utf8))
        } else if !isQuiet {
            session.say(WorkWords.slice(head, isOurs: isOurs))
        }
    }

    /// - Returns: another exit code, where nobody reads the summary.
    func finish(_ code: ExitCode, isFinished: Bool) -> ExitCode? {
        let account = account.withLock { $0 }
        let elapsed = ContinuousClock.now - begun
        if writesJSON {
            let line = WorkJSON.summary(account, after: elapsed, exitCode: code.rawValue).encoded + "\n"
            return session.write(line) == .outputClosed ? .outputClosed : nil
        }
        guard !isQuiet, isFinished || account != WorkAccount() else { return nil }
        session.say(WorkWords.summary(account, isFinished: isFinished))
        return nil
    }
}

/// Counts of what a task has seen.
struct WorkAccount: Hashable, Sendable {
    /// The slices that this task has committed, and those that others had.
    var (slices, others) = (0, 0)
    /// The files of all of them.
    var (completed, failed) = (0, 0)
    /// The bytes that this task has delivered.
    var fetched: Int64 = 0

    mutating func add(_ head: ManifestHead, isOurs: Bool) {
        completed += head.completed
        failed += head.failed
        guard isOurs else { return others += 1 }
        slices += 1
        fetched &+= head.fetched
    }
}

/// The lines of `--json` (docs/fleet.md).
enum WorkJSON {
    static func slice(_ head: ManifestHead, isOurs: Bool) -> JSONValue {
        [
            "event": .string("slice"), "shard": .integer(head.id.shard), "slice": .integer(head.id.slice),
            "own": .boolean(isOurs), "items": .integer(head.items), "completed": .integer(head.completed),
            "failed": .integer(head.failed), "fetched": .integer(head.fetched),
            "milliseconds": .integer(head.milliseconds), "data": .optional(head.data?.key.text),
        ]
    }

    static func summary(_ account: WorkAccount, after elapsed: Duration, exitCode: Int32) -> JSONValue {
        [
            "event": .string("summary"), "slices": .integer(account.slices), "others": .integer(account.others),
            "completed": .integer(account.completed), "failed": .integer(account.failed),
            "fetched": .integer(account.fetched), "milliseconds": .rounded(elapsed / .milliseconds(1)),
            "exitCode": .integer(Int64(exitCode)),
        ]
    }

    static func forecast(_ forecast: Forecast, _ duplicates: Int, _ plan: BatchPlan) -> JSONValue {
        [
            "files": .integer(forecast.files), "hosts": .integer(forecast.hosts), "shards": .integer(plan.shards),
            "duplicates": .integer(duplicates), "most": .rounded(forecast.most.inSeconds),
            "all": .rounded(forecast.all.inSeconds), "largestHost": .optional(forecast.largest?.host),
            "largestHostFiles": .optional(forecast.largest.map { Int64($0.files) }),
        ]
    }

    static func report(_ report: BatchReader.Report, _ plan: BatchPlan) -> JSONValue {
        [
            "slices": .integer(report.slices), "items": .integer(report.items),
            "completed": .integer(report.completed), "failed": .integer(report.failed),
            "bytes": .integer(report.bytes), "open": .optional(open(report, plan)),
            "withoutConditions": .boolean(plan.lacksConditions),
            "failures": .object(
                report.failures.sorted { $0.key < $1.key }.map { .init(key: $0.key.text, value: .integer($0.value)) }),
        ]
    }
}

/// The number of files that are in no manifest; nil where the plan does not say how many there are.
private func open(_ report: BatchReader.Report, _ plan: BatchPlan) -> Int64? {
    plan.items.map { max(0, $0 - Int64(report.items)) }
}

/// The same in words.
enum WorkWords {
    static func slice(_ head: ManifestHead, isOurs: Bool) -> String {
        let counts = "\(files(head.completed)), \(ByteCount.text(head.fetched)), \(head.failed) failed"
        return "Slice \(head.id): \(counts)" + (isOurs ? "." : "; committed by another attempt.")
    }

    static func summary(_ account: WorkAccount, isFinished: Bool) -> String {
        let others = account.others == 0 ? "" : ", and \(account.others) committed by other attempts"
        let slices = account.slices == 1 ? "1 slice" : "\(account.slices) slices"
        return (isFinished ? "Done: " : "Not finished: ") + slices + others
            + "; \(files(account.completed)), \(account.failed) failed."
    }

    static func forecast(
        _ forecast: Forecast, _ duplicates: Int, _ plan: BatchPlan, _ rate: RequestRate?
    ) -> [String] {
        let hosts = forecast.hosts == 1 ? "1 host" : "\(forecast.hosts) hosts"
        let shards = plan.shards == 1 ? "1 shard" : "\(plan.shards) shards"
        var lines = ["\(files(forecast.files)) of \(hosts) in \(shards); duplicates left out: \(duplicates)."]
        guard let rate, let (host, count) = forecast.largest else { return lines }
        let perSecond = (1 / rate.interval.inSeconds * 1000).rounded() / 1000
        let number = perSecond == perSecond.rounded() ? "\(Int64(saturating: perSecond))" : "\(perSecond)"
        lines.append(
            "At \(number) requests a second to each host: 90 % after \(time(forecast.most)), all after \(time(forecast.all)) (\(host): \(files(count)))."
        )
        if forecast.all > .seconds(3600) { lines.append("For hosts that bear more: --host-rate, --spread.") }
        return lines
    }

    /// A time in its largest unit of which there are two.
    private static func time(_ time: Duration) -> String {
        let seconds = Int64(saturating: time.inSeconds.rounded(.up))
        let units: [(Int64, String)] = [(86_400, "days"), (3600, "hours"), (60, "minutes")]
        guard let (length, name) = units.first(where: { seconds >= 2 * $0.0 }) else {
            return seconds == 1 ? "1 second" : "\(seconds) seconds"
        }
        return "\((seconds + length - 1) / length) \(name)"
    }

    static func report(_ report: BatchReader.Report, _ plan: BatchPlan) -> String {
        var lines = [
            "Slices committed: \(report.slices)",
            "Files completed:  \(report.completed), \(ByteCount.text(report.bytes))",
            "Files failed:     \(report.failed)",
        ]
        if let open = open(report, plan), open > 0 { lines.insert("Files open:       \(open)", at: 1) }
        let failures = report.failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        lines += failures.map { "  \($0.key.text): \($0.value)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func files(_ count: Int) -> String { count == 1 ? "1 file" : "\(count) files" }
}
