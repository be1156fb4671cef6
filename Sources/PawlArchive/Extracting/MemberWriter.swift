import PawlSystem

/// Writes the members of a reader into open files, within the limits, and reports progress.
final class MemberWriter {
    private let reader: any MemberReader
    private let flag: StopFlag
    private let report: (@Sendable (ArchiveProgress) -> Void)?
    /// The latest plausible time, a day from now.
    private let latestTime: Int64
    private(set) var budget: Budget
    private var progress = ArchiveProgress()
    private var lastReport: ContinuousClock.Instant?

    init(
        _ reader: any MemberReader, limits: ExtractionLimits, flag: StopFlag,
        report: (@Sendable (ArchiveProgress) -> Void)?
    ) throws(ArchiveError) {
        self.reader = reader
        self.flag = flag
        self.report = report
        latestTime = Int64(time(nil)) + 86_400
        budget = try Budget(limits, archiveLength: reader.length)
        progress.totalArchiveBytes = reader.length
        progress.totalMembers = reader.announced?.members
        progress.totalBytes = reader.announced?.bytes
        reader.stop(when: flag)
    }

    /// The next member, counted.
    func next() throws -> ArchiveMember? {
        try flag.check()
        guard let member = try reader.next() else { return nil }
        try budget.begin(member)
        progress.member = member.path
        return member
    }

    /// - Parameters:
    ///   - file: empty, open for writing; not closed.
    ///   - isSynced: whether it is made durable by itself.
    func write(_ member: ArchiveMember, to file: Int32, isSynced: Bool) throws {
        var writer = FileWriter(file, member: member.path)
        if let size = member.size { try budget.checkSize(size) }
        while try reader.readBlock({ (block, offset) throws(ArchiveError) in
            let end = offset.addingReportingOverflow(Int64(block.count))
            guard offset >= 0, !end.overflow else {
                throw ArchiveError(
                    .damaged, "\(quoted(member.path)) has data at an impossible position.", member: member.path)
            }
            try budget.grow(to: end.partialValue)
            try writer.write(block, at: offset)
        }) {
            try flag.check()
            tell()
        }
        if let size = member.size {
            try budget.grow(to: size)
            try writer.extend(to: size)
        }
        if let modified = saneTime(member.modified) { _ = SystemCalls.setModified(file, to: modified) }
        try writer.finish(isSynced: isSynced)
    }

    /// Returns a plausible modification time; nil for the first second of 1970, for times before it and for those more
    /// than a day in the future (Z11).
    func saneTime(_ modified: Int64?) -> Int64? {
        modified.flatMap { $0 > 0 && $0 <= latestTime ? $0 : nil }
    }

    /// Copies a file of the tree, which counts as well.
    func copy(_ source: Int32, to file: Int32, as member: ArchiveMember, isSynced: Bool) throws {
        var writer = FileWriter(file, member: member.path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            try flag.check()
            let count = SystemCalls.retryingInterrupts {
                pread(source, buffer.baseAddress, buffer.count, off_t(offset))
            }
            guard count >= 0 else {
                throw ArchiveError.reading(member.path, "pread", errno: errno, member: member.path)
            }
            if count == 0 { break }
            try budget.grow(to: offset + Int64(count))
            try writer.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            offset += Int64(count)
        }
        if let modified = saneTime(member.modified) { _ = SystemCalls.setModified(file, to: modified) }
        try writer.finish(isSynced: isSynced)
    }

    func finishedMember() {
        progress.members += 1
        tell()
    }

    var members: Int { progress.members }

    /// Reports the progress, at most twenty times a second.
    private func tell() {
        guard let report else { return }
        let now = ContinuousClock.now
        if let lastReport, now - lastReport < .milliseconds(50) { return }
        lastReport = now
        update()
        report(progress)
    }

    private func update() {
        progress.bytes = budget.bytes
        progress.archiveBytes = reader.position
    }

    func tellSyncing() {
        update()
        progress.isSyncing = true
        progress.member = ""
        report?(progress)
    }

    func tellEnd() {
        progress.isSyncing = false
        progress.totalMembers = progress.members
        progress.totalBytes = budget.bytes
        progress.archiveBytes = reader.length
        report?(progress)
    }
}

/// Writes the bytes of one file.
private struct FileWriter {
    /// The number of bytes after which the system is asked to begin writing, so that the sync at the end has little
    /// left to wait for.
    private static let stride: Int64 = 8 << 20

    private let file: Int32
    private let member: String
    private var end: Int64 = 0
    /// The offset up to which the system was asked to begin writing.
    private var started: Int64 = 0

    init(_ file: Int32, member: String) {
        self.file = file
        self.member = member
    }

    /// - Parameter offset: not before the end of what was written; what lies between is zeros.
    mutating func write(_ block: UnsafeRawBufferPointer, at offset: Int64) throws(ArchiveError) {
        var written = 0
        while written < block.count {
            let rest = UnsafeRawBufferPointer(rebasing: block[written...])
            let count = SystemCalls.retryingInterrupts {
                pwrite(file, rest.baseAddress, rest.count, off_t(offset + Int64(written)))
            }
            guard count > 0 else {
                throw .writing(member, "pwrite", errno: count == 0 ? ENOSPC : errno, member: member)
            }
            written += count
        }
        end = max(end, offset + Int64(block.count))
        if end - started >= Self.stride {
            SystemCalls.startWriting(file, from: started, count: end - started)
            started = end
        }
    }

    /// Zeros at the end of a sparse file.
    mutating func extend(to size: Int64) throws(ArchiveError) {
        guard size > end else { return }
        guard ftruncate(file, off_t(size)) == 0 else {
            throw .writing(member, "ftruncate", errno: errno, member: member)
        }
        end = size
    }

    func finish(isSynced: Bool) throws(ArchiveError) {
        if isSynced {
            guard SystemCalls.synchronize(file) == 0 else {
                throw .writing(member, "fsync", errno: errno, member: member)
            }
        } else if end - started >= 1 << 20 {
            SystemCalls.startWriting(file, from: started, count: end - started)
        }
    }
}
