import Pawl
package import PawlCore

extension JobSpec {
    /// The latest version of the JSON (docs/jobs.md). Each version reads those before it, and a job that says nothing
    /// new is written in the earliest that has what it says.
    public static let version = 2

    /// The job as one line of JSON (docs/jobs.md). It includes the secrets that the job holds as values; see
    /// ``withoutSecrets``.
    public var json: String { jsonValue.encoded }

    /// - Throws: for what is not JSON, what this version does not know, and what ``checked()`` refuses.
    public init(json: String) throws(JobSpecError) {
        let value: JSONValue
        do throws(JSONValue.Problem) {
            value = try JSONValue(parsing: Array(json.utf8))
        } catch {
            throw JobSpecError(.malformed, [], "This is not JSON, from byte \(error.position) on: \(error.message)")
        }
        try self.init(jsonValue: value)
    }

    /// The same job without what must not be stored or shown, and whether anything was left out.
    public var withoutSecrets: (spec: JobSpec, isComplete: Bool) {
        var spec = self
        spec.context = context.withoutSecrets
        if unpacking?.password?.isValue == true { spec.unpacking?.password = nil }
        switch source {
        case .url(let url, let mirrors):
            let plain = mirrors.map { mirror in
                var mirror = mirror
                mirror.url = HTTPURL.withoutSecrets(mirror.url)
                return mirror
            }
            spec.source = .url(HTTPURL.withoutSecrets(url), mirrors: plain)
        case .metalink(let place, let select):
            spec.source = .metalink(HTTPURL.withoutSecrets(place), select: select)
        }
        if let freshURL { spec.freshURL = HTTPURL.withoutSecrets(freshURL) }
        if let digestList { spec.digestList = HTTPURL.withoutSecrets(digestList) }
        return (spec, spec == self)
    }

    /// The fields that ``withoutSecrets`` changes, by their names in the JSON.
    package var secretFields: [String] {
        let plain = withoutSecrets.spec
        var (isLink, hasMirrors) = (source != plain.source, false)
        if case .url(let url, let mirrors) = source, case .url(let plainURL, let plainMirrors) = plain.source {
            (isLink, hasMirrors) = (!url.isExactly(plainURL), mirrors != plainMirrors)
        }
        let fields = [
            ("url", isLink), ("mirrors", hasMirrors), ("freshURL", freshURL != plain.freshURL),
            ("digestList", digestList != plain.digestList),
            ("authentication", context.authentication != plain.context.authentication),
            ("headers", context.headers != plain.context.headers),
            ("referer", context.referer != plain.context.referer),
            ("unpacking.password", unpacking != plain.unpacking),
        ]
        return fields.filter(\.1).map(\.0)
    }
}

// MARK: - Writing

extension JobSpec {
    package var jsonValue: JSONValue { jsonValue(version: options.jsonVersion) }

    /// - Parameter version: 1 for the names that options had then.
    package func jsonValue(version: Int) -> JSONValue {
        var object = JSONObjectWriter()
        object.add("version", .integer(version))
        object.add("id", .optional(id))
        switch source {
        case .url(let url, let mirrors):
            object.add("url", .string(url))
            object.add("mirrors", .array(mirrors.map(\.jsonValue)))
        case .metalink(let place, let select):
            object.add("metalink", .string(place))
            object.add("select", .strings(select))
        }
        object.add("freshURL", .optional(freshURL))
        if directory != "." { object.add("directory", .string(directory)) }
        object.add("file", .optional(fileName))
        if keepsPath { object.add("keepPath", .boolean(true)) }
        object.add("options", options.jsonValue(version: version))
        object.add("digestList", .optional(digestList))
        object.add("authentication", context.authentication?.jsonValue ?? .null)
        object.add("headers", .array(context.headers.map(\.jsonValue)))
        object.add("userAgent", .optional(context.userAgent))
        object.add("referer", .optional(context.referer))
        object.add("members", .strings(members))
        if acceptsWholeArchive { object.add("acceptsWholeArchive", .boolean(true)) }
        if let unpacking { object.add("unpacking", unpacking.jsonValue, evenIfEmpty: true) }
        object.add("hook", .strings(hook))
        return object.value
    }
}

extension Mirror {
    fileprivate var jsonValue: JSONValue {
        if self == Mirror(url) { return .string(url) }
        var object = JSONObjectWriter()
        object.add("url", .string(url))
        if priority != Mirror.lowestPriority { object.add("priority", .integer(priority)) }
        object.add("location", .optional(location))
        return object.value
    }
}

extension HTTPField {
    package var jsonValue: JSONValue { [.string(name), .string(value)] }
}

extension Authentication {
    package var jsonValue: JSONValue {
        switch self {
        case .password(let name, let secret): ["name": .string(name), "password": secret.jsonValue]
        case .bearer(let secret): ["bearer": secret.jsonValue]
        }
    }
}

extension Secret {
    fileprivate var jsonValue: JSONValue {
        switch self {
        case .value(let text): ["value": .string(text)]
        case .file(let path): ["file": .string(path)]
        case .environment(let name): ["environment": .string(name)]
        }
    }
}

extension Unpacking {
    fileprivate var jsonValue: JSONValue {
        let usual = Unpacking()
        var object = JSONObjectWriter()
        object.add("directory", .optional(directory))
        if removesArchive { object.add("removesArchive", .boolean(true)) }
        if !allowsLinks { object.add("allowsLinks", .boolean(false)) }
        if allowsTwins { object.add("allowsTwins", .boolean(true)) }
        object.add("maximumBytes", .optional(maximumBytes))
        if maximumRatio != usual.maximumRatio { object.add("maximumRatio", .optional(maximumRatio), evenIfEmpty: true) }
        if maximumMembers != usual.maximumMembers { object.add("maximumMembers", .integer(maximumMembers)) }
        object.add("password", password?.jsonValue ?? .null)
        return object.value
    }
}

// MARK: - Reading

extension JobSpec {
    package init(jsonValue: JSONValue) throws(JobSpecError) {
        var object = try JobObject(jsonValue)
        let version = try object.integer("version") ?? 1
        guard (1...Int64(Self.version)).contains(version) else {
            throw JobSpecError(
                .newerVersion, ["version"],
                "This job is written in version \(version), and version \(Self.version) is the latest known here.")
        }
        let source = Result { () throws(JobSpecError) in try Source(from: &object) }
        self.init((try? source.get()) ?? .url("", mirrors: []))
        freshURL = try object.string("freshURL")
        id = try object.string("id")
        directory = try object.string("directory") ?? "."
        fileName = try object.string("file")
        keepsPath = try object.flag("keepPath") ?? false
        if let value = object.value("options") { options = try DownloadOptions(jsonValue: value) }
        digestList = try object.string("digestList")
        if let value = object.value("authentication") { context.authentication = try Authentication(jsonValue: value) }
        context.headers =
            try object.list("headers") { (value, name) throws(JobSpecError) in
                guard case .array(let pair) = value, pair.count == 2, case .string(let key) = pair[0],
                    case .string(let text) = pair[1]
                else {
                    throw JobSpecError(
                        .invalidValue, [name], "A header field must be a list of two strings: its name and its value.")
                }
                return HTTPField(key, text)
            } ?? []
        context.userAgent = try object.string("userAgent")
        context.referer = try object.string("referer")
        members = try object.strings("members") ?? []
        acceptsWholeArchive = try object.flag("acceptsWholeArchive") ?? false
        if let value = object.value("unpacking") { unpacking = try Unpacking(jsonValue: value) }
        hook = try object.strings("hook") ?? []
        try object.finish()
        // Only now: a misspelled “url” is told by the name it was given.
        _ = try source.get()
        try checked()
    }
}

extension JobSpec.Source {
    fileprivate init(from object: inout JobObject) throws(JobSpecError) {
        let url = try object.string("url")
        let mirrors =
            try object.list("mirrors") { (value, name) throws(JobSpecError) in
                try Mirror(jsonValue: value, name)
            } ?? []
        let metalink = try object.string("metalink")
        let select = try object.strings("select") ?? []
        switch (url, metalink) {
        case (let url?, nil):
            guard select.isEmpty else {
                throw JobSpecError(.contradiction, ["url", "select"], "Files can be selected only from a Metalink.")
            }
            self = .url(url, mirrors: mirrors)
        case (nil, let place?):
            guard mirrors.isEmpty else {
                throw JobSpecError(.contradiction, ["metalink", "mirrors"], "A Metalink names its mirrors itself.")
            }
            self = .metalink(place, select: select)
        case (nil, nil): throw JobSpecError(.missingField, ["url"], "A job needs a URL, or a Metalink.")
        case (_?, _?):
            throw JobSpecError(.contradiction, ["url", "metalink"], "A job has a URL or a Metalink, not both.")
        }
    }
}

extension Mirror {
    fileprivate init(jsonValue: JSONValue, _ name: String) throws(JobSpecError) {
        if case .string(let url) = jsonValue {
            self.init(url)
            return
        }
        var object = try JobObject(jsonValue, name)
        let url = try object.required("url")
        let priority = try object.integer("priority").map { Int(clamping: $0) } ?? Self.lowestPriority
        self.init(url, priority: priority, location: try object.string("location"))
        try object.finish()
    }
}

extension Authentication {
    fileprivate init(jsonValue: JSONValue) throws(JobSpecError) {
        var object = try JobObject(jsonValue, "authentication")
        if let token = object.value("bearer") {
            self = .bearer(try Secret(jsonValue: token, "authentication.bearer"))
        } else {
            let name = try object.required("name")
            guard let password = object.value("password") else {
                throw JobSpecError(
                    .missingField, ["authentication.password"], "A name needs a password, or a place to find it.")
            }
            self = .password(name: name, try Secret(jsonValue: password, "authentication.password"))
        }
        try object.finish()
    }
}

extension Secret {
    fileprivate init(jsonValue: JSONValue, _ name: String) throws(JobSpecError) {
        var object = try JobObject(jsonValue, name)
        let found = [
            try object.string("value").map(Secret.value), try object.string("file").map(Secret.file),
            try object.string("environment").map(Secret.environment),
        ].compactMap(\.self)
        try object.finish()
        guard found.count == 1, let secret = found.first else {
            throw JobSpecError(.invalidValue, [name], "A secret has one of “value”, “file” and “environment”.")
        }
        self = secret
    }
}

extension Unpacking {
    fileprivate init(jsonValue: JSONValue) throws(JobSpecError) {
        var object = try JobObject(jsonValue, "unpacking")
        directory = try object.string("directory")
        removesArchive = try object.flag("removesArchive") ?? removesArchive
        allowsLinks = try object.flag("allowsLinks") ?? allowsLinks
        allowsTwins = try object.flag("allowsTwins") ?? allowsTwins
        maximumBytes = try object.integer("maximumBytes")
        // Null is a value here: no limit.
        if object.has("maximumRatio") { maximumRatio = try object.integer("maximumRatio") }
        if let members = try object.integer("maximumMembers") { maximumMembers = Int(clamping: members) }
        if let secret = object.value("password") { password = try Secret(jsonValue: secret, "unpacking.password") }
        try object.finish()
    }
}
