package import PawlCore
package import PawlEngine
import Synchronization

/// The name and the description of a file that a server states before it sends it.
package struct FileAnswer: Hashable, Sendable {
    /// Its name: the server's, made safe, or that of the URL.
    package let name: String
    package let file: Representation

    /// The whole length in bytes.
    package var total: Int64? { file.total }

    package init(name: String, file: Representation) { (self.name, self.file) = (name, file) }
}

extension Downloader {
    /// Tells what a download of this request would meet at its target, and changes nothing.
    ///
    /// - Parameters:
    ///   - answer: of the server; nil if it was not asked.
    ///   - isTaken: whether another download before this one gets this name.
    /// - Returns: also the name of the file, and whether the server may still choose another.
    package func outlook(
        of request: DownloadRequest, after answer: FileAnswer? = nil, isTaken: (String) -> Bool = { _ in false }
    ) -> (name: String, isNameFixed: Bool, outlook: TargetOutlook) {
        do throws(DownloadError) {
            return TargetOutlook.look(
                at: try resolved(request), ports, after: answer.map { ($0.name, $0.file) }, isTaken: isTaken)
        } catch {
            return (request.fileName ?? "", request.fileName != nil, .fails(error))
        }
    }

    /// Sends the request that a download would begin with, and stores nothing.
    ///
    /// - Throws: ``DownloadError`` for an answer by which the download would fail; `CancellationError` when the task is
    ///   cancelled.
    package func answer(to request: DownloadRequest) async throws -> FileAnswer {
        var request = request
        request.maximumConnections = 1
        request.mirrors = []
        var plan = try resolved(request)
        // Only bytes show whether it matches.
        plan.settings.digest = nil
        plan.settings.pieceHashes = nil
        plan.settings.retry.maximumTriesWithoutProgress = Self.triesOfAnswer
        let answer = Locked<FileAnswer?>(nil)
        plan.onlyAsks = { name, file in answer.withLock { $0 = FileAnswer(name: name, file: file) } }
        let storage = TransientStorage { MemoryContent(maximumSize: Journal.fileSize) }
        _ = try await start(plan, on: storage, refreshURL: request.refreshURL).result()
        guard let answer = answer.withLock({ $0 }) else {
            throw DownloadError(.badResponse, "The server did not describe the file.", recovery: .giveUp)
        }
        return answer
    }

    /// Somebody waits, and a download would be more patient.
    private static let triesOfAnswer = 2
}
