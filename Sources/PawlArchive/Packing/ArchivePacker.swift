import PawlCore
import PawlSystem

/// Packs the members of a list, in its order. Used from one thread.
struct ArchivePacker {
    private static let blockSize = 256 << 10

    let list: PackingList
    let writer: ArchiveWriter
    let cancellation: StopFlag
    let report: (ArchiveProgress) -> Void
    private var progress = ArchiveProgress()
    /// The directories that lead to the member at work, each opened beneath the one before.
    private var opened: [OpenDirectory] = []
    private let buffer: UnsafeMutableRawBufferPointer

    private struct OpenDirectory {
        var index: Int
        var descriptor: Int32
        var path: [UInt8]
    }

    /// Packs all of it.
    ///
    /// - Returns: the bytes of the files that were packed.
    static func run(
        _ list: PackingList, _ writer: ArchiveWriter, _ cancellation: StopFlag,
        report: @escaping (ArchiveProgress) -> Void
    ) throws -> ArchiveProgress {
        var packer = ArchivePacker(list, writer, cancellation, report)
        defer { packer.end() }
        for index in list.items.indices { try packer.pack(index) }
        try writer.close()
        return packer.finished()
    }

    private init(
        _ list: PackingList, _ writer: ArchiveWriter, _ cancellation: StopFlag,
        _ report: @escaping (ArchiveProgress) -> Void
    ) {
        self.list = list
        self.writer = writer
        self.cancellation = cancellation
        self.report = report
        buffer = .allocate(byteCount: Self.blockSize, alignment: 4096)
        progress.totalMembers = list.items.count
        progress.totalBytes = list.bytes
    }

    private func end() {
        for directory in opened { close(directory.descriptor) }
        buffer.deallocate()
    }

    private mutating func finished() -> ArchiveProgress {
        progress.member = ""
        progress.isSyncing = true
        progress.archiveBytes = writer.written
        report(progress)
        return progress
    }

    // MARK: One member

    private mutating func pack(_ index: Int) throws {
        try cancellation.check()
        let item = list.items[index]
        leave(until: item.parent)
        let path = list.path(of: item, in: opened.last?.path ?? [])
        progress.member = String(systemBytes: path)
        progress.archiveBytes = writer.written
        report(progress)
        switch item.kind {
        case .file: try packFile(item, path)
        case .directory: try packDirectory(item, index, path)
        case .symbolicLink: try packLink(item, path)
        }
        progress.members += 1
    }

    private mutating func leave(until parent: Int?) {
        while let last = opened.last, last.index != parent {
            close(last.descriptor)
            opened.removeLast()
        }
    }

    private func open(
        _ item: PackingList.Item, _ flags: Int32
    ) throws(ArchiveError) -> (descriptor: Int32, facts: FileFacts) {
        let noFollow = item.followsLink ? 0 : O_NOFOLLOW
        let place = list.place(of: item)
        let descriptor = SystemCalls.retryingInterrupts {
            // Not to wait for a writer, should it have become a pipe.
            openat(opened.last?.descriptor ?? AT_FDCWD, place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | noFollow | flags)
        }
        guard descriptor >= 0 else { throw failure("openat", errno) }
        guard let facts = FileFacts(of: descriptor) else {
            let reason = errno
            close(descriptor)
            throw failure("fstat", reason)
        }
        guard facts.identity == item.identity else {
            close(descriptor)
            throw replaced()
        }
        return (descriptor, facts)
    }

    private mutating func packDirectory(_ item: PackingList.Item, _ index: Int, _ path: [UInt8]) throws(ArchiveError) {
        let (descriptor, facts) = try open(item, O_DIRECTORY)
        opened.append(OpenDirectory(index: index, descriptor: descriptor, path: path))
        try writer.begin(path, .directory, modified: facts.modifiedSeconds)
    }

    private func packLink(_ item: PackingList.Item, _ path: [UInt8]) throws(ArchiveError) {
        let place = list.place(of: item)
        let directory = opened.last?.descriptor ?? AT_FDCWD
        guard let facts = FileFacts(in: directory, place) else { throw failure("fstatat", errno) }
        guard facts.identity == item.identity, facts.kind == .symbolicLink else { throw replaced() }
        // symlink(7): the target is shorter than PATH_MAX.
        var target = [CChar](repeating: 0, count: 4096)
        let length = readlinkat(directory, place, &target, target.count)
        guard length >= 0 else { throw failure("readlinkat", errno) }
        guard length < target.count else { throw failure("readlinkat", ENAMETOOLONG) }
        try writer.begin(
            path, .symbolicLink(target: target[..<length].map { UInt8(bitPattern: $0) }),
            modified: facts.modifiedSeconds)
    }

    // MARK: Bytes

    private mutating func packFile(_ item: PackingList.Item, _ path: [UInt8]) throws {
        let (descriptor, facts) = try open(item, 0)
        defer { close(descriptor) }
        guard facts.kind == .file else { throw replaced() }
        try writer.begin(
            path, .file(size: facts.size, isExecutable: facts.isExecutable), modified: facts.modifiedSeconds)
        // It may have grown since it was counted, which is its right until its turn has come.
        progress.totalBytes = progress.totalBytes.map { $0 + (facts.size - item.size) }
        var left = facts.size
        while left > 0 {
            try cancellation.check()
            let count = try read(descriptor, Int(min(left, Int64(Self.blockSize))))
            guard count > 0 else { throw changed() }
            try writer.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            left -= Int64(count)
            progress.bytes += Int64(count)
            progress.archiveBytes = writer.written
            report(progress)
        }
        guard let now = FileFacts(of: descriptor), now.hasContent(of: facts) else { throw changed() }
    }

    private func read(_ descriptor: Int32, _ count: Int) throws(ArchiveError) -> Int {
        let got = SystemCalls.readOnce(descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        guard got >= 0 else { throw failure("read", errno) }
        return got
    }

    // MARK: Failures

    private func failure(_ operation: String, _ number: Int32) -> ArchiveError {
        switch number {
        case ENOENT, ELOOP, ENOTDIR: replaced()
        default: ArchiveError.reading(progress.member, operation, errno: number, member: progress.member)
        }
    }

    private func replaced() -> ArchiveError {
        ArchiveError(
            .changed, "\(quoted(progress.member)) was removed or replaced while it was being packed.",
            remedies: [.packUndisturbed],
            member: progress.member)
    }

    private func changed() -> ArchiveError {
        ArchiveError(
            .changed, "\(quoted(progress.member)) changed while it was being packed.", remedies: [.packUndisturbed],
            member: progress.member)
    }
}
