/// The traits that distinguish a file from another with the same name, or from one that has taken over its inode
/// number.
package struct FileTraits: Hashable, Sendable {
    package var inode: UInt64
    /// The ``FileMark`` that the file carries as an attribute. Nil where there is none.
    package var mark: [UInt8]?
    /// The time of creation in nanoseconds since 1970; nil if the file system does not record it.
    package var created: Int64?

    package init(inode: UInt64, mark: [UInt8]?, created: Int64?) {
        self.inode = inode
        self.mark = mark
        self.created = created
    }
}

/// The attribute of a partial file that says which journal describes it.
package enum FileMark {
    /// No name of a file has this byte, so that no other mark ends with it.
    private static let adopted: UInt8 = 0xFF

    /// - Parameters:
    ///   - id: of the journal.
    ///   - isAdopted: the file holds bytes of another program.
    package static func bytes(id: [UInt8], isAdopted: Bool) -> [UInt8] { isAdopted ? id + [adopted] : id }

    package static func isAdopted(_ mark: [UInt8]) -> Bool {
        mark.count == JournalRecord.idSize + 1 && mark.last == adopted
    }
}

/// Whether a file is the partial file that a journal describes.
package enum Likeness: Sendable {
    case other, same
    /// The inode number matches, and nothing else.
    case perhaps
}

extension JournalRecord {
    /// Whether a run had all bytes, and nothing but the name was missing. An expected digest must be the one that was
    /// compared.
    package func isVerified(for digest: Digest?) -> Bool {
        state == .verified && (digest == nil || digest == expectedDigest)
    }

    /// Compares a file with the one described, by inode and by our mark. The device number is not compared: it changes
    /// with each mount and boot.
    ///
    /// FAULTS D25: an inode number passes to the next file at once on some file systems. Where marks are kept, which
    /// the journal's own mark shows, a file without one is another. Elsewhere the file that took the number over was
    /// created after the journal, for the number was free only after that.
    ///
    /// - Parameter journal: the file that holds this record.
    package func likeness(of file: FileTraits, describedIn journal: FileTraits) -> Likeness {
        guard file.inode == partialInode else { return .other }
        if let mark = file.mark { return isMark(mark) ? .same : .other }
        if journal.mark != nil { return .other }
        return isOlder(file, than: journal).map { $0 ? .same : .other } ?? .perhaps
    }

    /// Whether the file under the final name is the one described: an earlier run was cut off after the rename. By then
    /// it may have lost its mark, so that only its creation time tells it from another file that has taken over its
    /// inode number (FAULTS D25).
    package func isFinished(_ target: FileTraits, describedIn journal: FileTraits) -> Bool {
        guard target.inode == partialInode else { return false }
        if let mark = target.mark { return isMark(mark) }
        return isOlder(target, than: journal) ?? (journal.mark == nil)
    }

    private func isMark(_ mark: [UInt8]) -> Bool { mark == FileMark.bytes(id: id, isAdopted: adopted > 0) }

    /// Whether the file was created before its journal; nil where the file system does not record creation times.
    private func isOlder(_ file: FileTraits, than journal: FileTraits) -> Bool? {
        guard let created = file.created, let journalCreated = journal.created else { return nil }
        return created <= journalCreated
    }
}
