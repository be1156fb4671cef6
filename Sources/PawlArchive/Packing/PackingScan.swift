import PawlCore
import PawlSystem

/// Examines everything to be packed before a byte is written, so that whatever cannot be packed is reported at once,
/// and the total is known.
struct PackingScan {
    let format: PackingFormat
    /// The archive being created, which must not become part of itself.
    let output: PackingPlace
    let cancellation: StopFlag
    private var list = PackingList()

    init(format: PackingFormat, output: PackingPlace, cancellation: StopFlag) {
        self.format = format
        self.output = output
        self.cancellation = cancellation
    }

    private typealias Found = (argument: PackingArgument, facts: FileFacts)

    /// - Throws: ``ArchiveError`` and `CancellationError`.
    mutating func run(_ files: [String]) throws -> PackingList {
        guard !files.isEmpty else {
            throw ArchiveError(.invalidArgument, "No files or directories to pack are given.")
        }
        var found: [Found] = []
        for file in files {
            let argument = try PackingArgument(file)
            let facts = try Self.facts(of: argument)
            guard argument.path.isEmpty else {
                found.append((argument, facts))
                continue
            }
            // What is in it goes to the top of the archive, where it may meet other arguments.
            found += try contents(of: argument, facts)
        }
        for (argument, facts) in try Self.sorted(found) {
            if format == .zip, String(validating: argument.path, as: UTF8.self) == nil {
                throw Self.notUTF8(Self.text(argument.path))
            }
            try add(facts, Self.text(argument.path)) { list, kind in
                list.add(argument, kind, facts)
            } open: {
                open(argument.place, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (argument.followsLink ? 0 : O_NOFOLLOW))
            }
        }
        return list
    }

    // MARK: What was named

    private static func facts(of argument: PackingArgument) throws -> FileFacts {
        let path = String(system: argument.place)
        guard let facts = FileFacts(in: AT_FDCWD, argument.place) else {
            throw ArchiveError.reading(path, "fstatat", errno: errno)
        }
        guard argument.followsLink else { return facts }
        let descriptor = open(argument.place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ArchiveError.reading(path, "open", errno: errno) }
        defer { close(descriptor) }
        guard let behind = FileFacts(of: descriptor) else { throw ArchiveError.reading(path, "fstat", errno: errno) }
        return behind
    }

    private func contents(of argument: PackingArgument, _ facts: FileFacts) throws -> [Found] {
        let path = String(system: argument.place)
        try refuseOutput(facts, path)
        let descriptor = open(argument.place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ArchiveError.reading(path, "open", errno: errno) }
        defer { close(descriptor) }
        return try DirectoryReading.names(in: descriptor, path).map { name in
            let child = PackingArgument(name, in: argument)
            return (child, try Self.facts(of: child))
        }
    }

    /// Returns the items in the order of the archive, without two that would give one member.
    private static func sorted(_ found: [Found]) throws -> [Found] {
        let slash = [UInt8(ascii: "/")]
        let byPath = found.map { $0.argument.path + slash }.sorted { $0.lexicographicallyPrecedes($1) }
        // What begins with a path stands right behind it.
        for (path, next) in zip(byPath, byPath.dropFirst()) where next.starts(with: path) {
            let (first, second) = (text(path.dropLast()), text(next.dropLast()))
            throw ArchiveError(
                .duplicateName,
                path.count == next.count
                    ? "\(quoted(first)) is named twice."
                    : "\(quoted(second)) is in \(quoted(first)), which is packed as well.",
                remedies: [.nameOnce], member: second)
        }
        return found.sorted { key(of: $0).lexicographicallyPrecedes(key(of: $1)) }
    }

    private static func key(of found: Found) -> [UInt8] {
        found.facts.kind == .directory ? found.argument.path + [UInt8(ascii: "/")] : found.argument.path
    }

    // MARK: What is beneath

    private mutating func add(
        _ facts: FileFacts, _ path: String, _ put: (inout PackingList, PackingList.Kind) -> Int, open: () -> Int32
    ) throws {
        try cancellation.check()
        try check(facts, path)
        switch facts.kind {
        case .file: _ = put(&list, .file)
        case .symbolicLink: _ = put(&list, .symbolicLink)
        case .directory:
            let index = put(&list, .directory)
            let descriptor = open()
            guard descriptor >= 0 else { throw ArchiveError.reading(path, "openat", errno: errno, member: path) }
            defer { close(descriptor) }
            try addContents(of: descriptor, index, path)
        case .other(let kind):
            throw ArchiveError(
                .unsafeKind, "\(quoted(path)) is \(kind), and only files, directories and links can be packed.",
                remedies: [.leaveOut],
                member: path)
        }
    }

    private mutating func addContents(of directory: Int32, _ index: Int, _ path: String) throws {
        var found: [(key: [UInt8], name: [UInt8], facts: FileFacts)] = []
        for name in try DirectoryReading.names(in: directory, path) {
            guard let facts = FileFacts(in: directory, name.map { CChar(bitPattern: $0) } + [0]) else {
                // Deleted since the directory was read: it was never part of what is packed.
                if errno == ENOENT { continue }
                throw ArchiveError.reading(path + "/" + Self.text(name), "fstatat", errno: errno)
            }
            found.append((facts.kind == .directory ? name + [UInt8(ascii: "/")] : name, name, facts))
        }
        found.sort { $0.key.lexicographicallyPrecedes($1.key) }
        for (_, name, facts) in found {
            if format == .zip, String(validating: name, as: UTF8.self) == nil {
                throw Self.notUTF8(path + "/" + Self.text(name))
            }
            try add(facts, path + "/" + Self.text(name)) { list, kind in
                list.add(name, in: index, kind, facts)
            } open: {
                openat(
                    directory, name.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
                )
            }
        }
    }

    /// Returns the error for a name that is not UTF-8. In a zip, names are UTF-8, marked by bit 11, or CP437 (APPNOTE
    /// 4.4.4), and these bytes are in neither.
    private static func notUTF8(_ path: String) -> ArchiveError {
        ArchiveError(
            .unsafeName,
            "The name of \(quoted(path)) is not UTF-8, which zip cannot store; tar can.",
            remedies: [.renameFile, .makeTar],
            member: path)
    }

    private func check(_ facts: FileFacts, _ path: String) throws(ArchiveError) {
        try refuseOutput(facts, path)
        // APPNOTE 4.4.10: the length of a name has two bytes; and one for the slash of a directory.
        guard path.utf8.count < Int(UInt16.max) else {
            throw ArchiveError(
                .unsafeName, "A path of \(path.utf8.count) bytes is too long for an archive: \(quoted(path)).")
        }
    }

    private func refuseOutput(_ facts: FileFacts, _ path: String) throws(ArchiveError) {
        if facts.kind == .directory, facts.identity == output.directory {
            throw ArchiveError(
                .invalidArgument,
                "\(quoted(output.path)) would be packed into itself, because it is in \(quoted(path)).",
                remedies: [.chooseTarget])
        }
        if output.taken.contains(facts.identity) {
            throw ArchiveError(
                .invalidArgument,
                "\(quoted(output.path)) would be packed into itself: \(quoted(path)) is that file.",
                remedies: [.chooseTarget, .leaveOut])
        }
    }

    static func text(_ bytes: some Collection<UInt8>) -> String { String(systemBytes: bytes) }
}
