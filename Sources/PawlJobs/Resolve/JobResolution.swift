import Pawl
import PawlCore
package import PawlMetalink

/// A file that a job stands for, once its documents are read.
package struct ResolvedFile: Hashable, Sendable {
    /// Its source is a URL, and nothing of it has to be read any more.
    package var spec: JobSpec
    /// The file of the document that named it, and the directory of the job, in which its directories may have to be made.
    package var described: Described?

    package struct Described: Hashable, Sendable {
        package var file: MetalinkDocument.File
        package var directory: String
    }
}

/// Which documents a job names, one after the other, and what they make of it.
///
/// A value: it is told what was read, and says what to read next.
struct JobResolution {
    enum Step {
        case read(place: String, maximumBytes: Int)
        case resolved([ResolvedFile], notices: [String])
    }

    private let spec: JobSpec
    private var files: [ResolvedFile]?
    private var notices: [String] = []

    /// In bytes; some hundred thousand lines.
    private static let maximumListBytes = 16 << 20

    init(_ spec: JobSpec) {
        self.spec = spec
        if case .url = spec.source { files = [ResolvedFile(spec: spec)] }
    }

    var next: Step {
        guard let files else { return .read(place: place, maximumBytes: MetalinkDocument.mostBytes) }
        guard let list = files.lazy.compactMap(\.spec.digestList).first else { return .resolved(files, notices: notices) }
        return .read(place: list, maximumBytes: Self.maximumListBytes)
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

    // MARK: Metalinks

    private mutating func described(by document: JobDocument) throws(JobFailure) -> [ResolvedFile] {
        guard case .metalink(let place, let words) = spec.source else { return [] }
        let metalink: MetalinkDocument
        do throws(MetalinkError) {
            metalink = try MetalinkDocument(parsing: document.bytes, from: document.url)
        } catch {
            throw .document(JobDocument.shown(place), .notMetalink(error))
        }
        notices += metalink.notices
        var unused = Set(words)
        let chosen = MetalinkSelection(words).chosen(from: metalink.files, unused: &unused)
        if let missing = unused.sorted().first { throw .document(JobDocument.shown(place), .selectsNothing(missing)) }
        guard spec.fileName == nil || chosen.count == 1 else {
            throw .spec(JobSpecError(.contradiction, ["file", "metalink"], "One name was given, and the Metalink names \(chosen.count) files."))
        }
        var files: [ResolvedFile] = []
        for file in chosen { files.append(try resolved(file, of: place)) }
        return files
    }

    private func resolved(_ file: MetalinkDocument.File, of place: String) throws(JobFailure) -> ResolvedFile {
        guard let request = file.request(in: spec.directory) else { throw .document(JobDocument.shown(place), .noUsableURL(file: file.name)) }
        // What is meant for the origin of a URL that somebody gave goes to no other.
        guard !spec.isForOneOrigin || JobDocument.isSameOrigin(place, request.url) else {
            throw .spec(
                JobSpecError(
                    .contradiction, [spec.authentication == nil ? "headers" : "authentication", "metalink"], "It is for the origin of the document, and the document names other servers."))
        }
        var resolved = ResolvedFile(spec: spec)
        resolved.spec.source = .url(request.url, mirrors: request.mirrors)
        resolved.spec.options.pieceHashes = request.pieceHashes
        resolved.spec.options.expectedSize = request.expectedSize
        // What the user says of the file counts for more.
        resolved.spec.options.digest = spec.options.digest ?? request.digest
        guard spec.fileName == nil else { return resolved }
        resolved.spec.directory = request.directory
        resolved.spec.fileName = request.fileName
        resolved.described = ResolvedFile.Described(file: file, directory: spec.directory)
        return resolved
    }

    // MARK: Lists of digests

    private static func withDigests(_ files: [ResolvedFile], _ document: JobDocument) throws(JobFailure) -> [ResolvedFile] {
        var files = files
        for index in files.indices {
            guard let place = files[index].spec.digestList else { continue }
            let list = DigestList(parsing: document.bytes, listName: JobDocument.name(of: place))
            do throws(DigestListError) {
                files[index].spec.options.digest = try list.digest(forFileAt: files[index].spec.namesInLists)
            } catch {
                throw .document(JobDocument.shown(place), .noDigest(error))
            }
            files[index].spec.digestList = nil
        }
        return files
    }
}

/// A document that a job names, as it was read.
package struct JobDocument: Hashable, Sendable {
    package var bytes: [UInt8]
    /// Where it came from in the end; nil for one from a disk.
    package var url: String?

    package init(bytes: [UInt8], url: String?) {
        self.bytes = bytes
        self.url = url
    }

    /// Whether a place that may be a path or a URL is a URL.
    package static func isURL(_ place: String) -> Bool {
        // "HTTP://" too; no path that anybody has on a disk begins so.
        let start = String(decoding: place.utf8.prefix(8), as: UTF8.self).lowercased()
        return start.begins(with: "http://") || start.begins(with: "https://")
    }

    package static func isSameOrigin(_ first: String, _ second: String) -> Bool {
        guard let first = try? HTTPURL(parsing: first), let second = try? HTTPURL(parsing: second) else { return false }
        return first.origin == second.origin
    }

    /// For people: a URL redacted, a path in quotation marks.
    package static func shown(_ place: String) -> String {
        guard isURL(place) else { return "“\(place)”" }
        return (try? HTTPURL(parsing: place))?.redacted ?? "given by URL"
    }

    /// Its last component.
    package static func name(of place: String) -> String {
        let path = isURL(place) ? (try? HTTPURL(parsing: place))?.path ?? "" : place
        return path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
    }
}

extension JobSpec {
    /// It has what only the origin of its URL may see.
    var isForOneOrigin: Bool { !headers.isEmpty || authentication != nil }

    /// The names under which a list may have the file: as its server calls it, as it is to be called here, as a mirror calls it.
    var namesInLists: [String] {
        guard case .url(let url, let mirrors) = source else { return [] }
        return Self.namesInLists(urls: [url] + mirrors.map(\.url), fileName: fileName)
    }

    package static func namesInLists(urls: [String], fileName: String?) -> [String] {
        urls.enumerated().flatMap { index, url in
            let path = (try? HTTPURL(parsing: url)).map { String(decoding: PercentCoding.decode($0.path.utf8), as: UTF8.self) }
            return [path, index == 0 ? fileName : nil].compactMap { $0 }
        }
    }
}
