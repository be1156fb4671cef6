public import PawlCore
import PawlEngine

/// The state of a partial file according to its journal.
public struct PartialFileStatus: Hashable, Sendable {
    /// The name the file will have.
    public let fileName: String
    /// The URL without userinfo and signatures.
    public let url: String
    public let totalBytes: Int64?
    /// Ranges that survive a power cut, ascending.
    public let durableRanges: [ByteRange]
    public let durableBytes: Int64
    /// Ranges that a run started now, in this boot of the machine, would resume from: the durable ones, and those
    /// written since the last checkpoint, if a sync of the partial file then proves that nothing was lost.
    public let resumableRanges: [ByteRange]
    public let resumableBytes: Int64
    public let entityTag: String?
    public let lastModified: String?
    /// Counts the checkpoints made.
    public let generation: UInt64
    /// The time since the last checkpoint, in seconds of the wall clock.
    public let ageSeconds: Int64
    /// Whether all bytes are stored, and only the finishing steps remain.
    public let isFinishing: Bool
    /// Whether a process holds the partial file now.
    public let isLocked: Bool
    /// The process that wrote the journal, and its host.
    public let ownerProcessID: Int
    public let ownerHostName: String
    /// Whether another program began the file, so that it is never removed.
    let isAdopted: Bool

    /// Reads the journal of a download, whether it runs or not, and changes nothing.
    ///
    /// ```swift
    /// let status = try PartialFileStatus.read("disk.iso")
    /// print(status.resumableBytes, status.totalBytes ?? 0, status.isLocked)
    /// ```
    ///
    /// - Parameter path: of the target, of its partial file or of its journal.
    /// - Throws: ``DownloadError`` with code `journal` when there is none that can be read, or the partial file is
    ///   missing.
    public static func read(_ path: String) throws(DownloadError) -> PartialFileStatus {
        try read(path, requiresPartialFile: true)
    }

    static func read(_ path: String, requiresPartialFile: Bool) throws(DownloadError) -> PartialFileStatus {
        let request = DownloadRequest("http://localhost/", to: path)
        let storage = POSIXStorage()
        let directory: any StorageDirectory
        do throws(StorageError) {
            directory = try storage.openDirectory(request.directory.isEmpty ? "." : request.directory)
        } catch  where error.reason == .permissionDenied {
            throw .unreadable("“\(request.directory)”")
        } catch {
            throw .storage(StorageError(operation: error.operation, name: request.directory, reason: error.reason))
        }
        var name = request.fileName ?? ""
        for suffix in [".part", ".pawl"] where name.ends(with: suffix) {
            name = String(decoding: name.utf8.dropLast(suffix.utf8.count), as: UTF8.self)
        }
        let status = try read(name, in: directory, storage.owner, now: LiveRuntime.wallClockSeconds)
        let partialName = FileName.partialName(for: name)
        if requiresPartialFile, isMissing(partialName, in: directory), isMissing(name, in: directory) {
            throw DownloadError(
                .journal,
                "“\(FileName.journalName(for: name))” describes a partial file “\(partialName)” that is missing: the next run starts from zero.",
                recovery: .giveUp)
        }
        return status
    }

    private static func read(
        _ name: String, in directory: any StorageDirectory, _ owner: Owner, now: Int64
    ) throws(DownloadError) -> PartialFileStatus {
        let journalName = FileName.journalName(for: name)
        let bytes: [UInt8]
        do throws(StorageError) {
            let file = try directory.open(journalName, writable: false)
            bytes = try file.read(Journal.readSize, at: 0)
            try file.close()
        } catch  where error.reason == .notFound {
            throw DownloadError(
                .journal, "There is no journal “\(journalName)”: no download of “\(name)” has been interrupted here.",
                recovery: .giveUp)
        } catch  where error.reason == .permissionDenied {
            throw .unreadable("“\(journalName)” in “\(directory.path)”")
        } catch {
            throw .storage(error, directory: directory.path)
        }
        let unsynced = Journal.decodeUnsynced(bytes).flatMap { $0.isOfUse(to: owner) ? $0.record : nil }
        let isLocked = isLocked(FileName.partialName(for: name), directory)
        switch Journal.decode(bytes) {
        case .record(let record):
            return PartialFileStatus(record, durable: record, unsynced: unsynced, isLocked: isLocked, now: now)
        case .empty, .torn:
            if let unsynced {
                return PartialFileStatus(unsynced, durable: nil, unsynced: unsynced, isLocked: isLocked, now: now)
            }
            throw DownloadError(.journal, "“\(journalName)” has no record yet.", recovery: .giveUp)
        case .corrupt:
            throw DownloadError(.journal, "“\(journalName)” is damaged in both its slots.", recovery: .giveUp)
        case .foreign:
            throw DownloadError(.journal, "“\(journalName)” is not a Pawl journal.", recovery: .giveUp)
        case .newerVersion(let version):
            throw DownloadError(
                .journal, "“\(journalName)” was written by a newer Pawl (format version \(version)).",
                remedies: [.useNewerVersion], recovery: .giveUp)
        }
    }

    private static func isMissing(_ name: String, in directory: any StorageDirectory) -> Bool {
        do throws(StorageError) { return try directory.status(name) == nil } catch { return false }
    }

    private static func isLocked(_ name: String, _ directory: any StorageDirectory) -> Bool {
        guard let file = try? directory.open(name, writable: false) as? POSIXFile else { return false }
        defer { try? file.close() }
        return (try? file.isLockedElsewhere()) ?? false
    }

    private init(
        _ record: JournalRecord, durable: JournalRecord?, unsynced: JournalRecord?, isLocked: Bool, now: Int64
    ) {
        let claimed = durable?.durable ?? RangeSet()
        var resumable = claimed
        // An unsynced record of another partial file was left by a download that came before.
        if let unsynced, unsynced.id == record.id { resumable.formUnion(unsynced.durable) }
        fileName = record.targetName
        url = record.url
        totalBytes = record.representation.total
        durableRanges = claimed.ranges
        durableBytes = claimed.count
        resumableRanges = resumable.ranges
        resumableBytes = resumable.count
        entityTag = record.representation.entityTag?.raw
        lastModified = record.representation.lastModified
        generation = durable?.generation ?? 0
        // The journal may say any number.
        let (age, overflow) = now.subtractingReportingOverflow(record.updated)
        ageSeconds = overflow ? 0 : max(0, age)
        isFinishing = record.state == .verified
        self.isLocked = isLocked
        ownerProcessID = Int(record.owner.processID)
        ownerHostName = record.owner.hostName
        isAdopted = record.adopted > 0
    }
}

extension Digest {
    /// Reads a file and computes its digest.
    ///
    /// ```swift
    /// let digest = try Digest.compute(.sha256, ofFileAt: "disk.iso")
    /// print(digest)  // sha-256:9f86…
    /// ```
    ///
    /// - Throws: ``DownloadError`` when it cannot be read.
    public static func compute(_ algorithm: DigestAlgorithm, ofFileAt path: String) throws(DownloadError) -> Digest {
        guard let digest = try compute(algorithm, ofFileAt: path, isStopped: { false }) else {
            // Proven: it is never stopped.
            preconditionFailure("a digest was not computed to its end")
        }
        return digest
    }

    /// - Parameter isStopped: asked for each MiB.
    /// - Returns: nil when it was stopped.
    package static func compute(
        _ algorithm: DigestAlgorithm, ofFileAt path: String, isStopped: () -> Bool
    ) throws(DownloadError) -> Digest? {
        let request = DownloadRequest("http://localhost/", to: path)
        do throws(StorageError) {
            let directory = try POSIXStorage().openDirectory(request.directory)
            let file = try directory.open(request.fileName ?? "", writable: false)
            var digester = try SystemDigests().makeDigester(algorithm)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
            defer { buffer.deallocate() }
            var offset: Int64 = 0
            while true {
                guard !isStopped() else {
                    try file.close()
                    return nil
                }
                let count = try file.read(into: buffer, at: offset)
                guard count > 0 else { break }
                digester.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                offset += Int64(count)
            }
            try file.close()
            guard let digest = Digest(algorithm: algorithm, bytes: digester.finalize()) else {
                throw StorageError(operation: "digest", name: path, reason: .notSupported)
            }
            return digest
        } catch {
            throw .storage(StorageError(operation: error.operation, name: path, reason: error.reason))
        }
    }
}
