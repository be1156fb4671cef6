import Pawl
import PawlCore
import PawlEngine
import PawlMetalink
import Synchronization

extension JobSpec {
    /// Whether the job stands for the one file at its URL, and nothing has to be read before the download.
    package var isOneFile: Bool {
        guard members.isEmpty, !keepsPath, case .resolved = JobResolution(self).next else { return false }
        return true
    }
}

/// Resolves a job: which documents it names, one after the other, and the files they yield.
///
/// A value: it receives what was read, and says what to read next.
struct JobResolution {
    enum Step {
        case read(place: String, maximumBytes: Int)
        /// Ask the file's server for the documents that describe it.
        case describe(JobFile)
        case resolved(Resolved)
    }

    struct Resolved {
        var files: [JobFile]
        /// The notices about parts of documents that could not be used.
        var notices: [String]
        /// Words of the selection that have chosen nothing.
        var unused: Set<String>
    }

    private let spec: JobSpec
    private var files: [JobFile]?
    private var notices: [String] = []
    private var unused: Set<String> = []
    /// Whether the server was asked for a description, or need not be.
    private var isDescribed: Bool

    /// The longest list, in bytes: some hundred thousand lines.
    static let maximumListBytes = 16 << 20

    init(_ spec: JobSpec) {
        self.spec = spec
        isDescribed = !spec.options.usesServerMirrors && !spec.searchesDigest
        if case .url = spec.source { files = [JobFile(spec: spec)] } else { isDescribed = true }
    }

    var next: Step {
        guard let files else { return .read(place: place, maximumBytes: MetalinkDocument.maximumBytes) }
        if !isDescribed, let file = files.first { return .describe(file) }
        guard let list = files.lazy.compactMap(\.namedList).first else {
            return .resolved(Resolved(files: files.map(\.atItsPath), notices: notices, unused: unused))
        }
        return .read(place: list, maximumBytes: Self.maximumListBytes)
    }

    /// The description that ``next`` asked for.
    mutating func take(_ described: DescribedFile) {
        isDescribed = true
        files = [described.file]
        notices += described.notices
    }

    /// The document that ``next`` asked for.
    mutating func take(_ document: JobDocument) throws(JobFailure) {
        if let files {
            self.files = try Self.withDigests(files, document)
        } else {
            files = try described(by: document)
        }
    }

    private var place: String { if case .metalink(let place, _) = spec.source { place } else { "" } }

    /// The jobs that remain of one for somebody who reaches no file here: what it names on this disk is read and put
    /// into them; what it names by URL is still named.
    ///
    /// - Parameter read: the content of a file, of so many bytes at most.
    static func withoutLocalDocuments(
        _ spec: JobSpec, reading read: (String, Int) throws(DownloadError) -> [UInt8]
    ) throws(JobFailure) -> Resolved {
        var resolution = JobResolution(spec)
        // Whoever does the job asks the server.
        resolution.isDescribed = true
        while case .read(let place, let limit) = resolution.next, !JobDocument.isURL(place) {
            let bytes: [UInt8]
            do throws(DownloadError) {
                bytes = try read(place, limit)
            } catch {
                throw .download(error)
            }
            try resolution.take(JobDocument(bytes: bytes, url: nil))
        }
        return Resolved(
            files: resolution.files ?? [JobFile(spec: spec)], notices: resolution.notices,
            unused: resolution.unused)
    }

    // MARK: Metalinks

    private mutating func described(by document: JobDocument) throws(JobFailure) -> [JobFile] {
        guard case .metalink(let place, let words) = spec.source else { return [] }
        let metalink = try JobDocument.metalink(document, at: place)
        notices += metalink.notices.map { "\(JobDocument.shown(place)): \($0)" }
        unused = Set(words)
        let chosen = MetalinkSelection(words).chosen(from: metalink.files, unused: &unused)
        guard spec.fileName == nil || chosen.count <= 1 else {
            throw .spec(.severalFiles("file", "One name was given", chosen.count))
        }
        guard spec.options.digest == nil || chosen.count <= 1 else {
            throw .spec(.severalFiles("options.checksum", "One digest was given", chosen.count))
        }
        var files: [JobFile] = []
        for file in chosen { files.append(try resolved(file, of: place)) }
        return files
    }

    private func resolved(_ file: MetalinkDocument.File, of place: String) throws(JobFailure) -> JobFile {
        guard let request = file.request(in: spec.directory) else {
            throw .document(JobDocument.shown(place), .noUsableURL(file: file.name))
        }
        // Credentials for the origin of a given URL go to no other origin.
        guard !spec.isForOneOrigin || JobDocument.isSameOrigin(place, request.url) else {
            throw .spec(
                JobSpecError(
                    .contradiction, ["headers", "authentication", "metalink"],
                    "Headers and credentials are sent only to the origin of a given URL, but the Metalink \(JobDocument.shown(place)) names other servers. Leave them out."
                ))
        }
        var resolved = JobFile(spec: spec)
        resolved.spec.source = .url(request.url, mirrors: request.mirrors)
        resolved.spec.options.pieceHashes = request.pieceHashes
        resolved.spec.options.expectedSize = request.expectedSize
        // The user's statements about the file take precedence.
        resolved.spec.options.digest = spec.options.digest ?? request.digest
        guard spec.fileName == nil else { return resolved }
        resolved.spec.directory = request.directory
        resolved.spec.fileName = request.fileName
        if file.path.count > 1 {
            resolved.nesting = JobFile.Nesting(names: file.path.dropLast(), directory: spec.directory)
        }
        return resolved
    }

    // MARK: Lists of digests

    private static func withDigests(
        _ files: [JobFile], _ document: JobDocument
    ) throws(JobFailure) -> [JobFile] {
        var files = files
        for index in files.indices {
            guard let place = files[index].namedList else { continue }
            let list = document.digests(listName: JobDocument.name(of: place))
            files[index].spec.options.digest = try list.digest(
                ofOne: files[index].spec.namesInLists, JobDocument.shown(place))
            files[index].spec.digestList = nil
        }
        return files
    }
}

extension JobFile {
    /// The file in the directory of its URL's host and path, if its job says so.
    fileprivate var atItsPath: JobFile {
        guard spec.keepsPath else { return self }
        var file = self
        file.spec.keepsPath = false
        // A name that was given is that of a place, too.
        guard spec.fileName == nil, case .url(let url, _) = spec.source, let parsed = try? HTTPURL(parsing: url) else {
            return file
        }
        let names = FileName.directories(of: parsed)
        file.nesting = Nesting(names: names, directory: spec.directory)
        file.spec.directory = FileTarget.path(in: spec.directory, names.joined(separator: "/"))
        return file
    }

    /// The place of the list of digests, if one is named; nil otherwise.
    fileprivate var namedList: String? { spec.searchesDigest ? nil : spec.digestList }
}

/// A file with what documents of its server say of it.
package struct DescribedFile: Hashable, Sendable {
    package var file: JobFile
    /// The reasons why documents were not used.
    package var notices: [String]

    package init(file: JobFile, notices: [String] = []) {
        self.file = file
        self.notices = notices
    }
}

/// A document that a job names, as it was read.
package struct JobDocument: Sendable {
    private final class Parsed: Sendable {
        let digests = Locked<DigestList?>(nil)
        let metalink = Locked<Result<MetalinkDocument, MetalinkError>?>(nil)
    }

    package var bytes: [UInt8]
    /// The final URL of the document; nil for one from a disk.
    package var url: String?
    private let parsed = Parsed()

    package init(bytes: [UInt8], url: String?) {
        self.bytes = bytes
        self.url = url
    }

    // It is taken apart once, however many jobs ask.

    func digests(listName: String) -> DigestList {
        parsed.digests.withLock { digests in
            let list = digests ?? DigestList(parsing: bytes, listName: listName)
            digests = list
            return list
        }
    }

    /// The files of a Metalink as jobs, and what of it could not be used.
    package static func jobs(inMetalink bytes: [UInt8]) throws(JobFailure) -> (jobs: [JobSpec], notices: [String]) {
        var resolution = JobResolution(JobSpec(.metalink("The document")))
        try resolution.take(JobDocument(bytes: bytes, url: nil))
        guard case .resolved(let resolved) = resolution.next else { return ([], []) }
        return (resolved.files.map(\.spec), resolved.notices)
    }

    /// Whether a place that may be a path or a URL is a URL.
    package static func isURL(_ place: String) -> Bool {
        // "HTTP://" too; no path that anybody has on a disk begins so.
        let start = String(decoding: place.utf8.prefix(8), as: UTF8.self).lowercased()
        return start.begins(with: "http://") || start.begins(with: "https://")
    }

    static func metalink(_ document: JobDocument, at place: String) throws(JobFailure) -> MetalinkDocument {
        do throws(MetalinkError) { return try document.metalink.get() } catch {
            throw .document(shown(place), .notMetalink(error))
        }
    }

    private var metalink: Result<MetalinkDocument, MetalinkError> {
        parsed.metalink.withLock { metalink in
            let result =
                metalink ?? Result { () throws(MetalinkError) in try MetalinkDocument(parsing: bytes, from: url) }
            metalink = result
            return result
        }
    }

    /// Whether the place should not be shown again: it is a URL that has credentials, or values that may be some. One
    /// that cannot be read may have them.
    package static func holdsSecrets(_ place: String) -> Bool {
        guard isURL(place) else { return false }
        guard let parsed = try? HTTPURL(parsing: place) else { return true }
        return parsed.userinfo != nil || (parsed.query != nil && !parsed.redacted.isExactly(parsed.serialized))
    }

    package static func isSameOrigin(_ first: String, _ second: String) -> Bool {
        guard let first = try? HTTPURL(parsing: first), let second = try? HTTPURL(parsing: second) else { return false }
        return first.origin == second.origin
    }

    /// Returns a place as people may see it: a URL redacted, a path in quotation marks.
    package static func shown(_ place: String) -> String {
        guard isURL(place) else { return "“\(place)”" }
        return (try? HTTPURL(parsing: place))?.redacted ?? "given by URL"
    }

    /// Returns the last component of a place.
    package static func name(of place: String) -> String {
        let path = isURL(place) ? (try? HTTPURL(parsing: place))?.path ?? "" : place
        return path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
    }
}

extension JobSpecError {
    fileprivate static func severalFiles(_ field: String, _ what: String, _ count: Int) -> JobSpecError {
        JobSpecError(
            .contradiction, [field, "metalink"], "\(what), and the Metalink names \(count) files. Choose one of them.")
    }
}

extension JobSpec {
    /// Whether the job has values for the origin of its URL only: header fields, credentials or a referrer.
    package var isForOneOrigin: Bool { context.isForOneOrigin }

    /// The names under which a list may have the file: as its server calls it, as it is to be called here, as a mirror
    /// calls it.
    var namesInLists: [String] {
        guard case .url(let url, let mirrors) = source else { return [] }
        return Self.namesInLists(urls: [url] + mirrors.map(\.url), fileName: fileName)
    }

    package static func namesInLists(urls: [String], fileName: String?) -> [String] {
        urls.enumerated().flatMap { index, url in
            let path = (try? HTTPURL(parsing: url)).map {
                String(decoding: PercentCoding.decode($0.path.utf8), as: UTF8.self)
            }
            return [path, index == 0 ? fileName : nil].compactMap { $0 }
        }
    }
}

extension DigestList {
    /// - Parameters:
    ///   - paths: of one file, as in ``digest(forFileAt:)``.
    ///   - shown: the list, as people may see it.
    func digest(ofOne paths: [String], _ shown: String) throws(JobFailure) -> Digest {
        do throws(DigestListError) {
            return try digest(forFileAt: paths)
        } catch {
            throw .document(shown, .noDigest(error))
        }
    }
}
