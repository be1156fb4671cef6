import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization

/// A manager's surroundings: a directory, and a server whose progress the test controls.
///
/// `/NAME` is a file of 1 MiB; a held file stops halfway until ``release(_:)``. `/as/NAME/n` is a different file for
/// each n, which the server calls NAME. `/private/NAME` requires a field.
final class ManagerWorld: Sendable {
    let server: ScriptedServer
    let directory: TemporaryDirectory
    private let held: Held

    /// The names of the files that are held.
    private final class Held: Sendable {
        let names: Locked<Set<String>>

        init(_ names: Set<String>) { self.names = Locked(names) }
    }

    static let size = 1 << 20
    static let half = size / 2

    init(holding: Set<String> = []) throws {
        let held = Held(holding)
        self.held = held
        directory = try TemporaryDirectory("manager")
        server = try ScriptedServer { request, connection in
            try Self.answer(request, connection) { path in held.names.withLock { $0.contains(path) } }
        }
    }

    deinit { server.stop() }

    func url(_ name: String) -> String { server.url("/" + name) }

    func path(_ name: String) -> String { directory.file(name) }

    func request(_ name: String) -> DownloadRequest { DownloadRequest(url(name), to: path(name)) }

    func release(_ names: String...) { held.names.withLock { $0.subtract(names) } }

    func releaseAll() { held.names.withLock { $0 = [] } }

    static func content(_ path: String) -> [UInt8] {
        FileBehaviour.pattern(count: size, seed: UInt64(path.utf8.reduce(7) { $0 &* 31 &+ UInt32($1) }))
    }

    func isWhole(_ name: String, as path: String? = nil) -> Bool {
        (try? Files.isEqual(directory.file(name), to: Self.content("/" + (path ?? name)))) ?? false
    }

    /// The first byte of each requested range.
    func starts(of name: String) -> [Int] {
        server.requests.filter { $0.path == "/" + name }.map { request in
            Int(request.fields.first("range")?.dropFirst("bytes=".count).prefix { $0 != "-" } ?? "") ?? 0
        }
    }

    private static func answer(
        _ request: RecordedRequest, _ connection: ServerConnection, isHeld: (String) -> Bool
    ) throws {
        let words = request.path.split(separator: "/").map(String.init)
        if words.first == "missing" { return try connection.send("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n") }
        if words.first == "private", request.fields.first("X-Token") != "s3cret" {
            return try connection.send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
        }
        let content = content(request.path)
        let bounds = (request.fields.first("range")?.dropFirst("bytes=".count) ?? "").split(
            separator: "-", omittingEmptySubsequences: false)
        let start = bounds.first.flatMap { Int($0) } ?? 0
        let end = min(size, bounds.count > 1 ? Int(bounds[1]).map { $0 + 1 } ?? size : size)
        var head =
            "HTTP/1.1 206 Part\r\nContent-Length: \(end - start)\r\nContent-Range: bytes \(start)-\(end - 1)/\(size)\r\nETag: \"1\"\r\n"
        if words.first == "as", words.count > 1 {
            head += "Content-Disposition: attachment; filename=\"\(words[1])\"\r\n"
        }
        try connection.send(head + "\r\n")
        let name = words.last ?? ""
        let bound = isHeld(name) ? max(start, min(end, half)) : end
        try connection.sendBody(content[start..<bound])
        while bound < end, isHeld(name) { try connection.sleep(.milliseconds(5)) }
        try connection.sendBody(content[bound..<end])
    }

    // MARK: Managers

    /// Runs `body` with a manager, and shuts that down even if `body` throws.
    func withManager<Value>(
        _ configure: (inout DownloadManager.Configuration) -> Void = { _ in },
        _ body: (DownloadManager) async throws -> Value
    ) async throws -> Value {
        var configuration = DownloadManager.Configuration()
        configure(&configuration)
        let manager = try DownloadManager(configuration: configuration)
        do {
            let value = try await body(manager)
            releaseAll()
            await manager.shutdown()
            return value
        } catch {
            releaseAll()
            await manager.shutdown()
            throw error
        }
    }
}

extension DownloadManager {
    /// Checks the condition after each event until it holds.
    func wait(until isSo: (DownloadManager) -> Bool) async {
        var events = events.makeAsyncIterator()
        while !isSo(self) { guard await events.next() != nil else { return } }
    }

    func wait(_ id: DownloadID, until isSo: (DownloadSnapshot) -> Bool) async {
        await wait { $0.snapshot(id).map(isSo) ?? true }
    }

    /// Waits until the download runs and has at least half of the bytes that a held file delivers.
    func waitForHalf(_ id: DownloadID) async {
        await wait(id) { $0.state.isRunning && $0.progress.bytesStored >= Int64(ManagerWorld.half) / 2 }
    }

    func state(_ id: DownloadID) -> DownloadState? { snapshot(id)?.state }
}
