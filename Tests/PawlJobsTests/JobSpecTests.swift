import Pawl
import PawlCore
import PawlJobs
import Testing

@Suite("Job specifications") struct JobSpecTests {
    /// A job in which every field differs from its default. Members and unpacking have their own jobs.
    private static func everything() throws -> JobSpec {
        var spec = JobSpec(
            .url(
                "https://user:pass-word@a.example/f?sig=s1gnature",
                mirrors: [
                    Mirror("https://m.example/f"),
                    Mirror("https://n.example/f?token=t0ken", priority: 3, location: "de"),
                ]))
        spec.id = "job-1"
        spec.directory = "/d/ü"
        spec.fileName = "f \u{301}.zip"
        spec.options.maximumConnections = 3
        spec.options.stallTimeout = .milliseconds(1500)
        spec.options.maximumTime = .seconds(3600)
        spec.options.digest = try Digest(parsing: "sha-256:" + String(repeating: "0a", count: 32))
        spec.options.preferredLocations = ["at", "de"]
        spec.options.maximumFileSize = 1 << 40
        spec.options.requiresComplete = true
        spec.options.ifExists = .rename
        spec.authentication = .password(name: "na me", .value("s3cret"))
        spec.headers = [HTTPField("Cookie", "a=c00kie"), HTTPField("X-Empty", "")]
        spec.userAgent = ""
        spec.referer = "https://page.example/p?sig=s1gnature"
        spec.unpacking = Unpacking()
        spec.unpacking?.directory = "photos"
        spec.unpacking?.removesArchive = true
        spec.unpacking?.allowsLinks = false
        spec.unpacking?.allowsTwins = true
        spec.unpacking?.maximumBytes = 1 << 30
        spec.unpacking?.maximumRatio = nil
        spec.unpacking?.maximumMembers = 5
        spec.unpacking?.password = .environment("ARCHIVE_PASSWORD")
        spec.freshURL = "https://b.example/f?token=1"
        spec.keepsPath = true
        spec.hook = ["notify", "--done", "a b"]
        return spec
    }

    private static func others() -> [JobSpec] {
        var metalink = JobSpec(.metalink("https://a.example/f.meta4", select: ["*.iso", "2"]))
        metalink.digestList = "SHA256SUMS"
        metalink.authentication = .bearer(.file("/run/token"))
        var members = JobSpec("https://a.example/f.zip")
        members.members = ["**/*.txt"]
        members.acceptsWholeArchive = true
        members.ifExists = .fail
        var plain = JobSpec("http://a.example/f")
        plain.unpacking = Unpacking()
        return [metalink, members, plain, JobSpec("http://a.example/")]
    }

    @Test func `a job survives encoding and decoding`() throws {
        for spec in [try Self.everything()] + Self.others() {
            try spec.checked()
            #expect(try JobSpec(json: spec.json) == spec, "\(spec.json)")
        }
    }

    /// By their names, also those in boxes.
    private static func fields(of value: Any) -> [String: String] {
        var fields: [String: String] = [:]
        for child in Swift.Mirror(reflecting: value).children {
            let label = child.label ?? ""
            if ["common", "place", "value", "context"].contains(label) {
                fields.merge(Self.fields(of: child.value)) { first, _ in first }
            } else {
                fields[label] = String(describing: child.value)
            }
        }
        return fields
    }

    /// A field added later fails here until it is given a value above and is encoded.
    @Test func `every field of a job is encoded`() throws {
        let usual = JobSpec("http://a.example/f")
        let fields = Self.fields(of: usual)
        var changed: Set<String> = []
        for spec in [try Self.everything()] + Self.others() {
            for (label, value) in Self.fields(of: spec) where fields[label] != value { changed.insert(label) }
        }
        #expect(fields.count > 15)
        #expect(changed == Set(fields.keys))
        #expect(usual.json == #"{"version":1,"url":"http://a.example/f"}"#)
    }

    @Test func `an explicit policy to fail if the file exists differs from no policy`() throws {
        var spec = JobSpec("http://a.example/f")
        #expect(spec.ifExists == nil)
        spec.ifExists = .fail
        #expect(spec.json == #"{"version":1,"url":"http://a.example/f","options":{"ifExists":"fail"}}"#)
        #expect(try JobSpec(json: spec.json).ifExists == .fail)
        spec.ifExists = .skip
        #expect(try JobSpec(json: spec.json).ifExists == .skip && spec.options.ifExists == .skip)
        spec.ifExists = nil
        #expect(spec == JobSpec("http://a.example/f"))
        spec.options.ifExists = .replace
        #expect(spec.ifExists == .replace)
    }

    /// The JSON that docs/jobs.md shows.
    @Test func `the JSON of a job is the documented one`() throws {
        #expect(
            try Self.everything().json == """
                {"version":2,"id":"job-1","url":"https://user:pass-word@a.example/f?sig=s1gnature","mirrors":["https://m.example/f",\
                {"url":"https://n.example/f?token=t0ken","priority":3,"location":"de"}],"freshURL":"https://b.example/f?token=1","directory":"/d/ü","file":"f \u{301}.zip","keepPath":true,"options":\
                {"connections":3,"stallTimeout":1.5,"maxTime":3600,"mirrorCountry":["at","de"],\
                "checksum":"sha-256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a",\
                "maxFilesize":1099511627776,"requireComplete":true,"ifExists":"rename"},"authentication":{"name":"na me","password":\
                {"value":"s3cret"}},"headers":[["Cookie","a=c00kie"],["X-Empty",""]],"userAgent":"","referer":"https://page.example/p?sig=s1gnature",\
                "unpacking":{"directory":"photos","removesArchive":true,"allowsLinks":false,"allowsTwins":true,"maximumBytes":1073741824,\
                "maximumRatio":null,"maximumMembers":5,"password":{"environment":"ARCHIVE_PASSWORD"}},"hook":["notify","--done","a b"]}
                """)
    }

    /// Each name that was another in version 1, with a value.
    private static let former: [(name: String, former: String, value: String)] = [
        ("maxSpeed", "rate", "1000"), ("maxTime", "maximumTime", "5"), ("retryMaxTime", "retryTime", "5"),
        ("allowInsecureRedirect", "insecureRedirect", "true"), ("mirrorCountry", "location", #"["de"]"#),
        ("checksum", "digest", #""md5:00000000000000000000000000000000""#), ("maxFilesize", "maximumSize", "7"),
        ("allowWebPage", "webPage", "true"), ("range", "ranges", #""0-9""#), ("ifNewer", "onlyIfNewer", "true"),
        ("adopt", "adopts", "true"), ("xattr", "recordsOrigin", "true"),
    ]

    @Test(arguments: former)
    func `a job of version 1 is read, and written with the names of its flags`(
        name: String, former: String, value: String
    ) throws {
        func json(_ version: Int, _ name: String) -> String {
            #"{"version":\#(version),"url":"http://a/","options":{"\#(name)":\#(value)}}"#
        }
        let job = try JobSpec(json: json(1, former))
        #expect(job != JobSpec("http://a/"))
        #expect(job.json == json(2, name))
        #expect(try JobSpec(json: json(2, name)) == job)
        #expect(job.jsonValue(version: 1).encoded == json(1, former))
        func both(_ value: String, _ formerValue: String) throws -> JobSpec {
            try JobSpec(json: #"{"url":"http://a/","options":{"\#(name)":\#(value),"\#(former)":\#(formerValue)}}"#)
        }
        #expect(try both(value, value) == job && both(value, "null") == job && both("null", value) == job)
        let error = #expect(throws: JobSpecError.self) { try both(value, "[1]") }
        #expect(error?.fields == ["options.\(former)"])
    }

    @Test func `a job that says nothing new is written in version 1, for earlier programs`() throws {
        #expect(DownloadOptions.all.count { $0.word != $0.name } == Self.former.count)
        var job = JobSpec("http://a/")
        (job.options.maximumConnections, job.options.maximumRetries) = (3, 4)
        #expect(job.json == #"{"version":1,"url":"http://a/","options":{"connections":3,"retries":4}}"#)
    }

    @Test func `a job stripped for storage holds no secret, and says whether any was removed`() throws {
        let (spec, isComplete) = try Self.everything().withoutSecrets
        #expect(!isComplete)
        for secret in ["pass-word", "s1gnature", "t0ken", "s3cret", "c00kie"] {
            #expect(!spec.json.contains(secret), "\(spec.json)")
        }
        #expect(spec.json.contains("ARCHIVE_PASSWORD"))
        try spec.checked()
        for other in Self.others() {
            #expect(other.withoutSecrets.isComplete)
            #expect(other.withoutSecrets.spec == other)
        }
    }

    @Test(arguments: [
        ("", "malformed", ""), ("[]", "invalidValue", ""), ("{}", "missingField", "url"),
        (#"{"version":3,"url":"http://a/"}"#, "newerVersion", "version"),
        (#"{"url":"http://a/","speed":1}"#, "unknownField", "speed"), (#"{"url":1}"#, "invalidValue", "url"),
        (#"{"url":"ftp://a/"}"#, "invalidValue", "url"),
        (#"{"url":"http://a/","metalink":"m"}"#, "contradiction", "url metalink"),
        (#"{"url":"http://a/","options":{"connections":17}}"#, "invalidValue", "options.connections"),
        (#"{"url":"http://a/","options":{"connections":"8"}}"#, "invalidValue", "options.connections"),
        (#"{"url":"http://a/","options":{"speed":8}}"#, "unknownField", "options.speed"),
        (#"{"url":"http://a/","options":{"stallTimeout":1e300}}"#, "invalidValue", "options.stallTimeout"),
        (
            #"{"url":"http://a/","options":{"adopt":true,"range":"0-9"}}"#, "contradiction",
            "options.adopt options.range"
        ),
        (
            #"{"url":"http://a/","options":{"range":"0-9"},"unpacking":{}}"#, "contradiction",
            "unpacking options.range"
        ),
        (#"{"url":"http://a/","mirrors":["http://b/"],"members":["a"]}"#, "contradiction", "members mirrors"),
        (#"{"url":"http://a/","authentication":{"name":"a"}}"#, "missingField", "authentication.password"),
        (
            #"{"url":"http://a/","authentication":{"bearer":{"value":"a","file":"b"}}}"#, "invalidValue",
            "authentication.bearer"
        ),
        (#"{"url":"http://a/","file":"a/b"}"#, "invalidValue", "file"),
        (#"{"url":"http://a/","id":"a b"}"#, "invalidValue", "id"),
        (#"{"url":"http://a/","unpacking":{"maximumMembers":0}}"#, "invalidValue", "unpacking.maximumMembers"),
        (#"{"url":"http://a/","unpacking":{"depth":0}}"#, "unknownField", "unpacking.depth"),
        (#"{"url":"http://a/","headers":[["a"]]}"#, "invalidValue", "headers"),
        (#"{"url":"http://a/","mirrors":[{"priority":1}]}"#, "missingField", "mirrors.url"),
        (#"{"metalink":"m","mirrors":["http://b/"]}"#, "contradiction", "metalink mirrors"),
    ])
    func `an invalid job is an error that names the fields`(json: String, code: String, fields: String) {
        let error = #expect(throws: JobSpecError.self) { try JobSpec(json: json) }
        #expect(error?.code.rawValue == code)
        #expect(error?.fields.joined(separator: " ") == fields)
        #expect(error?.message.isEmpty == false)
    }
}
