import PawlCore
import PawlTestKit

@testable import PawlClient

/// A service whose answers are scripted, on a unix socket of its own.
final class ScriptedService: Sendable {
    /// The number of the request from 1, the request, its body, and the connection to answer on.
    typealias Script = @Sendable (Int, RecordedRequest, String, ServerConnection) throws -> Void

    private let directory: TemporaryDirectory
    private let server: ScriptedServer
    let socket: String

    init(_ script: @escaping Script) throws {
        directory = try TemporaryDirectory()
        socket = directory.path + "/s"
        server = try ScriptedServer(socket: socket) { request, connection in
            let length = request.fields.first { $0.name == "Content-Length" }.flatMap { Int($0.value) } ?? 0
            let body = String(decoding: try connection.body(count: length), as: UTF8.self)
            try script(request.number, request, body, connection)
        }
    }

    var requests: [RecordedRequest] { server.requests }

    /// A client that waits milliseconds where a real one waits seconds.
    var client: ServiceClient {
        var client = ServiceClient(.socket(socket))
        client.timeout = .seconds(600)
        client.eventTiming = EventTiming(
            silence: .seconds(600), connectTimeout: .seconds(600), firstPause: .milliseconds(1),
            longestPause: .milliseconds(5))
        return client
    }

    func stop() { server.stop() }
}

extension ServerConnection {
    func answer(_ json: String, status: String = "200 OK", type: String = "application/json") throws {
        try send("HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)")
    }

    func problem(_ status: String, _ json: String) throws {
        try answer(json, status: status, type: "application/problem+json")
    }

    func beginEvents() throws {
        try send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    }

    /// Each piece is a chunk of its own.
    func events(_ pieces: String...) throws {
        for piece in pieces { try send("\(String(piece.utf8.count, radix: 16))\r\n\(piece)\r\n") }
    }
}

enum Example {
    static let id = "8d6f2b1e-3c1a-4f0e-9b7d-2f6a5c4e1d00"

    static func download(_ id: String = id, state: String = "running", change: Int = 7) -> String {
        """
        {"id":"\(id)","change":\(change),"state":"\(state)","step":null,"url":"https://example.org/disk.iso","directory":"/home/ada/Downloads","file":"disk.iso",\
        "priority":0,"position":0,"tag":null,"bytes":13107200,"durable":8388608,"total":104857600,"rate":52428800,"secondsLeft":2,"connections":\
        [{"id":0,"position":13107200,"end":104857600,"rate":52428800,"host":"example.org"}],"maxSpeed":null,"speedLimit":null,"whyWaiting":null,"waiting":null,"notStored":[],"error":null,\
        "complete":null,"verified":false,"skipped":false,"missing":false,"unpacked":null,"added":"2026-03-01T12:30:05Z","started":null,"ended":null,"files":[],"later":1}
        """
    }

    static let counts = #"{"queued":0,"running":1,"waiting":0,"paused":0,"completed":0,"failed":0}"#

    static let stats =
        #"{"counts":\#(counts),"rate":9,"limitNow":null,"pausedUntil":null,"connections":1,"fetched":9,"freeBytes":null,"started":"2026-03-01T12:30:05Z","problem":null}"#

    static var page: String {
        #"{"downloads":[\#(download())],"total":1,"counts":\#(counts),"change":4182,"next":null}"#
    }

    static let unknown = """
        {"type":"docs/api.md#unknownDownload","title":"Unknown download","status":404,"detail":"There is no such download.","code":"unknownDownload",\
        "hint":"It may have been removed."}
        """
}
