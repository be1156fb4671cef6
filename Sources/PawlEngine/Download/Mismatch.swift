import PawlCore

/// The extended attribute of a file that does not match its digest (`NAME.part.bad`): a journal record of the version
/// that the server had. The next run refuses that version at once instead of fetching it again.
enum MismatchMark {
    private static let attributeName = "user.pawl.mismatch"

    /// Where the file system keeps no attributes, the version is fetched again.
    static func set(_ record: [UInt8], on file: any StorageFile) {
        _ = try? file.setAttribute(attributeName, to: record)
    }

    static func record(of file: any StorageFile) -> JournalRecord? {
        ((try? file.attribute(attributeName)) ?? nil).flatMap(Journal.record(inSlot:))
    }
}

extension Locator {
    /// Refuses a version that an earlier run of this download has fetched and found not to match the digest, as long as
    /// its file is there. Of several sources, another one may have the right file.
    func refuseMismatched(_ found: Representation, as name: String) throws(DownloadError) {
        guard let digest = spec.settings.digest, spec.settings.mirrors.isEmpty else { return }
        let names = PartialFiles.Names(name)
        for kept in PartialFiles.quarantineNames(names.partial) {
            guard let file = try? directory.open(kept, writable: false) else { return }
            defer { try? file.close() }
            guard let record = MismatchMark.record(of: file), owner(of: record)?.isSame == true,
                record.rejects(found, for: digest)
            else { continue }
            throw DownloadError(
                .digestMismatch,
                "The server still has the version that did not match \(digest). It is kept as “\(kept)”: remove that file to download it again. The expected checksum may be wrong, too.",
                remedies: [.checkDigest], recovery: .restart)
        }
    }
}
