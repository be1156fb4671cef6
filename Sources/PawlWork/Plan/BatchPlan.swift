import Pawl
package import PawlCore
import PawlJobs

/// The plan of a batch, `plan.json`: what was asked for. It never changes.
package struct BatchPlan: Hashable, Sendable {
    /// The place of completed files.
    package enum Form: String, CaseIterable, Hashable, Sendable {
        /// A tar for each slice.
        case tar
        /// Each file under a name of its own.
        case files
    }

    /// The latest version of the format. Each version reads those before it.
    package static let version = 1
    package static let maximumShards = 100_000
    package static let maximumSliceItems = 1_000_000

    /// The batch, in 32 hexadecimal digits.
    package var batch: String
    package var shards: Int
    /// The number of lines of all shards; nil where it is not known.
    package var items: Int64?
    /// The number of lines of a slice.
    package var sliceItems = usualSliceItems(.tar)
    package var form = Form.tar
    /// Requests to one host, in a second.
    package var hostRate = RequestRate(20, per: .seconds(1))
    package var hostConnections = 4
    /// The share of a slice's items, from 0 to 1, that may fail on our side. A slice with more is not committed.
    package var maximumFailed = 0.5
    package var connectTimeout = Duration.seconds(5)
    /// Whether no two requests have one name for their files, so that what has a name is a version of its file.
    package var hasUniqueNames = false
    /// Whether the store ignores that an object is there: of two tasks at one slice, both may commit it.
    package var lacksConditions = false
    /// The options of each item that does not say otherwise.
    package var options = Self.usualOptions
    /// The header fields and the user agent of each item that does not say otherwise; nothing else in it is used.
    package var context = DownloadContext()

    package init(batch: String, shards: Int) { (self.batch, self.shards) = (batch, shards) }

    /// - Throws: for header fields and a user agent that cannot be sent, or have no place in a plan.
    package func checkContext() throws(DownloadError) {
        var spec = JobSpec("http://host.invalid/")
        spec.context = context
        try spec.request(SecretReader()).check()
        guard let field = context.headers.first(where: \.mayBeSecret) else { return }
        throw .argument(
            "The header “\(field.name)” may prove who asks. The plan can be read by all, and its header fields go to the hosts of all files: put it in the lines that need it."
        )
    }

    /// The number of lines of a slice whose plan does not say otherwise.
    package static func usualSliceItems(_ form: Form) -> Int {
        switch form {
        case .tar: 10_000
        case .files: 100
        }
    }

    /// The options of a batch whose plan does not say otherwise: of many files, few are worth a long wait.
    package static var usualOptions: DownloadOptions {
        var options = DownloadOptions()
        options.maximumRetries = 2
        // Nobody looks at each file.
        options.requiresComplete = true
        // A host that is silent has failed three times within half a minute.
        (options.stallTimeout, options.responseTimeout) = (.seconds(8), .seconds(8))
        (options.maximumRetryTime, options.maximumTime) = (.seconds(120), .seconds(300))
        options.maximumFileSize = 1 << 30
        return options
    }
}

// MARK: - JSON

extension BatchPlan {
    /// - Throws: for what is no plan, or one of a newer version.
    package init(parsing bytes: [UInt8]) throws(WorkError) {
        let value: JSONValue
        do throws(JSONValue.Problem) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw Self.unusable("it is not JSON, from byte \(error.position) on: \(error.message)")
        }
        try self.init(jsonValue: value)
    }

    private init(jsonValue: JSONValue) throws(WorkError) {
        do throws(PlanProblem) {
            var object = try JSONObject<PlanProblem>(jsonValue)
            let version = try object.integer("version") ?? 1
            guard version <= Self.version else {
                throw PlanProblem(
                    text: "it is written in version \(version), and version \(Self.version) is the latest known here")
            }
            let batch = try object.required("batch")
            guard Self.isBatch(batch) else { throw PlanProblem(text: "“batch” must be 32 hexadecimal digits") }
            guard let shards = try object.integer("shards", 1...Int64(Self.maximumShards)) else {
                throw PlanProblem(.missing("shards"))
            }
            self.init(batch: batch, shards: Int(shards))
            items = try object.integer("items", 0...Int64.max)
            let count = try object.integer("sliceItems", 1...Int64(Self.maximumSliceItems))
            if let name = try object.string("as") {
                guard let form = Form(rawValue: name) else {
                    throw PlanProblem(text: "“as” is “\(name)”, which is not known here")
                }
                self.form = form
            }
            sliceItems = count.map { Int($0) } ?? Self.usualSliceItems(form)
            if let value = object.value("hostRate") {
                guard let rate = value.number.flatMap({ RequestRate($0, per: .seconds(1)) }) else {
                    throw PlanProblem(text: "“hostRate” must be a number of requests a second, of at most a million")
                }
                hostRate = rate
            }
            if let count = try object.integer("hostConnections", 1...1000) { hostConnections = Int(count) }
            if let value = object.value("maximumFailed") {
                guard let share = value.number, (0...1).contains(share) else {
                    throw PlanProblem(text: "“maximumFailed” must be a number from 0 to 1")
                }
                maximumFailed = share
            }
            if let seconds = try object.integer("connectTimeout", 1...86_400) { connectTimeout = .seconds(seconds) }
            hasUniqueNames = try object.flag("uniqueNames") ?? false
            lacksConditions = try object.flag("withoutConditions") ?? false
            guard form == .tar || !lacksConditions else {
                throw PlanProblem(text: "as “files”, it needs a store that does not replace what is there")
            }
            let members = Self.membersOfJob.compactMap { name in
                object.value(name).map { JSONValue.Member(key: name, value: $0) }
            }
            let job = try Self.job(members)
            (options, context) = (job.options, job.context)
            do throws(DownloadError) { try checkContext() } catch { throw PlanProblem(text: error.message) }
            // For readers alone.
            _ = object.value("created")
            try object.finish()
        } catch {
            throw Self.unusable(error.text)
        }
    }

    /// The members of a plan that are those of a job, for all its files.
    private static let membersOfJob = ["options", "headers", "userAgent"]

    /// Reads what all files have in common, options above the usual ones.
    private static func job(_ members: [JSONValue.Member]) throws(PlanProblem) -> JobSpec {
        var (members, options) = (members, [JSONValue.Member]())
        if let index = members.firstIndex(where: { $0.key.isExactly("options") }) {
            guard case .object(let given) = members.remove(at: index).value else {
                throw PlanProblem(.noObject("options"))
            }
            options = given
        }
        let usual = JobSpec.options(usualOptions)
        let others = usual.filter { member in !options.contains { $0.key.isExactly(member.key) } }
        members.append(.init(key: "url", value: .string("http://host.invalid/")))
        members.append(.init(key: "options", value: .object(options + others)))
        do throws(JobSpecError) {
            return try JobSpec(jsonValue: .object(members))
        } catch {
            throw PlanProblem(text: error.message)
        }
    }

    /// The plan as one line of JSON.
    ///
    /// - Parameter created: when it was made, for readers.
    package func json(created: String? = nil) -> String {
        var object = JSONObjectWriter()
        object.add("version", .integer(Self.version))
        object.add("batch", .string(batch))
        object.add("shards", .integer(shards))
        object.add("items", .optional(items))
        object.add("sliceItems", .integer(sliceItems))
        object.add("as", .string(form.rawValue))
        if let hostRate { object.add("hostRate", .number(1 / hostRate.interval.inSeconds)) }
        object.add("hostConnections", .integer(hostConnections))
        object.add("maximumFailed", .number(maximumFailed))
        object.add("connectTimeout", .integer(connectTimeout.components.seconds))
        if hasUniqueNames { object.add("uniqueNames", .boolean(true)) }
        if lacksConditions { object.add("withoutConditions", .boolean(true)) }
        object.add("created", .optional(created))
        object.add("options", .object(JobSpec.options(options) + Self.unusual(options)))
        for member in JobSpec.members(of: context) { object.add(member.key, member.value) }
        return object.value.encoded
    }

    /// The options that are as in every job, and so not in the JSON of one, but not as in every batch.
    private static func unusual(_ options: DownloadOptions) -> [JSONValue.Member] {
        let job = DownloadOptions()
        let both = [("stallTimeout", \DownloadOptions.stallTimeout), ("responseTimeout", \.responseTimeout)]
        return both.filter { options[keyPath: $0.1] == job[keyPath: $0.1] }.map { name, path in
            .init(key: name, value: .integer(job[keyPath: path].components.seconds))
        }
    }

    private static func isBatch(_ text: String) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func unusable(_ reason: String) -> WorkError {
        let end = reason.ends(with: ".") ? "" : "."
        return WorkError(.batch, "The plan of this batch cannot be used: \(reason)\(end)")
    }
}

extension JobSpec {
    /// The options that differ from those of a job, as members of a JSON object.
    fileprivate static func options(_ options: DownloadOptions) -> [JSONValue.Member] {
        var spec = JobSpec("http://host.invalid/")
        spec.options = options
        guard case .object(let options)? = spec.members.first(where: { $0.key.isExactly("options") })?.value
        else { return [] }
        return options
    }

    fileprivate static func members(of context: DownloadContext) -> [JSONValue.Member] {
        var spec = JobSpec("http://host.invalid/")
        (spec.headers, spec.userAgent) = (context.headers, context.userAgent)
        return spec.members.filter { ["headers", "userAgent"].containsExactly($0.key) }
    }

    private var members: [JSONValue.Member] {
        guard case .object(let members) = jsonValue(version: Self.version) else { return [] }
        return members
    }
}

private struct PlanProblem: JSONObjectError {
    let text: String

    init(text: String) { self.text = text }

    init(_ problem: JSONObjectProblem) {
        text =
            switch problem {
            case .noObject(""): "it must be a JSON object"
            case .noObject(let name): "“\(name)” must be a JSON object"
            case .missing(let name): "“\(name)” is missing"
            case .wrong(let name, let expected): "“\(name)” must be \(expected)"
            case .unknown(let name): "“\(name)” is not a field of a plan"
            }
    }
}

extension JSONValue {
    /// The value of a number of either kind; nil for what is no number.
    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .decimal(let text): Double(text)
        default: nil
        }
    }

    /// A number, as a whole one where it is.
    fileprivate static func number(_ number: Double) -> JSONValue {
        number == number.rounded() ? .integer(Int64(saturating: number)) : .decimal("\(number)")
    }
}
