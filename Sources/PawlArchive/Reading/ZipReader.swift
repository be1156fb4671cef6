/// Reads the members of a zip archive (decision 0069). What the archive says of itself was read and checked before, by
/// ``ZipDirectory``; libarchive only unpacks and decrypts, from headers that are made anew.
package final class ZipReader: MemberReader {
    /// A member and where it is.
    package struct Stored: Hashable, Sendable {
        package let entry: ZipEntry
        package let header: ZipLocalHeader
        /// The position of the first byte in the source, which differs from that in the archive if only some members
        /// were fetched.
        package let position: Int64

        package init(_ entry: ZipEntry, _ header: ZipLocalHeader, at position: Int64) {
            self.entry = entry
            self.header = header
            self.position = position
        }
    }

    /// The longest text of a symbolic link that Linux and macOS take is 4,095 bytes (PATH_MAX).
    static let maximumLinkLength: Int64 = 4095

    package let format = "zip"
    package let announced: (members: Int, bytes: Int64)?
    package private(set) var position: Int64 = 0
    package let length: Int64
    package let notices: [ArchiveNotice]

    private let members: [Stored]
    private let source: any ZipSource
    private let password: String?
    private var unpacker: ZipUnpacker?
    /// The largest number of threads that unpack ahead.
    private let threads: Int
    private var ahead: ZipAhead?
    /// The members that are unpacked ahead, ascending, and how many of them have been begun or passed over.
    private var aheadIndices: [Int] = []
    private var aheadCount = 0
    /// The number among them of the member that is read, if it is one.
    private var aheadNumber: Int?
    private var nextIndex = 0
    /// The member whose bytes are wanted, until its end has been seen.
    private var current: Stored?
    private var isOpened = false
    private var bytesRead: Int64 = 0
    /// Bytes of link texts are read once, when the member is announced, and not again.
    private var linkText: [UInt8] = []

    /// - Parameters:
    ///   - members: in the order in which they are to come, each local header checked.
    ///   - password: for those that are encrypted. Never logged.
    ///   - threads: how many may unpack ahead of the member that is read; by default as many as there are processors,
    ///     up to four. None for a source that only one thread may read.
    package init(_ members: [Stored], in source: any ZipSource, password: String?, threads: Int? = nil) {
        self.threads = source.isShareable ? threads ?? JoinedThread.usualCount : 0
        self.members = members
        self.source = source
        self.password = password.flatMap { $0.isEmpty ? nil : $0 }
        length = source.length
        var total: Int64 = 0
        for member in members {
            let (sum, overflow) = total.addingReportingOverflow(member.entry.unpackedSize)
            total = overflow ? .max : sum
        }
        announced = (members.count, total)
        notices = Self.notices(of: members)
    }

    private static func notices(of members: [Stored]) -> [ArchiveNotice] {
        var notices: [ArchiveNotice] = []
        if let first = members.first(where: \.entry.hasBackslashes)?.entry {
            notices.append(
                ArchiveNotice(
                    .backslashes,
                    "Backslashes in names were read as separators, as in \(quoted(first.path)): a program for Windows made the archive."
                ))
        }
        if let first = members.first(where: { $0.entry.kind == .directory && $0.entry.size > 0 })?.entry {
            notices.append(
                ArchiveNotice(
                    .directoryBytes,
                    "\(quoted(first.path)) is a directory; the \(first.size) bytes that the archive states for it were ignored."
                ))
        }
        return notices
    }

    /// Checks that the wanted members can be read. These are also the members that are unpacked ahead from now on.
    package func checkReadable(_ isWanted: (ArchiveMember) -> Bool) throws(ArchiveError) {
        var indices: [Int] = []
        for (index, member) in members.enumerated() where isWanted(member.entry.member()) {
            try checkReadable(member.entry)
            if index >= nextIndex, isWorthAhead(member.entry) { indices.append(index) }
        }
        guard threads > 0, !indices.isEmpty else { return }
        (aheadIndices, aheadCount, ahead) = (indices, 0, nil)
    }

    private func isWorthAhead(_ entry: ZipEntry) -> Bool {
        entry.kind == .file && entry.size >= ZipAhead.leastSize
            && (entry.method != ZipMethod.stored || entry.encryption != nil)
    }

    private func checkReadable(_ entry: ZipEntry) throws(ArchiveError) {
        guard entry.kind != .directory else { return }
        if let obstacle = entry.obstacle { throw .zipUnsupported(entry.path, obstacle) }
        guard entry.encryption == nil || password != nil else {
            throw ArchiveError(
                .passwordNeeded, "\(quoted(entry.path)) in the zip archive is encrypted.", remedies: [.givePassword],
                member: entry.path)
        }
    }

    package func next() throws(ArchiveError) -> ArchiveMember? {
        guard nextIndex < members.count else {
            (current, position) = (nil, length)
            return nil
        }
        let member = members[nextIndex]
        nextIndex += 1
        if aheadCount < aheadIndices.count, aheadIndices[aheadCount] < nextIndex {
            beginAhead()
        } else {
            aheadNumber = nil
        }
        (current, isOpened, bytesRead) = (member, false, 0)
        position = max(position, member.position)
        guard member.entry.kind == .symbolicLink, isReadable(member.entry) else { return described(member.entry) }
        return described(member.entry, linkTarget: try linkTarget(of: member.entry))
    }

    private func beginAhead() {
        if ahead == nil {
            let count = min(threads, aheadIndices.count)
            ahead = ZipAhead(aheadIndices.map { members[$0] }, in: source, password: password, threads: count)
        }
        aheadNumber = ahead?.isWorking == true ? aheadCount : nil
        ahead?.begin(aheadCount)
        aheadCount += 1
    }

    private func described(_ entry: ZipEntry, linkTarget: String? = nil) -> ArchiveMember {
        var member = entry.member(linkTarget: linkTarget)
        if entry.isModifiedLocal { member.modified = member.modified.map(LocalTime.secondsSince1970) }
        return member
    }

    private func isReadable(_ entry: ZipEntry) -> Bool {
        entry.obstacle == nil && (entry.encryption == nil || password != nil)
    }

    private func linkTarget(of entry: ZipEntry) throws(ArchiveError) -> String {
        guard entry.size <= Self.maximumLinkLength else {
            throw ArchiveError(
                .unsafeLink,
                "\(quoted(entry.path)) is a link whose text is \(entry.size) bytes long: longer than any path.",
                member: entry.path)
        }
        linkText.removeAll()
        while try readBlock({ bytes, _ in linkText += bytes }) {}
        // A text with other bytes may be right where it was made; here nothing has such a name.
        guard let text = String(validating: linkText, as: UTF8.self) else {
            throw ArchiveError(
                .unsafeLink, "\(quoted(entry.path)) is a link to a name that is not UTF-8.", member: entry.path)
        }
        return text
    }

    package func readBlock(
        _ body: (UnsafeRawBufferPointer, Int64) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Bool {
        guard let member = current else { return false }
        guard member.entry.kind != .directory else {
            current = nil
            return false
        }
        if let ahead, let aheadNumber {
            let isMore = try ahead.read(aheadNumber) { (bytes, offset, position) throws(ArchiveError) in
                try take(bytes, at: offset, position: position, of: member, body)
            }
            return isMore ? true : try finish(member)
        }
        if !isOpened {
            try checkReadable(member.entry)
            isOpened = true
            try open(member)
        }
        guard let unpacker, let block = try unpacker.read() else { return try finish(member) }
        try take(block.bytes, at: block.offset, position: unpacker.position, of: member, body)
        return true
    }

    private func take(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, position sourcePosition: Int64, of member: Stored,
        _ body: (UnsafeRawBufferPointer, Int64) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        position = max(position, sourcePosition)
        guard offset == bytesRead, Int64(bytes.count) <= member.entry.size - bytesRead else {
            throw .zipDamaged(
                member.entry.path, "it unpacks to more than the \(member.entry.size) bytes that the archive states")
        }
        bytesRead += Int64(bytes.count)
        try body(bytes, offset)
    }

    private func open(_ member: Stored) throws(ArchiveError) {
        // A handle that is within a member would have to read the rest of it first, and one that has seen an end sees
        // no more.
        if unpacker?.isReusable != true { unpacker = try ZipUnpacker(source, password: password) }
        try unpacker?.open(member)
    }

    /// Finishes a member. libarchive has compared its checksum with that of the unpacked bytes, if there were any.
    private func finish(_ member: Stored) throws(ArchiveError) -> Bool {
        let entry = member.entry
        guard bytesRead == entry.size else {
            throw .zipDamaged(
                entry.path, "it unpacks to \(bytesRead) bytes instead of the \(entry.size) that the archive states")
        }
        guard entry.size > 0 || entry.crc32 == 0 || entry.encryption?.isAES == true else {
            throw .zipDamaged(entry.path, "its checksum does not match")
        }
        current = nil
        return false
    }
}
