import Pawl
import PawlCore
import PawlJobs

/// Reads small documents, named by a path or a URL: Metalinks and lists of checksums.
struct DocumentReader: Sendable {
    /// Fetches what a request asks for, which has no place on the disk.
    typealias Fetch = @Sendable (DownloadRequest, _ maximumBytes: Int) async throws -> FetchedDocument

    struct Document {
        var bytes: [UInt8]
        /// Nil for one from a disk.
        var url: String?
    }

    /// What holds for the requests of this run. What is meant for one origin is meant for that of its URL.
    let template: DownloadRequest
    let fetch: Fetch

    init(template: DownloadRequest, fetch: @escaping Fetch) {
        self.template = template
        self.fetch = fetch
    }

    init(template: DownloadRequest, _ downloader: Downloader) {
        self.init(template: template) { try await downloader.document($0, maximumBytes: $1) }
    }

    /// Whether the URL should not be shown again: it has credentials, or values that may be some. One that cannot be read may have them.
    static func holdsSecrets(_ url: String) -> Bool {
        guard let parsed = try? HTTPURL(parsing: url) else { return true }
        return parsed.userinfo != nil || parsed.redacted != parsed.serialized
    }

    func read(_ place: String, atMost limit: Int) async throws -> Document {
        guard JobDocument.isURL(place) else { return Document(bytes: try LiveDocuments.file(place, atMost: limit)) }
        let fetched = try await fetch(template.asking(forDocument: place), limit)
        return Document(bytes: fetched.bytes, url: fetched.url)
    }
}

extension DownloadRequest {
    /// It has what only the origin of its URL may see.
    var isForOneOrigin: Bool { !headers.isEmpty || authentication != nil }
}
