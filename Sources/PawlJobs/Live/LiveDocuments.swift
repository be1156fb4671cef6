package import Pawl
import PawlArchive
package import PawlCore
import PawlEngine
package import PawlMetalink
import PawlSystem
import Synchronization

/// Reads documents from disk and, through the library, from servers.
package struct LiveDocuments: JobDocumentPort {
    package typealias MakeDownloader = @Sendable () throws(DownloadError) -> Downloader

    private let downloader: MakeDownloader
    private let secrets: SecretReader
    private let maximumTries: Int?
    private let known = KnownDocuments()
    private let turns: AsyncSemaphore
    /// The job whose credentials a document may get, by the URL of the document: the first of those that name it whose
    /// origin is that of the document.
    private let askers: [ExactText: JobSpec]

    /// - Parameters:
    ///   - jobs: of the run.
    ///   - maximumTries: of a document, where somebody waits for it.
    ///   - maximumConnectionsPerHost: of the run. They may all be of one host, so no more are read at once.
    ///   - downloader: made for each document that has to be fetched.
    package init(
        _ secrets: SecretReader, for jobs: JobRows = JobRows(), maximumTries: Int? = nil,
        maximumConnectionsPerHost: Int = 8, downloader: @escaping MakeDownloader
    ) {
        turns = AsyncSemaphore(min(8, maximumConnectionsPerHost))
        self.downloader = downloader
        self.maximumTries = maximumTries
        self.secrets = secrets
        var askers: [ExactText: JobSpec] = [:]
        for index in jobs.indices where jobs.template(of: index).digestList != nil {
            let job = jobs[index]
            guard let place = job.digestList, askers[ExactText(place)] == nil, case .url(let url, _) = job.source else {
                continue
            }
            if JobDocument.isSameOrigin(url, place) { askers[ExactText(place)] = job }
        }
        self.askers = askers
    }

    package init(
        _ downloader: Downloader, _ secrets: SecretReader, for jobs: JobRows = JobRows(), maximumTries: Int? = nil,
        maximumConnectionsPerHost: Int = 8
    ) {
        self.init(
            secrets, for: jobs, maximumTries: maximumTries, maximumConnectionsPerHost: maximumConnectionsPerHost
        ) { () throws(DownloadError) in downloader }
    }

    /// The Metalink at a path or URL.
    ///
    /// - Throws: also ``JobFailure``, for what is none.
    package func metalink(_ place: String, for spec: JobSpec) async throws -> MetalinkDocument {
        try JobDocument.metalink(try await document(place, for: spec, atMost: MetalinkDocument.maximumBytes), at: place)
    }

    /// The list of digests at a path or URL.
    package func digestList(_ place: String, for spec: JobSpec) async throws -> DigestList {
        let document = try await document(place, for: spec, atMost: JobResolution.maximumListBytes)
        return document.digests(listName: JobDocument.name(of: place))
    }

    package func read(
        _ place: String, for spec: JobSpec, atMost maximumBytes: Int,
        _ ended: @escaping @Sendable (Result<JobDocument, JobFailure>) -> Void
    ) -> any JobWork {
        TaskWork {
            do {
                ended(.success(try await shared(place, for: spec, atMost: maximumBytes)))
            } catch {
                let stopped = DownloadError(
                    .network, "Reading \(JobDocument.shown(place)) was stopped.", recovery: .retryNow)
                ended(.failure(JobFailure(error) ?? .download(stopped)))
            }
        }
    }

    package func describe(
        _ file: JobFile, _ ended: @escaping @Sendable (Result<DescribedFile, JobFailure>) -> Void
    ) -> any JobWork {
        TaskWork {
            do {
                ended(.success(try await described(file)))
            } catch {
                let stopped = DownloadError(.network, "Asking the server of the file was stopped.", recovery: .retryNow)
                ended(.failure(JobFailure(error) ?? .download(stopped)))
            }
        }
    }

    /// The files of a job, once every document that it names has been read.
    package func files(of spec: JobSpec) async throws(JobFailure) -> NamedByDocuments {
        var resolution = JobResolution(spec)
        while true {
            do {
                switch resolution.next {
                case .read(let place, let limit):
                    try resolution.take(try await awaited(place, for: spec, atMost: limit))
                case .describe(let file): resolution.take(try await described(file))
                case .resolved(let resolved):
                    if let word = resolved.unused.sorted().first { throw JobFailure.selectsNothing(word) }
                    return NamedByDocuments(files: resolved.files, notices: resolved.notices)
                }
            } catch {
                throw JobFailure(error)
                    ?? .download(
                        DownloadError(.network, "Reading the documents of the job was stopped.", recovery: .retryNow))
            }
        }
    }

    /// The error names the document.
    private func awaited(_ place: String, for spec: JobSpec, atMost limit: Int) async throws -> JobDocument {
        do {
            let document = try await shared(place, for: spec, atMost: limit)
            try Task.checkCancellation()
            return document
        } catch is CancellationError {
            throw DownloadError(
                .network, "The document \(JobDocument.shown(place)) could not be read in time.", remedies: [.tryAgain],
                recovery: .retryNow)
        } catch let error as DownloadError {
            throw DownloadError(
                error.code, "The document \(JobDocument.shown(place)) cannot be read: \(error.message)",
                remedies: error.remedies,
                recovery: error.recovery, underlying: error.underlying, facts: error.facts)
        }
    }

    /// Ends what is being read; whoever waits for it gets an error.
    package func stop() { known.stop() }

    private func shared(
        _ place: String, for spec: JobSpec, atMost limit: Int, maximumTries: Int? = nil
    ) async throws -> JobDocument {
        let asker = askers[ExactText(place)] ?? spec
        return try await known.document(place) {
            try await turns.withPermit {
                try await document(place, for: asker, atMost: limit, maximumTries: maximumTries)
            }
        }
    }

    private func described(_ file: JobFile) async throws -> DescribedFile {
        var described = DescribedFile(file: file)
        if file.spec.searchesDigest { described = try await searched(file) }
        guard file.spec.options.usesServerMirrors else { return described }
        let byServer = try await describedByServer(described.file)
        return DescribedFile(file: byServer.file, notices: described.notices + byServer.notices)
    }

    /// Returns the file with the digest of the first list beside the URL that names it. An unreadable list is passed
    /// over: most servers have none of these.
    private func searched(_ file: JobFile) async throws -> DescribedFile {
        var file = file
        file.spec.digestList = nil
        guard case .url(let url, _) = file.spec.source, let parsed = try? HTTPURL(parsing: url) else {
            return DescribedFile(file: file)
        }
        let search = DigestSearch(beside: parsed)
        var problem: String?
        for place in search.places {
            do {
                let document = try await shared(
                    place, for: file.spec, atMost: JobResolution.maximumListBytes, maximumTries: Self.triesInSearch)
                try Task.checkCancellation()
                let list = document.digests(listName: JobDocument.name(of: place))
                guard let digest = search.digest(in: list, at: place) else { continue }
                file.spec.options.digest = digest
                return DescribedFile(file: file, notices: [DigestSearch.found(place)])
            } catch let error as DownloadError {
                if ![.notFound, .refused].contains(error.code) { problem = problem ?? error.message }
            }
        }
        return DescribedFile(file: file, notices: [DigestSearch.missing(beside: url, because: problem)])
    }

    /// The download itself is more patient.
    private static let triesInSearch = 2

    private func describedByServer(_ file: JobFile) async throws -> DescribedFile {
        let request = try file.spec.request(secrets)
        let described = try await turns.withPermit {
            try await downloader().described(request) { (document) throws(DownloadError) in
                try document.decoded(atMost: MetalinkDocument.maximumBytes)
            }
        }
        return DescribedFile(file: file.adding(described.request), notices: described.notices)
    }

    /// - Parameter followsRedirects: if false, a redirect is an error that holds its target.
    /// - Throws: `DownloadError`; `CancellationError` when the task is cancelled.
    package func document(
        _ place: String, for spec: JobSpec, atMost limit: Int, within time: Duration? = nil, maximumTries: Int? = nil,
        followsRedirects: Bool = true
    ) async throws -> JobDocument {
        guard JobDocument.isURL(place) else {
            // A FIFO may block, and Swift's own threads are few.
            return JobDocument(bytes: try await OwnThread.run { _ in try Self.file(place, atMost: limit) }, url: nil)
        }
        var request = try spec.asking(secrets).asking(forDocument: place)
        request.options.maximumTime = time
        do {
            let fetched = try await downloader().document(
                request, maximumBytes: limit, maximumTries: maximumTries ?? self.maximumTries,
                followsRedirects: followsRedirects)
            return JobDocument(bytes: try fetched.decoded(atMost: limit), url: fetched.url)
        } catch let error as DownloadError where error.code == .tooLarge {
            // No option raises this limit: the one of a download is for its file.
            throw DownloadError(
                error.code, error.message, recovery: error.recovery, underlying: error.underlying, facts: error.facts)
        }
    }

    /// Reads a file, or a FIFO such as a shell makes for `<(command)`.
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
                throw DownloadError(
                    .tooLarge, "“\(path)” has more than \(limit) bytes: it cannot be a file of this kind.",
                    recovery: .giveUp)
            }
            bytes += buffer[..<count]
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> DownloadError {
        let cause = SystemCalls.text(of: code)
        return DownloadError(.notWritable, "“\(path)” cannot be read: \(cause).", recovery: .giveUp, underlying: cause)
    }
}

extension FetchedDocument {
    /// The document as it was before the server compressed it, whatever was asked for. Told by its bytes, as servers
    /// name codings that are none (`aws-chunked`), and send compressed files as such.
    func decoded(atMost limit: Int) throws(DownloadError) -> [UInt8] {
        let isDeflated = contentEncoding.map { ASCII.lowercased($0[...].utf8) == "deflate" } ?? false
        // Text holds no controls but blanks; what is compressed has some soon.
        let isText = !bytes.contains { $0 < 0x20 && !(0x09...0x0D).contains($0) && $0 != 0x1B }
        do throws(ArchiveError) {
            if let compressed = CompressedDocument(bytes) { return try compressed.decoded(atMost: limit) }
            if isDeflated { return try CompressedDocument.inflated(bytes, atMost: limit) }
        } catch {
            if isDeflated, isText, error.code != .tooLarge { return bytes }
            throw DownloadError(
                error.code == .tooLarge ? .tooLarge : .badResponse,
                "The server sent “\(url)” compressed, and it cannot be decompressed: \(error.message)",
                recovery: .giveUp, underlying: error.underlying)
        }
        guard let contentEncoding, !isText else { return bytes }
        throw DownloadError(
            .badResponse,
            "The server sent “\(url)” compressed (Content-Encoding: \(contentEncoding)) although it was asked not to. Pawl cannot decompress that here.",
            recovery: .giveUp)
    }
}

extension JobSpec {
    /// The request to whose URL its headers and credentials belong: of a Metalink by URL, the document.
    fileprivate func asking(_ secrets: SecretReader) throws(DownloadError) -> DownloadRequest {
        guard case .metalink(let place, _) = source else { return try request(secrets) }
        var asking = self
        asking.source = .url(place)
        // A document on disk has no origin that could receive them.
        if !JobDocument.isURL(place) { asking.context = context.forOtherOrigin }
        return try asking.request(secrets)
    }
}

extension JobFile {
    /// The file as a job for which nothing is to be read any more.
    fileprivate var alone: JobSpec {
        var spec = spec
        spec.options.usesServerMirrors = false
        return spec
    }

    /// Returns the file with the sources and options that a document gives for it.
    fileprivate func adding(_ request: DownloadRequest) -> JobFile {
        var file = self
        file.spec.source = .url(request.url, mirrors: request.mirrors)
        file.spec.options = request.options
        return file
    }
}

/// The documents of a run, each read once: a pipe can be read only once, and many jobs may name one list.
private final class KnownDocuments: Sendable {
    private let tasks = Locked<[ExactText: Task<JobDocument, any Error>]>([:])

    func stop() { for task in tasks.withLock({ Array($0.values) }) { task.cancel() } }

    func document(
        _ place: String, _ read: @escaping @Sendable () async throws -> JobDocument
    ) async throws -> JobDocument {
        let task = tasks.withLock { tasks in
            let task = tasks[ExactText(place)] ?? Task { try await read() }
            tasks[ExactText(place)] = task
            return task
        }
        return try await task.value
    }
}

/// The files that the documents of a job name.
package struct NamedByDocuments: Sendable {
    fileprivate let files: [JobFile]
    package let notices: [String]

    /// The jobs for the files, none of which names a document.
    package var jobs: [JobSpec] { files.map(\.alone) }

    /// Makes the directories that a Metalink has within that of the job.
    package func makeDirectories(followsLinks: Bool) throws(DownloadError) {
        for file in files { try file.nesting?.make(followsLinks: followsLinks) }
    }
}
