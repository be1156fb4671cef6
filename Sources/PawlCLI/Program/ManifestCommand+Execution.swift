import Pawl
import PawlCore
import PawlJobs
import PawlStore
import PawlWork

extension ManifestCommand: Subcommand {
    func check() throws(UsageError) {
        if batch.isEmpty { throw UsageError("The name of the batch is empty.", moreFrom: Self.name) }
        let asked = [("--failed", failed), ("--missing", missing), ("--orphans", orphans), ("--verify", verify)]
            .filter(\.1).map(\.0)
        guard asked.count < 2 else {
            throw UsageError("\(asked.joined(separator: " and ")) exclude each other.", moreFrom: Self.name)
        }
        if json, let other = asked.first {
            throw UsageError("--json and \(other) exclude each other.", moreFrom: Self.name)
        }
        if !codes.isEmpty, !failed { throw UsageError("--code is for --failed.", moreFrom: Self.name) }
        if delete, !orphans { throw UsageError("--delete is for --orphans.", moreFrom: Self.name) }
    }

    func execute(in session: Session) async throws -> ExitCode {
        let reader = try await BatchReader.open(BatchStore(batch, server, spool: nil, in: session, of: Self.name))
        if failed {
            let codes = Set(codes.map { ExactText($0) })
            return try await printed(in: session) { try await reader.failed(codes, $0) }
        }
        if missing { return try await printed(in: session) { try await reader.missing($0) } }
        if orphans { return try await listOrphans(reader, session) }
        if verify { return try await check(reader, session) }
        let report = try await reader.report()
        if reader.plan.lacksConditions, !json {
            session.warn("The store ignores that an object is there already: two tasks may have done the same slice.")
        }
        let plan = reader.plan
        return session.write(json ? WorkJSON.report(report, plan).encoded + "\n" : WorkWords.report(report, plan))
    }

    private func printed(
        in session: Session, _ print: ((_ line: [UInt8]) -> Bool) async throws -> Void
    ) async throws -> ExitCode {
        var isWanted = true
        try await print { line in
            isWanted = session.output.write(line + [UInt8(ascii: "\n")])
            return isWanted
        }
        return isWanted ? .done : .outputClosed
    }

    private func listOrphans(_ reader: BatchReader, _ session: Session) async throws -> ExitCode {
        var deleted = 0
        let orphans = try await reader.orphans()
        for orphan in orphans {
            let note = orphan.state == .superseded ? "superseded" : "may still be committed"
            let line = "\(orphan.object.key)  \(ByteCount.text(orphan.object.length))  \(note)\n"
            guard session.output.write(line) else { return .outputClosed }
            guard delete, orphan.state == .superseded else { continue }
            try await reader.delete(orphan)
            deleted += 1
        }
        if orphans.isEmpty { session.say("Nothing: each object is named by a manifest.") }
        if delete { session.say("Deleted: \(deleted) of \(orphans.count).") }
        return .done
    }

    private func check(_ reader: BatchReader, _ session: Session) async throws -> ExitCode {
        var problems = 0
        try await reader.verify { problem in
            session.complain(problem)
            problems += 1
        }
        if problems == 0 { session.say("All data is what the manifests say.") }
        return problems == 0 ? .done : .digestMismatch
    }
}
