import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Answers to ranges (R in docs/faults.md): a 206 with header fields that are missing, malformed or insufficient.
@Suite struct `B1 Header fields of a part` {
    /// The server never answers correctly, with or without Range. Expects an error, and the earlier bytes unchanged.
    private func expectRefused(
        _ field: String?, _ lines: [String], evidence: String, body: Int = 204_096, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let trial = try Trial.always { file, _, connection in
            try file.send(connection, 206, (field.map { ["Content-Range: \($0)"] } ?? []) + lines, HandServed.wrongBytes(body))
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        let error = after.expectFailure(.badResponse, keeping: 100_000, of: trial.content, at: location)
        after.expectUntouched(0..<100_000, of: trial.content, at: location)
        after.expectCost(requests: 11, at: location)
        let message = error?.message ?? ""
        #expect(message.contains("Nothing of it was stored") && error?.remedies.first == .tryLater, sourceLocation: location)
        #expect(after.causes.first?.contains(evidence) ?? false, "\(after.causes)", sourceLocation: location)
        // The error quotes the field, so that a bug report shows what the server sent.
        if let field { #expect(error?.underlying?.contains(field) ?? false, "\(error?.underlying ?? "")", sourceLocation: location) }
    }

    @Test func `R09 a 206 without Content-Range is refused although its length is right`() async throws {
        try await expectRefused(nil, [], evidence: "206 without Content-Range")
    }

    // MARK: Totals

    @Test func `R10 a 206 whose Content-Range names another total length means a changed file`() async throws {
        let trial = try Trial.ranges { file, range, _, connection in
            try file.sendPart(range, total: "\(file.count + 1000)", connection)
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run { $0.settings.onChange = .fail }
        let error = try #require(after.expectFailure(.changed, keeping: 100_000, of: trial.content))
        after.expectUntouched(0..<100_000, of: trial.content)
        // The tag is unchanged, so the download asks a few more times which length is right.
        after.expectCost(requests: 4)
        #expect(error.message.contains("length"))
    }

    @Test func `R10 a server that names another total length in every response is given up, and no file gets the final name`() async throws {
        let trial = try Trial.ranges { file, range, request, connection in
            try file.sendPart(range, total: "\(file.count + request.number)", connection)
        }
        let after = try await trial.run()
        let error = try #require(after.error)
        #expect(error.code == .changed)
        #expect(after.files[Trial.name] == nil)
        #expect(error.message.contains("keeps changing"))
        after.expectCost(requests: 60, bytes: 60 * trial.content.count)
    }

    @Test(arguments: ["*/300000", "*", ""])
    func `R11 a file whose Content-Range always gives the total as * completes, whether or not a 416 gives its length`(ending: String) async throws {
        let trial = try Trial.always { file, request, connection in
            guard let range = file.range(of: request) else {
                if request.fields.first("Range") == nil { return try file.send(connection, 200, [], file.content) }
                return try file.send(connection, 416, ending.isEmpty ? [] : ["Content-Range: bytes \(ending == "*" ? "*/*" : ending)"])
            }
            try file.sendPart(range, total: "*", connection)
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        // A 416 with the length is enough; otherwise a plain request learns it, of which only the head is read.
        #expect(after.ranges == ["bytes=0-", "bytes=300000-"] + (ending == "*/300000" ? [] : ["-"]))
    }

    @Test func `R11 a file with the total * is resumed after short parts if the ETag stays the same`() async throws {
        let trial = try Trial.always { file, request, connection in
            guard let range = file.range(of: request) else {
                return try file.send(connection, 416, ["Content-Range: bytes */\(file.count)"])
            }
            try file.sendPart(range.lowerBound..<min(range.upperBound, range.lowerBound + 120_000), total: "*", connection)
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=0-", "bytes=120000-", "bytes=240000-", "bytes=300000-"])
        #expect(after.requests.dropFirst().allSatisfy { $0.fields.first("If-Range") == "\"v1\"" })
    }

    @Test(arguments: ["", "ETag: W/\"v1\"", "ETag: \"v2\""])
    func `R11 a 206 with the total * and without the same strong ETag is not stored`(tag: String) async throws {
        let trial = try Trial.always { file, request, connection in
            let lines = ["Content-Range: bytes 95904-299999/*"] + (tag.isEmpty ? [] : [tag])
            try file.send(connection, 206, lines, HandServed.wrongBytes(204_096), hasValidators: false)
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run { $0.settings.onChange = .fail }
        after.expectFailure(tag.contains("v2") ? .changed : .badResponse, keeping: 100_000, of: trial.content)
        after.expectUntouched(0..<100_000, of: trial.content)
        after.expectCost(requests: 11)
    }

    @Test func `R11 a 206 with the total * and without a validator leads to one stream without Range`() async throws {
        let trial = try Trial.always { file, request, connection in
            guard let range = file.range(of: request) else {
                return try file.send(connection, 200, [], file.content, hasValidators: false)
            }
            let field = "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/*"
            try file.send(connection, 206, [field], Array(file.content[range]), hasValidators: false)
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=0-", "-"])
    }

    // MARK: Broken fields

    @Test(arguments: [
        "95904-299999/300000", "bytes=95904-299999/300000", "bytes 95904-299999", "bytes -5-299999/300000",
        "bytes 95904--1/300000", "bytes +95904-299999/300000", "bytes 299999-95904/300000", "bytes 95904-299999/299999",
        "bytes 95904-299999/0", "bytes 95904-9223372036854775807/*", "bytes 95904-9223372036854775808/*",
        "bytes 95904-18446744073709551615/18446744073709551616", "bytes 0x176A0-299999/300000", "bytes  95904-299999/300000",
        "bytes 95904 - 299999/300000", "bytes 95904-299999/300000, bytes 95904-299999/300000", "bytes */300000",
        "bytes 95904-299999/", "bytes", "garbage",
    ])
    func `R12 a malformed Content-Range is refused, and the error's cause quotes it`(field: String) async throws {
        try await expectRefused(field, [], evidence: "a malformed Content-Range")
    }

    @Test func `R12 two Content-Range fields are refused even if they agree`() async throws {
        let field = "bytes 95904-299999/300000"
        try await expectRefused(field, ["Content-Range: \(field)"], evidence: "more than one Content-Range")
    }

    @Test func `R12 a Content-Range in a unit other than bytes is refused`() async throws {
        try await expectRefused("items 95904-299999/300000", [], evidence: "a range unit other than bytes")
    }

    @Test(arguments: [204_095, 204_097, 300_000, 0])
    func `R13 a Content-Length that disagrees with Content-Range is refused`(length: Int) async throws {
        try await expectRefused(
            "bytes 95904-299999/300000", ["Content-Length: \(length)"], evidence: "Content-Length that disagree", body: length)
    }

    @Test(arguments: ["bytes 96000-299999/300000", "bytes 95904-300000/300001", "bytes 95904-299999/300001", "bytes 95904/300000", "x"])
    func `R14 a chunked 206 undergoes the same checks as any other`(field: String) async throws {
        let trial = try Trial.always { file, request, connection in
            guard request.fields.first("Range") != nil else { return try file.send(connection, 200, [], file.content) }
            try file.send(
                connection, 206, ["Content-Range: \(field)", "Transfer-Encoding: chunked"],
                HandServed.chunked(HandServed.wrongBytes(204_096)))
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run { $0.settings.onChange = .fail }
        if field.hasSuffix("1") {
            after.expectFailure(.changed, keeping: 100_000, of: trial.content)
            after.expectUntouched(0..<100_000, of: trial.content)
        } else {
            after.expectWhole(trial.content)
        }
        after.expectCost(requests: 4)
    }

    @Test func `R14 after a chunked 206 that starts at zero, the file is requested from zero and completes`() async throws {
        let trial = try Trial.ranges { file, range, _, connection in
            try file.send(
                connection, 206, ["Content-Range: bytes 0-299999/300000", "Transfer-Encoding: chunked"],
                HandServed.chunked(file.content))
        }
        try trial.leave(durable: 0..<100_000)
        let after = try await trial.run()
        after.expectWhole(trial.content)
        #expect(after.ranges == ["bytes=95904-299999", "bytes=0-299999"])
    }
}
