import PawlCore

/// Whether a file is the partial file that a journal describes.
enum Likeness {
    case other, same
    /// Only its inode number matches.
    case perhaps
}

extension JournalRecord {
    /// By inode and by our mark. The device number is no part of it: it changes with each mount and boot.
    ///
    /// FAULTS D25: an inode number passes to the next file at once on some file systems. Where marks are kept, which the journal's own mark
    /// shows, a file without one is another. Elsewhere the file that took the number over was created after the journal, for the number was
    /// free only after that.
    func likeness(
        of file: any StorageFile, _ status: FileStatus, describedIn journal: any StorageFile
    ) throws(StorageError) -> Likeness {
        guard status.identity.inode == partialInode else { return .other }
        if let mark = try file.mark() { return mark == id ? .same : .other }
        if try journal.mark() != nil { return .other }
        guard let created = try? file.created(), let journalCreated = try? journal.created() else { return .perhaps }
        return created <= journalCreated ? .same : .other
    }
}
