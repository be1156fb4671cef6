import PawlCore
import PawlSystem

/// Unpacks the members of a reader into a fresh directory, which is synced and then renamed. Blocks; for use on a
/// thread of its own.
package struct Extraction {
    private let reader: any MemberReader
    private let options: ExtractionOptions
    private let flag: StopFlag
    private let progress: (@Sendable (ArchiveProgress) -> Void)?

    /// - Parameter progress: called on the unpacking thread, at most twenty times a second.
    package init(
        _ reader: any MemberReader, options: ExtractionOptions = .init(), flag: StopFlag = .init(),
        progress: (@Sendable (ArchiveProgress) -> Void)? = nil
    ) {
        self.reader = reader
        self.options = options
        self.flag = flag
        self.progress = progress
    }

    /// Unpacks all members that are wanted as the directory.
    ///
    /// - Throws: ``ArchiveError``; `CancellationError`. The target is as it was then, and nothing lies beside it.
    package func run(into directory: String) throws -> ExtractionResult {
        try extract(to: directory, isDirectory: true) { fresh, writer in
            let syncsEachFile = !SystemCalls.synchronizesFileSystems
            let tree = try fresh.makeTree()
            let filling = try TreeFilling(tree, writer, options, syncsEachFile: syncsEachFile)
            try filling.fill()
            let only = filling.onlyDirectory.flatMap { $0.utf8.elementsEqual(fresh.target.name.utf8) ? $0 : nil }
            // Before it is durable and has its name, so that there is none without it.
            options.mark?.set(on: only, in: tree.file)
            writer.tellSyncing()
            if syncsEachFile {
                try filling.synchronizeDirectories()
            } else if SystemCalls.synchronizeFileSystem(tree.file) != 0 {
                throw ArchiveError.writing(directory, "syncfs", errno: errno)
            }
            try flag.check()
            let publication = Publication(fresh: fresh, isDirectory: true)
            if let only { return try publication.publish(from: tree.file, only, ifExists: options.ifExists) }
            return try publication.publish(from: fresh.file, FreshDirectory.content, ifExists: options.ifExists)
        }
    }

    /// Unpacks the first file that is wanted, and nothing else, as the file `path`.
    ///
    /// - Throws: as ``run(into:)``.
    package func runFile(to path: String) throws -> ExtractionResult {
        try extract(to: path, isDirectory: false) { fresh, writer in
            var selection = try MemberSelection(options.patterns)
            while let member = try writer.next() {
                guard member.kind == .file, selection.takes(try MemberPath(member).text) else { continue }
                try makeFile(member, in: fresh, writer)
                try flag.check()
                return try Publication(fresh: fresh, isDirectory: false)
                    .publish(from: fresh.file, FreshDirectory.content, ifExists: options.ifExists)
            }
            throw ArchiveError(.noSuchMember, "No file in the archive matches the pattern.", remedies: [.listMembers])
        }
    }

    private func makeFile(_ member: ArchiveMember, in fresh: FreshDirectory, _ writer: MemberWriter) throws {
        let file = try fresh.makeFile(isExecutable: member.isExecutable)
        do {
            try writer.write(member, to: file, isSynced: true)
        } catch {
            _ = SystemCalls.close(file)
            throw error
        }
        guard SystemCalls.close(file) == 0 else {
            throw ArchiveError.writing(member.path, "close", errno: errno, member: member.path)
        }
        writer.finishedMember()
    }

    /// Does what both kinds of extraction share: the checks before anything is created, and the publication of what was
    /// created beside the target.
    private func extract(
        to path: String, isDirectory: Bool, _ make: (FreshDirectory, MemberWriter) throws -> String
    ) throws -> ExtractionResult {
        try flag.check()
        let writer = try MemberWriter(reader, limits: options.limits, flag: flag, report: progress)
        let target = try Target(path, followsLinks: options.followsDirectoryLinks)
        // Also where nothing is to be unpacked: a run may have been killed when its directory had its name already.
        // Leftovers that cannot be removed are reported where they are in the way.
        try? FreshDirectory.removeMarked(target)
        if try target.isLeft(options.ifExists, isDirectory: isDirectory) { return Self.skipped(path) }
        if options.patterns == nil { try checkAnnounced(writer, target) }
        try checkReadable()
        let fresh = try FreshDirectory.make(for: target)
        let name: String
        do {
            // What a crash had left may have been put back.
            if try target.isLeft(options.ifExists, isDirectory: isDirectory) {
                return Self.skipped(path, notices: Self.end(fresh))
            }
            name = try make(fresh, writer)
        } catch {
            // What failed first is what there is to say.
            try? fresh.remove()
            // A reader that was stopped says so as it can.
            try flag.check()
            throw error
        }
        let leftover = Self.end(fresh)
        writer.tellEnd()
        return ExtractionResult(
            directory: target.path(of: name), members: writer.members, bytes: writer.budget.bytes,
            notices: reader.notices + leftover)
    }

    private static func skipped(_ path: String, notices: [ArchiveNotice] = []) -> ExtractionResult {
        ExtractionResult(directory: path, members: 0, bytes: 0, isSkipped: true, notices: notices)
    }

    /// Removes the directory that is no longer needed. The result is there and durable, whatever stays of this.
    private static func end(_ fresh: FreshDirectory) -> [ArchiveNotice] {
        do throws(ArchiveError) {
            try fresh.remove()
            return []
        } catch {
            return [ArchiveNotice(.leftover, error.message + " The next run with this target tries again.")]
        }
    }

    /// Checks that all members can be read, so that nothing is created for an archive that then asks for a password, or
    /// whose third member nobody can unpack. Unusable names lead to an error of their own.
    private func checkReadable() throws(ArchiveError) {
        var selection = try MemberSelection(options.patterns)
        try reader.checkReadable { member in (try? MemberPath(member)).map { selection.takes($0.text) } ?? true }
    }

    /// Checks the announced numbers before the first byte is written.
    private func checkAnnounced(_ writer: MemberWriter, _ target: Target) throws(ArchiveError) {
        guard let announced = reader.announced else { return }
        try writer.budget.checkAnnounced(members: announced.members, bytes: announced.bytes)
        let available = SystemCalls.availableBytes(target.parent)
        guard available >= 0, announced.bytes > available else { return }
        throw ArchiveError(
            .diskFull,
            "\(quoted(target.path)) needs \(ByteCount.text(announced.bytes)); free space: \(ByteCount.text(available)). Nothing was unpacked.",
            remedies: [.freeSpace])
    }
}
