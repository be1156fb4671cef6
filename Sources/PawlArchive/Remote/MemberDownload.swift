public import Pawl
internal import PawlCore
internal import PawlSystem

/// A download of members of a remote zip archive.
public struct MemberDownload: Sendable {
    public enum Target: Hashable, Sendable {
        /// A directory that the members get, with their paths in it.
        case directory(String)
        /// A file that the only member becomes.
        case file(String)

        public var path: String {
            switch self {
            case .directory(let path), .file(let path): path
            }
        }

        /// Returns whether the name is taken; an empty directory is not in the way of another.
        package func isTaken(followsLinks: Bool) throws(ArchiveError) -> Bool {
            try PawlArchive.Target(path, followsLinks: followsLinks).isLeft(.skip, isDirectory: isDirectory)
        }

        fileprivate var isDirectory: Bool {
            if case .directory = self { true } else { false }
        }

        /// The size of an existing file, in bytes; 0 of anything else.
        package var existingByteCount: Int64 {
            guard let facts = FileFacts(in: AT_FDCWD, path.systemText), facts.kind == .file else { return 0 }
            return facts.size
        }
    }

    /// The download of the parts of the archive that hold the members. Its progress counts their bytes. Pausing and
    /// cancelling it keep the received ones.
    public let download: Download
    /// The members in the archive's order.
    public let members: [ArchiveMember]
    public let target: Target

    let entries: [ZipEntry]
    let plan: MemberPlan
    /// The options for unpacking; a password may be added when it turns out to be needed.
    public var options: ExtractionOptions

    /// The number of bytes of the archive that are downloaded for the members.
    public var byteCount: Int64 { plan.byteCount }

    /// Waits for the bytes, checks and unpacks them.
    ///
    /// - Parameter progress: of the unpacking.
    /// - Throws: `DownloadError`; ``ArchiveError``, with `damaged` when a member's bytes do not have its CRC-32;
    ///   `CancellationError` when the download or the task was cancelled. The same call later resumes where it stopped.
    public func result(progress: (@Sendable (ArchiveProgress) -> Void)? = nil) async throws -> ExtractionResult {
        let stretches = try await download.result().path
        let (entries, plan, options, target) = (entries, plan, options, target)
        return try await OwnThread.run { flag in
            let place = DirectoryEntry(stretches, followsLinks: options.followsDirectoryLinks)
            do {
                let reader = try flag.watching {
                    let file = try ArchiveFile(stretches, in: place, until: flag)
                    return ZipReader(try Self.stored(entries, plan, in: file), in: file, password: options.password)
                }
                let extraction = Extraction(reader, options: options, flag: flag, progress: progress)
                let result =
                    switch target {
                    case .directory(let path): try extraction.run(into: path)
                    case .file(let path): try extraction.runFile(to: path)
                    }
                _ = place?.remove()
                return result
            } catch let error as ArchiveError where Self.isUseless(after: error.code, options) {
                // The next try fetches it anew.
                _ = place?.remove()
                throw error
            }
        }
    }

    /// Whether what came can never become what was asked for, whatever is allowed.
    private static func isUseless(after code: ArchiveError.Code, _ options: ExtractionOptions) -> Bool {
        switch code {
        case .damaged, .truncated, .unsupported, .unsafeName, .unsafeKind: true
        case .unsafeLink: options.allowsLinks
        case .duplicateName: options.allowsTwins
        default: false
        }
    }

    /// The members in the order of their bytes, each with its local header, which has come with it.
    private static func stored(
        _ entries: [ZipEntry], _ plan: MemberPlan, in file: ArchiveFile
    ) throws(ArchiveError) -> [ZipReader.Stored] {
        var stored: [ZipReader.Stored] = []
        for entry in entries.sorted(by: { $0.headerOffset < $1.headerOffset }) {
            let truncated = ArchiveError(
                .truncated, "\(quoted(entry.path)) was not downloaded completely.", remedies: [.tryAgain],
                member: entry.path)
            guard let start = plan.offset(of: entry.headerOffset) else { throw truncated }
            var count = Int64(ZipLocalHeader.fixedLength)
            while true {
                let bytes = try file.bytes(start..<start + count)
                guard bytes.count == count else { throw truncated }
                switch try entry.localHeader(bytes[...]) {
                case .needsMore(let more): count = Int64(more)
                case .header(let header):
                    stored.append(.init(entry, header, at: start + header.dataRange.lowerBound - entry.headerOffset))
                }
                if stored.last?.entry == entry { break }
            }
        }
        return stored
    }
}

extension Downloader {
    /// Downloads members of a remote zip archive, all with the validator of its list, and unpacks them. What an earlier
    /// run downloaded is not downloaded again.
    ///
    /// - Parameters:
    ///   - patterns: as in ``ExtractionOptions/patterns``.
    ///   - zip: the archive, with its list of members.
    ///   - target: what exists already is treated as ``ExtractionOptions/ifExists`` says.
    ///   - options: limits, and what to do with links and existing files.
    ///   - progress: called on the unpacking thread, at most twenty times a second.
    /// - Throws: as ``start(_:of:to:options:)`` and ``MemberDownload/result(progress:)``.
    @discardableResult
    public func fetch(
        _ patterns: [String], of zip: RemoteZip, to target: MemberDownload.Target, options: ExtractionOptions = .init(),
        progress: (@Sendable (ArchiveProgress) -> Void)? = nil
    ) async throws -> ExtractionResult {
        if options.ifExists == .skip, try target.isTaken(followsLinks: followsDirectoryLinks) {
            return ExtractionResult(directory: target.path, members: 0, bytes: 0, isSkipped: true)
        }
        return try await start(patterns, of: zip, to: target, options: options).result(progress: progress)
    }

    /// Starts to fetch members of a remote zip archive and returns at once.
    ///
    /// - Throws: ``ArchiveError``, before anything is fetched: `noSuchMember`, `invalidArgument` when several members
    ///   are to become one file, or what else the list shows to be in the way of unpacking them; `DownloadError`.
    public func start(
        _ patterns: [String], of zip: RemoteZip, to target: MemberDownload.Target, options: ExtractionOptions = .init()
    ) throws -> MemberDownload {
        var options = options
        options.followsDirectoryLinks = followsDirectoryLinks
        let entries = try zip.entries(matching: patterns)
        if case .file = target, entries.count != 1 || entries.first?.kind != .file {
            let what = entries.count == 1 ? "A directory or a link" : "\(entries.count) members"
            throw ArchiveError(
                .invalidArgument, "\(what) cannot be saved as one file.", remedies: [.unpackToDirectory],
                member: entries.first?.path)
        }
        let plan = MemberPlan(entries)
        // Everything is checked again after the download; checking now avoids downloading in vain.
        _ = try PawlArchive.Target(target.path, followsLinks: followsDirectoryLinks)
            .isLeft(options.ifExists, isDirectory: target.isDirectory)
        try Self.check(entries, plan, options)
        if let limit = zip.request.maximumFileSize, plan.byteCount > limit {
            throw DownloadError(
                .tooLarge,
                "\(entries.count) members of \(zip.url) take \(plan.byteCount) bytes to download, more than the \(limit) allowed.",
                recovery: .giveUp)
        }
        var request = zip.request
        (request.directory, request.fileName) = Self.place(for: target, plan, zip.representation)
        request.ranges = try RangeSelection(plan.ranges)
        // Whole already, and killed before it was unpacked.
        request.ifExists = .skip
        request.allowsWebPage = true
        let download = try startParts(request, expecting: zip.representation)
        return MemberDownload(
            download: download, members: entries.map { $0.member() }, target: target, entries: entries, plan: plan,
            options: options)
    }

    private static func check(
        _ entries: [ZipEntry], _ plan: MemberPlan, _ options: ExtractionOptions
    ) throws(ArchiveError) {
        var names = NameTable(allowsTwins: options.allowsTwins)
        for entry in entries {
            let path = try MemberPath(entry.member())
            switch entry.kind {
            case .directory:
                _ = try names.enter(path, as: .directory)
                continue
            case .file: _ = try names.enter(path, as: .file)
            case .symbolicLink:
                guard options.allowsLinks else { throw .linkNotMade(path) }
                _ = try names.enter(path, as: .symbolicLink)
            case .other(let what): throw .notUnpacked(path, what)
            }
            if let obstacle = entry.obstacle { throw .zipUnsupported(entry.path, obstacle) }
        }
        let bytes = entries.reduce(Int64(0)) { sum, entry in
            let (next, overflow) = sum.addingReportingOverflow(entry.unpackedSize)
            return overflow ? .max : next
        }
        try Budget(options.limits, archiveLength: plan.byteCount).checkAnnounced(members: entries.count, bytes: bytes)
    }

    /// Returns a place beside the target, whose name may be as long as a name can be.
    private static func place(
        for target: MemberDownload.Target, _ plan: MemberPlan, _ representation: Representation
    ) -> (directory: String, name: String) {
        let path = String(
            decoding: target.path.utf8.reversed().drop { $0 == UInt8(ascii: "/") }.reversed(), as: UTF8.self)
        let place = PathParts(path)
        let suffix = ".members-" + plan.fingerprint(of: representation, for: place.name)
        return (
            place.directory, FileName.cut(place.name[...], toBytes: FileName.byteLimit - suffix.utf8.count) + suffix
        )
    }
}

extension MemberPlan {
    /// Tells apart what is on its way to one target: other members, another archive under the same URL.
    fileprivate func fingerprint(of representation: Representation, for name: String) -> String {
        let version = "\(representation.entityTag?.raw ?? "")\0\(representation.lastModified ?? "")"
        let text = ranges.map(\.description).joined(separator: ",") + "\0" + version + "\0" + name
        let hash = Array(text.utf8).withUnsafeBytes { XXHash64.hash($0) }
        let digits = String(hash & 0xFFFF_FFFF, radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
}
