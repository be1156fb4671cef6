package import Pawl
package import PawlCore
import PawlMetalink
import PawlSystem

/// The repair of a file that a Metalink describes.
package struct RepairPlan: Sendable {
    package var path: String
    /// The path or URL of the Metalink. Its piece hashes tell which bytes are wrong.
    package var metalink: String
    /// The URLs of the file, tried before those of the Metalink.
    package var urls: [String]
    /// Takes precedence over the Metalink.
    package var digest: Digest?
    /// The path or URL of a list of digests, as in a job.
    package var digestList: String?

    package init(of path: String, metalink: String, urls: [String], digest: Digest?, digestList: String?) {
        (self.path, self.metalink, self.urls) = (path, metalink, urls)
        (self.digest, self.digestList) = (digest, digestList)
    }

    /// Reads the documents, and says what is to be fetched.
    ///
    /// - Parameter template: what holds for the documents and for the file.
    package func request(
        like template: JobSpec, _ documents: LiveDocuments, _ secrets: SecretReader
    ) async throws -> DownloadRequest {
        let shown = JobDocument.shown(metalink)
        let file = try await documents.metalink(metalink, for: template).file(for: path, shown)
        let sources = urls.map { Mirror($0) } + file.mirrors
        guard let first = sources.first else { throw JobFailure.document(shown, .noSource) }
        guard !template.isForOneOrigin || JobDocument.isSameOrigin(first.url, urls.first ?? metalink) else {
            throw JobFailure.document(shown, .otherOrigins)
        }
        var job = template
        job.source = .url(first.url, mirrors: Array(sources.dropFirst().prefix(Mirror.maximumCount)))
        var request = try job.request(secrets)
        let place = PathParts(path)
        (request.directory, request.fileName) = (place.directory, place.name)
        request.pieceHashes = file.pieceHashes
        request.expectedSize = file.size
        request.digest = digest ?? file.digests.first
        if let digestList {
            let names = JobSpec.namesInLists(
                urls: [request.url] + request.mirrors.map(\.url), fileName: request.fileName)
            request.digest = try await documents.digestList(digestList, for: job).digest(
                ofOne: names, JobDocument.shown(digestList))
        }
        guard request.pieceHashes != nil else { throw JobFailure.document(shown, .noPieceHashes) }
        return request
    }
}
