import PawlArchive

/// What is said of the members of a remote archive.
enum MemberWords {
    /// `2 of 4,096 members, 1.00 MiB of 4.00 GiB`.
    static func selection(_ members: MemberDownload, of zip: RemoteZip) -> String {
        "\(ByteCount.grouped(Int64(members.members.count))) of \(ArchiveWords.count(zip.members.count, "member")): \(ByteCount.text(members.byteCount)) of \(ByteCount.text(zip.length)) to fetch"
    }
}
