import PawlCore
import Testing

/// Whatever the short way takes, the machine takes as well, with the same request, description and end.
@Suite("The short way of a small file")
struct SmallFetchTests {
    private static let now: Int64 = 1_700_000_000

    private static func settings(_ configure: (inout DownloadSettings) -> Void = { _ in }) throws -> DownloadSettings {
        var settings = DownloadSettings(url: try HTTPURL(parsing: "http://origin.example/data/file.bin"))
        settings.epochAtZero = now
        configure(&settings)
        return settings
    }

    private static func fetch(_ settings: DownloadSettings) -> SmallFetch? {
        SmallFetch(settings, limit: 128 << 10, cookies: CookieJar(), wallClock: now)
    }

    /// The description that the machine prepares for, if it goes on to the end without a further request.
    private static func ordinary(
        _ settings: DownloadSettings, _ head: ResponseHead, _ fields: [HTTPField]
    ) -> (Representation, name: String)? {
        var machine = DownloadMachine(settings: settings, recovered: .nothing)
        var id: ExchangeID?
        for case .ask(let asked, _, let sent, _) in machine.handle(.begin, at: .zero) {
            id = asked
            #expect(sent == fields)
        }
        guard let id else { return nil }
        var actions = machine.handle(.received(id, head), at: .zero)
        var prepared: (Representation, name: String)?
        for case .prepare(let found, let name) in actions { prepared = (found, name) }
        guard let prepared, let total = prepared.0.total else { return nil }
        let isQuiet = actions.allSatisfy {
            switch $0 {
            case .describe, .prepare, .learned(_, .rangesHonoured): true
            default: false
            }
        }
        actions = machine.handle(.prepared(.ready), at: .zero)
        guard isQuiet, actions.contains(where: { if case .store = $0 { true } else { false } }) else { return nil }
        actions = machine.handle(.ended(id, stored: total, .boundReached), at: .zero)
        if let digest = settings.options.digest {
            guard actions.contains(.verify([digest])) else { return nil }
            actions = machine.handle(.verified(.passed()), at: .zero)
        }
        let isVerified = settings.options.digest != nil
        guard actions.contains(.finish(isVerified: isVerified, isComplete: true)) else { return nil }
        actions = machine.handle(.finished, at: .zero)
        guard case .release(let summary)? = actions.last, case .completed(let outcome) = summary.phase else {
            return nil
        }
        #expect(outcome.isVerified == isVerified)
        #expect(summary.total == total && summary.representation == prepared.0 && summary.resumedFrom == 0)
        return prepared
    }

    private static let heads: [ResponseHead] = {
        let bodies: [[HTTPField]] = [
            [], [HTTPField("Content-Length", "100")], [HTTPField("Content-Length", "0")],
            [HTTPField("Content-Length", "200000")], [HTTPField("Transfer-Encoding", "chunked")],
            [HTTPField("Content-Length", "100"), HTTPField("Content-Range", "bytes 0-99/100")],
            [HTTPField("Content-Length", "50"), HTTPField("Content-Range", "bytes 0-49/100")],
            [HTTPField("Content-Length", "50"), HTTPField("Content-Range", "bytes 50-99/100")],
            [HTTPField("Content-Length", "100"), HTTPField("Content-Range", "bytes 0-99/*")],
        ]
        let others: [[HTTPField]] = [
            [], [HTTPField("ETag", "\"a\"")], [HTTPField("ETag", "W/\"a\""), HTTPField("Last-Modified", "x")],
            [HTTPField("Set-Cookie", "a=b")], [HTTPField("Content-Encoding", "gzip")],
            [HTTPField("Content-Type", "text/html")], [HTTPField("Location", "/elsewhere")],
            [HTTPField("Content-Disposition", "attachment; filename=\"other name.bin\"")],
            [HTTPField("Repr-Digest", "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:")],
            [HTTPField("Link", "<http://m.example/f>; rel=duplicate")],
            [HTTPField("WWW-Authenticate", "Basic realm=\"r\"")],
        ]
        return [200, 203, 204, 206, 226, 301, 304, 401, 403, 404, 412, 416, 429, 500, 503].flatMap { status in
            bodies.flatMap { body in others.map { ResponseHead(status: status, fields: body + $0) } }
        }
    }()

    @Test(arguments: [
        nil, "name.bin", "name.html",
    ]) func `an answer that is taken is one that the machine takes to its end`(name: String?) throws {
        try check(try Self.settings { $0.fileName = name })
        try check(
            try Self.settings {
                $0.fileName = name
                $0.options.digest = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32))
                $0.options.expectedSize = 100
            })
    }

    private func check(_ settings: DownloadSettings) throws {
        let fetch = try #require(Self.fetch(settings))
        var taken = 0
        for head in Self.heads {
            guard case .take(let found, _, let name) = fetch.judge(head, wallClock: Self.now) else { continue }
            taken += 1
            let ordinary = Self.ordinary(settings, head, fetch.fields)
            // A name that the caller gives is the driver's affair.
            #expect(ordinary?.0 == found && settings.fileName ?? ordinary?.name == name, "\(head)")
        }
        #expect(taken > 10 && taken < Self.heads.count / 10)
    }

    @Test func `the request is the machine's, whatever options the caller has`() throws {
        let changes: [(inout DownloadSettings) -> Void] = [
            { $0.userAgent = "" }, { $0.userAgent = "x/2" }, { $0.callerFields = [HTTPField("X-Token", "1")] },
            { $0.callerFields = [HTTPField("Accept", "a/b"), HTTPField("Cookie", "c=d")] },
            { $0.referer = try? HTTPURL(parsing: "http://origin.example/page") },
            { $0.freshURL = try? HTTPURL(parsing: "http://other.example/file.bin?key=1") },
        ]
        for change in changes {
            let settings = try Self.settings(change)
            let fetch = try #require(Self.fetch(settings))
            let head = ResponseHead(status: 200, fields: [HTTPField("Content-Length", "100")])
            #expect(Self.ordinary(settings, head, fetch.fields) != nil)
        }
    }

    @Test func `cookies are sent as the machine sends them`() throws {
        var jar = CookieJar()
        for host in ["origin.example", "other.example"] {
            let url = try HTTPURL(parsing: "http://\(host)/data/")
            _ = jar.store(["of=\(host)"], from: url, wallClock: Self.now, suffixes: nil)
        }
        let settings = try Self.settings()
        let fetch = try #require(SmallFetch(settings, limit: 1000, cookies: jar, wallClock: Self.now))
        var machine = DownloadMachine(settings: settings, recovered: .nothing)
        let sent = machine.react(to: [.cookiesChanged(jar), .begin], at: .zero).actions.compactMap {
            action -> [HTTPField]? in
            if case .ask(_, _, let fields, _) = action { fields } else { nil }
        }
        #expect(sent == [fetch.fields])
        #expect(fetch.fields.first("cookie") == "of=origin.example")
    }

    @Test func `what asks for more goes the ordinary way from the start`() throws {
        let url = try HTTPURL(parsing: "http://m.example/file.bin")
        let changes: [(inout DownloadSettings) -> Void] = [
            { $0.mirrors = [Source(url: url, priority: 1)] }, { $0.window = 1 << 20 },
            { $0.credentials = Credentials(name: "a", password: "b") },
            { $0.options.onlyIfNewer = true }, { $0.options.adoptsPartialFile = true },
            { $0.options.maximumBytesPerSecond = 1 }, { $0.options.sync = .file }, { $0.failuresBefore = 1 },
            { $0.options.usesServerMirrors = true }, { $0.options.maximumTime = .seconds(1) },
            { $0.options.ifExists = .rename },
        ]
        for (index, change) in changes.enumerated() {
            #expect(Self.fetch(try Self.settings(change)) == nil, "\(index)")
        }
        #expect(try SmallFetch(Self.settings(), limit: 0, cookies: CookieJar(), wallClock: Self.now) == nil)
    }

    @Test func `a limit on the size of a file, and its known size, hold on the short way`() throws {
        let head = ResponseHead(status: 200, fields: [HTTPField("Content-Length", "100")])
        let changes: [(inout DownloadSettings) -> Void] = [
            { $0.options.maximumFileSize = 99 }, { $0.options.expectedSize = 99 }, { $0.options.expectedSize = 101 },
        ]
        for change in changes {
            let fetch = try #require(Self.fetch(try Self.settings(change)))
            #expect(fetch.judge(head, wallClock: Self.now) == .promote)
        }
    }
}
