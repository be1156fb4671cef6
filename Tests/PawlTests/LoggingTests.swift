import Logging
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@testable import Pawl

@Suite("Logging (docs/logging.md)", .timeLimit(.minutes(5))) struct LoggingTests {
    @Test func `without a logger and metrics, a download has no observer`() throws {
        let observers = Observers(Downloader.Configuration().observing)
        let url = try HTTPURL(parsing: "http://h/")
        #expect(observers.make(id: nil, url, at: Instant(nanoseconds: 0)) == nil)
    }

    @Test func `at debug level, each request, answer and decision is logged with the download's id`() async throws {
        let world = try ManagerWorld()
        let log = RecordedLog()
        try await download(world.request("a"), log, .debug)
        let requests = log.lines("request")
        #expect(requests.first?.facts["method"] == "GET")
        #expect(requests.first?.facts["url"] == world.url("a"))
        #expect(requests.first?.facts["range"] == "bytes=0-")
        #expect(requests.first?.facts["connection"] == "1")
        let answer = try #require(log.lines("answer").first)
        #expect(answer.facts["status"] == "206" && answer.facts["etag"] == "\"1\"")
        #expect(answer.facts["content-range"] == "bytes 0-1048575/1048576")
        #expect(log.lines("decision").first?.message == "Storing the answer")
        #expect(log.lines("decision").first?.facts["range"] == "0-1048575")
        #expect(log.lines.first?.message == "Download started" && log.lines.last?.message == "Download completed")
        #expect(log.lines.allSatisfy { $0.facts["download.id"] == "1" && $0.level == .debug })
    }

    @Test func `trace adds segments and connections`() async throws {
        let world = try ManagerWorld()
        let log = RecordedLog()
        try await download(world.request("a"), log, .trace)
        #expect(log.lines("segment").map(\.level).first == .trace)
        #expect(!log.lines("connection").isEmpty)
        #expect(Set(log.lines.map(\.level)) == [.debug, .trace])
    }

    @Test func `at info level, a successful download logs nothing`() async throws {
        let world = try ManagerWorld()
        let log = RecordedLog()
        try await download(world.request("a"), log, .info)
        #expect(log.lines.isEmpty)
    }

    @Test func `a redirect, a busy server and a repeated full answer are logged as decisions`() async throws {
        let log = RecordedLog()
        let directory = try TemporaryDirectory("logging")
        let server = try ScriptedServer { request, connection in
            switch (request.path, request.number) {
            case ("/start", _):
                try connection.send(
                    "HTTP/1.1 302 Found\r\nLocation: /file?token=s3cret-value\r\nContent-Length: 0\r\n\r\n")
            case (_, 2): try connection.send("HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")
            default: try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            }
        }
        defer { server.stop() }
        try await download(DownloadRequest(server.url("/start"), to: directory.file("f")), log, .debug)
        #expect(
            log.lines("decision").contains {
                $0.message == "Following the redirect" && $0.facts["url"] == server.url("/file?token=…")
            })
        #expect(log.lines("decision").contains { $0.message == "The server is busy" })
        #expect(log.lines("answer").contains { $0.facts["status"] == "503" && $0.facts["retry-after"] == "1" })
        #expect(log.lines("retry").first?.facts["error.code"] == "refused")
        #expect(log.lines("decision").contains { $0.message == "The whole file was sent; storing it from the start" })
    }

    @Test func `log lines of a manager's downloads have the manager's ids`() async throws {
        let world = try ManagerWorld()
        let log = RecordedLog()
        let ids = try await world.withManager {
            $0.downloader.logger = log.logger(.debug)
        } _: { manager in
            let ids = try ["a", "b"].map { try manager.add(world.request($0)) }
            for id in ids { _ = try await manager.result(of: id) }
            return ids
        }
        #expect(Set(log.lines.compactMap { $0.facts["download.id"] }) == Set(ids.map(\.description)))
    }

    @Test func `the requests of probe are logged, too`() async throws {
        let world = try ManagerWorld()
        let log = RecordedLog()
        var configuration = Downloader.Configuration()
        configuration.logger = log.logger(.debug)
        let downloader = try Downloader(configuration: configuration)
        _ = try await downloader.probe(world.url("a"))
        await downloader.shutdown()
        #expect(log.lines("request").map { $0.facts["method"] } == ["GET", "HEAD"])
        #expect(log.lines("answer").count == 2)
        #expect(log.lines("started").isEmpty, "nothing is downloaded")
    }

    // MARK: Secrets

    private static let secrets = [
        "us3rname", "p4ssword", "dXMzcm5hbWU6cDRzc3dvcmQ=", "qu3ryvalue", "c00kievalue", "t0kenvalue", "sent-by-server",
    ]

    /// The server echoes what it received in every way: in logged fields, in paths, in malformed fields.
    @Test(arguments: ["etag", "content-range", "retry-after", "location", "content-type", "status", "set-cookie"])
    func `no secret reaches a trace line, whatever a server echoes`(_ place: String) async throws {
        let directory = try TemporaryDirectory("secrets")
        let server = try ScriptedServer { request, connection in
            let told = request.fields.filter { ["authorization", "cookie", "x-token"].contains($0.name.lowercased()) }
                .map(\.value)
            let echo = (told + [request.query ?? "", "us3rname:p4ssword"]).joined(separator: " ")
            switch (place, request.number) {
            case ("etag", _):
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"\(echo)\"\r\n\r\nhello")
            case ("content-range", 1):
                try connection.send(
                    "HTTP/1.1 206 Part\r\nContent-Length: 5\r\nContent-Range: bytes \(echo)\r\n\r\nhello")
            case ("retry-after", 1):
                try connection.send("HTTP/1.1 503 No\r\nContent-Length: 0\r\nRetry-After: \(echo)\r\n\r\n")
            case ("location", 1):
                let path = echo.map { $0 == " " || $0 == "\"" ? "/" : String($0) }.joined()
                try connection.send(
                    "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /\(path)?again=qu3ryvalue\r\n\r\n")
            case ("content-type", _):
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: \(echo)\r\n\r\nhello")
            case ("status", 1): try connection.send("HTTP/1.1 500 \(echo)\r\nContent-Length: 0\r\n\r\n")
            case ("set-cookie", 1):
                try connection.send(
                    "HTTP/1.1 401 No\r\nSet-Cookie: a=sent-by-server\r\nWWW-Authenticate: Basic realm=\"\(echo)\"\r\nContent-Length: 0\r\n\r\n"
                )
            default: try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            }
        }
        defer { server.stop() }
        let url = "http://us3rname:p4ssword@127.0.0.1:\(server.port)/f?key=qu3ryvalue"
        var request = DownloadRequest(url, to: directory.file("f"))
        request.headers = [HTTPField("Cookie", "id=c00kievalue"), HTTPField("X-Token", "Bearer t0kenvalue")]
        request.allowsWebPage = true
        let log = RecordedLog()
        _ = try? await download(request, log, .trace)
        #expect(log.lines("answer").count >= 1)
        for line in log.lines {
            for secret in Self.secrets { #expect(!line.text.contains(secret), "\(line.text)") }
        }
    }

    private func download(_ request: DownloadRequest, _ log: RecordedLog, _ level: Logger.Level) async throws {
        var configuration = Downloader.Configuration()
        configuration.logger = log.logger(level)
        let downloader = try Downloader(configuration: configuration)
        do {
            _ = try await downloader.start(request).result()
        } catch {
            await downloader.shutdown()
            throw error
        }
        await downloader.shutdown()
    }
}

@Suite("Metrics (docs/logging.md)", .timeLimit(.minutes(5))) struct MetricsTests {
    @Test func `completed and failed downloads are counted`() async throws {
        let world = try ManagerWorld()
        let metrics = RecordedMetrics()
        var configuration = Downloader.Configuration()
        configuration.metricsFactory = metrics
        let downloader = try Downloader(configuration: configuration)
        _ = try await downloader.start(world.request("a")).result()
        let missing = DownloadRequest(world.url("missing/b"), to: world.path("b"))
        await #expect(throws: DownloadError.self) { try await downloader.start(missing).result() }
        await downloader.shutdown()
        #expect(metrics.count("pawl.downloads.started") == 2)
        #expect(metrics.count("pawl.downloads.completed") == 1)
        #expect(metrics.count("pawl.downloads.failed{code=notFound}") == 1)
        #expect(metrics.count("pawl.bytes.received") == Int64(ManagerWorld.size))
        #expect(metrics.count("pawl.requests{status=2xx}") >= 1)
        #expect(metrics.count("pawl.requests{status=4xx}") == 2)
        #expect(metrics.times("pawl.download.duration").count == 2)
        #expect(metrics.times("pawl.time_to_first_byte").allSatisfy { $0 > 0 && $0 < 60_000_000_000 })
        #expect(metrics.values("pawl.connections.open").max() ?? 0 >= 1)
        #expect(metrics.values("pawl.connections.open").last == 0)
    }

    @Test func `a retry and a failed connection are counted`() async throws {
        let metrics = RecordedMetrics()
        let directory = try TemporaryDirectory("metrics")
        let server = try ScriptedServer { request, connection in
            switch request.number {
            case 1: connection.reset()
            default: try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            }
        }
        defer { server.stop() }
        var configuration = Downloader.Configuration()
        configuration.metricsFactory = metrics
        let downloader = try Downloader(configuration: configuration)
        _ = try await downloader.start(DownloadRequest(server.url("/f"), to: directory.file("f"))).result()
        await downloader.shutdown()
        #expect(metrics.count("pawl.requests{status=none}") == 1)
        #expect(metrics.count("pawl.retries") == 1)
    }
}
