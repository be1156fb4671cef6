import Foundation
import Pawl
import PawlTestKit

/// A directory, and a server with one file that stops halfway until it is released.
final class World: Sendable {
    let server: ScriptedServer
    let directory: TemporaryDirectory
    private let isReleased: Flag

    static let content = FileBehaviour.pattern(count: 2 << 20)

    init(
        holding: Bool = false, _ content: [UInt8] = World.content, change: (inout FileBehaviour) -> Void = { _ in }
    ) throws {
        let flag = Flag(!holding)
        isReleased = flag
        var behaviour = FileBehaviour(content: content)
        behaviour.stall = .init(afterBytes: content.count / 2, isOver: { flag.isSet })
        change(&behaviour)
        directory = try TemporaryDirectory("foundation")
        server = try ScriptedServer(file: behaviour)
    }

    deinit { server.stop() }

    func release() { isReleased.set() }

    func url(_ name: String = "file.bin") -> URL { URL(string: server.url("/" + name))! }

    func file(_ name: String = "file.bin") -> URL { URL(filePath: directory.file(name)) }

    func bytes(_ name: String = "file.bin") throws -> [UInt8] { [UInt8](try Data(contentsOf: file(name))) }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }

    func withDownloader<Value>(_ body: (Downloader) async throws -> Value) async throws -> Value {
        let downloader = try Downloader()
        do {
            let value = try await body(downloader)
            await downloader.shutdown()
            return value
        } catch {
            await downloader.shutdown()
            throw error
        }
    }

    func withManager<Value>(_ body: (DownloadManager) async throws -> Value) async throws -> Value {
        let manager = try DownloadManager()
        do {
            let value = try await body(manager)
            await manager.shutdown()
            return value
        } catch {
            await manager.shutdown()
            throw error
        }
    }
}

/// A flag that starts false and can be set once.
final class Flag: @unchecked Sendable {  // `value` is reached only under `lock`.
    private let lock = NSLock()
    private var value: Bool

    init(_ value: Bool = false) { self.value = value }

    var isSet: Bool { lock.withLock { value } }

    func set() { lock.withLock { value = true } }
}

/// Waits until the condition holds, for a minute at most.
func wait(_ isSo: () throws -> Bool) async rethrows -> Bool {
    for _ in 0..<6000 {
        if try isSo() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return try isSo()
}
