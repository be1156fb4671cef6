import PawlCore
import PawlEngine

/// A small file read into memory: a list of checksums, a Metalink.
public struct FetchedDocument: Sendable {
    public let bytes: [UInt8]
    /// Where it came from after redirects, without userinfo and query values.
    public let url: String

    public init(bytes: [UInt8], url: String) {
        self.bytes = bytes
        self.url = url
    }
}

extension Downloader {
    /// Fetches a small file into memory like any download: with redirects, credentials, retries and a check of its digest.
    ///
    /// - Parameters:
    ///   - request: its directory and file name are ignored.
    ///   - maximumBytes: a longer one fails with ``DownloadError/Code/tooLarge``.
    /// - Throws: ``DownloadError``; `CancellationError` when the task is cancelled.
    public func document(_ request: DownloadRequest, maximumBytes: Int) async throws -> FetchedDocument {
        var request = request
        request.maximumFileSize = min(Int64(maximumBytes), request.maximumFileSize ?? .max)
        request.maximumConnections = 1
        let (bytes, result) = try await fetch(try resolved(request), refreshURL: request.refreshURL)
        return FetchedDocument(bytes: bytes, url: result.finalURL)
    }

    /// - Parameter spec: with a largest size that memory has room for.
    func fetch(_ spec: DownloadSpec, refreshURL: (@Sendable () async -> String?)?) async throws -> (bytes: [UInt8], result: DownloadResult) {
        let memory = TransientStorage { MemoryContent() }
        let result = try await start(spec, on: memory, refreshURL: refreshURL).result()
        return ((memory.content(of: Self.transientName) as? MemoryContent)?.bytes ?? [], result)
    }
}

extension DownloadRequest {
    /// Requests a document that belongs to this one. Credentials for the origin of a download go to no other origin; cookies, netrc, proxy
    /// and certificates are the downloader's.
    package func asking(forDocument place: String) -> DownloadRequest {
        var asked = DownloadRequest(place)
        let target = try? HTTPURL(parsing: place)
        if let target, target.origin == (try? HTTPURL(parsing: url))?.origin {
            asked.headers = headers
            asked.authentication = authentication
            asked.allowsOnlyDigest = options.allowsOnlyDigest
            asked.referer = referer
        } else if let target, let page = referer.flatMap({ try? HTTPURL(parsing: $0) }) {
            asked.referer = RedirectPolicy.referer(page, from: page, to: target)
        }
        asked.userAgent = userAgent
        asked.allowsInsecureRedirect = options.allowsInsecureRedirect
        asked.stallTimeout = options.stallTimeout
        asked.responseTimeout = options.responseTimeout
        return asked
    }
}
