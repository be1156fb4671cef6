import PawlArchive

/// What is said of the members of a remote archive.
enum MemberWords {
    /// Whether it was named itself, and not by a pattern or the directory it is in.
    static func isName(_ patterns: [String], of member: ArchiveMember) -> Bool {
        guard patterns.count == 1, let pattern = patterns.first else { return false }
        var name = pattern.utf8[...]
        while name.starts(with: "./".utf8) { name = name.dropFirst(2) }
        return name.elementsEqual(member.pathForPatterns.utf8)
    }

    /// By bytes, as a combining mark makes one `Character` with the slash before it.
    static func lastPart(of path: String) -> String {
        String(decoding: path.utf8.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    }

    /// `2 of 4,096 members, 1.00 MiB of 4.00 GiB`.
    static func selection(_ members: MemberDownload, of zip: RemoteZip) -> String {
        "\(ByteCount.grouped(Int64(members.members.count))) of \(ArchiveWords.count(zip.members.count, "member")): \(ByteCount.text(members.byteCount)) of \(ByteCount.text(zip.length)) to fetch"
    }
}
