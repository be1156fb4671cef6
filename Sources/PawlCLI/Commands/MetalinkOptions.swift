import ArgumentParser
import Pawl
import PawlCore
import PawlJobs
import PawlMetalink

/// Files that a Metalink document names.
struct MetalinkOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Download the files that this Metalink document names (docs/metalink.md). May be repeated.", valueName: "file or url"))
    var metalink: [String] = []

    @Option(
        help: ArgumentHelp("Of the files of a Metalink only this one: by name, by a pattern such as '*.iso', or by number from 1. May be repeated.", valueName: "file"))
    var select: [String] = []

    var holdsSecrets: Bool { metalink.contains { JobDocument.isURL($0) && DocumentReader.holdsSecrets($0) } }

    func check() throws(UsageError) {
        guard select.isEmpty || !metalink.isEmpty else { throw UsageError("--select chooses from a Metalink; name one with --metalink.") }
    }

    /// The requests for all files that were chosen.
    ///
    /// - Parameters:
    ///   - template: what holds for all of them; its directory is the one they go into.
    ///   - makingDirectories: whether those that a document names are made.
    ///   - isForOneOrigin: the template has what was given for one origin and may reach no other; nil: if it has headers.
    ///   - note: told of what could not be used.
    func requests(
        like template: DownloadRequest, _ reader: DocumentReader, makingDirectories: Bool = true, isForOneOrigin: Bool? = nil,
        note: (String) -> Void
    ) async throws -> [DownloadRequest] {
        try check()
        let isForOneOrigin = isForOneOrigin ?? template.isForOneOrigin
        var requests: [DownloadRequest] = []
        var unused = Set(select)
        for place in metalink {
            let document = try await Self.document(at: place, reader)
            for notice in document.notices { note("\(Self.shown(place)): \(notice)") }
            for file in MetalinkSelection(select).chosen(from: document.files, unused: &unused) {
                let request = try Self.request(for: file, in: place, like: template)
                guard !isForOneOrigin || JobDocument.isSameOrigin(place, request.url) else {
                    throw UsageError(
                        "Headers and credentials go to the origin of a URL given here, and the Metalink \(Self.shown(place)) names other servers. Leave them out.")
                }
                requests.append(request)
                if makingDirectories { try file.makeDirectories(in: template.directory) }
            }
        }
        if let missing = unused.sorted().first {
            throw UsageError("--select “\(missing)” names none of the Metalink's files.")
        }
        return requests
    }

    static func document(at place: String, _ reader: DocumentReader) async throws -> MetalinkDocument {
        let document = try await reader.read(place, atMost: MetalinkDocument.mostBytes)
        do throws(MetalinkError) {
            return try MetalinkDocument(parsing: document.bytes, from: document.url)
        } catch {
            throw DownloadError(
                .badResponse, "The Metalink \(shown(place)) cannot be used: \(error).", recovery: .giveUp)
        }
    }

    private static func request(
        for file: MetalinkDocument.File, in place: String, like template: DownloadRequest
    ) throws -> DownloadRequest {
        guard let found = file.request(in: template.directory) else {
            throw DownloadError(
                .invalidArgument, "The Metalink \(shown(place)) has no http or https URL for “\(file.name)”.", recovery: .giveUp)
        }
        var request = template
        request.url = found.url
        request.directory = found.directory
        request.fileName = found.fileName
        request.mirrors = found.mirrors
        request.pieceHashes = found.pieceHashes
        request.expectedSize = found.expectedSize
        // What the user says of the file counts for more.
        request.digest = template.digest ?? found.digest
        return request
    }

    /// For those who take a document for a URL.
    static func hint(for url: String) -> String {
        let name = url.lowercased()
        guard !JobDocument.isURL(url), name.ends(with: ".meta4") || name.ends(with: ".metalink") else { return "" }
        return " The files that a Metalink names are fetched with --metalink."
    }

    static func shown(_ place: String) -> String { JobDocument.shown(place) }
}
