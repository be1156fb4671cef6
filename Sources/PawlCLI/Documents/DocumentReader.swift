import Pawl
import PawlCore
import PawlJobs

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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
        guard JobDocument.isURL(place) else { return Document(bytes: try Self.readFile(place, atMost: limit)) }
        let fetched = try await fetch(template.asking(forDocument: place), limit)
        return Document(bytes: fetched.bytes, url: fetched.url)
    }

    /// Of a FIFO too, such as a shell makes for `<(command)`.
    static func readFile(_ path: String, atMost limit: Int) throws(DownloadError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = buffer.withUnsafeMutableBytes { readOnce(file, $0) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else {
                throw DownloadError(
                    .tooLarge, "“\(path)” has more than \(ByteCount.text(Int64(limit))): it is not what it is given for.", recovery: .giveUp)
            }
            bytes += buffer[..<count]
        }
    }

    private static func failure(_ path: String) -> DownloadError {
        let cause = String(cString: strerror(errno))
        return DownloadError(.notWritable, "“\(path)” cannot be read: \(cause).", recovery: .giveUp, underlying: cause)
    }
}

extension DownloadRequest {
    /// It has what only the origin of its URL may see.
    var isForOneOrigin: Bool { !headers.isEmpty || authentication != nil }
}

/// Outside the type, which has a `read` of its own.
private func readOnce(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(file, buffer.baseAddress, buffer.count)
}
