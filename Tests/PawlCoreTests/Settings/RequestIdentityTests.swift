import PawlCore
import Testing

/// Which requests count as the same download.
@Suite struct RequestIdentityTests {
    private static func settings(
        _ url: String = "https://h/export", _ change: (inout DownloadSettings) -> Void = { _ in }
    ) throws -> DownloadSettings {
        var settings = DownloadSettings(url: try HTTPURL(parsing: url))
        change(&settings)
        return settings
    }

    private static func fields(_ fields: (String, String)...) throws -> DownloadSettings {
        try settings { $0.callerFields = fields.map { HTTPField($0.0, $0.1) } }
    }

    @Test func `M15 a different user, token or header makes a different request`() throws {
        let requests = [
            try Self.settings(), try Self.settings("https://h/export?token=A"),
            try Self.settings("https://alice@h/export"),
            try Self.settings("https://bob@h/export"), try Self.fields(("X-Who", "alice")),
            try Self.fields(("X-Who", "bob")),
            try Self.fields(("X-Role", "alice")), try Self.fields(("Cookie", "u=alice")),
            try Self.fields(("Authorization", "Bearer a")),
            try Self.fields(("Accept-Language", "de")), try Self.settings { $0.bearerToken = BearerToken("alice") },
            try Self.settings { $0.ranges = try? RangeSelection(parsing: "0-9") },
            try Self.settings {
                $0.ranges = try? RangeSelection(parsing: "0-9")
                $0.isSparse = true
            },
        ]
        #expect(Set(requests.map(\.identity)).count == requests.count)
    }

    @Test func `M15 the borders between fields, and between name and value, are part of a request's identity`() throws {
        let requests = [
            try Self.fields(("X", "a"), ("Y", "b")), try Self.fields(("X", "a\u{1}Yb")),
            try Self.fields(("X", "aY"), ("Y", "b")),
            try Self.fields(("XY", "a"), ("Y", "b")), try Self.fields(("X", ""), ("Y", "ab")),
            try Self.fields(("X", "a")),
        ]
        #expect(Set(requests.map(\.identity)).count == requests.count)
    }

    @Test func `M15 the order of fields, the case of their names, and the password do not change a request's identity`()
        throws
    {
        let one = try Self.fields(("X-Who", "alice"), ("Cookie", "a=1"))
        #expect(try one.identity == Self.fields(("cookie", "a=1"), ("x-who", "alice")).identity)
        #expect(try one.identity != Self.fields(("cookie", "A=1"), ("x-who", "alice")).identity)
        let users = [
            try Self.settings("https://alice:x@h/export"), try Self.settings("https://alice:y@h/export"),
            try Self.settings("https://%61lice@h/export"),
            try Self.settings { $0.credentials = Credentials(name: "alice", password: "z") },
        ]
        #expect(Set(users.map(\.identity)).count == 1)
    }

    @Test func `a field that the caller gives is sent in place of Pawl's own, and only to its origin`() throws {
        let settings = try Self.settings {
            $0.callerFields = ["accept", "User-Agent", "Referer", "Authorization"].map { HTTPField($0, "https://own/") }
            $0.userAgent = "Pawl"
            $0.referer = try? HTTPURL(parsing: "https://page/")
            $0.bearerToken = BearerToken("t")
        }
        func sent(to url: String) throws -> [HTTPField] {
            let url = try HTTPURL(parsing: url)
            return settings.fields(for: url, asking: [], cookies: CookieJar(), wallClock: 0)
        }
        let own = try sent(to: "https://h/export")
        for name in ["accept", "user-agent", "referer", "authorization"] {
            #expect(own.values(name) == ["https://own/"], "\(name)")
        }
        #expect(try sent(to: "https://other/").values("accept") == ["*/*"])
    }

    @Test func `User-Agent and Referer make a different request, but not a different journal`() throws {
        let one = try Self.settings {
            $0.callerFields = [HTTPField("User-Agent", "a"), HTTPField("referer", "https://p/")]
            $0.userAgent = "b"
            $0.referer = try? HTTPURL(parsing: "https://q/")
        }
        let other = try Self.settings()
        #expect(one.identity != other.identity)
        #expect(
            one.journalIdentity(of: one.url, cookies: nil, certificate: nil)
                == other.journalIdentity(of: other.url, cookies: nil, certificate: nil))
        #expect(one.isAnonymous(at: one.url))
        #expect(try !Self.fields(("X-Who", "alice")).isAnonymous(at: one.url))
    }

    @Test func `M15 a journal's identity includes the cookies and the certificate`() throws {
        let settings = try Self.settings()
        let all =
            [(nil, nil), ("a=1", nil), ("a=2", nil), (nil, [1]), (nil, [2]), ("a=1", [1])] as [(String?, [UInt8]?)]
        let identities = all.map { settings.journalIdentity(of: settings.url, cookies: $0.0, certificate: $0.1) }
        #expect(Set(identities).count == all.count)
    }

    @Test(
        arguments: [
            { $0.digest = try? Digest(parsing: "sha-256:" + String(repeating: "0a", count: 32)) },
            { $0.requiresComplete = true },
            { $0.maximumFileSize = 9 }, { $0.onChange = .fail }, { $0.expectedSize = 7 }, { $0.allowsWebPage = true },
            { $0.allowsInsecureRedirect = true }, { $0.allowsOnlyDigest = true },
            { $0.callerFields = [HTTPField("X-Who", "bob")] },
        ] as [@Sendable (inout DownloadSettings) -> Void])
    func `two requests share a download only if both have the same guarantees`(
        _ change: @Sendable (inout DownloadSettings) -> Void
    ) throws {
        let (plain, other) = (try Self.settings(), try Self.settings("https://h/export", change))
        #expect(!plain.canShareDownload(with: other) && !other.canShareDownload(with: plain))
        #expect(other.canShareDownload(with: other))
    }
}
