import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@testable import Pawl

@Suite("Requests stored in a session")
struct RequestSessionTests {
    private static let secrets = ["s3cret", "t0ken", "sigNature", "c00kie", "pass-word"]

    /// A request in which every property differs from its default.
    private static func strange(
        _ authentication: Authentication = .password(name: "na me", .value("\u{301}s3cret:with a colon"))
    ) throws -> DownloadRequest {
        var request = DownloadRequest("https://user:pass-word@a.example/f?X-Amz-Signature=sigNature", to: "/d/ü (1)")
        request.headers = [HTTPField("Cookie", "a=c00kie"), HTTPField("X-Empty", ""), HTTPField("X-Mark", "\u{301}v")]
        request.authentication = authentication
        request.allowsOnlyDigest = true
        request.userAgent = ""
        request.referer = "https://page.example/p?sig=sigNature"
        request.freshURL = "https://b.example/f"
        request.maximumConnections = 3
        request.digest = try Digest(parsing: "sha-256:" + String(repeating: "0a", count: 32))
        request.mirrors = [
            Mirror("https://m.example/f g", priority: 3, location: "de"), Mirror("https://n.example/f?token=t0ken"),
        ]
        request.preferredLocations = ["at", "de"]
        request.pieceHashes = try PieceHashes(
            algorithm: .sha1, pieceLength: 1000, hashes: (0..<3).map { [UInt8](repeating: 0x1f + $0, count: 20) })
        request.expectedSize = 2500
        request.usesServerMirrors = true
        request.maximumFileSize = 1 << 40
        request.allowsWebPage = true
        request.requiresComplete = true
        request.maximumBytesPerSecond = 77
        request.ranges = try RangeSelection(parsing: "0-499,500-,-500")
        request.isSparse = true
        request.streamWindow = 5 << 20
        request.onChange = .fail
        request.ifExists = .rename
        request.adoptsPartialFile = true
        request.allowsInsecureRedirect = true
        request.stallTimeout = .milliseconds(1500)
        request.responseTimeout = .seconds(7)
        request.maximumTime = .seconds(3600)
        request.onlyIfNewer = true
        request.keepsRemoteTime = true
        request.recordsOrigin = true
        request.refreshURL = { nil }
        return request
    }

    private static func fields(_ request: DownloadRequest) -> [String: String] {
        let parts = [Swift.Mirror(reflecting: request), Swift.Mirror(reflecting: request.context)].flatMap(\.children)
        var fields = Dictionary(
            uniqueKeysWithValues: parts.filter { $0.label != "context" }.map {
                ($0.label ?? "?", String(describing: $0.value))
            })
        // It describes itself without its secret.
        if let secret = request.authentication?.secret { fields["authentication"]? += secret.text }
        fields["refreshURL"] = request.refreshURL == nil ? "none" : "some"
        return fields
    }

    /// A property that is added to requests later fails here until it is given a value above and a ``SessionField``.
    @Test(arguments: [
        Authentication.password(name: "na me", .value("\u{301}s3cret:with a colon")), .bearer(.value("t0ken")),
    ])
    func `every storable property of a request is stored and read back`(_ authentication: Authentication) throws {
        let strange = try Self.strange(authentication)
        let usual = Self.fields(DownloadRequest("", in: "."))
        for (name, value) in Self.fields(strange) {
            #expect(usual[name] != value, "“\(name)” has no value of its own in this test")
        }
        #expect(SessionField.properties == Set(usual.keys))

        let (options, isIncomplete) = try strange.storedOptions(withSecrets: true)
        #expect(!isIncomplete)
        var found = DownloadRequest(strange.url, in: strange.directory)
        found.fileName = strange.fileName
        try found.take(options)
        var expected = Self.fields(strange)
        // A closure cannot be stored, and the request works without it.
        expected["refreshURL"] = "none"
        // A URL is stored as it was read.
        expected["mirrors"] = expected["mirrors"]?.replacing("/f g", with: "/f%20g")
        #expect(Self.fields(found) == expected)
    }

    @Test func `a host that an earlier version stored in letters is read`() throws {
        let url = try HTTPURL(parsing: "https://xxxxxxx.example/f")
        let entry = QueueEntry(id: DownloadID(1), url: url, host: "", directory: "/d", target: 0)
        var bytes = SessionCoding.encode(StoredDownload(entry: entry), at: .zero, wallClock: 0).bytes
        let place = try #require(bytes.firstRange(of: Array("xxxxxxx".utf8)))
        bytes.replaceSubrange(place, with: "b\u{FC}cher".utf8)
        let record = SessionRecord(id: DownloadID(1), bytes: bytes)
        #expect(SessionCoding.decode(record, at: .zero, wallClock: 0) == nil)
        let found = SessionCoding.decode(record, at: .zero, wallClock: 0) { try? HTTPURL.checked($0) }
        #expect(found?.entry.url.host == "xn--bcher-kva.example")
    }

    @Test func `a template has no part that a session does not know`() {
        let parts = Swift.Mirror(reflecting: DownloadSettings.Template()).children.compactMap(\.label)
        // `headers` are its callerFields, `authentication` is its credentials and its bearerToken.
        let known = SessionField.properties.subtracting(["url", "directory", "fileName", "refreshURL"])
            .subtracting(["headers", "authentication"]).union(["callerFields", "credentials", "bearerToken"])
        #expect(Set(parts) == known)
    }

    @Test func `a plain request stores no options`() throws {
        let (options, isIncomplete) = try DownloadRequest("https://a.example/f", to: "f")
            .storedOptions(withSecrets: false)
        #expect(options.isEmpty && !isIncomplete)
        #expect(try DownloadRequest("https://a.example/f", to: "f").isPlain)
    }

    @Test func `a request with any changed property is not plain`() throws {
        let changes: [(inout DownloadRequest) -> Void] = [
            { $0.isSparse = true }, { $0.refreshURL = { nil } }, { $0.headers = [HTTPField("X", "1")] },
            { $0.userAgent = "" }, { $0.ifExists = .skip },
            { $0.maximumConnections = 7 }, { $0.stallTimeout = .seconds(31) },
            { $0.mirrors = [Mirror("https://b.example/f")] },
        ]
        for change in changes {
            var request = DownloadRequest("https://a.example/f", to: "f")
            change(&request)
            #expect(try !request.isPlain)
        }
    }

    @Test func `by default no secret is stored, and the request is marked incomplete`() throws {
        let (options, isIncomplete) = try Self.strange().storedOptions(withSecrets: false)
        let (others, lacksToken) = try Self.strange(.bearer(.value("t0ken"))).storedOptions(withSecrets: false)
        #expect(isIncomplete && lacksToken)
        for option in options + others {
            #expect(!Self.secrets.contains { option.value.contains($0) }, "\(option)")
        }
        // Options that hold no secret are stored all the same.
        let names = Set((options + others).map(\.name))
        #expect(names.isSuperset(of: ["ranges", "mirror", "user-agent", "digest-only", "maximum-time", "pieces"]))
        #expect(names.isDisjoint(with: ["login", "bearer", "header", "referer"]))
    }

    @Test func `each secret alone marks a request incomplete, and other properties do not`() throws {
        func isIncomplete(_ change: (inout DownloadRequest) -> Void) throws -> Bool {
            var request = DownloadRequest("https://a.example/f", to: "f")
            change(&request)
            return try request.storedOptions(withSecrets: false).isIncomplete
        }
        #expect(try isIncomplete { $0.headers = [HTTPField("X", "1")] })
        #expect(try isIncomplete { $0.authentication = .password(name: "a", .value("")) })
        #expect(try isIncomplete { $0.authentication = .bearer(.value("x")) })
        #expect(try isIncomplete { $0.referer = "https://a.example/?token=1" })
        #expect(try isIncomplete { $0.mirrors = [Mirror("https://u@m.example/f")] })
        #expect(try !isIncomplete { $0.referer = "https://a.example/?page=1" })
        #expect(try !isIncomplete { $0.mirrors = [Mirror("https://m.example/f")] })
        #expect(try !isIncomplete { $0.refreshURL = { nil } })
        #expect(try !isIncomplete { $0.isSparse = true })
    }

    @Test(arguments: [
        StoredOption("of a later version", "1"), StoredOption("connections", "many"), StoredOption("sparse", "yes"),
        StoredOption("ranges", "9-1"), StoredOption("pieces", "sha-1 10 0g"), StoredOption("pieces", "sha-1 10"),
        StoredOption("mirror", "x y z"), StoredOption("digest", "sha-256:1"), StoredOption("header", "none"),
        StoredOption("login", "no colon"), StoredOption("on-change", "later"), StoredOption("stall-timeout", ""),
    ])
    func `an unreadable option is an error, not a different request`(option: StoredOption) throws {
        var request = DownloadRequest("https://a.example/f", to: "f")
        let error = #expect(throws: DownloadError.self) { try request.take([option]) }
        #expect(error?.code == .journal)
        #expect(error?.message.contains(option.name) == true)
    }
}

extension DownloadRequest {
    /// As a session keeps it, whether or not its options may go together.
    fileprivate func storedOptions(withSecrets: Bool) throws -> (options: [StoredOption], isIncomplete: Bool) {
        var rest = self
        rest.options = DownloadOptions()
        var template = try rest.template(of: HTTPURL(parsing: url), SecretReader()).value
        template.options = options
        return template.storedOptions(withSecrets: withSecrets)
    }

    /// Nothing but a URL and a target is asked for.
    fileprivate var isPlain: Bool {
        get throws { try refreshURL == nil && storedOptions(withSecrets: true).options.isEmpty }
    }
}
