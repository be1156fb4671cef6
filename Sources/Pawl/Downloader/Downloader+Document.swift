import PawlCore
import PawlEngine
import PawlSystem

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
        let directory = try TemporaryFolder()
        defer { directory.remove() }
        var request = request
        request.directory = directory.path
        request.fileName = "document"
        request.maximumFileSize = min(Int64(maximumBytes), request.maximumFileSize ?? .max)
        request.maximumConnections = 1
        let result = try await start(request).result()
        return FetchedDocument(bytes: try Self.bytes(of: result.path, atMost: maximumBytes), url: result.finalURL)
    }

    static func bytes(of path: String, atMost limit: Int) throws(DownloadError) -> [UInt8] {
        do throws(StorageError) {
            let place = PathParts(path)
            let file = try POSIXStorage().openDirectory(place.directory).open(place.name, writable: false)
            defer { try? file.close() }
            return try file.read(min(limit, Int(clamping: try file.status().size)), at: 0)
        } catch {
            throw .storage(error)
        }
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

/// A directory for this process alone.
struct TemporaryFolder {
    let path: String

    init() throws(DownloadError) {
        let place = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let template = (place.isEmpty ? "/tmp" : place) + "/pawl.XXXXXX"
        let made = template.withCString { text -> String? in
            guard let copy = strdup(text) else { return nil }
            defer { free(copy) }
            return mkdtemp(copy).map { String(cString: $0) }
        }
        guard let made else { throw .storage(StorageError(operation: "mkdtemp", name: template, errno: errno)) }
        path = made
    }

    /// Leftovers are removed with other temporary files.
    func remove() {
        if let directory = try? POSIXStorage().openDirectory(path) {
            for name in (try? directory.names()) ?? [] {
                if let status = try? directory.status(name) { try? directory.remove(name, ifStill: status.identity) }
            }
        }
        rmdir(path)
    }
}
