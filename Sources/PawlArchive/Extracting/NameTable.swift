internal import PawlCore

/// The paths of an archive so far, to find two members that would be one file (FAULTS Z04), and members that lie in
/// something that is no directory (Z02).
struct NameTable {
    enum Kind: Hashable {
        case file
        case directory
        case symbolicLink
    }

    private struct Entry {
        let kind: Kind
        /// The path as it is spelled; nil if it equals the key.
        let text: String?
    }

    private let allowsTwins: Bool
    private var entries: [String: Entry] = [:]
    /// The directories that the archive names, and those above other members; each after its parent.
    private(set) var directories: [MemberPath] = []
    /// The members of one directory usually follow each other.
    private var knownParent = MemberPath.root

    init(allowsTwins: Bool) { self.allowsTwins = allowsTwins }

    /// - Returns: false for a directory that is there already.
    /// - Throws: ``ArchiveError/Code/duplicateName``, ``ArchiveError/Code/unsafeLink``.
    mutating func enter(_ path: MemberPath, as kind: Kind) throws(ArchiveError) -> Bool {
        guard let parent = path.parent else {
            guard kind == .directory else {
                throw ArchiveError(
                    .unsafeName, "A member of the archive would replace the directory itself.",
                    member: path.text)
            }
            return false
        }
        if parent != knownParent {
            var above = MemberPath.root
            for part in parent.parts {
                above = above.appending(part)
                _ = try enterOne(above, as: .directory, for: path)
            }
            knownParent = parent
        }
        return try enterOne(path, as: kind, for: path)
    }

    func kind(of path: MemberPath) -> Kind? {
        if path.parts.isEmpty { return .directory }
        let text = path.text
        guard let entry = entries[key(text)] else { return nil }
        return (entry.text ?? key(text)) == text ? entry.kind : nil
    }

    private mutating func enterOne(
        _ path: MemberPath, as kind: Kind, for member: MemberPath
    ) throws(ArchiveError) -> Bool {
        let text = path.text
        let key = key(text)
        guard let former = entries[key] else {
            entries[key] = Entry(kind: kind, text: Self.isSame(key, text) ? nil : text)
            if kind == .directory { directories.append(path) }
            return true
        }
        let formerText = former.text ?? key
        let isSame = Self.isSame(formerText, text)
        if isSame, former.kind == .directory, kind == .directory { return false }
        throw conflict(former, formerText, isSame: isSame, with: path, as: kind, for: member)
    }

    private func conflict(
        _ former: Entry, _ formerText: String, isSame: Bool, with path: MemberPath, as kind: Kind,
        for member: MemberPath
    ) -> ArchiveError {
        let shown = quoted(path.text)
        if former.kind == .symbolicLink || kind == .symbolicLink {
            let what =
                path == member
                ? "\(shown) is both a symbolic link and something else"
                : "\(quoted(member.text)) is inside \(shown), a symbolic link"
            return ArchiveError(
                .unsafeLink, "In the archive, \(what). Nothing was unpacked.", remedies: [.distrust],
                member: member.text)
        }
        guard isSame else {
            return ArchiveError(
                .duplicateName,
                "\(quoted(formerText)) and \(shown) differ only in case or in their Unicode form, and would be one on many file systems.",
                remedies: [.allowTwins], member: member.text)
        }
        let what = former.kind == kind ? "is in the archive twice" : "is both a file and a directory in the archive"
        return ArchiveError(
            .duplicateName, "\(shown) \(what); which one is meant is unclear.", member: member.text)
    }

    private func key(_ text: String) -> String { allowsTwins ? Self.exactKey(text) : FileName.caseFolded(text) }

    /// Returns a key that is equal for equal bytes only.
    private static func exactKey(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) { return text }
        return text.utf8.map {
            $0 < 0x80 && $0 != UInt8(ascii: "%") ? String(UnicodeScalar($0)) : "%" + String($0, radix: 16)
        }.joined()
    }

    private static func isSame(_ first: String, _ second: String) -> Bool { first.utf8.elementsEqual(second.utf8) }
}
