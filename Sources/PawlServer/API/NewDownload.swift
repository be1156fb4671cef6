import Pawl
import PawlCore
import PawlJobs

/// The content of `POST /downloads` and `PATCH /downloads/{id}`, parsed and checked against what a client may request.
struct NewDownload {
    var job: JobService.NewJob
    var position: JobService.Position?

    /// - Throws: ``Problem``.
    init(_ value: JSONValue, _ settings: ServiceSettings, _ roots: Roots) throws(Problem) {
        var members = try RequestObject(value)
        if members.value("hook") != nil {
            throw Problem(
                403, "hookNotAllowed", "A request cannot name a hook.",
                hint: "Name it in the configuration of the service.", fields: ["hook"])
        }
        if let line = try members.string("curl", 1...65_536) { try Self.add(curl: line, to: &members) }
        let priority = try members.integer("priority", -1000...1000)
        let isPaused = try members.flag("paused")
        let tag = try members.string("tag", 1...256).map(Self.tag)
        position = try members.value("position").map { (value) throws(Problem) in try .init(value) }
        if let id = try members.string("id", 1...128) {
            guard isDownloadID(id) else { throw .invalid("id", "“id” must be a UUID in lower case.") }
            members.members.append(.init(key: "id", value: .string(id)))
        }
        var spec = try Self.spec(.object(members.members))
        let asked = spec
        let said = members.members.first { $0.key.utf8.elementsEqual("options".utf8) }?.value
        func says(_ option: StaticString) -> Bool {
            guard case .object(let options)? = said else { return false }
            return option.withUTF8Buffer { name in options.contains { $0.key.utf8.elementsEqual(name) } }
        }
        if !says("connections") { spec.options.maximumConnections = settings.connections }
        if !says("ifExists"), !spec.options.onlyIfNewer { spec.options.ifExists = settings.ifExists }
        spec.directory = try roots.directory(spec.directory, from: settings.directory, field: "directory")
        if var unpacking = spec.unpacking, let directory = unpacking.directory {
            unpacking.directory = try roots.newDirectory(directory, from: spec.directory, field: "unpacking.directory")
            spec.unpacking = unpacking
        }
        job = JobService.NewJob(spec, asked: asked)
        job.priority = Int32(priority ?? 0)
        job.isPaused = isPaused ?? false
        job.tag = tag
    }

    /// Adds the members that a command line of curl stands for.
    private static func add(curl line: String, to members: inout RequestObject) throws(Problem) {
        let spec: JobSpec
        do throws(JobSpecError) { spec = try JobSpec(curl: line) } catch { throw Problem(error) }
        guard case .object(let said) = spec.jsonValue else { return }
        for member in said where !member.key.isExactly("version") {
            guard members.value(member.key) == nil else {
                throw Problem(
                    422, JobSpecError.Code.contradiction.rawValue,
                    "The curl command says “\(member.key)”, too. Give one of them.", fields: ["curl", member.key])
            }
            members.members.append(member)
        }
    }

    /// Returns the job that a request describes, before the settings of the service are filled in.
    static func spec(_ value: JSONValue) throws(Problem) -> JobSpec {
        var spec: JobSpec
        do throws(JobSpecError) {
            spec = try JobSpec(jsonValue: value)
            try spec.writeHostsInASCII()
            try spec.checkTyped()
        } catch { throw Problem(error) }
        try check(spec)
        if let name = spec.fileName, name.utf8.count > 255 {
            throw .invalid("file", "A file name has at most 255 bytes.")
        }
        return spec
    }

    /// A request may not do what the command may: run programs, and read files and variables of the service.
    private static func check(_ spec: JobSpec) throws(Problem) {
        func check(_ secret: Secret?, _ field: String) throws(Problem) {
            switch secret {
            case .file, .environment:
                throw Problem(
                    403, "pathNotAllowed", "“\(field)” would be read on the machine of the service.",
                    hint: "Send its “value” instead.", fields: [field])
            case .value, nil: break
            }
        }
        switch spec.authentication {
        case .password(_, let secret): try check(secret, "authentication.password")
        case .bearer(let secret): try check(secret, "authentication.bearer")
        case nil: break
        }
        try check(spec.unpacking?.password, "unpacking.password")
        func check(place: String, _ field: String) throws(Problem) {
            guard (try? HTTPURL(parsing: place)) == nil else { return }
            throw Problem(
                403, "pathNotAllowed", "“\(field)” names a file on the machine of the service.",
                hint: "Send its URL, or its content to POST /documents.",
                fields: [field])
        }
        if case .metalink(let place, _) = spec.source { try check(place: place, "metalink") }
        if let place = spec.digestList, !spec.searchesDigest { try check(place: place, "digestList") }
    }

    static func tag(_ text: String) throws(Problem) -> String {
        guard (1...64).contains(text.unicodeScalars.count),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else {
            throw .invalid("tag", "“tag” must be a string of 1 to 64 characters, without control characters.")
        }
        return text
    }
}

extension Problem {
    init(_ error: JobSpecError) {
        self.init(error.code == .malformed ? 400 : 422, error.code.rawValue, error.message, fields: error.fields)
    }

    /// Creates the answer to an error of the database, which holds nothing that was not durable.
    init(ofStore error: DownloadError) {
        if error.code == .diskFull {
            self.init(507, "storeFull", error.message, hint: "Free some space. Nothing has been changed.")
        } else {
            self.init(503, "storeFailed", error.message, hint: JobFailure.download(error).hint)
            retryAfter = 5
        }
    }

    init(_ refusal: JobService.Refusal, id: String?) {
        switch refusal {
        case .unknown:
            self.init(404, "unknownDownload", "There is no download \(id ?? "").", hint: "It may have been removed.")
        case .conflict(let conflict):
            let status =
                switch conflict.code {
                case .keyReused, .notSupported: 422
                case .changed: 412
                case .outsideRoots: 403
                default: 409
                }
            let hint = conflict.code == .targetInUse ? "Choose another name, or set ifExists to rename." : nil
            self.init(status, conflict.code.rawValue, conflict.message, hint: hint, id: conflict.id)
        case .failed(.spec(let error)): self.init(error)
        case .failed(.download(let error)) where error.code == .invalidArgument:
            self.init(422, "invalidValue", error.message)
        case .failed(.download(let error))
        where [.diskFull, .diskError, .journal, .notWritable, .locked].contains(error.code): self.init(ofStore: error)
        case .failed(let failure):
            self.init(422, failure.code, failure.message, hint: failure.hint)
        }
    }
}

extension JobService.Position {
    init(_ value: JSONValue) throws(Problem) {
        let problem = Problem.invalid(
            "position", "“position” must be an index, “top”, “bottom”, or an object with “before”, “after” or “by”.")
        switch value {
        case .integer(let index) where (0...10_000_000).contains(index): self = .index(Int(index))
        case .string(let word) where word.utf8.elementsEqual("top".utf8): self = .top
        case .string(let word) where word.utf8.elementsEqual("bottom".utf8): self = .bottom
        case .object:
            var members = try RequestObject(value, "position")
            if let id = try members.string("before", 36...36) {
                self = .before(id)
            } else if let id = try members.string("after", 36...36) {
                self = .after(id)
            } else if let offset = try members.integer("by", -10_000_000...10_000_000) {
                self = .by(Int(offset))
            } else {
                throw problem
            }
            try members.finish()
        default: throw problem
        }
    }
}
