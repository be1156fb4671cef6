import PawlCore
import PawlEngine
import Synchronization

/// An upload in parts, one after the other. One that fails is aborted; one that is killed stays in the store until the
/// bucket's rules remove it.
final class S3Upload: Sendable {
    private let name: String
    /// The object, for people.
    private let place: String
    private let contents: [S3Request.SignedContent]
    private let client: S3Client
    private let ended: StoreEnd<Void>

    init(
        _ name: String, _ place: String, _ contents: [S3Request.SignedContent], _ client: S3Client,
        _ ended: @escaping StoreEnd<Void>
    ) {
        (self.name, self.place, self.contents, self.client, self.ended) = (name, place, contents, client, ended)
    }

    func begin() {
        send(.beginUpload(name)) { [self] response in
            guard let upload = response.document.text("UploadId"), !upload.isEmpty else {
                return ended(.failure(StoreError(.refused, "The store begins no upload in parts of “\(place)”.")))
            }
            put([], of: upload)
        }
    }

    /// - Parameter parts: those that are stored.
    private func put(_ parts: [S3Request.Part], of upload: String) {
        guard parts.count < contents.count else { return complete(parts, of: upload) }
        let content = contents[parts.count]
        send(.put(name, part: parts.count + 1, of: upload, content), abortingAfterFailure: upload) { [self] response in
            guard let tag = response.head.fields.first("etag") else {
                let error = StoreError(.refused, "The store gives parts of “\(place)” no ETag.")
                return abort(upload, error)
            }
            put(parts + [S3Request.Part(tag: tag, digest: content.digest)], of: upload)
        }
    }

    private func complete(_ parts: [S3Request.Part], of upload: String) {
        send(.completeUpload(name, upload, parts), abortingAfterFailure: upload) { [self] response in
            // The status is sent before it is known whether it holds.
            let isDone = response.document.root.isExactly("CompleteMultipartUploadResult")
            if isDone { ended(.success(())) } else { abort(upload, StoreError(response, place)) }
        }
    }

    private func send(
        _ request: S3Request, abortingAfterFailure upload: String? = nil,
        _ next: @escaping @Sendable (S3Response) -> Void
    ) {
        client.send(request) { [self] result in
            switch result {
            case .success(let response) where response.isSuccess: next(response)
            case .success(let response): abort(upload, StoreError(response, place))
            case .failure(let error): abort(upload, error)
            }
        }
    }

    private func abort(_ upload: String?, _ error: StoreError) {
        guard let upload else { return ended(.failure(error)) }
        client.send(.abortUpload(name, upload)) { [ended] _ in ended(.failure(error)) }
    }
}
