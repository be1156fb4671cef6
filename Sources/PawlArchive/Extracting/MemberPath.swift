import PawlCore

/// The path of a member, split and checked (FAULTS Z01): each part is a name in one directory, so the path leads only
/// downwards.
///
/// A path is refused if it is unsafe in either reading: with `/` between its parts, or with `\` as well, as on Windows.
struct MemberPath: Hashable, Sendable {
    /// The longest name that the file systems in use accept, in bytes.
    static let partLimit = 255
    /// The longest path: PATH_MAX with its zero.
    static let lengthLimit = 4095
    /// The largest number of parts. Real archives stay below 50; each part may become a directory of its own.
    static let depthLimit = 256

    /// The parts of the path, never `.`, `..` or empty. Without any, the path is the target directory itself.
    private(set) var parts: [String]

    var text: String { parts.joined(separator: "/") }

    init(_ member: ArchiveMember) throws(ArchiveError) {
        try self.init(member.path, namesDrives: member.namesDrives)
    }

    /// - Parameter namesDrives: see ``ArchiveMember/namesDrives``.
    /// - Throws: ``ArchiveError/Code/unsafeName``.
    init(_ path: String, namesDrives: Bool = false) throws(ArchiveError) {
        // First, as what is left is what counts.
        let scalars = Self.visible(path.unicodeScalars)
        if let control = scalars.first(where: { $0.properties.generalCategory == .control }) {
            throw Self.refusal(
                path, "has a control character (U+\(String(control.value, radix: 16, uppercase: true))) in its name")
        }
        if scalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).contains(where: Self.isUp) {
            throw Self.refusal(path, "has “..” in its path, which may lead outside the directory")
        }
        if path.utf8.count > Self.lengthLimit {
            throw Self.tooLong(path, "has a path of more than \(Self.lengthLimit) bytes")
        }
        parts = []
        for name in scalars.split(separator: "/").map(String.init)
        where !name.unicodeScalars.elementsEqual(".".unicodeScalars) {
            guard name.utf8.count <= Self.partLimit else {
                throw Self.tooLong(path, "has a name of more than \(Self.partLimit) bytes in its path")
            }
            parts.append(name)
        }
        // A path without parts, such as `/`, is the target directory itself.
        if scalars.first == "/", !parts.isEmpty { throw Self.refusal(path, "has an absolute path") }
        // Not of the path as it came: `./C:x` is `C:x`.
        if let first = parts.first?.unicodeScalars {
            if first.first == "\\" { throw Self.refusal(path, "has an absolute path") }
            if Self.beginsWithDrive(first, namesDrives) {
                throw Self.refusal(path, "has a path that begins with a drive")
            }
        }
        if scalars.isEmpty { throw Self.refusal(path, "has no name") }
        if parts.count > Self.depthLimit {
            throw Self.refusal(path, "lies more than \(Self.depthLimit) directories deep")
        }
    }

    private init(parts: [String]) { self.parts = parts }

    /// The parent directory; nil for the target directory.
    var parent: MemberPath? { parts.isEmpty ? nil : MemberPath(parts: Array(parts.dropLast())) }

    /// The directory of this name in it.
    func appending(_ part: String) -> MemberPath { MemberPath(parts: parts + [part]) }

    static let root = MemberPath(parts: [])

    /// Compares paths by bytes, as file systems do: strings are equal already when they are canonically equivalent.
    static func == (one: MemberPath, other: MemberPath) -> Bool {
        one.parts.count == other.parts.count
            && zip(one.parts, other.parts).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }

    func hash(into hasher: inout Hasher) {
        for part in parts { part.utf8.forEach { hasher.combine($0) } }
    }

    private static func refusal(_ path: String, _ what: String) -> ArchiveError {
        ArchiveError(
            .unsafeName, "The member \(quoted(path)) \(what). Nothing was unpacked.", remedies: [.distrust],
            member: path)
    }

    /// Returns the error for a name that is too long. Honest archives from other systems have such names, too.
    private static func tooLong(_ path: String, _ what: String) -> ArchiveError {
        ArchiveError(
            .unsafeName, "The member \(quoted(path)) \(what), too long for file systems. Nothing was unpacked.",
            remedies: [.chooseMembers], member: path)
    }

    private static func isUp(_ part: String.UnicodeScalarView.SubSequence) -> Bool {
        part.elementsEqual("..".unicodeScalars)
    }

    /// Windows reads `C:x` as a path on the drive C; elsewhere it is a name like any other, and only `C:` alone or
    /// before a separator is nobody's name for a file. Two colons, as in the manual page `B::Deparse.3pm`, name no
    /// drive.
    private static func beginsWithDrive(_ scalars: String.UnicodeScalarView, _ namesDrives: Bool) -> Bool {
        let start = scalars.prefix(2)
        guard start.count == 2, start.last == ":", let letter = start.first,
            ("a"..."z").contains(letter) || ("A"..."Z").contains(letter)
        else { return false }
        guard let next = scalars.dropFirst(2).first, next != "\\" else { return true }
        return namesDrives && next != ":"
    }

    /// Returns the path without scalars that set the direction of text or are invisible (M03): `gpj.exe` after U+202E
    /// is read as `exe.jpg`. The two joiners are kept, for words of some languages and many emoji are spelt with them.
    private static func visible(_ path: String.UnicodeScalarView) -> String.UnicodeScalarView {
        path.filter { scalar in
            // Text that stands for a byte on the disk; archives have no such names.
            if scalar.systemByte != nil { return false }
            return switch scalar.properties.generalCategory {
            case .format: scalar.value == 0x200C || scalar.value == 0x200D
            case .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}
