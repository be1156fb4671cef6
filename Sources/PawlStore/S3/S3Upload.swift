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

    func begin(isChecked: Bool = true) {
        client.send(.beginUpload(name, isChecked: isChecked)) { [self] result in
            switch result {
            // The bytes are compared on our side in any case.
            case .success(let response) where response.head.status == 501 && isChecked: begin(isChecked: false)
            case .success(let response) where !response.isSuccess: ended(.failure(StoreError(response, place)))
            case .success(let response):
                guard let upload = response.document.text("UploadId"), !upload.isEmpty else {
                    return ended(.failure(StoreError(response, place)))
                }
                put(isChecked, [], of: upload)
            case .failure(let error): ended(.failure(error))
            }
        }
    }

    /// - Parameter parts: those that are stored.
    private func put(_ isChecked: Bool, _ parts: [S3Request.Part], of upload: String) {
        guard parts.count < contents.count else { return complete(parts, of: upload) }
        let content = contents[parts.count]
        let request = S3Request.put(name, part: parts.count + 1, of: upload, content, isChecked: isChecked)
        send(request, of: upload) { [self] response in
            guard let tag = response.head.fields.first("etag") else {
                return abort(upload, StoreError(response, place))
            }
            put(isChecked, parts + [S3Request.Part(tag: tag, digest: isChecked ? content.digest : nil)], of: upload)
        }
    }

    private func complete(_ parts: [S3Request.Part], of upload: String) {
        send(.completeUpload(name, upload, parts), of: upload) { [self] response in
            // The status is sent before it is known whether it holds.
            let isDone = response.document.root.isExactly("CompleteMultipartUploadResult")
            if isDone { ended(.success(())) } else { abort(upload, StoreError(response, place)) }
        }
    }

    private func send(_ request: S3Request, of upload: String, _ next: @escaping @Sendable (S3Response) -> Void) {
        client.send(request) { [self] result in
            switch result {
            case .success(let response) where response.isSuccess: next(response)
            case .success(let response): abort(upload, StoreError(response, place))
            case .failure(let error): abort(upload, error)
            }
        }
    }

    private func abort(_ upload: String, _ error: StoreError) {
        client.send(.abortUpload(name, upload)) { [ended] _ in ended(.failure(error)) }
    }
}
