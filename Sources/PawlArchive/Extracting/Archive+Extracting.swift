import PawlCore
import PawlEngine
import PawlSystem

extension Archive {
    /// Returns all members in the archive's order without unpacking any. A listed member cannot always be unpacked.
    ///
    /// - Parameters:
    ///   - password: for archives that hide their names as well.
    ///   - limit: how many there may be: a small archive can list billions.
    /// - Throws: ``ArchiveError``, with `tooLarge` beyond the limit; `CancellationError` when the task is cancelled.
    public func members(
        password: String? = nil, limit: Int = ExtractionLimits().maximumMembers
    ) async throws -> [ArchiveMember] {
        let path = path
        return try await OwnThread.run { flag in
            try flag.watching {
                let reader = try ArchiveOpening.open(path, password: password, until: flag)
                reader.stop(when: flag)
                return try members(of: reader, limit, flag)
            }
        }
    }

    private func members(of reader: any MemberReader, _ limit: Int, _ flag: StopFlag) throws -> [ArchiveMember] {
        var members: [ArchiveMember] = []
        while let member = try reader.next() {
            try flag.check()
            guard members.count < limit else {
                throw ArchiveError(
                    .tooLarge, "\(quoted(path)) has more members than the limit of \(limit).",
                    remedies: [.raiseMaximumMembers])
            }
            members.append(member)
        }
        return members
    }

    /// Unpacks into `directory`, which appears once everything in it is durable, or not at all.
    ///
    /// Everything is written to a fresh directory beside it, named `directory` plus `.part`, synced and then renamed.
    /// An error, a cancellation or a crash leaves the old state; the next run removes what a crash left. An archive
    /// that holds a single directory with the name of `directory` is not nested twice: its contents become those of
    /// `directory`.
    ///
    /// - Parameters:
    ///   - directory: the directory to create. Its parent must exist.
    ///   - options: limits, which members to unpack, and what to do with links and an existing directory.
    ///   - progress: called on the unpacking thread, at most twenty times a second.
    /// - Throws: ``ArchiveError``; `CancellationError` when the task is cancelled, after what had been written was
    ///   removed.
    public func extract(
        into directory: String, options: ExtractionOptions = .init(),
        progress: (@Sendable (ArchiveProgress) -> Void)? = nil
    ) async throws -> ExtractionResult {
        let path = path
        return try await OwnThread.run { flag in
            if options.ifExists == .replace { try Self.refuseReplacing(directory, whichHolds: path) }
            let reader = try flag.watching {
                try ArchiveOpening.open(
                    path, followsLinks: options.followsDirectoryLinks, password: options.password, until: flag)
            }
            return try Extraction(reader, options: options, flag: flag, progress: progress).run(into: directory)
        }
    }

    /// Checks, before there is an archive, whether a directory of this name could be created.
    ///
    /// - Throws: ``ArchiveError``: it is no name for a new directory, or what it would be in is not there.
    package static func checkTarget(_ directory: String, followsLinks: Bool) throws(ArchiveError) {
        _ = try Target(directory, followsLinks: followsLinks)
    }

    /// Tells what unpacking to a name would do with what has it now, and changes nothing.
    ///
    /// - Parameter isDirectory: a directory is to have the name.
    /// - Throws: ``ArchiveError`` where nothing could be unpacked there.
    package static func outlook(
        at path: String, isDirectory: Bool = true, ifExists: ExtractionOptions.IfExists, followsLinks: Bool
    ) throws(ArchiveError) -> UnpackingOutlook {
        let target = try Target(path, followsLinks: followsLinks)
        if try target.isLeft(ifExists, isDirectory: isDirectory) { return .skips(path) }
        let state = try target.state
        if state == .absent || (state == .emptyDirectory && isDirectory) { return .creates(path) }
        guard ifExists == .rename else { return .replaces(path) }
        for attempt in 1...FileName.maximumAttempts {
            let other = target.path(of: target.renamed(attempt))
            if try Target(other, followsLinks: followsLinks).state == .absent { return .renames(other) }
        }
        throw target.isTakenError
    }

    /// The default directory: beside the archive, with its name less the extensions of its format.
    public var defaultDirectory: String { Self.withoutExtensions(path) }

    static func withoutExtensions(_ path: String) -> String {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        let name = path[start...]
        for suffix in [".gz", ".bz2", ".xz", ".zst"] where endsIn(name, ".tar" + suffix) {
            return bare(path, dropping: 4 + suffix.utf8.count, of: name)
        }
        for suffix in [
            ".zip", ".7z", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".tzst", ".jar", ".whl", ".apk", ".cbz", ".epub",
        ]
        where endsIn(name, suffix) {
            return bare(path, dropping: suffix.utf8.count, of: name)
        }
        return path + ".unpacked"
    }

    /// Compares a suffix by bytes, as some letters join a dot after them into one `Character`.
    private static func endsIn(_ name: Substring, _ suffix: String) -> Bool {
        String(decoding: name.utf8.suffix(suffix.utf8.count), as: UTF8.self).lowercased() == suffix
    }

    /// A name that is nothing but extensions, such as `.zip`, is kept.
    private static func bare(_ path: String, dropping count: Int, of name: Substring) -> String {
        name.utf8.count > count ? String(decoding: path.utf8.dropLast(count), as: UTF8.self) : path + ".unpacked"
    }

    /// Throws if unpacking would replace the archive itself, under the name that was given or the one a link leads to.
    /// A replaced file is removed, and the archive would be lost.
    private static func refuseReplacing(_ directory: String, whichHolds archive: String) throws(ArchiveError) {
        guard let wanted = identity(ofName: directory) else { return }
        for path in [archive, SystemCalls.realPath(archive) ?? archive] {
            guard identity(ofName: path) != wanted else {
                throw ArchiveError(
                    .invalidArgument,
                    "\(quoted(archive)) is the archive itself; unpacking would replace it.",
                    remedies: [.chooseTarget])
            }
            guard !isIn(wanted, path) else {
                throw ArchiveError(
                    .invalidArgument,
                    "\(quoted(archive)) is in \(quoted(directory)), which would be replaced with all its contents.",
                    remedies: [.chooseTarget])
            }
        }
    }

    /// A link is itself, and would be replaced as one; with a slash behind it, it would be followed.
    private static func identity(ofName path: String) -> FileIdentity? {
        var bytes = path.systemBytes
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return FileFacts(in: AT_FDCWD, bytes.map { CChar(bitPattern: $0) } + [0])?.identity
    }

    /// Whether the directory is above the path, however far.
    private static func isIn(_ directory: FileIdentity, _ path: String) -> Bool {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        var place = slash.map { String(decoding: path.utf8[...$0], as: UTF8.self) } ?? "./"
        var last: FileIdentity?
        while let above = FileFacts(in: AT_FDCWD, (place + ".").systemText)?.identity {
            if above == directory { return true }
            // The root is above itself.
            if above == last { return false }
            last = above
            place += "../"
        }
        return false
    }
}

/// The effect that unpacking would have on the path that it goes to.
package enum UnpackingOutlook: Hashable, Sendable {
    /// Nothing is there, or an empty directory.
    case creates(String)
    case replaces(String)
    /// The path is taken, and this one would be made.
    case renames(String)
    /// Nothing would be unpacked.
    case skips(String)

    package var path: String {
        switch self {
        case .creates(let path), .replaces(let path), .renames(let path), .skips(let path): path
        }
    }
}
