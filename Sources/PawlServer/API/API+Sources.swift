import Pawl
import PawlCore
import PawlJobs
import PawlSystem

/// Calls that examine sources before a download is added: probing a URL, reading a list or a Metalink.
extension API {
    func probe(_ call: HTTPCall) async throws(Problem) -> HTTPAnswer {
        let new = try NewDownload(try call.json(), settings.current, roots)
        guard case .url = new.job.spec.source else {
            throw .invalid("metalink", "Only the “url” of a job can be probed.")
        }
        let report: ProbeReport
        do throws(DownloadError) {
            report = try await service.probe(new.job.spec)
        } catch {
            throw Problem(.failed(.download(error)), id: nil)
        }
        guard case .object(var members) = report.json(warnings: []) else { throw .notFound }
        let name = new.job.spec.fileName ?? report.suggestedName
        let path = new.job.spec.directory + "/" + name
        members.append(.init(key: "contentType", value: .optional(report.get.contentType)))
        members.removeAll { $0.key == "get" || $0.key == "head" }
        let twin = try reading { () throws(DownloadError) in
            try store.job(
                named: name, of: StoredJob(id: "", spec: new.job.spec, added: 0).url, in: new.job.spec.directory)
        }
        members.append(.init(key: "duplicate", value: .optional(twin?.id)))
        members.append(.init(key: "exists", value: .boolean(FileKind(path: path) != .missing)))
        return .json(.object(members))
    }

    /// A list, or a Metalink, as jobs.
    func documents(_ call: HTTPCall) async throws(Problem) -> HTTPAnswer {
        let type =
            ASCII.lowercased((call.field("content-type") ?? "")[...].utf8).utf8.split(separator: UInt8(ascii: ";"))
            .first ?? "".utf8[...]
        let isMetalink = ["application/metalink4+xml", "application/metalink+xml"].contains {
            type.elementsEqual($0.utf8)
        }
        if type.elementsEqual("application/json".utf8) {
            return try await jobs(of: try NewDownload(try call.json(), settings.current, roots).job.spec)
        }
        guard isMetalink || type.elementsEqual("text/plain".utf8) else {
            throw Problem(
                415, "wrongType",
                "Send a list as text/plain, a Metalink as application/metalink4+xml, or a job that names documents as application/json."
            )
        }
        return isMetalink ? try metalink(call.body) : try listFile(call.body)
    }

    private func jobs(of spec: JobSpec) async throws(Problem) -> HTTPAnswer {
        let (jobs, notices): ([JobSpec], [String])
        do throws(JobService.Refusal) {
            (jobs, notices) = try await service.files(of: spec, limit: Self.maximumItems)
        } catch {
            throw Problem(error, id: nil)
        }
        return try documentAnswer(jobs.map(\.jsonValue), notices.map { Self.unreadable($0, line: nil).json })
    }

    private func listFile(_ body: [UInt8]) throws(Problem) -> HTTPAnswer {
        let list: DownloadList
        do throws(DownloadList.Problem) {
            list = try DownloadList(parsing: body)
        } catch {
            throw Self.unreadable(error.message, line: error.line)
        }
        var (jobs, problems): ([JSONValue], [JSONValue]) = ([], [])
        for entry in list.entries {
            do throws(JobBatch.Problem) {
                var batch = JobBatch(like: JobSpec(""), output: nil, directory: nil, holdsSecrets: false) { _ in false }
                try batch.add(list: "the list") { _ in [entry] }
                jobs += batch.jobs.map(\.jsonValue)
            } catch {
                problems.append(Self.unreadable(error.sentence, line: entry.line).json)
            }
        }
        return try documentAnswer(jobs, problems)
    }

    private func metalink(_ body: [UInt8]) throws(Problem) -> HTTPAnswer {
        let (jobs, notices): ([JobSpec], [String])
        do throws(JobFailure) {
            (jobs, notices) = try JobDocument.jobs(inMetalink: body)
        } catch {
            throw Self.unreadable(error.message, line: nil)
        }
        return try documentAnswer(jobs.map(\.jsonValue), notices.map { Self.unreadable($0, line: nil).json })
    }

    private func documentAnswer(_ jobs: [JSONValue], _ problems: [JSONValue]) throws(Problem) -> HTTPAnswer {
        guard jobs.count <= Self.maximumItems else {
            throw Problem(
                422, "tooMany", "The document lists \(jobs.count) files; one call accepts at most \(Self.maximumItems)."
            )
        }
        return .json(["jobs": .array(jobs), "problems": .array(problems)])
    }

    private static func unreadable(_ message: String, line: Int?) -> Problem {
        var problem = Problem(422, "unreadable", message)
        problem.line = line
        return problem
    }
}
