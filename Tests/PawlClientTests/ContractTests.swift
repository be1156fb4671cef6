import Pawl
import PawlCore
import Testing

@testable import PawlClient
@testable import PawlJobs

/// The values of the client, compared with openapi.json in both directions.
@Suite struct ContractTests {
    private let contract: Contract

    init() throws { contract = try Contract.shared.get() }

    // MARK: Answers

    /// One schema, and the value that reads it.
    struct Answer: CustomTestStringConvertible, Sendable {
        let schema: String
        let names: Set<String>
        let decode: @Sendable (JSONValue) throws -> any AnswerObject

        init<Value: AnswerObject>(_ schema: String, _ type: Value.Type) {
            self.schema = schema
            names = Set(type.members.flatMap(\.names))
            decode = { try type.init($0) }
        }

        var testDescription: String { schema }

        func reads(_ value: JSONValue) -> Bool { (try? decode(value)) != nil }
    }

    static let answers = [
        Answer("Download", ServiceDownload.self), Answer("DownloadError", ServiceDownload.Failure.self),
        Answer("Connection", ServiceDownload.Connection.self), Answer("Waiting", ServiceDownload.Waiting.self),
        Answer("File", ServiceDownload.File.self), Answer("DownloadDetail", ServiceDownloadDetail.self),
        Answer("Digest", ServiceDownloadDetail.Digest.self), Answer("Source", ServiceDownloadDetail.Source.self),
        Answer("LogEntry", ServiceDownloadDetail.LogEntry.self), Answer("DownloadPage", ServicePage.self),
        Answer("Counts", ServiceCounts.self), Answer("AddResult", AddedDownload.self),
        Answer("ActionResults", ActionResults.self), Answer("ActionResults.results", ActionResult.self),
        Answer("ActionCounts", ActionCounts.self), Answer("DocumentJobs", DocumentJobs.self),
        Answer("Settings", ServiceSettings.self), Answer("Stats", ServiceStats.self),
        Answer("Version", ServiceVersion.self), Answer("Problem", ServiceError.self),
        Answer("Progress", ServiceProgress.self), Answer("Hello", ServiceEvent.Hello.self),
        Answer("Reset", ServiceEvent.Reset.self), Answer("Removed", ServiceEvent.Removed.self),
    ]

    /// Members that the client does not read, and takes as they are.
    private static let unread: Set<String> = ["Problem.type", "Problem.title", "DownloadDetail.job"]
    /// Former names, beside which the present ones stand.
    private static let former: Set<String> = ["Download.speedLimit", "DownloadDetail.speedLimit"]
    /// Members without which an answer means nothing. A service of another version may lack the others.
    private static let needed: Set<String> = [
        "Download.id", "Download.state", "Download.url", "DownloadDetail.id", "DownloadDetail.state",
        "DownloadDetail.url", "File.state", "DownloadPage.total", "DownloadPage.counts", "DownloadPage.change",
        "ActionResults.results.id", "ActionResults.results.status", "ActionCounts.matched", "ActionCounts.done",
        "ActionCounts.notPossible", "Settings.directory", "Stats.counts", "Version.name", "Version.version",
        "Version.api", "Problem.code", "Problem.detail", "Progress.id", "Hello.change", "Reset.change", "Removed.id",
    ]

    @Test(arguments: answers)
    func `a value has the members of its schema, no more and no fewer`(answer: Answer) throws {
        #expect(answer.names == Set(try contract.properties(try contract.schema(answer.schema)).keys))
    }

    @Test(arguments: answers)
    func `every answer that the contract allows is read`(answer: Answer) throws {
        let examples = try contract.examples(try contract.schema(answer.schema))
        #expect(!examples.isEmpty)
        for example in examples { _ = try answer.decode(example) }
    }

    @Test(arguments: answers)
    func `a needed member that is missing is refused, and any that has another type`(answer: Answer) throws {
        let schema = try contract.schema(answer.schema)
        let whole = try #require(try contract.examples(schema).first)
        let required = try contract.required(schema)
        for (name, property) in try contract.properties(schema) {
            if Self.unread.union(Self.former).contains("\(answer.schema).\(name)") { continue }
            let kinds = Set(try contract.examples(property).flatMap(\.kinds))
            let isNeeded = Self.needed.contains("\(answer.schema).\(name)")
            #expect(!isNeeded || (required.contains(name) && !kinds.contains("null")), "\(name)")
            #expect(answer.reads(whole.setting(name, nil)) != isNeeded, "without \(name)")
            #expect(answer.reads(whole.setting(name, .null)) != isNeeded, "with null as \(name)")
            var wrong = Self.values.filter { $0 != .null && kinds.isDisjoint(with: $0.kinds) }
            if case .array(let items)? = whole[name] {
                let kinds = Set(items.flatMap(\.kinds))
                wrong += Self.values.filter { kinds.isDisjoint(with: $0.kinds) }.map { [$0] }
            }
            let read = wrong.filter { answer.reads(whole.setting(name, $0)) }.map(\.encoded)
            #expect(read.isEmpty, "as \(name)")
        }
    }

    /// One of each type. A number with a fraction is no integer.
    private static let values: [JSONValue] = [.null, .boolean(true), 1, .decimal("1.5"), "x", [], [:]]

    /// A table with two key paths exchanged would read every answer.
    @Test(arguments: answers.filter { $0.schema != "Counts" })
    func `a member is read into the property of its name`(answer: Answer) throws {
        let schema = try contract.schema(answer.schema)
        let whole = try #require(try contract.examples(schema).first)
        let before = Self.properties(of: try answer.decode(whole))
        for (name, value) in try contract.properties(schema).compactMap({ name, _ in whole[name].map { (name, $0) } }) {
            guard let other = Self.other(value), let after = try? answer.decode(whole.setting(name, other)) else {
                continue
            }
            let now = Self.properties(of: after)
            let changed = Set(before.keys).union(now.keys).filter { before[$0] != now[$0] }.map { $0.lowercased() }
            if Self.former.contains("\(answer.schema).\(name)") {
                // Only where the present name has no value. The whole answer is kept as it was sent.
                #expect(Set(changed).isSubset(of: ["download", "maxspeed"]), "\(name): \(changed)")
            } else if Self.unread.contains("\(answer.schema).\(name)") {
                #expect(changed.isEmpty, "\(name): \(changed)")
            } else if answer.schema == "DownloadDetail", !["digest", "sources", "log"].contains(name) {
                #expect(changed == ["download"], "\(name): \(changed)")
            } else {
                let expected = Self.otherNames["\(answer.schema).\(name)"] ?? name.lowercased()
                #expect(changed.count == 1 && changed[0].contains(expected), "\(name): \(changed)")
            }
        }
    }

    @Test func `the limit of a download is read by its former name, if it has no other`() throws {
        let schema = try contract.schema("Download")
        let whole = try #require(try contract.examples(schema).first).setting("speedLimit", 5)
        #expect(try ServiceDownload(whole.setting("maxSpeed", nil)).maxSpeed == 5)
        #expect(try ServiceDownload(whole.setting("maxSpeed", 6)).maxSpeed == 6)
    }

    private static let otherNames = [
        "File.file": "name", "AddResult.problem": "error", "ActionResults.results.problem": "error",
        "Problem.detail": "message",
    ]

    /// The stored properties that are not nil.
    private static func properties(of value: any AnswerObject) -> [String: AnyHashable] {
        var properties: [String: AnyHashable] = [:]
        for child in Swift.Mirror(reflecting: value).children {
            if let label = child.label, label != "json" { properties[label] = child.value as? AnyHashable }
        }
        return properties
    }

    /// Another value of the same type.
    private static func other(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .boolean(let flag): .boolean(!flag)
        case .integer(let number): .integer(number + 1)
        case .string(let text): .string(text + "x")
        case .array(let values): values.isEmpty ? nil : []
        case .object: .null
        case .null, .decimal: nil
        }
    }

    /// A download that was added is added, even if an older service says little of it.
    @Test func `a download of a service that lacks most members is read`() throws {
        let small: JSONValue = ["id": .string(Example.id), "state": "failed", "url": "https://h/a", "error": [:]]
        let added = try AddedDownload(["status": 201, "download": small])
        var expected = ServiceDownload()
        (expected.id, expected.state, expected.url) = (Example.id, .failed, "https://h/a")
        (expected.error, expected.json) = (ServiceDownload.Failure(), small)
        #expect(added.isNew && added.download == expected && added.download?.error?.step == "fetch")
        #expect(try AddedDownload(["download": small]).isNew == false)
        #expect(throws: ServiceError.self) { try AddedDownload(["status": 201]) }
    }

    @Test func `each count is that of its state`() throws {
        for state in ServiceDownload.State.all {
            let whole = try #require(try contract.examples(try contract.schema("Counts")).first)
            let counts = try ServiceCounts(whole.setting(state.rawValue, 77))
            #expect(ServiceDownload.State.all.filter { counts[$0] == 77 } == [state])
        }
    }

    /// Schemas of requests, and those within others.
    private static let compared: Set<String> = [
        "NewDownload", "Options", "Unpacking", "DownloadPatch", "SettingsPatch", "Action", "ActionName", "Filter",
        "Files", "Position", "State", "DownloadID", "Step", "Tag", "Priority", "Bytes", "Time", "HTTPURL", "Secret",
        "Authentication", "HeaderFields", "Mirrors", "Texts", "FileName", "Seconds",
    ]
    /// Calls of the page, which this client has not.
    private static let unused: Set<String> = ["Map", "ProbeResult", "Directories", "SessionKeys"]

    @Test func `each schema is compared with a value, or is of a call that the client has not`() {
        let answers = Set(Self.answers.map(\.schema)).subtracting(["ActionResults.results"])
        #expect(contract.schemaNames == answers.union(Self.compared).union(Self.unused))
    }

    // MARK: Requests

    /// Whether the examples are as the schema has them, and have every member of it but these.
    private func check(_ examples: [any RequestValue], _ schema: JSONValue, without absent: Set<String> = []) throws {
        for example in examples { #expect(try contract.problems(example.json, schema, "") == []) }
        #expect(Set(examples.flatMap(\.json.keys)) == Set(try contract.properties(schema).keys).subtracting(absent))
    }

    /// Whether exactly the members that may be null are.
    private func checkNulls(_ example: JSONValue, _ schema: JSONValue) throws {
        let nullable = try contract.properties(schema).filter { try contract.examples($0.value).contains(.null) }
        #expect(Set(example.keys.filter { example[$0] == .null }) == Set(nullable.keys))
    }

    @Test func `a change of a download is as the contract has it`() throws {
        var patch = DownloadPatch()
        (patch.priority, patch.position, patch.maxSpeed, patch.connections) = (-3, .top, 1 << 20, 4)
        (patch.url, patch.mirrors, patch.fileName, patch.tag) = ("https://h/a", ["https://m/a"], "a", "t")
        (patch.headers, patch.authentication) = ([HTTPField("X", "y")], .password(name: "n", .value("p")))
        (patch.adoptsPartialFile, patch.ifExists) = (true, .replace)
        var nulls = DownloadPatch()
        (nulls.maxSpeed, nulls.authentication, nulls.tag) = (.some(nil), .some(nil), .some(nil))
        nulls.headers = []
        let schema = try contract.schema("DownloadPatch")
        try check([patch, nulls], schema)
        try checkNulls(nulls.json, schema)
        #expect(DownloadPatch().json == [:])
    }

    @Test func `a change of the settings is as the contract has it`() throws {
        var patch = SettingsPatch()
        (patch.maximumRunning, patch.maximumConnectionsPerHost, patch.connections) = (3, 4, 5)
        (patch.speedLimit, patch.timetable, patch.directory) = (1 << 20, "08:00,512k 19:00,off", "/d")
        (patch.historyDays, patch.historyCount) = (30, 1000)
        let schema = try contract.schema("SettingsPatch")
        for policy in ExistingFilePolicy.allCases {
            patch.ifExists = policy
            try check([patch], schema)
        }
        var nulls = SettingsPatch()
        (nulls.speedLimit, nulls.timetable) = (.some(nil), .some(nil))
        (nulls.historyDays, nulls.historyCount) = (.some(nil), .some(nil))
        try checkNulls(nulls.json, schema)
        let words = try contract.examples(try #require(try contract.properties(schema)["ifExists"]))
        #expect(Set(words) == Set(ExistingFilePolicy.allCases.map(\.json)))
    }

    @Test func `an action is as the contract has it`() throws {
        var filter = DownloadFilter()
        (filter.states, filter.text, filter.tag, filter.excluded) = (ServiceDownload.State.all, "q", "t", [Example.id])
        try check([filter, DownloadFilter()], try contract.schema("Filter"))
        let actions: [ServiceAction] = [
            .pause, .resume, .retry, .remove(deletesFiles: true), .remove(deletesFiles: false), .verify, .extract,
            .prioritize(3), .move(.by(-1)),
        ]
        let requests = actions.flatMap { action in
            var (some, all) = (action.request, action.request)
            (some.ids, all.filter) = ([Example.id], filter)
            return [some, all]
        }
        try check(requests, try contract.schema("Action"))
        #expect(Set(requests.map(\.json["action"])) == Set(try contract.examples(try contract.schema("ActionName"))))
        #expect(
            Set(requests.compactMap(\.json["files"])) == Set(try contract.examples(try contract.schema("Files"))))
        #expect(
            Set(ServiceDownload.State.all.map(\.json)) == Set(try contract.examples(try contract.schema("State"))))
    }

    @Test func `a place in the queue is as the contract has it`() throws {
        let places: [QueuePlace] = [.top, .bottom, .index(4), .before(Example.id), .after(Example.id), .by(-2)]
        let schema = try contract.schema("Position")
        for place in places { #expect(try contract.problems(place.json, schema, "") == []) }
        let parts = schema["oneOf"]?.values ?? []
        for part in parts {
            #expect(try places.contains { try contract.problems($0.json, part, "").isEmpty }, "\(part.encoded)")
        }
    }

    @Test func `a query is as the contract has it`() throws {
        var query = DownloadQuery()
        (query.filter.states, query.filter.text, query.filter.tag) = ([.running, .failed], "q", "t")
        (query.sort, query.limit, query.cursor, query.offset) = ("-size", 50, "c", 10)
        let parameters = try contract.parameters("/api/v1/downloads", "get")
        #expect(Set(query.json.keys) == Set(parameters.keys))
        for (name, schema) in parameters {
            #expect(try contract.problems(try #require(query.json[name]), schema, name) == [])
        }
        #expect(query.text == "?state=running,failed&q=q&tag=t&sort=-size&limit=50&cursor=c&offset=10")
    }

    /// A job's hook, which the service refuses, is not in the contract.
    @Test func `a new download is as the contract has it`() throws {
        var job = JobSpec(.url("https://h/a", mirrors: [Mirror("https://m/a"), Mirror("https://n/a", priority: 3)]))
        (job.id, job.directory, job.fileName) = (Example.id, "/d", "a")
        job.freshURL = "https://h/b"
        job.keepsPath = true
        (job.digestList, job.authentication) = ("https://h/sums", .bearer(.value("t")))
        (job.headers, job.userAgent, job.referer) = ([HTTPField("X", "y")], "", "https://h/")
        var unpacking = Unpacking()
        (unpacking.directory, unpacking.removesArchive, unpacking.allowsLinks) = ("x", true, false)
        (unpacking.allowsTwins, unpacking.password) = (true, .value("p"))
        (unpacking.maximumBytes, unpacking.maximumRatio, unpacking.maximumMembers) = (9, nil, 9)
        job.unpacking = unpacking
        job.options.maximumConnections = 3
        var other = JobSpec(.metalink("https://h/a.meta4", select: ["a"]))
        (other.members, other.acceptsWholeArchive) = (["*.txt"], true)
        let new = [
            NewDownload(job, priority: 1, isPaused: true, tag: "t", position: .before(Example.id)), NewDownload(other),
        ]
        let schema = try contract.schema("NewDownload")
        // A command line of curl is for clients without a job of their own.
        try check(new, schema, without: ["curl"])
        let names = try contract.properties(try contract.schema("Unpacking")).keys
        #expect(Set(job.jsonValue["unpacking"]?.keys ?? []) == Set(names))
    }

    @Test func `the options of a job are those of the contract`() throws {
        let properties = try contract.properties(try contract.schema("Options"))
        #expect(Set(DownloadOptions.all.map(\.jsonName)) == Set(properties.keys))
        for option in DownloadOptions.all {
            let kind =
                switch option.kind {
                case .flag: "boolean"
                case .integer: "integer"
                case .duration: "number"
                case .text: "string"
                case .list: "array"
                }
            let property = try #require(properties[option.jsonName])
            let kinds = Set(try contract.examples(property).flatMap(\.kinds))
            #expect(kinds.subtracting(kind == "integer" ? ["null", "number"] : ["null", "integer"]) == [kind])
            // Where an option is declared, it is described.
            let member = JobMember.all.first { $0.name == "options." + option.jsonName }
            #expect(property["description"] == member.map { .string($0.description) }, "\(option.jsonName)")
        }
    }

    @Test func `each option of a job is a property of the contract`() throws {
        let new = try contract.properties(try contract.schema("NewDownload"))
        let options = try contract.properties(try contract.schema("Options"))
        let names = Set(new.keys).union(options.keys.map { "options." + $0 })
        #expect(Set(JobMember.all.map(\.name)).subtracting(names) == [])
    }
}
