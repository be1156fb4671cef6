import Pawl
import PawlCore
import PawlMetalink
import PawlTestKit
import Testing

/// Servers that name the Metalink of a file in a `Link` field (RFC 6249 §4).
@Suite struct DescribedByTests {
    static let size = 1000
    static let sha256 = String(repeating: "ab", count: 32)
    static let link = "Link: <file.bin.meta4>; rel=describedby; type=\"application/metalink4+xml\""

    private static func document(
        size: Int = size, digest: String = sha256, name: String = "file.bin", more: String = ""
    ) -> String {
        let pieces = (0..<2).map { _ in "<hash>\(digest)</hash>" }.joined()
        return """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink">\(more)<file name="\(name)"><size>\(size)</size><hash type="sha-256">\(digest)</hash>
            <pieces length="\(size / 2)" type="sha-256">\(pieces)</pieces>
            <url priority="2">https://b.example/file.bin</url><url priority="1">http://a.example/file.bin</url></file></metalink>
            """
    }

    /// Serves the file with these field lines, and the document unless it is nil.
    private static func server(
        tls: ServerTLS? = nil, _ lines: [String] = [link], _ document: String? = document(), status: Int = 206
    ) throws -> ScriptedServer {
        try ScriptedServer(tls: tls) { request, connection in
            if request.path.hasSuffix(".meta4") {
                guard let document else { return try connection.send("HTTP/1.1 404 x\r\nContent-Length: 0\r\n\r\n") }
                return try connection.send(
                    "HTTP/1.1 200 x\r\nContent-Length: \(document.utf8.count)\r\n\r\n\(document)")
            }
            let all = lines + ["Content-Range: bytes 0-\(size - 1)/\(size)", "Content-Length: \(size)", "ETag: \"v\""]
            try connection.send(
                "HTTP/1.1 \(status) x\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n"
                    + String(repeating: "x", count: size))
        }
    }

    private static func described(
        _ server: ScriptedServer, trusting authority: String? = nil,
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> DescribedRequest {
        var configuration = Downloader.Configuration()
        configuration.certificateAuthorityFile = authority
        let downloader = try Downloader(configuration: configuration)
        var request = DownloadRequest(server.url("/d/file.bin"))
        change(&request)
        let described: DescribedRequest
        do { described = try await downloader.described(request) } catch {
            await downloader.shutdown()
            throw error
        }
        await downloader.shutdown()
        server.stop()
        return described
    }

    @Test func `a request receives everything that the server's Metalink says`() async throws {
        let server = try Self.server()
        let found = try await Self.described(server)
        #expect(found.isDescribed && found.notices.isEmpty, "\(found.notices)")
        #expect(found.request.digest?.hex == Self.sha256)
        #expect(found.request.expectedSize == 1000 && found.request.pieceHashes?.pieceLength == 500)
        #expect(found.request.mirrors.map(\.url) == ["http://a.example/file.bin", "https://b.example/file.bin"])
        #expect(server.requests.map(\.path) == ["/d/file.bin", "/d/file.bin.meta4"])
    }

    @Test(arguments: [
        document(size: 1002), document(digest: String(repeating: "cd", count: 32)), "<html/>", "",
        document().replacingOnce("</metalink>", with: ""),
        document(name: "other").replacingOnce(
            "</metalink>", with: "<file name=\"third\"><url>http://c.example/</url></file></metalink>"),
    ])
    func `a server's Metalink that is damaged or describes another file is not used, and a notice says so`(
        _ text: String
    ) async throws {
        // The digest of the whole file in the form of RFC 9530: 32 bytes of 0xAB.
        let digest = "Repr-Digest: sha-256=:q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=:"
        let found = try await Self.described(try Self.server([Self.link, digest], text))
        #expect(!found.isDescribed && found.notices.count == 1, "\(found.notices)")
        #expect(
            found.request.digest == nil && found.request.pieceHashes == nil && found.request.mirrors.isEmpty
                && found.request.expectedSize == nil)
        #expect(found.notices.first?.contains("file.bin.meta4") == true, "\(found.notices)")
    }

    @Test func `a missing Metalink does not fail the download`() async throws {
        let found = try await Self.described(try Self.server([Self.link], nil))
        #expect(!found.isDescribed && found.notices.count == 1)
    }

    @Test(arguments: [
        ["Link: <x.meta4>; rel=describedby"], ["Link: <x.meta4>; rel=describedby; type=\"application/metalink+xml\""],
        ["Link: <x.meta4>; rel=duplicate"],
        ["Link: <ftp://a.example/x.meta4>; rel=describedby; type=application/metalink4+xml"], [],
        ["Link: <x.meta4>; rel=describedby; anchor=\"#a\"; type=application/metalink4+xml"],
    ])
    func `other links name no Metalink`(_ lines: [String]) async throws {
        let server = try Self.server(lines)
        let found = try await Self.described(server)
        #expect(!found.isDescribed && found.notices.isEmpty && server.requests.count == 1)
    }

    @Test func `a request with piece hashes or ranges asks for no Metalink`() async throws {
        for change in [
            { (request: inout DownloadRequest) in request.ranges = try? RangeSelection(parsing: "0-9") },
            { (request: inout DownloadRequest) in
                request.pieceHashes = try? PieceHashes(
                    algorithm: .md5, pieceLength: 1000, hashes: [[UInt8](repeating: 0, count: 16)])
            },
        ] {
            let server = try Self.server()
            #expect(try await !Self.described(server, change).isDescribed)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `without a digest to compare, a Metalink's mirrors are ignored`() async throws {
        let bare = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="file.bin"><size>\(Self.size)</size><url>http://a.example/file.bin</url>
            </file></metalink>
            """
        #expect(try await Self.described(try Self.server([Self.link], bare)).request.mirrors.isEmpty)
        let md5 = try Digest(parsing: "md5:" + String(repeating: "00", count: 16))
        #expect(
            try await Self.described(try Self.server([Self.link], bare)) { $0.digest = md5 }.request.mirrors.count == 1)
    }

    @Test func `the caller's digest is kept, and a Metalink that contradicts it is refused`() async throws {
        let md5 = try Digest(parsing: "md5:" + String(repeating: "00", count: 16))
        let other = try Digest(parsing: "sha-256:" + String(repeating: "00", count: 32))
        let kept = try await Self.described(try Self.server()) { $0.digest = md5 }
        #expect(kept.isDescribed && kept.request.digest == md5)
        let refused = try await Self.described(try Self.server()) { $0.digest = other }
        #expect(!refused.isDescribed && refused.request.digest == other)
    }

    @Test func `credentials are sent for a Metalink at the file's own origin only`() async throws {
        let elsewhere = try Self.server()
        defer { elsewhere.stop() }
        for (link, place) in [
            (Self.link, nil),
            ("Link: <\(elsewhere.url("/x.meta4"))>; rel=describedby; type=application/metalink4+xml", elsewhere),
        ] {
            let server = try Self.server([link])
            let page = "http://page.example/list?q=1"
            let found = try await Self.described(server) {
                $0.authentication = .password(name: "me", .value("secret"))
                $0.headers = [HTTPField("X-Key", "secret")]
                $0.referer = page
            }
            #expect(found.isDescribed)
            let asked = try #require((place ?? server).requests.last)
            #expect(asked.fields.first("Referer") == (place == nil ? page : "http://page.example/"))
            #expect(asked.path.hasSuffix(".meta4"))
            #expect(
                (asked.fields.first("Authorization") != nil) == (place == nil)
                    && (asked.fields.first("X-Key") != nil) == (place == nil))
        }
    }

    @Test func `a file from https uses neither Metalinks nor mirrors over http`() async throws {
        let tls = try await ServerTLS.shared()
        let trust = try TemporaryDirectory("trust")
        try Files.write(tls.authority, to: trust.file("ca.pem"))
        let plain = try Self.server()
        let lines = ["Link: <\(plain.url("/x.meta4"))>; rel=describedby; type=application/metalink4+xml"]
        #expect(try await !Self.described(try Self.server(tls: tls, lines), trusting: trust.file("ca.pem")).isDescribed)
        #expect(plain.requests.isEmpty)
        plain.stop()

        let found = try await Self.described(try Self.server(tls: tls), trusting: trust.file("ca.pem"))
        #expect(found.request.mirrors.map(\.url) == ["https://b.example/file.bin"])
    }

    @Test func `a redirect by the file's own server may name a Metalink, and one by another server may not`()
        async throws
    {
        let mirror = try Self.server()
        defer { mirror.stop() }
        for namesIt in [true, false] {
            let text = Self.document()
            let server = try ScriptedServer { request, connection in
                if request.path.hasSuffix(".meta4") {
                    return try connection.send("HTTP/1.1 200 x\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
                }
                try connection.send(
                    "HTTP/1.1 302 x\r\n\(namesIt ? Self.link + "\r\n" : "")Location: \(mirror.url("/m/file.bin"))\r\nContent-Length: 0\r\n\r\n"
                )
            }
            #expect(try await Self.described(server).isDescribed == namesIt)
        }
        #expect(mirror.requests.allSatisfy { $0.path == "/m/file.bin" })
    }
}

extension String {
    fileprivate func replacingOnce(_ text: String, with other: String) -> String {
        guard let range = firstRange(of: text) else { return self }
        return String(self[..<range.lowerBound]) + other + String(self[range.upperBound...])
    }
}
