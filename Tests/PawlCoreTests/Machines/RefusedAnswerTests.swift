import PawlCore
import Testing

/// Servers that give every request an answer of which nothing may be stored. What the rule says of one answer, see
/// `ResponseRuleTests`.
@Suite struct RefusedAnswerTests {
    private typealias Answer = (MachineBench.Ask) -> ResponseHead

    /// The file of which the journal holds the first half.
    private static let known = Representation(total: 10_000, entityTag: EntityTag(parsing: "\"v\""))

    private static func head(_ status: Int, _ fields: [(String, String)], tag: String? = "\"v\"") -> ResponseHead {
        ResponseHead(
            status: status, fields: (fields + (tag.map { [("ETag", $0)] } ?? [])).map { HTTPField($0.0, $0.1) })
    }

    private func resumed(
        _ known: Representation = known, holding ranges: Range<Int64>...,
        change: (inout DownloadSettings) -> Void = { _ in }
    ) throws -> MachineBench {
        let held = RangeSet((ranges.isEmpty ? [0..<5000] : ranges).map { ByteRange($0) })
        return try MachineBench(.journal(known, durable: held, isVerified: false), change)
    }

    /// Runs the download to its end, or until it takes an answer.
    private func run(_ bench: inout MachineBench, _ answer: Answer) {
        bench.send(.begin)
        for _ in 0..<100 {
            guard let ask = bench.lastAsk, bench.open.contains(ask.id) else { break }
            bench.send(.received(ask.id, answer(ask)))
            if bench.open.isEmpty, !bench.waitForAsk() { break }
            if bench.lastAsk?.id == ask.id { break }
        }
    }

    /// Expects this error, nothing stored, and the files as the journal left them.
    @discardableResult
    private func expectRefused(
        _ bench: MachineBench, _ code: DownloadError.Code = .badResponse,
        holding held: RangeSet = RangeSet(ByteRange(0..<5000)),
        within requests: Int = 11, at location: SourceLocation = #_sourceLocation
    ) -> DownloadError? {
        guard case .failed(let error) = bench.phase else {
            Issue.record("\(bench.phase)", sourceLocation: location)
            return nil
        }
        #expect(error.code == code, "\(error)", sourceLocation: location)
        let touches = bench.actions.filter {
            switch $0 {
            case .prepare, .store, .storeParts, .setAside, .dropAside, .quarantine, .checkpoint, .finish: true
            default: false
            }
        }
        #expect(touches == [], sourceLocation: location)
        #expect(bench.machine.durable == held && bench.machine.written == held, sourceLocation: location)
        #expect(bench.asks.count <= requests, "\(bench.asks.map(\.range))", sourceLocation: location)
        return error
    }

    private func causes(_ bench: MachineBench) -> [String] {
        bench.reports.compactMap { if case .retrying(let error, _, _, _) = $0 { error.underlying } else { nil } }
    }

    // MARK: Parts

    private static let right = "bytes 5000-9999/10000"
    private static let malformed = [
        "5000-9999/10000", "bytes=5000-9999/10000", "bytes 5000-9999", "bytes -5-9999/10000", "bytes 5000--1/10000",
        "bytes +5000-9999/10000", "bytes 9999-5000/10000", "bytes 5000-9999/9999", "bytes 5000-9999/0",
        "bytes 5000-9223372036854775807/*", "bytes 5000-9223372036854775808/*",
        "bytes 5000-18446744073709551615/18446744073709551616", "bytes 0x1388-9999/10000", "bytes  5000-9999/10000",
        "bytes 5000 - 9999/10000", "bytes 5000-9999/10000, bytes 5000-9999/10000", "bytes */10000", "bytes 5000-9999/",
        "bytes", "garbage",
    ]
    private static let parts: [(fields: [(String, String)], evidence: String)] =
        malformed.map { ([("Content-Range", $0)], "a malformed Content-Range") }
        + [
            ([], "206 without Content-Range"),
            ([("Content-Range", right), ("Content-Range", right)], "more than one Content-Range"),
            ([("Content-Range", "items 5000-9999/10000")], "a range unit other than bytes"),
        ]
        + [4999, 5001, 10_000, 0].map {
            ([("Content-Range", right), ("Content-Length", "\($0)")], "contradictory Content-Range")
        }

    /// The error quotes the field, so that a bug report shows what the server sent.
    @Test(arguments: parts.indices)
    func
        `R09 R12 R13 a 206 whose header is missing, malformed or contradictory is refused, and nothing of it is stored`(
            _ index: Int
        ) throws
    {
        let (fields, evidence) = Self.parts[index]
        var bench = try resumed()
        run(&bench) { _ in Self.head(206, fields) }
        let error = expectRefused(bench)
        #expect(error?.message.contains("was not stored") == true && error?.remedies.first == .tryLater)
        #expect(causes(bench).first?.contains(evidence) == true, "\(causes(bench))")
        if let field = fields.first {
            #expect(error?.underlying?.contains(field.1) == true, "\(error?.underlying ?? "")")
        }
    }

    @Test(arguments: [nil, "W/\"v\"", "\"w\""])
    func `R11 a 206 with the total * and without the same strong ETag is not stored`(_ tag: String?) throws {
        var bench = try resumed { $0.onChange = .fail }
        run(&bench) { _ in Self.head(206, [("Content-Range", "bytes 5000-9999/*")], tag: tag) }
        expectRefused(bench, tag == "\"w\"" ? .changed : .badResponse)
    }

    @Test func `V06 a 206 to If-Unmodified-Since without any validator is refused`() throws {
        let date = "Fri, 01 Jan 2021 00:00:00 GMT"
        let known = Representation(
            total: 10_000, entityTag: EntityTag(parsing: "W/\"v\""), lastModified: date,
            date: "Sat, 01 Jan 2022 00:00:00 GMT")
        var bench = try resumed(known) { $0.onChange = .fail }
        run(&bench) { ask in
            ask.range == nil
                ? Self.head(200, [("Content-Length", "10000")], tag: nil)
                : Self.head(206, [("Content-Range", Self.right)], tag: nil)
        }
        expectRefused(bench)
        #expect(bench.asks.first?.fields.first("if-unmodified-since") == date)
    }

    @Test func `V07 a 206 without an ETag to a request without If-Range is refused`() throws {
        var bench = try resumed()
        run(&bench) { ask in
            if ask.fields.first("if-range") != nil { return Self.head(200, [("Content-Length", "10000")]) }
            return Self.head(206, [("Content-Range", Self.right)], tag: nil)
        }
        #expect(bench.asks.contains { $0.range != nil && $0.fields.first("if-range") == nil })
        expectRefused(bench, within: 12)
    }

    @Test func `R16 a 206 to a request without Range is refused`() throws {
        var bench = try MachineBench()
        // A slice under 200 makes the next request a plain one.
        run(&bench) { Self.head($0.range == nil ? 206 : 200, [("Content-Range", "bytes 0-9999/10000")]) }
        let error = expectRefused(bench, holding: RangeSet())
        #expect(error?.message.contains("206 to a request without Range") == true)
        #expect(bench.asks.count { $0.range != nil } == 1)
    }

    // MARK: Other statuses

    @Test func `R04 a 200 with Content-Range to a request without Range is refused, and the held bytes stay unchanged`()
        throws
    {
        var bench = try resumed()
        run(&bench) { _ in Self.head(200, [("Content-Range", "bytes 0-1048575/30704510")]) }
        let error = expectRefused(bench, within: 2)
        #expect(error?.message.contains("200 with a Content-Range") == true)
        #expect(error?.underlying?.contains("bytes 0-1048575/30704510") == true)
    }

    @Test(
        arguments: [
            (416, true, .refused), (416, false, .refused), (404, false, .notFound), (403, false, .unauthorized),
            (500, false, .network),
            (304, false, .badResponse), (204, false, .badResponse), (205, false, .badResponse),
            (203, false, .badResponse),
            (226, false, .badResponse), (302, false, .badResponse), (418, false, .refused),
        ] as [(Int, Bool, DownloadError.Code)])
    func `R19 the body of a response other than 200 or 206 is never stored`(
        _ status: Int, _ hasRange: Bool, _ code: DownloadError.Code
    ) throws {
        var bench = try resumed()
        run(&bench) { _ in Self.head(status, hasRange ? [("Content-Range", "bytes */10000")] : []) }
        expectRefused(bench, code)
    }

    @Test(arguments: [203, 304])
    func `N22 a 203 or a 304 that nobody asked for is refused at once`(_ status: Int) throws {
        var bench = try MachineBench()
        run(&bench) { _ in Self.head(status, [("Content-Length", "10000")]) }
        let error = expectRefused(bench, holding: RangeSet(), within: 2)
        if status == 203 { #expect(error?.message.contains("203") == true) }
    }

    @Test(
        arguments: [
            (204, " answered 204 (No Content): there is no file."),
            (302, " answered 302 (Found) without a Location field."),
            (304, " answered 304 (Not Modified) instead of sending the file."),
            (403, " refused access (403 Forbidden)."),
            (404, " has no such file (404 Not Found)."), (418, " refused the request (418)."),
        ])
    func `a refusal is told with its status and the standard phrase`(_ status: Int, _ words: String) throws {
        var bench = try MachineBench()
        run(&bench) { _ in Self.head(status, []) }
        guard case .failed(let error) = bench.phase else { return #expect(Bool(false), "\(bench.phase)") }
        #expect(error.message.hasSuffix(words), "\(error.message)")
    }

    // MARK: Ranges that the server never gets right

    private static let wrong: [(status: Int, field: (String, String), evidence: String)] = [
        (206, ("Content-Range", "bytes 5001-7999/10000"), "a different start than requested"),
        (206, ("Content-Range", "bytes 5000-8099/10000"), "extends past the requested one"),
        (206, ("Content-Type", "multipart/byteranges; boundary=x"), "multipart"),
        (416, ("Content-Range", "bytes */10000"), "bytes */10000"),
    ]

    @Test(arguments: wrong.indices)
    func
        `R06 R07 R17 R20 after three wrong answers to a range, with waits between them, the file is requested without Range`(
            _ index: Int
        ) throws
    {
        let (status, field, evidence) = Self.wrong[index]
        var bench = try resumed(holding: 0..<5000, 8000..<10_000)
        run(&bench) { ask in
            ask.range == nil ? Self.head(200, [("Content-Length", "10000")]) : Self.head(status, [field])
        }
        #expect(bench.asks.map(\.range) == Array(repeating: "bytes=5000-7999", count: 3) + [nil])
        #expect(causes(bench).count == 2 && causes(bench).allSatisfy { $0.contains(evidence) }, "\(causes(bench))")
        bench.deliver(to: 10_000)
        #expect(bench.phase == .completed(.init(isComplete: true, isVerified: false)))
        #expect(bench.actions.count { if case .store = $0 { true } else { false } } == 1)
    }
}
