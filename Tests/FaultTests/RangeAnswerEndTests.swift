import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Answers to ranges (R in docs/faults.md): the end of a file. 416, complete files, files that are too long, and empty
/// files.
@Suite struct `B1 The end of a file` {
    static let html = Array("<html><body>416 Requested Range Not Satisfiable</body></html>".utf8)

    // MARK: 416

    @Test func `R18 a partial file whose journal claims all bytes is finished without a request`() async throws {
        let trial = try Trial.always { file, _, connection in try file.send(connection, 416, [], Self.html) }
        try trial.leave(durable: 0..<300_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.requests.isEmpty)
    }

    @Test(
        arguments: [(416, ["Content-Range: bytes */300000"], .refused), (404, [], .notFound)]
            as [(Int, [String], DownloadError.Code)])
    func `R19 the body of a response other than 200 or 206 is never stored`(
        status: Int, lines: [String], code: DownloadError.Code
    ) async throws {
        let trial = try Trial.always { file, _, connection in
            try file.send(connection, status, lines, Self.html)
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        after.expectFailure(code, keeping: 100_000, of: trial.content)
        after.expectUntouched(0..<100_000, of: trial.content)
        after.expectCost(requests: 11)
    }

    @Test func `R20 a single 416 for a range inside the file costs one retry`() async throws {
        let trial = try Trial.always { file, request, connection in
            guard request.number > 1 else {
                return try file.send(connection, 416, ["Content-Range: bytes */\(file.count)"], Self.html)
            }
            try file.sendRight(request, connection)
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=95904-299999", "bytes=95904-299999"])
    }

    // MARK: Longer than the server's file

    @Test func `R21 unclaimed bytes past the end of a partial file do not get into the result`() async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<100_000)
        // Append in place: a new file would not be the one that the journal describes.
        try Files.write(try Files.read(trial.partial) + HandServed.wrongBytes(10), to: trial.partial)
        let after = try await trial.run()
        after.expectWhole(trial.content)
    }

    // MARK: Empty files

    enum Emptiness: CaseIterable {
        case lengthZero, unsatisfied, unsatisfiedWithoutField, chunked, closed, impossiblePart, partOfNothing
    }

    @Test(arguments: Emptiness.allCases)
    func `R22 an empty file is stored as an empty file, however the server describes it`(how: Emptiness) async throws {
        let trial = try Trial.always(count: 0) { file, request, connection in
            let isRanged = request.fields.first("Range") != nil
            switch how {
            case .unsatisfied where isRanged: try file.send(connection, 416, ["Content-Range: bytes */0"], Self.html)
            case .unsatisfiedWithoutField where isRanged: try file.send(connection, 416, [], Self.html)
            case .chunked: try file.send(connection, 200, ["Transfer-Encoding: chunked"], HandServed.chunked([]))
            case .closed: try file.send(connection, 200, ["Connection: close"])
            case .impossiblePart where isRanged: try file.send(connection, 206, ["Content-Range: bytes 0--1/0"])
            case .partOfNothing where isRanged: try file.send(connection, 206, ["Content-Range: bytes 0-0/0"])
            case .lengthZero, .unsatisfied, .unsatisfiedWithoutField, .impossiblePart, .partOfNothing:
                try file.send(connection, 200, ["Content-Length: 0"])
            }
        }
        let after = try await trial.run()
        let outcome = try #require(after.outcome, "\(after.phase)")
        // If only the end of the connection marks the end of the file, the file may have been truncated.
        #expect(outcome.isComplete == (how != .closed))
        #expect(after.names == [Trial.name])
        #expect(after.files[Trial.name] == [])
        #expect(after.ranges.first == "bytes=0-")
        #expect(after.requests.count <= 2)
    }

    @Test func `R22 a file that became empty on the server counts as changed`() async throws {
        let trial = try Trial.always { file, _, connection in
            try file.send(connection, 416, ["Content-Range: bytes */0"])
        }
        try trial.leave(durable: 0..<100_000)
        let held = try Files.read(trial.partial)
        let after = try await trial.run()
        after.expectWhole([], beside: ["file.bin.part.orphan-1"])
        after.expectAside(held)
    }
}
