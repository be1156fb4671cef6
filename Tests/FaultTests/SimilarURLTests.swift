import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// URLs that differ only in a secret: some lead to the same file, signed anew, and some to another file.
@Suite struct `Similar URLs` {
    private static let first = FileBehaviour.pattern(count: 300_000)
    private static let second = FileBehaviour.pattern(count: 200_000, seed: 7)

    /// Serves two files, selected by the token and named by the server.
    private static func serve(
        names: (String, String), _ request: RecordedRequest, _ connection: ServerConnection
    ) throws {
        let isSecond = request.query?.contains("token=B") ?? false
        var served = Served(isSecond ? second : first, tag: isSecond ? "\"b\"" : "\"v1\"")
        served.lines = ["Content-Disposition: attachment; filename=\(isSecond ? names.1 : names.0)"]
        try served.answer(request, connection)
    }

    private static func trial(names: (String, String)) throws -> Trial {
        try Trial(first) { request, connection in try serve(names: names, request, connection) }
    }

    @Test
    func
        `M15 URLs that differ in a secret and lead to different files are downloaded separately, each under its own name`()
        async throws
    {
        let trial = try Self.trial(names: ("file.bin", "other.bin"))
        try trial.leave(durable: 0..<100_000, path: "/dl?token=A")
        let journal = try Files.read(trial.journal)
        let after = try await trial.run(path: "/dl?token=B") { $0.fileName = nil }
        #expect(after.error == nil)
        #expect(after.files["other.bin"] == Self.second)
        #expect(after.ranges.first == "bytes=0-")
        #expect(try Files.read(trial.journal) == journal, "the other's journal was touched")
        #expect(after.files["file.bin.part"]?.prefix(100_000).elementsEqual(Self.first.prefix(100_000)) == true)
        let resumed = try await trial.run(path: "/dl?token=A") { $0.fileName = nil }
        #expect(resumed.files["file.bin"] == Self.first && resumed.files["other.bin"] == Self.second)
        #expect(resumed.bodyBytes < 210_000, "it was not resumed")
    }

    @Test func `M15 a newly signed link to the same file is resumed after a response shows that it is the same`()
        async throws
    {
        let trial = try Trial(Self.first) { request, connection in
            var served = Served(Self.first)
            served.lines = ["Content-Disposition: attachment; filename=file.bin"]
            try served.answer(request, connection)
        }
        try trial.leave(durable: 0..<200_000, path: "/dl?token=A")
        let after = try await trial.run(path: "/dl?token=B") {
            $0.fileName = nil
            $0.settings.maximumConnections = 1
        }
        after.expectWhole(Self.first)
        #expect(after.ranges == ["bytes=0-", "bytes=195904-299999"])
        #expect(after.reports.contains(.resumed(offset: 200_000)))
    }

    @Test(arguments: [ExistingFilePolicy.fail, .rename])
    func `M15 another file under the same server-chosen name leaves the earlier download's files unchanged`(
        _ policy: ExistingFilePolicy
    ) async throws {
        let trial = try Self.trial(names: ("file.bin", "file.bin"))
        try trial.leave(durable: 0..<100_000, path: "/dl?token=A")
        let journal = try Files.read(trial.journal)
        let after = try await trial.run(path: "/dl?token=B") {
            $0.fileName = nil
            $0.ifExists = policy
        }
        #expect(try Files.read(trial.journal) == journal)
        #expect(after.files["file.bin.part"]?.prefix(100_000).elementsEqual(Self.first.prefix(100_000)) == true)
        #expect(after.files["file.bin"] == nil)
        if policy == .fail {
            #expect(after.error?.code == .journal)
        } else {
            #expect(after.files["file (1).bin"] == Self.second)
        }
    }

    @Test func `M15 with a name from the caller, too, only a response shows whether a link leads to the same file`()
        async throws
    {
        let trial = try Self.trial(names: ("a", "b"))
        // Everything is done except the rename.
        try trial.leave(durable: 0..<300_000, path: "/dl?token=A") { $0.state = .verified }
        let after = try await trial.run(path: "/dl?token=B")
        #expect(after.error == nil)
        #expect(after.files["file.bin"] == Self.second)
        #expect(after.files.contains { $0.key.contains("orphan") && $0.value == Self.first }, "\(after.names)")

        let same = try Self.trial(names: ("a", "b"))
        try same.leave(durable: 0..<300_000, path: "/dl?token=A") { $0.state = .verified }
        let fresh = try await same.run(path: "/dl?token=C")
        fresh.expectWhole(Self.first)
        #expect(fresh.requests.count == 1 && fresh.bodyBytes <= 4096, "\(fresh.ranges)")
    }

    @Test func `M15 a partial file is resumed only for the user who began it`() async throws {
        let trial = try Trial(Self.first) { request, connection in
            let isBob = request.fields.first("Authorization") == Credentials(name: "bob", password: "y").basic
            var served = Served(isBob ? Self.second : Self.first, tag: isBob ? "\"b\"" : "\"v1\"")
            served.lines = ["Content-Disposition: attachment; filename=\(isBob ? "bob.zip" : "file.bin")"]
            try served.answer(request, connection)
        }
        let host = "127.0.0.1:\(trial.server.port)"
        try trial.leave(durable: 0..<100_000, path: "/export.zip") { record in
            guard let url = try? HTTPURL(parsing: "http://alice:x@\(host)/export.zip") else { return }
            let identity = DownloadSettings(url: url).journalIdentity(of: url, cookies: nil, certificate: nil)
            record.identityHash = SHA256.hash(record.id + identity)
        }
        let after = try await trial.run(url: "http://bob:y@\(host)/export.zip") { $0.fileName = nil }
        #expect(after.files["bob.zip"] == Self.second && after.files["file.bin.part"] != nil)
        let alice = try await trial.run(url: "http://alice:x@\(host)/export.zip") { $0.fileName = nil }
        #expect(alice.files["file.bin"] == Self.first)
        #expect(alice.bodyBytes < 210_000)
    }

    /// A server with two users' files, selected by one field of the request and named by the server.
    private static func trial(field: String) throws -> Trial {
        try Trial(first) { request, connection in
            let isBob = request.fields.first(field)?.contains("bob") ?? false
            var served = Served(isBob ? second : first, tag: isBob ? "\"b\"" : "\"v1\"")
            served.lines = ["Content-Disposition: attachment; filename=\(isBob ? "bob.bin" : "file.bin")"]
            try served.answer(request, connection)
        }
    }

    private static func leave(
        _ trial: Trial, cookies: String? = nil, certificate: [UInt8]? = nil,
        _ change: (inout DownloadSettings) -> Void = { _ in }
    ) throws {
        var settings = DownloadSettings(url: try HTTPURL(parsing: trial.server.url("/export")))
        change(&settings)
        let identity = settings.journalIdentity(of: settings.url, cookies: cookies, certificate: certificate)
        try trial.leave(durable: 0..<100_000, path: "/export") { record in
            record.identityHash = SHA256.hash(record.id + identity)
        }
    }

    @Test func `M15 a header field of the caller counts as identity, so that another value does not resume the file`()
        async throws
    {
        let trial = try Self.trial(field: "X-Who")
        try Self.leave(trial) { $0.callerFields = [HTTPField("X-Who", "alice")] }
        for (name, file, content) in [("bob", "bob.bin", Self.second), ("alice", "file.bin", Self.first)] {
            let after = try await trial.run(path: "/export") {
                $0.fileName = nil
                $0.settings.callerFields = [HTTPField("x-who", name)]
            }
            #expect(after.error == nil && after.files[file] == content)
            #expect(after.files["file.bin.part"] != nil || name == "alice", "Alice's partial file is gone")
            if name == "alice" { #expect(after.bodyBytes < 210_000, "it was not resumed") }
        }
    }

    private static func jar(_ value: String) throws -> CookieJar {
        var jar = CookieJar()
        jar.store(["who=\(value); Path=/"], from: try HTTPURL(parsing: "http://127.0.0.1/"), wallClock: 0)
        // As from a cookie file, which records neither scheme nor port.
        var cookie = try #require(jar.cookies.first)
        (cookie.scheme, cookie.port) = (nil, nil)
        var given = CookieJar()
        given.insert(cookie, wallClock: 0)
        return given
    }

    @Test func `M15 the caller's cookies count as identity, and cookies that servers set do not`() async throws {
        let trial = try Self.trial(field: "Cookie")
        try Self.leave(trial, cookies: "who=alice")
        let bob = try await trial.run(path: "/export", { $0.fileName = nil }, cookies: try Self.jar("bob"))
        #expect(bob.error == nil && bob.files["bob.bin"] == Self.second && bob.files["file.bin.part"] != nil)
        let alice = try await trial.run(path: "/export", { $0.fileName = nil }, cookies: try Self.jar("alice"))
        #expect(alice.error == nil && alice.files["file.bin"] == Self.first && alice.bodyBytes < 210_000)

        let shared = SharedCookies(try Self.jar("alice"))
        shared.store(
            ["session=1", "who=mallory; Path=/"], from: try HTTPURL(parsing: "http://127.0.0.1/"), wallClock: 0)
        #expect(try shared.jar.count > 1 && shared.given == Self.jar("alice"))
        shared.change { $0 = CookieJar() }
        #expect(shared.given.isEmpty && shared.jar.isEmpty)
    }

    @Test func `M15 the client certificate counts as identity`() async throws {
        // Everyone gets the same file, but it is resumed only after an answer has proved that.
        for (certificate, first) in [([9], "bytes=0-"), ([1, 2, 3], "bytes=95904-299999")] as [([UInt8], String)] {
            let copy = try Self.trial(field: "X-Who")
            try Self.leave(copy, certificate: [1, 2, 3])
            let after = try await copy.run(
                path: "/export",
                {
                    $0.fileName = nil
                    $0.settings.maximumConnections = 1
                }, certificate: certificate)
            after.expectWhole(Self.first)
            #expect(after.ranges.first == first)
        }
    }

    @Test func `M15 a journal in the former format, which names no identity, is not resumed for another user`()
        async throws
    {
        let trial = try Self.trial(field: "X-Who")
        try trial.leave(durable: 0..<100_000, path: "/export") { $0.identityHash = nil }
        let after = try await trial.run(path: "/export") {
            $0.fileName = nil
            $0.settings.callerFields = [HTTPField("X-Who", "bob")]
        }
        #expect(after.error == nil && after.files["bob.bin"] == Self.second && after.files["file.bin.part"] != nil)
    }

    @Test
    func `M15 a journal in the former format is resumed at once if its URL has no secret, otherwise after a response`()
        async throws
    {
        for (path, ranges) in [
            ("/dl?page=1", ["bytes=95904-299999"]), ("/dl?token=A", ["bytes=0-", "bytes=95904-299999"]),
        ] {
            let trial = try Self.trial(names: ("file.bin", "file.bin"))
            try trial.leave(durable: 0..<100_000, path: path) { $0.identityHash = nil }
            let after = try await trial.run(path: path) {
                $0.fileName = nil
                $0.settings.maximumConnections = 1
            }
            after.expectWhole(Self.first)
            #expect(after.ranges == ranges)
        }
    }

    @Test func `M15 with mirrors, too, a fresh link to the same file is resumed`() async throws {
        let mirror = try ScriptedServer(file: FileBehaviour(content: Self.first))
        defer { mirror.stop() }
        let trial = try Trial(Self.first)
        try trial.leave(durable: 0..<200_000, path: "/dl?token=A")
        let mirrors = [Source(url: try HTTPURL(parsing: mirror.url("/file.bin")))]
        let after = try await trial.run(path: "/dl?token=B") {
            $0.settings.mirrors = mirrors
            $0.settings.digest = Sums.sha256(Self.first)
        }
        after.expectWhole(Self.first, verified: true)
        #expect(after.bodyBytes < 150_000, "it was not resumed")
    }

    @Test func `M15 a complete download of requested parts still completes under a fresh link`() async throws {
        let trial = try Trial(Self.first)
        let ranges = try RangeSelection(parsing: "0-49999")
        let url = try HTTPURL(parsing: trial.server.url("/dl?token=A"))
        try trial.leave(durable: 0..<50_000, path: "/dl?token=A") { record in
            record.urlHash = URLHash(of: JournalRecord.urlIdentity(of: url, ranges: ranges))
        }
        let after = try await trial.run(path: "/dl?token=B") { $0.settings.ranges = ranges }
        after.expectWhole(Array(Self.first[..<50_000]))
    }

    @Test func `M15 D24 a partial file that no validator can verify is set aside`() async throws {
        let trial = try Trial(Self.first) { request, connection in
            try Served(Self.first, tag: nil, lastModified: nil).answer(request, connection)
        }
        try trial.leave(durable: 0..<100_000, entityTag: nil, lastModified: nil, path: "/dl?token=A")
        let after = try await trial.run(path: "/dl?token=B")
        after.expectWhole(Self.first, beside: [Aftermath.orphan])
    }

    @Test func `M15 without a validator, a digest decides whether a fresh link leads to the same file`() async throws {
        let trial = try Trial(Self.first) { request, connection in
            var served = Served(Self.first, tag: nil, lastModified: nil)
            served.lines = ["Content-Disposition: attachment; filename=file.bin"]
            try served.answer(request, connection)
        }
        try trial.leave(durable: 0..<200_000, entityTag: nil, lastModified: nil, path: "/dl?token=A")
        let after = try await trial.run(path: "/dl?token=B") {
            $0.fileName = nil
            $0.settings.maximumConnections = 1
            $0.settings.digest = Sums.sha256(Self.first)
        }
        after.expectWhole(Self.first, verified: true)
        #expect(after.ranges.last == "bytes=200000-299999")
    }
}
