import PawlArchive

/// What is said of the members of a remote archive.
enum MemberWords {
    static func hasWildcard(_ pattern: String) -> Bool { pattern.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") } }

    /// By bytes, as a combining mark makes one `Character` with the slash before it.
    static func lastPart(of path: String) -> String {
        String(decoding: path.utf8.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    }

    /// `2 of 4,096 members, 1.00 MiB of 4.00 GiB`.
    static func selection(_ members: MemberDownload, of zip: RemoteZip) -> String {
        "\(ByteCount.grouped(Int64(members.members.count))) of \(ArchiveWords.count(zip.members.count, "member")): \(ByteCount.text(members.byteCount)) of \(ByteCount.text(zip.length)) to fetch"
    }
}
