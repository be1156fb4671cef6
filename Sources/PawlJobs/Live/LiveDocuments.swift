package import Pawl
import PawlCore
import PawlSystem

/// Reads documents from disks and, through the library, from servers.
package struct LiveDocuments: JobDocumentPort {
    private let downloader: Downloader
    private let secrets: SecretReader

    package init(_ downloader: Downloader, _ secrets: SecretReader) {
        self.downloader = downloader
        self.secrets = secrets
    }

    package func read(
        _ place: String, for spec: JobSpec, atMost maximumBytes: Int, _ ended: @escaping @Sendable (Result<JobDocument, JobFailure>) -> Void
    ) -> any JobWork {
        TaskWork {
            do {
                ended(.success(try await document(place, spec, atMost: maximumBytes)))
            } catch {
                // Nobody waits for one that was stopped.
                ended(.failure(JobFailure(error) ?? .download(DownloadError(.network, "Reading “\(place)” was stopped.", recovery: .retryNow))))
            }
        }
    }

    private func document(_ place: String, _ spec: JobSpec, atMost limit: Int) async throws -> JobDocument {
        guard JobDocument.isURL(place) else { return JobDocument(bytes: try Self.file(place, atMost: limit), url: nil) }
        // What is meant for the origin of the job's URL goes to that of the document if they are the same.
        var asking = spec
        if case .metalink = spec.source { asking.source = .url(place) }
        let fetched = try await downloader.document(try asking.request(secrets).asking(forDocument: place), maximumBytes: limit)
        return JobDocument(bytes: fetched.bytes, url: fetched.url)
    }

    /// Of a FIFO too, such as a shell makes for `<(command)`.
    package static func file(_ path: String, atMost limit: Int) throws(DownloadError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure(path, errno) }
        defer { _ = SystemCalls.close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = buffer.withUnsafeMutableBytes { SystemCalls.readOnce(file, $0) }
            guard count >= 0 else { throw failure(path, errno) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else {
                throw DownloadError(.tooLarge, "“\(path)” has more than \(limit) bytes: it is not what it is given for.", recovery: .giveUp)
            }
            bytes += buffer[..<count]
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> DownloadError {
        let cause = SystemCalls.text(of: code)
        return DownloadError(.notWritable, "“\(path)” cannot be read: \(cause).", recovery: .giveUp, underlying: cause)
    }
}
