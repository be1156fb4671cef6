package import PawlCore

/// Prepares the repair of a finished file: finds the pieces that are wrong, and lays out what is right as a partial
/// file with a journal that claims it. A download to the same target then fetches what is missing, checks the whole,
/// and puts it in the file's place.
///
/// The file itself is only read. Whenever this is cut off, it is there as it was, and beside it either nothing that
/// counts or a partial file to go on from.
package struct Repair: Sendable {
    package enum Outcome: Sendable {
        /// All pieces are right.
        case intact(PieceCheck)
        /// A partial file exists now that lacks the wrong pieces.
        case prepared(PieceCheck)
        /// An earlier run has left a partial file of this download.
        case underway
    }

    private let spec: DownloadSpec
    private let ports: Ports

    /// Returns the spec with which the replacement of the file is downloaded.
    package static func spec(_ spec: DownloadSpec) -> DownloadSpec {
        var spec = spec
        spec.ifExists = .replace
        spec.adoptsPartialFile = false
        // Another file on the server is no repair of this one.
        spec.settings.onChange = .fail
        return spec
    }

    package init(_ spec: DownloadSpec, ports: Ports) {
        self.spec = Self.spec(spec)
        self.ports = ports
    }

    /// Blocks for as long as the file takes to be read and copied.
    package func prepare() throws(DownloadError) -> Outcome {
        guard let pieces = spec.settings.pieceHashes, let name = spec.fileName else {
            throw DownloadError(
                .invalidArgument, "A repair needs piece hashes and the name of the file.",
                recovery: .giveUp)
        }
        let id = JournalRecord.newID(markerNumber: spec.markerNumber, ports.runtime)
        let inspection = try TargetInspection(spec, ports, newID: id)
        if case .resumable(let files, _) = try inspection.locate() {
            try inspection.disk { () throws(StorageError) in try files.close() }
            return .underway
        }
        let file = try open(name, inspection)
        defer { try? file.close() }
        let check = try inspection.disk { () throws(StorageError) in try examine(file, pieces) }
        if check.isIntact {
            try compareWhole(check)
            return .intact(check)
        }
        try lay(out: check, of: file, pieces, name, id, inspection)
        return .prepared(check)
    }

    private func open(_ name: String, _ inspection: TargetInspection) throws(DownloadError) -> any StorageFile {
        do throws(StorageError) {
            return try inspection.directory.open(name, writable: false)
        } catch  where error.reason == .notFound {
            throw DownloadError(
                .invalidArgument, "“\(name)” does not exist, so it cannot be repaired. Download it.", recovery: .giveUp)
        } catch {
            throw .storage(error, directory: inspection.directory.path)
        }
    }

    private func examine(_ file: any StorageFile, _ pieces: PieceHashes) throws(StorageError) -> PieceCheck {
        try PieceCheck(
            file, pieces: pieces, size: spec.settings.expectedSize, digest: spec.settings.digest?.algorithm,
            factory: ports.digests)
    }

    /// Pieces and the whole must be of one file.
    private func compareWhole(_ check: PieceCheck) throws(DownloadError) {
        guard let expected = spec.settings.digest, let actual = check.digest, actual != expected else { return }
        throw DownloadError(
            .digestMismatch,
            "All pieces match, but the file's checksum does not: its \(actual.algorithm.rawValue) is \(actual.hex), not \(expected.hex). The piece hashes and the checksum describe different files.",
            recovery: .giveUp)
    }

    // MARK: Laying out

    private func lay(
        out check: PieceCheck, of file: any StorageFile, _ pieces: PieceHashes, _ name: String, _ id: [UInt8],
        _ inspection: TargetInspection
    ) throws(DownloadError) {
        let files = try inspection.disk { () throws(StorageError) in
            try PartialFiles(
                creating: name, in: inspection.directory, total: check.total, id: id, storage: inspection.ports.storage,
                leftover: inspection.leftover)
        }
        // Cut off while it copies, the file is known by its journal for one that holds nothing of its own.
        files.journal.recordUnsynced(RangeSet(), facts(check, files, inspection))
        do throws(DownloadError) {
            try inspection.disk { () throws(StorageError) in
                for range in check.good.ranges { try files.file.copy(range, from: file) }
            }
            let claims = try provenClaims(check, files, pieces, inspection)
            try files.checkpoint(claims, facts(check, files, inspection))
            try inspection.disk { () throws(StorageError) in try files.close() }
        } catch {
            // Nothing claims it, so nothing would ever use it.
            _ = try? files.setAside(keep: false)
            throw error
        }
    }

    /// Between the look and the copy the file may have changed. With a digest of the whole, the end will tell.
    private func provenClaims(
        _ check: PieceCheck, _ files: PartialFiles, _ pieces: PieceHashes, _ inspection: TargetInspection
    ) throws(DownloadError) -> RangeSet {
        guard spec.settings.digest == nil else { return check.good }
        let copied = try inspection.disk { () throws(StorageError) in
            try PieceCheck(files.file, pieces: pieces, size: check.total, digest: nil, factory: ports.digests)
        }
        return copied.good
    }

    private func facts(_ check: PieceCheck, _ files: PartialFiles, _ inspection: TargetInspection) -> JournalFile.Facts
    {
        JournalFile.Facts(
            url: spec.settings.url, urlHash: URLHash(of: spec.settings.urlIdentity),
            identityHash: inspection.identityHash(of: spec.settings.url, id: files.journal.id),
            representation: Representation(total: check.total), digest: spec.settings.digest,
            secondsSinceEpoch: ports.runtime.secondsSinceEpoch)
    }
}
