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

    private let plan: Plan
    private let ports: Ports

    /// Returns the plan with which the replacement of the file is downloaded.
    package static func plan(_ plan: Plan) -> Plan {
        var plan = plan
        plan.ifExists = .replace
        plan.adoptsPartialFile = false
        // Another file on the server is no repair of this one.
        plan.settings.onChange = .fail
        return plan
    }

    package init(_ plan: Plan, ports: Ports) {
        self.plan = Self.plan(plan)
        self.ports = ports
    }

    /// Blocks for as long as the file takes to be read and copied.
    package func prepare() throws(DownloadError) -> Outcome {
        guard let pieces = plan.settings.pieceHashes, let name = plan.fileName else {
            throw DownloadError(
                .invalidArgument, "A repair needs piece hashes and the name of the file.",
                recovery: .giveUp)
        }
        let id = JournalRecord.newID(markerNumber: plan.markerNumber, ports.runtime)
        let inspection = try TargetInspection(plan, ports, newID: id)
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
            file, pieces: pieces, size: plan.settings.expectedSize, digest: plan.settings.digest?.algorithm,
            factory: ports.digests)
    }

    /// Pieces and the whole must be of one file.
    private func compareWhole(_ check: PieceCheck) throws(DownloadError) {
        guard let expected = plan.settings.digest, let actual = check.digest, actual != expected else { return }
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
        guard plan.settings.digest == nil else { return check.good }
        let copied = try inspection.disk { () throws(StorageError) in
            try PieceCheck(files.file, pieces: pieces, size: check.total, digest: nil, factory: ports.digests)
        }
        return copied.good
    }

    private func facts(_ check: PieceCheck, _ files: PartialFiles, _ inspection: TargetInspection) -> JournalFile.Facts
    {
        JournalFile.Facts(
            url: plan.settings.url, urlHash: URLHash(of: plan.settings.urlIdentity),
            identityHash: inspection.identityHash(of: plan.settings.url, id: files.journal.id),
            representation: Representation(total: check.total), digest: plan.settings.digest,
            secondsSinceEpoch: ports.runtime.secondsSinceEpoch)
    }
}
