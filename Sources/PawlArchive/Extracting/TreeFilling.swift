import PawlSystem

/// Creates the members of an archive in a tree: files, directories and hard links in the archive's order, symbolic
/// links after everything else (FAULTS Z02), the times of directories last.
final class TreeFilling {
    private let tree: Tree
    private let writer: MemberWriter
    private let allowsLinks: Bool
    private let syncsEachFile: Bool
    private var selection: MemberSelection
    private var names: NameTable
    private var links: [MemberPath] = []
    private var linkTargets: [MemberPath: String] = [:]
    private var directories: [(path: MemberPath, modified: Int64?)] = []
    private var top: String?
    private var hasSeveralTops = false
    /// The least depth in the tree that a symbolic link leads to.
    private var highestLink = Int.max

    init(_ tree: Tree, _ writer: MemberWriter, _ options: ExtractionOptions, syncsEachFile: Bool) throws(ArchiveError) {
        self.tree = tree
        self.writer = writer
        self.syncsEachFile = syncsEachFile
        allowsLinks = options.allowsLinks
        selection = try MemberSelection(options.patterns)
        names = NameTable(allowsTwins: options.allowsTwins)
    }

    func fill() throws {
        while let member = try writer.next() {
            let path = try MemberPath(member)
            if selection.takes(path.text) { try make(member, at: path) }
        }
        if let pattern = selection.unmatched.first {
            throw ArchiveError(
                .noSuchMember, "No member of the archive matches \(quoted(pattern)).", remedies: [.listMembers])
        }
        for link in links {
            guard let target = linkTargets[link] else { continue }
            let highest = try LinkTarget.check(target, of: link) { names.kind(of: $0) == .directory }
            highestLink = min(highestLink, highest)
            try tree.makeSymbolicLink(link, to: target)
        }
        for directory in directories {
            if let modified = writer.saneTime(directory.modified) { try tree.setModified(directory.path, to: modified) }
        }
    }

    /// The one directory that all lies in, where it could as well be the tree itself: no link in it leads to the tree.
    var onlyDirectory: String? {
        guard !hasSeveralTops, let top, highestLink >= 1 else { return nil }
        return names.kind(of: MemberPath.root.appending(top)) == .directory ? top : nil
    }

    private func make(_ member: ArchiveMember, at path: MemberPath) throws {
        switch member.kind {
        case .directory:
            // The tree itself, `./` in a tar, is there.
            if path.parts.isEmpty { return }
            _ = try names.enter(path, as: .directory)
            try tree.makeDirectory(path)
            directories.append((path, member.modified))
        case .file:
            _ = try names.enter(path, as: .file)
            try makeFile(member, at: path)
        case .symbolicLink(let target):
            try addLink(path, to: target)
        case .hardLink(let existing):
            try makeHardLink(member, at: path, to: existing)
        case .other(let what):
            throw ArchiveError.notUnpacked(path, what)
        }
        // Also those that no member names: each costs as much as one.
        try writer.budget.checkDirectories(names.directories.count)
        if let first = path.parts.first {
            hasSeveralTops = hasSeveralTops || !(top ?? first).utf8.elementsEqual(first.utf8)
            top = first
        }
        writer.finishedMember()
    }

    private func makeFile(_ member: ArchiveMember, at path: MemberPath) throws {
        try writeFile(path, isExecutable: member.isExecutable) { file in
            try writer.write(member, to: file, isSynced: syncsEachFile)
        }
    }

    private func writeFile(_ path: MemberPath, isExecutable: Bool, _ write: (Int32) throws -> Void) throws {
        let file = try tree.createFile(path, isExecutable: isExecutable)
        do {
            try write(file)
        } catch {
            _ = SystemCalls.close(file)
            throw error
        }
        // What is written over a network may fail as late as here (close(2)).
        guard SystemCalls.close(file) == 0 else {
            throw ArchiveError.writing(path.text, "close", errno: errno, member: path.text)
        }
    }

    private func addLink(_ path: MemberPath, to target: String) throws {
        guard allowsLinks else { throw ArchiveError.linkNotMade(path) }
        guard target.utf8.count <= MemberPath.lengthLimit else {
            throw ArchiveError(
                .unsafeLink,
                "The symbolic link \(quoted(path.text)) has a target that is too long: \(target.utf8.count) bytes.",
                member: path.text)
        }
        _ = try names.enter(path, as: .symbolicLink)
        links.append(path)
        linkTargets[path] = target
    }

    private func makeHardLink(_ member: ArchiveMember, at path: MemberPath, to existing: String) throws {
        guard let source = try? MemberPath(existing), let kind = names.kind(of: source), kind != .directory else {
            throw ArchiveError(
                .unsafeLink,
                "\(quoted(path.text)) is a link to \(quoted(existing)), which is not a file that was unpacked before it.",
                member: path.text)
        }
        if kind == .symbolicLink {
            // A second name of a link is a link of the same text.
            if let target = linkTargets[source] { try addLink(path, to: target) }
            return
        }
        _ = try names.enter(path, as: .file)
        if try !tree.makeHardLink(path, to: source) { try copy(source, to: path, of: member) }
    }

    /// Copies a file where the file system has no hard links.
    private func copy(_ source: MemberPath, to path: MemberPath, of member: ArchiveMember) throws {
        let from = try tree.openFile(source)
        defer { _ = SystemCalls.close(from) }
        var status = stat()
        guard fstat(from, &status) == 0 else {
            throw ArchiveError.writing(path.text, "fstat", errno: errno, member: path.text)
        }
        try writeFile(path, isExecutable: status.st_mode & 0o100 != 0) { file in
            try writer.copy(from, to: file, as: member, isSynced: syncsEachFile)
        }
    }

    /// Synchronizes all directories, for systems where each is made durable by itself.
    func synchronizeDirectories() throws(ArchiveError) {
        for path in names.directories { try tree.synchronizeDirectory(path) }
        try tree.synchronizeDirectory(.root)
    }
}

extension ArchiveError {
    static func linkNotMade(_ path: MemberPath) -> ArchiveError {
        ArchiveError(
            .unsafeLink, "\(quoted(path.text)) is a symbolic link, and links are not allowed.", member: path.text)
    }

    /// - Parameter what: its kind, in words.
    static func notUnpacked(_ path: MemberPath, _ what: String) -> ArchiveError {
        ArchiveError(
            .unsafeKind, "\(quoted(path.text)) is \(what), which cannot be unpacked. Nothing was unpacked.",
            remedies: [.chooseMembers],
            member: path.text)
    }
}
