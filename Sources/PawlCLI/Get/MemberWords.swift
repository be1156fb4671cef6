import PawlCore
import PawlJobs

/// The sentences about members of a remote archive.
enum MemberWords {
    /// `2 of 4,096 members, 1.00 MiB of 4.00 GiB`.
    static func selection(_ members: ChosenMembers) -> String {
        "\(ByteCount.grouped(Int64(members.count))) of \(ArchiveWords.count(members.totalCount, "member")): \(ByteCount.text(members.byteCount)) of \(ByteCount.text(members.archiveLength)) to fetch"
    }
}
