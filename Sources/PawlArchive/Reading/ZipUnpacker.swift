internal import CArchive
import PawlSystem

/// Unpacks one member of a zip archive after the other by one handle of libarchive's, which is shown a stream of
/// nothing but these members: a local header made anew, then the member's bytes. It is its reader of streams, which
/// needs no directory, so whatever is not wanted is never shown to it.
final class ZipUnpacker {
    /// The position in the source up to which it was read.
    private(set) var position: Int64 = 0
    /// Whether the end of the last member has been seen, or there was none yet.
    private(set) var isBetweenMembers = true
    /// Whether libarchive has been told that there is no more, and would not ask again.
    private var hasEnded = false
    /// Whether another member can be opened.
    var isReusable: Bool { isBetweenMembers && !hasEnded }

    /// The number of bytes read at once.
    private static let blockSize = 256 << 10

    private let handle: OpaquePointer
    private let source: any ZipSource
    private let password: String?
    private let buffer: UnsafeMutableRawBufferPointer
    private var entry: ZipEntry?
    /// The bytes in the buffer that belong to the rebuilt header; they go out first.
    private var headerLength = 0
    /// The number of bytes of the member that are still to go out.
    private var remaining: Int64 = 0
    private var cipher: ZipCipher?
    /// An error within a callback of libarchive's, to be thrown behind it.
    private var failure: ArchiveError?
    private var isStarted = false

    init(_ source: any ZipSource, password: String?) throws(ArchiveError) {
        guard let handle = archive_read_new() else { throw Self.noMemory }
        self.handle = handle
        self.source = source
        self.password = password
        buffer = .allocate(byteCount: Self.blockSize, alignment: 16)
        guard archive_read_support_format_zip_streamable(handle) == ARCHIVE_OK else { throw Self.noMemory }
        if let password { archive_read_add_passphrase(handle, password) }
    }

    deinit {
        archive_read_free(handle)
        buffer.deallocate()
    }

    private static var noMemory: ArchiveError {
        .noHandle(.unreadable, "There is not enough memory to unpack the archive.")
    }

    /// Begins with a member; only between members.
    func open(_ member: ZipReader.Stored) throws(ArchiveError) {
        let entry = member.entry
        self.entry = entry
        position = member.position
        remaining = entry.compressedSize
        cipher = nil
        if entry.encryption == .traditional { try unlock(member) }
        try checkMemory(of: entry)

        let header = entry.cleanLocalHeader()
        buffer.copyBytes(from: header)
        headerLength = header.count
        // Nothing to unpack: what has no bytes is not shown to libarchive.
        guard remaining > 0 else { return }
        isBetweenMembers = false
        if !isStarted { try start() }
        isStarted = true
        var ignored: OpaquePointer?
        try check(archive_read_next_header(handle, &ignored))
    }

    /// The next bytes, valid until the next call; nil behind the last.
    func read() throws(ArchiveError) -> (bytes: UnsafeRawBufferPointer, offset: Int64)? {
        guard !isBetweenMembers else { return nil }
        var start: UnsafeRawPointer?
        var count = 0
        var offset: Int64 = 0
        while true {
            let code = archive_read_data_block(handle, &start, &count, &offset)
            if code == ARCHIVE_EOF {
                isBetweenMembers = true
                return nil
            }
            try check(code)
            if count > 0 { return (UnsafeRawBufferPointer(start: start, count: count), offset) }
        }
    }

    private func start() throws(ArchiveError) {
        let own = Unmanaged.passUnretained(self).toOpaque()
        try check(archive_read_open(handle, own, nil, { _, own, result in ZipUnpacker.provide(own, result) }, nil))
    }

    private static func provide(
        _ own: UnsafeMutableRawPointer?, _ result: UnsafeMutablePointer<UnsafeRawPointer?>?
    ) -> Int {
        guard let own, let result else { return -1 }
        let unpacker = Unmanaged<ZipUnpacker>.fromOpaque(own).takeUnretainedValue()
        do {
            result.pointee = UnsafeRawPointer(unpacker.buffer.baseAddress)
            return try unpacker.fill()
        } catch {
            unpacker.failure = error
            return -1
        }
    }

    /// Puts the next bytes of the stream into the buffer, behind the header if that has not gone out.
    ///
    /// - Returns: how many. Never more than belong to the member: it could not be taken back. Zero behind it, which
    ///   ends the stream for good. It is asked for by a member that breaks off within, and where the last byte was
    ///   taken in while its block of 256 KiB was full.
    private func fill() throws(ArchiveError) -> Int {
        let start = headerLength
        headerLength = 0
        let room = buffer.count - start
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + Int(min(Int64(room), remaining))])
        let count = try source.readFully(into: target, at: position)
        guard count == target.count else { throw .zipTruncated("it was truncated while it was being read") }
        position += Int64(count)
        remaining -= Int64(count)
        cipher?.decrypt(target)
        if start + count == 0 { hasEnded = true }
        return start + count
    }

    /// Reads the header of the traditional cipher and sees whether the password is right.
    private func unlock(_ member: ZipReader.Stored) throws(ArchiveError) {
        let header = try source.bytes(position..<position + Int64(ZipCipher.headerLength))
        guard header.count == ZipCipher.headerLength else {
            throw .zipTruncated("it was truncated while it was being read")
        }
        var cipher = ZipCipher(password: (password ?? "").utf8)
        guard cipher.opens(header, check: member.entry.passwordCheck(member.header)) else {
            throw wrongPassword(member.entry)
        }
        self.cipher = cipher
        position += Int64(ZipCipher.headerLength)
        remaining -= Int64(ZipCipher.headerLength)
    }

    /// The largest dictionary of LZMA, whose header states how much memory it needs: 7-Zip's highest level takes 256
    /// MiB.
    private static let largestDictionary: UInt32 = 512 << 20

    private func checkMemory(of entry: ZipEntry) throws(ArchiveError) {
        guard entry.method == 14, entry.encryption == nil, remaining >= 9 else { return }
        // APPNOTE 5.8.8: a version, the length of the properties, then they: one byte and the size of the dictionary.
        var fields = ZipFields(try source.bytes(position..<position + 9).dropFirst(5))
        guard fields.u32() <= Self.largestDictionary else {
            throw .zipUnsupported(
                entry.path, "unpacking it takes more than \(Self.largestDictionary >> 20) MiB of memory")
        }
    }

    private func wrongPassword(_ entry: ZipEntry, underlying: String? = nil) -> ArchiveError {
        ArchiveError(
            .wrongPassword, "The password of \(quoted(entry.path)) in the zip archive is wrong.", member: entry.path,
            underlying: underlying)
    }

    /// Throws for errors of libarchive, and for its warnings: a wrong checksum is one of them.
    private func check(_ code: Int32) throws(ArchiveError) {
        guard code != ARCHIVE_OK else { return }
        if let failure { throw failure }
        let text = archive_error_string(handle).map { String(cString: $0) } ?? "no reason given"
        guard let entry else {
            throw ArchiveError(.unreadable, "The zip archive cannot be read: \(text).", underlying: text)
        }
        throw Self.error(text, entry, wrongPassword(entry, underlying: text))
    }

    private static func error(_ text: String, _ entry: ZipEntry, _ wrongPassword: ArchiveError) -> ArchiveError {
        if text.contains("assphrase") { return wrongPassword }
        let failure = LibArchiveFailure(text)
        if [.encrypted, .unsupported, .needsMemory].contains(failure) {
            return failure.error("\(quoted(entry.path)) in the zip archive", text, member: entry.path)
        }
        // One password in 256 passes for right, and then nothing comes out right.
        let isDoubtful = entry.encryption == .traditional
        let what = "its data cannot be unpacked" + (isDoubtful ? ", or the password is wrong" : "")
        let code: ArchiveError.Code = isDoubtful ? .wrongPassword : .damaged
        return ArchiveError(
            code, ArchiveError.zipDamaged(entry.path, what).message, member: entry.path, underlying: text)
    }
}
