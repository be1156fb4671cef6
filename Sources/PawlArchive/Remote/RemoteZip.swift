public import Pawl
internal import PawlCore

/// A zip archive on a server, of which only the list of members has been downloaded.
///
/// ```swift
/// let downloader = try Downloader()
/// let zip = try await downloader.remoteZip(DownloadRequest("https://example.org/data.zip"))
/// try await downloader.fetch(["tables/*.csv"], of: zip, to: .directory("tables"))
/// ```
public struct RemoteZip: Sendable {
    /// The members in the order of the archive's central directory (APPNOTE 4.3.12). A symbolic link's text is not
    /// known before it is fetched.
    public let members: [ArchiveMember]
    /// The length of the whole archive, in bytes.
    public let length: Int64
    /// The number of bytes fetched to read the list.
    public let fetchedBytes: Int64
    /// The URL after redirects, redacted.
    public let url: String

    let entries: [ZipEntry]
    let representation: Representation
    let request: DownloadRequest

    /// The name of the archive as the URL has it, for what is unpacked from it.
    public var name: String {
        (try? HTTPURL(parsing: request.url)).map { FileName.choose(contentDisposition: nil, url: $0) } ?? "archive.zip"
    }

    /// Returns the members that the patterns name.
    ///
    /// - Throws: ``ArchiveError/Code/noSuchMember`` for a pattern that names none.
    package func members(matching patterns: [String]) throws(ArchiveError) -> [ArchiveMember] {
        try entries(matching: patterns).map { $0.member() }
    }

    /// - Throws: ``ArchiveError/Code/noSuchMember`` for a pattern that names none.
    func entries(matching patterns: [String]) throws(ArchiveError) -> [ZipEntry] {
        var selection = try MemberSelection(patterns)
        let chosen = entries.filter { selection.takes(MemberPath.forPatterns($0.path)) }
        if let pattern = selection.unmatched.first {
            throw ArchiveError(
                .noSuchMember, "No member of \(url) matches \(quoted(pattern)) (it has \(entries.count)).",
                remedies: [.listMembers])
        }
        return chosen
    }
}

extension ArchiveMember {
    /// The path as patterns see it.
    package var pathForPatterns: String { MemberPath.forPatterns(path) }
}

extension MemberPath {
    /// Returns a member's path as patterns see it; for a path that cannot be unpacked, the closest form, so that an
    /// error can name it.
    static func forPatterns(_ path: String) -> String {
        if let path = try? MemberPath(path) { return path.text }
        var bytes = path.utf8[...]
        while bytes.first == UInt8(ascii: "/") { bytes = bytes.dropFirst() }
        while bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Downloader {
    /// Reads the end of a zip archive on a server and the list of members that it leads to, and nothing else: at most
    /// 64 KiB beside the list.
    ///
    /// - Parameter request: the URL, and how it is asked for. Its target, digest, mirrors and ranges do not matter
    ///   here; its largest size is that of the members fetched later.
    /// - Throws: ``ArchiveError`` when it is no zip archive or contradicts itself; `DownloadError`, with
    ///   `rangesNotSupported` when the server sends only whole files; `CancellationError` when the task is cancelled.
    public func remoteZip(_ request: DownloadRequest) async throws -> RemoteZip {
        try await remoteZip(request) { _ in }
    }

    /// - Parameter begun: told of each download that it takes.
    package func remoteZip(
        _ request: DownloadRequest, begun: @escaping @Sendable (Download) -> Void
    ) async throws -> RemoteZip {
        var request = try request.withSecrets()
        (request.digest, request.pieceHashes, request.expectedSize, request.mirrors, request.usesServerMirrors) = (
            nil, nil, nil, [], false
        )
        (request.ranges, request.onlyIfNewer, request.adoptsPartialFile) = (nil, false, false)
        do {
            return try await RemoteDirectory(downloader: self, request: request, begun: begun).read()
        } catch let error as DownloadError where error.code == .changed {
            // Between two requests. What was read first is of no use any more.
            return try await RemoteDirectory(downloader: self, request: request, begun: begun).read()
        }
    }
}

/// The bytes at the end of a remote archive, as many as have been fetched by now.
private struct RemoteDirectory {
    let downloader: Downloader
    let request: DownloadRequest
    let begun: @Sendable (Download) -> Void

    /// The longest directory that is read: larger than the list of a million members usually is.
    private static let largest: Int64 = 512 << 20

    func read() async throws -> RemoteZip {
        let end = try await readTail()
        guard let length = end.representation.total else {
            throw ArchiveError(
                .unreadable,
                "The server does not state the length of \(end.url), so the end of the archive cannot be found.",
                remedies: [.fetchWhole])
        }
        var tail = end.bytes
        var found = try first(of: end, length)
        while case .needsMore(let start) = found {
            tail = try await bytes(from: start, before: tail, length, of: end) + tail
            found = try ZipEnd.find(in: tail, ofFileOfLength: length)
        }
        // Proven: the loop has ended.
        guard case .end(let place) = found else { preconditionFailure("the end was neither found nor asked for") }
        tail = try await bytes(from: place.directoryStart, before: tail, length, of: end) + tail
        let first = Int(place.directoryStart - (length - Int64(tail.count)))
        let directory = try ZipDirectory(parsing: Array(tail[first..<first + Int(place.directoryLength)]), end: place)
        return RemoteZip(
            members: directory.entries.map { $0.member() }, length: length, fetchedBytes: Int64(tail.count),
            url: end.url, entries: directory.entries,
            representation: end.representation, request: request)
    }

    /// Finds the end records in the last bytes. These alone do not tell a zip archive that is cut off from another
    /// file, which may end in a zip archive.
    private func first(of end: FetchedParts, _ length: Int64) throws(ArchiveError) -> ZipEnd.Found {
        do {
            return try ZipEnd.find(in: end.bytes, ofFileOfLength: length)
        } catch  where error.code == .truncated || error.code == .damaged {
            throw ArchiveError(
                .notAnArchive,
                "\(end.url) is not a zip archive, or its end is missing or damaged. Only zip archives allow single members to be downloaded.",
                remedies: [.fetchWhole])
        }
    }

    /// Fetches the bytes between a position and the tail that was already fetched; none if the tail begins before it.
    private func bytes(
        from start: Int64, before tail: [UInt8], _ length: Int64, of end: FetchedParts
    ) async throws -> [UInt8] {
        guard let missing = ByteRange(start: start, end: length - Int64(tail.count)), !missing.isEmpty else {
            return []
        }
        guard missing.count <= Self.largest else {
            throw ArchiveError(
                .tooLarge, "The list of members of \(end.url) has \(missing.count) bytes, which is too long to read.")
        }
        return try await downloader.parts(
            RangeSelection([missing]), of: request, expecting: end.representation, maximumBytes: Int(missing.count),
            begun: begun
        ).bytes
    }

    /// Fetches the end of the archive. RFC 9110 §14.1.2 has a form for the last bytes, which some servers of large
    /// stores do not know: those are asked for the length first.
    private func readTail() async throws -> FetchedParts {
        let most = Int(ZipEnd.usualTailLength)
        do {
            return try await downloader.parts(
                RangeSelection([.last(ZipEnd.usualTailLength)]), of: request, maximumBytes: most, begun: begun)
        } catch let error as DownloadError where error.code == .rangesNotSupported || error.code == .invalidArgument {
            let first: FetchedParts
            do {
                first = try await downloader.parts(
                    RangeSelection([ByteRange(0..<1)]), of: request, maximumBytes: 1, begun: begun)
            } catch let error as DownloadError where error.code == .rangesNotSupported {
                throw DownloadError(
                    .rangesNotSupported,
                    "\(error.message.prefix { $0 != "," }), so single members of the archive cannot be downloaded.",
                    remedies: [.fetchWholeArchive], recovery: .giveUp, facts: error.facts)
            }
            guard let length = first.representation.total, length > 1 else { throw error }
            let range = ByteRange(max(0, length - ZipEnd.usualTailLength)..<length)
            return try await downloader.parts(
                RangeSelection([range]), of: request, expecting: first.representation, maximumBytes: most, begun: begun)
        }
    }
}
