// One manager for a whole app: whoever asks for a file gets the download that there is, and a file that is there is not
// downloaded again. The list survives the program.
//
//     swift run OnceExample Downloads https://example.org/a.zip https://example.org/b.zip https://example.org/a.zip
import Pawl

/// What all parts of the app share.
final class Downloads: Sendable {
    let manager: DownloadManager
    let directory: String

    init(in directory: String) throws {
        var configuration = DownloadManager.Configuration()
        configuration.session = PlainFileSession(directory + "/.downloads")
        self.directory = directory
        manager = try DownloadManager(configuration: configuration)
    }

    func download(_ url: String) async throws -> DownloadResult {
        var request = DownloadRequest(url, in: directory)
        request.ifExists = .skip
        return try await manager.result(of: manager.add(request))
    }
}

let downloads = try Downloads(in: CommandLine.arguments[1])
try await withThrowingTaskGroup(of: DownloadResult.self) { group in
    for url in CommandLine.arguments.dropFirst(2) { group.addTask { try await downloads.download(url) } }
    for try await file in group { print(file.path, file.wasSkipped ? "was there" : "downloaded") }
}
await downloads.manager.shutdown()
