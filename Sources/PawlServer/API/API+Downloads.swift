import Pawl
import PawlCore
import PawlJobs
import PawlSystem

/// The calls for lists and single downloads.
extension API {
    static let maximumItems = 10_000

    // MARK: Lists

    func list(_ call: HTTPCall) throws(Problem) -> HTTPAnswer {
        let query = try JobQuery(call)
        do throws(DownloadError) {
            let page = try store.page(query)
            return .json([
                "downloads": .array(try json.values(page.jobs)), "total": .integer(page.total),
                "counts": DownloadJSON.counts(page.counts),
                "change": .integer(page.change), "next": .optional(page.next.map { $0.text(query) }),
            ])
        } catch {
            throw error.code == .invalidArgument ? .parameter("cursor", error.message) : Problem(ofStore: error)
        }
    }

    // MARK: Adding

    func add(_ call: HTTPCall) async throws(Problem) -> HTTPAnswer {
        let key = try Self.key(call)
        let body = try call.json()
        guard case .array(let items) = body else { return try await add(one: body, key) }
        guard items.count <= Self.maximumItems else {
            throw Problem(
                422, "tooMany", "There are \(items.count) items; one call accepts at most \(Self.maximumItems).",
                hint: "Split them over several calls.")
        }
        var results = [Result<JobService.Added, Problem>?](repeating: nil, count: items.count)
        var (jobs, places): ([JobService.NewJob], [(index: Int, position: JobService.Position?)]) = ([], [])
        for (index, item) in items.enumerated() {
            do throws(Problem) {
                var new = try NewDownload(item, settings.current, roots)
                new.job.requestKey = key.map { "\($0) \(index)" }
                jobs.append(new.job)
                places.append((index, new.position))
            } catch {
                results[index] = .failure(error)
            }
        }
        for (place, outcome) in zip(places, await service.add(jobs)) {
            results[place.index] = outcome.mapError { Problem($0, id: nil) }
            if let position = place.position, case .success(.new(let job)) = outcome {
                do throws(Problem) { try await move(job, to: position) } catch {
                    results[place.index] = .failure(error)
                }
            }
        }
        let ended = results.compactMap { $0 }
        // A database that cannot be written refuses all of them, and the client has to send them again.
        if let problem = ended.lazy.compactMap(\.problem).first(where: { $0.status >= 500 }),
            !ended.contains(where: { $0.problem == nil })
        {
            throw problem
        }
        return .json(.array(try self.results(ended)))
    }

    private func results(_ outcomes: [Result<JobService.Added, Problem>]) throws(Problem) -> [JSONValue] {
        let values = try reading { () throws(DownloadError) in
            try json.values(outcomes.compactMap { try? $0.get().job })
        }
        var next = values.makeIterator()
        return outcomes.map { outcome in
            switch outcome {
            case .success(let added): ["status": added.isNew ? 201 : 200, "download": next.next() ?? .null]
            case .failure(let problem): ["status": .integer(Self.itemStatus(problem.status)), "problem": problem.json]
            }
        }
    }

    /// Returns the status for one item of a batch: 403 and 409 as they are, 422 for any other.
    private static func itemStatus(_ status: Int) -> Int { [403, 409].contains(status) ? status : 422 }

    private func add(one body: JSONValue, _ key: String?) async throws(Problem) -> HTTPAnswer {
        var new = try NewDownload(body, settings.current, roots)
        new.job.requestKey = key
        let added: JobService.Added
        switch await service.add([new.job])[0] {
        case .success(let outcome): added = outcome
        case .failure(let refusal): throw Problem(refusal, id: nil)
        }
        if added.isNew, let position = new.position { try await move(added.job, to: position) }
        return try snapshot(
            try known(added.job.id), status: added.isNew ? 201 : 200,
            location: added.isNew ? "downloads/\(added.job.id)" : nil)
    }

    private func move(_ job: StoredJob, to position: JobService.Position) async throws(Problem) {
        var changes = JobService.Changes()
        changes.position = position
        let wanted = changes
        try await refusing(job.id) { () async throws(JobService.Refusal) in try await service.change(job.id, wanted) }
    }

    private static func key(_ call: HTTPCall) throws(Problem) -> String? {
        guard let key = call.field("idempotency-key") else { return nil }
        guard (1...128).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .parameter("Idempotency-Key", "Idempotency-Key must consist of 1 to 128 visible ASCII characters.")
        }
        return key
    }

    // MARK: One download

    func download(_ call: HTTPCall, _ id: String) async throws(Problem) -> HTTPAnswer {
        if call.method.utf8.elementsEqual("PATCH".utf8) { return try await patch(call, id) }
        if call.method.utf8.elementsEqual("DELETE".utf8) { return try await remove(call, id) }
        return try detail(try known(id))
    }

    private func detail(_ job: StoredJob) throws(Problem) -> HTTPAnswer {
        do throws(DownloadError) {
            var members = json.members(job, position: try store.positions(of: [job])[job.number])
            members.append(.init(key: "job", value: DownloadJSON.shown(job.spec)))
            let digest = job.spec.options.digest.map { digest -> JSONValue in
                let matches: JSONValue =
                    job.isVerified == true
                    ? .boolean(true)
                    : job.failure.map { $0.code.utf8.elementsEqual(DownloadError.Code.digestMismatch.rawValue.utf8) }
                        == true ? .boolean(false) : .null
                return [
                    "algorithm": .string(digest.algorithm.rawValue),
                    "value": .string(digest.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()),
                    "origin": "job", "matches": matches,
                ]
            }
            members.append(.init(key: "digest", value: digest ?? .null))
            members.append(.init(key: "sources", value: .array(sources(job))))
            members.append(
                .init(
                    key: "log",
                    value: .array(
                        try store.log(of: job.number).map { entry in
                            [
                                "time": DownloadJSON.time(entry.time), "code": .string(entry.code),
                                "message": .string(entry.message),
                            ]
                        })))
            return .json(.object(members), fields: [("etag", "\"\(job.change)\"")])
        } catch {
            throw Problem(ofStore: error)
        }
    }

    private func sources(_ job: StoredJob) -> [JSONValue] {
        let spec = job.spec.withoutSecrets.spec
        guard case .url(let url, let mirrors) = spec.source else { return [] }
        let hosts = (job.download.flatMap { service.snapshot($0) }?.progress.connections ?? []).map(\.host)
        return ([spec.freshURL ?? url] + mirrors.map(\.url)).map { place in
            let host = (try? HTTPURL(parsing: place))?.host ?? ""
            return [
                "url": .string(DownloadJSON.shown(place)), "host": .string(host),
                "state": .string(
                    hosts.contains { $0.utf8.elementsEqual(host.utf8) } || job.state == .completed && mirrors.isEmpty
                        ? "used" : "unused"),
                "message": .null,
            ]
        }
    }

    private func patch(_ call: HTTPCall, _ id: String) async throws(Problem) -> HTTPAnswer {
        var members = try RequestObject(try call.json())
        guard !members.members.isEmpty else { throw .invalid("", "The body has no field to change.") }
        try members.refuseNull([
            "priority", "position", "connections", "url", "mirrors", "headers", "file", "adopt", "ifExists",
        ])
        let job = try known(id)
        var changes = JobService.Changes()
        changes.ifChange = try Self.expected(call)
        changes.priority = try members.integer("priority", -1000...1000).map { Int32($0) }
        changes.position = try members.value("position").map { (value) throws(Problem) in try .init(value) }
        // Its name until version 2 of jobs.
        if let speed = try members.take("maxSpeed", formerly: "speedLimit") {
            changes.maxSpeed = .some(try Self.maxSpeed(speed))
        }
        if members.has("tag") { changes.tag = .some(try members.string("tag", 1...256).map(NewDownload.tag)) }
        // These are a part of the job, and are read as one, so that the same rules hold.
        let url = try members.string("url", 1...65_536)
        var part: [JSONValue.Member] = [.init(key: "url", value: .string(url ?? job.url))]
        let connections = try members.integer("connections", 1...16)
        let mirrors = members.value("mirrors")
        let headers = members.value("headers")
        let authentication = members.take("authentication")
        let (adopt, ifExists) = (members.value("adopt"), members.value("ifExists"))
        changes.fileName = try members.string("file", 1...255)
        try members.finish()
        for (key, value) in [("mirrors", mirrors), ("headers", headers), ("authentication", authentication)] {
            if let value { part.append(.init(key: key, value: value)) }
        }
        let options = [("adopt", adopt), ("ifExists", ifExists)].compactMap { key, value in
            value.map { JSONValue.Member(key: key, value: $0) }
        }
        if !options.isEmpty { part.append(.init(key: "options", value: .object(options))) }
        if let name = changes.fileName { part.append(.init(key: "file", value: .string(name))) }
        let read = try NewDownload.spec(.object(part))
        changes.connections = connections.map { Int($0) }
        if case .url(let written, let given) = read.source {
            if url != nil { changes.url = written }
            if mirrors != nil { changes.mirrors = given }
        }
        if headers != nil { changes.headers = read.headers }
        if adopt != nil { changes.adoptsPartialFile = read.options.adoptsPartialFile }
        if ifExists != nil { changes.ifExists = read.ifExists }
        if authentication != nil { changes.authentication = .some(read.authentication) }
        let wanted = changes
        try await refusing(job.id) { () async throws(JobService.Refusal) in try await service.change(job.id, wanted) }
        return try snapshot(try known(job.id))
    }

    private static func maxSpeed(_ value: JSONValue) throws(Problem) -> Int64? {
        if value == .null { return nil }
        guard case .integer(let speed) = value, speed > 0 else {
            throw .invalid("maxSpeed", "“maxSpeed” must be a number of bytes per second, or null.")
        }
        return speed
    }

    private func remove(_ call: HTTPCall, _ id: String) async throws(Problem) -> HTTPAnswer {
        let deletes = try Self.deletesFiles(call.parameter("files"))
        let (job, expected) = (try known(id), try Self.expected(call))
        try await refusing(id) { () async throws(JobService.Refusal) in
            try await service.remove(job.id, deletesFiles: deletes, ifChange: expected)
        }
        return .empty(204)
    }

    private static func deletesFiles(_ text: String?) throws(Problem) -> Bool {
        guard let text else { return false }
        if text.utf8.elementsEqual("delete".utf8) { return true }
        guard text.utf8.elementsEqual("keep".utf8) else { throw .parameter("files", "“files” must be keep or delete.") }
        return false
    }

    /// The download whose file a call asks for: `index` chooses among several.
    func file(_ call: HTTPCall, of id: String) throws(Problem) -> StoredJob {
        let index = try JobQuery.number(call, "index", 0...100_000) ?? 0
        let job = try known(id)
        guard index == 0 else {
            throw Problem(404, "unknownDownload", "The download has no file \(index).", fields: ["index"])
        }
        return job
    }

    // MARK: The map

    func map(_ call: HTTPCall, _ id: String) throws(Problem) -> HTTPAnswer {
        let cells = try JobQuery.number(call, "cells", 1...4096) ?? 256
        let job = try file(call, of: id)
        let progress = job.state.hasEnded ? nil : job.download.flatMap { service.snapshot($0) }?.progress
        let total = progress?.totalBytes ?? job.total
        let stored = progress?.bytesStored ?? job.stored
        var levels: [Int] = []
        if let total {
            levels = FileMap.levels(total: total, stored: job.storedRanges(progress, total: total), count: cells)
        }
        return .json([
            "total": .optional(total), "bytes": .integer(stored), "cells": .array(levels.map { .integer($0) }),
            "connections": .array((progress?.connections ?? []).map(DownloadJSON.connection)),
        ])
    }
}

extension JobService.Added {
    var isNew: Bool { if case .new = self { true } else { false } }
}

extension Result where Failure == Problem {
    fileprivate var problem: Problem? { if case .failure(let problem) = self { problem } else { nil } }
}
