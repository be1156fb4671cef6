public import PawlCore
import PawlEngine
import PawlSystem

/// The result of checking a file's pieces, and the repair under way.
public struct FileRepair: Sendable {
    /// The findings of the check; nil if an earlier repair is resumed.
    public let findings: Findings?
    /// The download of the wrong pieces; nil if there are none.
    public let download: Download?

    /// The file is right; nothing was changed.
    public var isIntact: Bool { download == nil }

    /// The result of comparing a file with its hashes.
    public struct Findings: Hashable, Sendable {
        public let pieceCount: Int
        public let wrongPieces: Int
        /// The size of the wrong pieces in bytes: about as much is fetched.
        public let wrongBytes: Int64
        /// The length of the file in bytes.
        public let fileSize: Int64
        /// The length that the file should have, in bytes; nil if it is not known.
        public let totalBytes: Int64?
        /// The file is complete, has no surplus bytes, and matches the digest if one is known.
        public let isIntact: Bool

        init(_ check: PieceCheck, digest: Digest?) {
            pieceCount = check.pieceCount
            wrongPieces = check.wrongPieces
            wrongBytes = check.wrongBytes
            fileSize = check.fileSize
            totalBytes = check.total
            isIntact = check.isIntact && (digest == nil || check.digest == digest)
        }
    }
}

extension FileRepair.Findings {
    /// Reads a file and checks its pieces, and the whole if a digest is given. Blocks until done.
    ///
    /// - Parameters:
    ///   - path: the file to check.
    ///   - pieceHashes: the expected hashes of its pieces.
    ///   - size: the expected length in bytes; nil if unknown.
    ///   - digest: the expected digest of the whole file; nil if unknown.
    /// - Throws: ``DownloadError`` when it cannot be read.
    public init(
        ofFileAt path: String, pieceHashes: PieceHashes, size: Int64? = nil, digest: Digest? = nil
    ) throws(DownloadError) {
        self.init(
            try Self.reading(path) { (file) throws(StorageError) in
                try PieceCheck(
                    file, pieces: pieceHashes, size: size, digest: digest?.algorithm, factory: SystemDigests())
            }, digest: digest)
    }

    /// Returns the length of a file in bytes.
    ///
    /// - Throws: ``DownloadError`` when it is none, or cannot be looked at.
    public static func size(ofFileAt path: String) throws(DownloadError) -> Int64 {
        try reading(path) { (file) throws(StorageError) in try file.status().size }
    }

    private static func reading<Value>(
        _ path: String, _ body: (any StorageFile) throws(StorageError) -> Value
    ) throws(DownloadError) -> Value {
        let place = PathParts(path)
        do throws(StorageError) {
            let file = try POSIXStorage().openDirectory(place.directory).open(place.name, writable: false)
            defer { try? file.close() }
            return try body(file)
        } catch {
            throw .storage(StorageError(operation: error.operation, name: path, reason: error.reason))
        }
    }
}

extension Downloader {
    /// Finds the wrong pieces of a finished file and starts to fetch only those again.
    ///
    /// The file keeps its name and its bytes until the repaired whole is on the disk and has passed all checks; then it
    /// is replaced, in one step. What is right is copied into a partial file beside it, without taking space again
    /// where the file system can share it. An interrupted repair leaves the old file as it was; the same call resumes
    /// it.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// // A file of a single piece; others have one hash for each.
    /// let hash = try Digest(parsing: "sha-256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08").bytes
    /// var request = DownloadRequest("https://example.org/disk.iso", to: "disk.iso")
    /// request.pieceHashes = try PieceHashes(algorithm: .sha256, pieceLength: 1 << 20, hashes: [hash])
    /// let repair = try await downloader.repair(request)
    /// _ = try await repair.download?.result()
    /// ```
    ///
    /// - Parameter request: with the file's name and its ``DownloadOptions/pieceHashes``; its size and digest are used
    ///   where they are known. ``DownloadOptions/ifExists`` and ``DownloadOptions/onChange`` are of no consequence.
    /// - Throws: ``DownloadError``: `invalidArgument` without piece hashes or without the file, `diskFull` where the
    ///   copy finds no room, `digestMismatch` where the pieces are right and the whole is not, and those of
    ///   ``start(_:)``.
    public func repair(_ request: DownloadRequest) async throws(DownloadError) -> FileRepair {
        var request = try request.withSecrets()
        request.ifExists = .replace
        request.adoptsPartialFile = false
        request.onChange = .fail
        let repair = Repair(try resolved(request), ports: ports)
        let executor = ports.runtime.makeSyncExecutor()
        let outcome = await withCheckedContinuation { continuation in
            executor.submit {
                continuation.resume(returning: Result { () throws(DownloadError) in try repair.prepare() })
            }
        }
        switch try outcome.get() {
        case .intact(let check): return FileRepair(findings: .init(check, digest: request.digest), download: nil)
        case .prepared(let check):
            return FileRepair(findings: .init(check, digest: request.digest), download: try start(request))
        case .underway: return FileRepair(findings: nil, download: try start(request))
        }
    }
}
