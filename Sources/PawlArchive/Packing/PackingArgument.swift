import PawlCore

/// A file or directory that is to be packed, as somebody named it.
struct PackingArgument {
    /// The path to open, ended by a zero.
    let place: [CChar]
    /// The path in the archive, without `/` or `./` before it, and without empty parts. Empty for a directory whose
    /// contents go to the top.
    let path: [UInt8]
    /// A slash at the end asks for the directory behind a link, as everywhere (POSIX.1-2024 §4.16).
    let followsLink: Bool

    init(_ given: String) throws(ArchiveError) {
        let bytes = given.systemBytes
        guard !bytes.isEmpty, !bytes.contains(0) else {
            throw ArchiveError(.invalidArgument, "The name of a file to pack is empty or contains a zero byte.")
        }
        let parts = bytes.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        guard !parts.contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw ArchiveError(
                .invalidArgument,
                "\(quoted(given)) contains “..”, which a path in an archive must not.",
                remedies: [.enterDirectory, .giveWholePath])
        }
        place = bytes.map { CChar(bitPattern: $0) } + [0]
        path = Array(parts.joined(separator: [UInt8(ascii: "/")]))
        followsLink = bytes.last == UInt8(ascii: "/") || path.isEmpty
    }

    /// Creates the argument for an entry in the directory of `parent`, which goes to the top.
    init(_ name: [UInt8], in parent: PackingArgument) {
        place =
            parent.place.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + name.map { CChar(bitPattern: $0) } + [0]
        path = name
        followsLink = false
    }
}
