import PawlCore
import PawlEngine

/// A small file read into memory: a list of checksums, a Metalink.
public struct FetchedDocument: Sendable {
    public let bytes: [UInt8]
    /// The URL that the document came from after redirects, without userinfo and query values.
    public let url: String
    /// Anything but nil: the bytes are coded as the server coded them, such as `gzip`, though `identity` was asked for.
    public let contentEncoding: String?

    public init(bytes: [UInt8], url: String, contentEncoding: String? = nil) {
        self.bytes = bytes
        self.url = url
        self.contentEncoding = contentEncoding
    }
}

extension Downloader {
    /// Fetches a small file into memory like any download: with redirects, credentials, retries and a check of its
    /// digest.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let sums = try await downloader.document(
    ///     DownloadRequest("https://example.org/SHA256SUMS"), maximumBytes: 1 << 20)
    /// let list = DigestList(parsing: sums.bytes, listName: "SHA256SUMS")
    /// var request = DownloadRequest("https://example.org/disk.iso", to: "disk.iso")
    /// request.digest = try list.digest(forFileAt: ["disk.iso"])
    /// ```
    ///
    /// - Parameters:
    ///   - request: its directory and file name are ignored.
    ///   - maximumBytes: a longer one fails with ``DownloadError/Code/tooLarge``.
    /// - Throws: ``DownloadError``; `CancellationError` when the task is cancelled.
    public func document(_ request: DownloadRequest, maximumBytes: Int) async throws -> FetchedDocument {
        try await document(request, maximumBytes: maximumBytes, maximumTries: nil, followsRedirects: true)
    }

    /// - Parameters:
    ///   - maximumTries: without progress; nil: as of a file.
    ///   - followsRedirects: if false, a redirect is an error that holds its target.
    package func document(
        _ request: DownloadRequest, maximumBytes: Int, maximumTries: Int?, followsRedirects: Bool
    ) async throws -> FetchedDocument {
        var request = request
        request.isSparse = false
        let (bytes, result) = try await fetch(request, maximumBytes: maximumBytes) { plan in
            if let maximumTries { plan.settings.retry.maximumTriesWithoutProgress = maximumTries }
            plan.settings.followsRedirects = followsRedirects
        }
        return FetchedDocument(bytes: bytes, url: result.finalURL, contentEncoding: result.contentEncoding)
    }

    /// Fetches what a request asks for into memory. Its directory and file name are ignored.
    ///
    /// - Parameter begun: told of the download.
    func fetch(
        _ request: DownloadRequest, maximumBytes: Int, begun: ((Download) -> Void)? = nil,
        _ change: (inout Plan) -> Void
    ) async throws -> (bytes: [UInt8], result: DownloadResult) {
        var request = request
        request.fileName = nil
        request.maximumFileSize = min(Int64(maximumBytes), request.maximumFileSize ?? .max)
        request.maximumConnections = 1
        var plan = try resolved(request)
        change(&plan)
        // A file of unknown length is too large once it has one byte more; a journal may be larger than the file.
        let maximumSize = max(min(maximumBytes, .max - 1) + 1, Journal.fileSize)
        let memory = TransientStorage { MemoryContent(maximumSize: maximumSize) }
        let download = try start(plan, on: memory, refreshURL: request.refreshURL)
        begun?(download)
        let result = try await download.result()
        return (try memory.bytes(of: Self.transientName) ?? [], result)
    }
}

extension DownloadRequest {
    /// Requests a document that belongs to this one. Credentials for the origin of a download go to no other origin;
    /// cookies, netrc, proxy and certificates are the downloader's.
    package func asking(forDocument place: String) -> DownloadRequest {
        var asked = DownloadRequest(place)
        let target = try? HTTPURL(parsing: place)
        if let target, target.origin == (try? HTTPURL(parsing: url))?.origin {
            asked.context = context
            asked.allowsOnlyDigest = options.allowsOnlyDigest
        } else {
            asked.context = context.forOtherOrigin
            if let target, let page = context.referer.flatMap({ try? HTTPURL(parsing: $0) }) {
                asked.referer = RedirectPolicy.referer(page, from: page, to: target)
            }
        }
        asked.allowsInsecureRedirect = options.allowsInsecureRedirect
        asked.stallTimeout = options.stallTimeout
        asked.responseTimeout = options.responseTimeout
        return asked
    }
}
