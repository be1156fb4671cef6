internal import PawlCore
import PawlSystem

/// The target: a name in an open directory.
final class Target {
    enum State: Hashable {
        case absent
        /// The name belongs to an empty directory, which may be replaced.
        case emptyDirectory
        /// The name belongs to a directory that is not empty, as far as can be seen.
        case directory
        /// A file, a link or whatever else.
        case other
    }

    /// The path as the caller wrote it.
    let path: String
    let parent: Int32
    let name: String

    /// - Parameter followsLinks: false refuses a symbolic link anywhere in the path of the directory above.
    /// - Throws: ``ArchiveError/Code/invalidArgument``, or ``ArchiveError/Code/notWritable`` when the directory above
    ///   is not there.
    init(_ path: String, followsLinks: Bool = true) throws(ArchiveError) {
        self.path = path
        // By bytes, as a combining mark makes one `Character` with the slash before it.
        var bytes = Array(path.utf8)
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        name = String(decoding: bytes[start...], as: UTF8.self)
        guard !name.isEmpty, name != ".", name != "..", !bytes.contains(0) else {
            throw ArchiveError(
                .invalidArgument,
                "\(quoted(path)) cannot be the name of a new directory; \(quoted((path.isEmpty ? "" : path + "/") + "unpacked")) can.",
                remedies: [.chooseTarget])
        }
        let above = start == 0 ? "." : String(decoding: bytes[..<start], as: UTF8.self)
        parent = SystemCalls.openDirectory(above, followsLinks: followsLinks)
        guard parent >= 0 else { throw .writing(path, "open", errno: errno) }
    }

    deinit { _ = SystemCalls.close(parent) }

    /// The state of the name now. A symbolic link counts as such and is not followed (FAULTS D14).
    var state: State {
        get throws(ArchiveError) {
            var status = stat()
            guard fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                guard errno == ENOENT else { throw .writing(path, "fstatat", errno: errno) }
                return .absent
            }
            guard status.st_mode & S_IFMT == S_IFDIR else { return .other }
            let directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard directory >= 0 else { return .directory }
            defer { _ = SystemCalls.close(directory) }
            return Removal.isEmpty(directory) == true ? .emptyDirectory : .directory
        }
    }

    /// Whether what has the name now is to stay.
    ///
    /// - Parameter isDirectory: what is to have it.
    /// - Throws: ``ArchiveError/Code/targetExists`` where it may be neither left nor replaced.
    func isLeft(_ policy: ExtractionOptions.IfExists, isDirectory: Bool) throws(ArchiveError) -> Bool {
        let state = try state
        if state == .absent || (state == .emptyDirectory && isDirectory) { return false }
        switch policy {
        case .fail: throw isTakenError
        case .skip: return true
        case .rename: return false
        case .replace:
            // One file was to be replaced, and not all that is in a directory.
            guard isDirectory || state == .other else { throw isDirectoryError }
            return false
        }
    }

    /// The path for another name beside it.
    func path(of other: String) -> String {
        var bytes = path.utf8[...]
        while bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        return String(decoding: bytes.dropLast(name.utf8.count), as: UTF8.self) + other
    }

    /// A name to try when its own is taken: `photos (1)`.
    func renamed(_ attempt: Int) -> String {
        let number = " (\(attempt))"
        return FileName.cut(name[...], toBytes: FileName.byteLimit - number.utf8.count) + number
    }

    /// The name of the directory in which everything is created.
    var freshName: String { FileName.partialName(for: name) }

    var isDirectoryError: ArchiveError {
        ArchiveError(
            .targetExists, "\(quoted(path)) is a directory, which a file does not replace. Nothing was unpacked.",
            remedies: [.chooseTarget])
    }

    var isTakenError: ArchiveError {
        ArchiveError(
            .targetExists,
            "\(quoted(path)) already exists. Nothing was unpacked.", remedies: [.decideIfExists, .chooseTarget])
    }
}
