internal import CArchive

/// Reads tar archives, plain or compressed, and 7z, through libarchive with nothing else enabled.
package final class LibArchiveReader: MemberReader {
    package let format: String
    package var announced: (members: Int, bytes: Int64)? { nil }
    package var position: Int64 { file.offset }
    package var length: Int64 { file.length }

    private static let sevenZipMagic: [UInt8] = [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]
    /// The record length of tape drives, to which tars are still padded.
    private static let recordLength: Int64 = 10_240
    /// The largest number of zeros after the end; more than any record has. Zeros compress to almost nothing, so that
    /// endless padding is a bomb too.
    private static let paddingLimit: Int64 = 64 << 20
    private static let blockLength: Int64 = 512

    private let file: FileStream
    private let handle: LibArchiveHandle
    /// The bytes of the tar; nil for 7z.
    private let tar: TarBytes?
    private var member: ArchiveMember?
    private var hasMembers = false
    private var hasEnded = false

    /// - Throws: ``ArchiveError/Code/notAnArchive`` for what is neither; what cannot be read.
    package convenience init(path: String) throws(ArchiveError) { try self.init(ArchiveFile(path)) }

    init(_ archive: ArchiveFile) throws(ArchiveError) {
        let file = FileStream(archive)
        self.file = file
        let head = try file.bytes(0..<min(file.length, 32))
        if head.starts(with: Self.sevenZipMagic) {
            format = "7z"
            tar = nil
            try Self.checkLength(head, file)
            handle = try LibArchiveHandle(file) { [archive_read_support_format_7zip($0)] }
        } else {
            let filter = TarFilter(head)
            format = filter.map { "tar, \($0.rawValue)" } ?? "tar"
            let tar = try TarBytes(file, filter: filter)
            self.tar = tar
            handle = try LibArchiveHandle(tar) { [archive_read_support_format_tar($0)] }
        }
        guard handle.open() == ARCHIVE_OK else { throw failure(nil) }
    }

    /// Checks the length of a 7z archive against its "SignatureHeader" (7-Zip's 7zFormat.txt): at 12 the offset of the
    /// header at the end, counted from byte 32, at 20 its length.
    private static func checkLength(_ head: [UInt8], _ file: FileStream) throws(ArchiveError) {
        func number(_ start: Int) -> UInt64 { head[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        if head.count == 32, case let (end, overflow) = number(12).addingReportingOverflow(number(20)), !overflow,
            file.length >= 32, end <= UInt64(file.length - 32)
        {
            return
        }
        throw ArchiveError(.truncated, "\(quoted(file.path)) is cut off: its end is missing.", remedies: [.fetchAgain])
    }

    package func stop(when flag: StopFlag) { file.flag = flag }

    package func next() throws(ArchiveError) -> ArchiveMember? {
        member = nil
        if hasEnded { return nil }
        var entry: OpaquePointer?
        var read: ArchiveMember?
        let code = TextLocale.withUTF8 {
            let code = archive_read_next_header(handle.pointer, &entry)
            if code == ARCHIVE_OK || code == ARCHIVE_WARN { read = entry.flatMap(EntryReading.member) }
            return code
        }
        switch code {
        case ARCHIVE_EOF:
            try checkEnd()
            hasEnded = true
            return nil
        // A warning is about a name that is no UTF-8, or an attribute that is not used here.
        case ARCHIVE_OK, ARCHIVE_WARN:
            guard let read else {
                throw ArchiveError(
                    .unsafeName, "A member of \(quoted(file.path)) has a name that cannot be read.",
                    remedies: [.fetchAgain])
            }
            member = read
            hasMembers = true
            return read
        default:
            throw failure(nil)
        }
    }

    package func readBlock(
        _ body: (UnsafeRawBufferPointer, Int64) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Bool {
        guard let member else { return false }
        if member.isEncrypted {
            throw ArchiveError(
                .unsupported,
                "The member \(quoted(member.path)) is encrypted, and 7z archives cannot be decrypted here.",
                remedies: [.useOtherProgram],
                member: member.path)
        }
        while true {
            var block: UnsafeRawPointer?
            var count = 0
            var offset: la_int64_t = 0
            switch archive_read_data_block(handle.pointer, &block, &count, &offset) {
            case ARCHIVE_EOF: return false
            case ARCHIVE_OK:
                if count == 0 { continue }
                try body(UnsafeRawBufferPointer(start: block, count: count), offset)
                return true
            // A warning, here, is a checksum that does not match.
            default: throw failure(member.path)
            }
        }
    }

    /// Checks the end of a tar. libarchive takes the end of the file for it, also where the file was cut between two
    /// members. Two blocks of zeros are the end (POSIX.1, pax, "ustar Interchange Format"); one is accepted, as GNU tar
    /// does.
    private func checkEnd() throws(ArchiveError) {
        guard let tar else { return }
        let end = archive_filter_bytes(handle.pointer, 0)
        let isBare = end <= archive_read_header_position(handle.pointer)
        // The end of the file behind a header that belongs to another one, such as that with the long name, looks like
        // a mark otherwise.
        let isCutInHeader = tar.isAtEnd && tar.offset <= end && tar.endOfLastNonZero > end - Self.blockLength
        if isBare || isCutInHeader {
            throw ArchiveError(
                .truncated, "\(quoted(file.path)) is cut off: the mark at the end of a tar is missing.",
                remedies: [.fetchAgain])
        }
        try checkRest(after: end)
    }

    /// Reads to the end of what the filter brings, which shows whether it is whole. The rest of the last record may
    /// hold anything but the beginning of another archive, whose members would be lost.
    private func checkRest(after end: Int64) throws(ArchiveError) {
        guard let tar else { return }
        while !tar.isAtEnd, tar.offset - end <= Self.paddingLimit {
            guard tar.next() != nil else { throw failure(nil) }
        }
        let (limit, overflow) = end.addingReportingOverflow(Self.recordLength)
        if overflow || tar.endOfLastNonZero > limit || tar.lastHeader >= end || tar.offset - end > Self.paddingLimit {
            guard hasMembers || tar.beginsWithHeader else {
                throw LibArchiveFailure.notAnArchive.error(quoted(file.path), "")
            }
            throw ArchiveError(
                .damaged,
                "\(quoted(file.path)) has data after its end: perhaps another archive was appended to it.",
                remedies: [.splitArchive])
        }
        guard try tar.hasRightChecksum() else {
            throw ArchiveError(
                .damaged, "\(quoted(file.path)) is damaged: its checksum does not match.",
                remedies: [.fetchAgain])
        }
    }

    private func failure(_ member: String?) -> ArchiveError {
        LibArchiveFailure.error(tar?.failure ?? handle.message, path: file.path, file: file, member: member)
    }
}
