internal import CArchive

/// A member as libarchive describes it.
enum EntryReading {
    /// Returns the member that an entry describes; nil for an entry without a name.
    static func member(_ entry: OpaquePointer) -> ArchiveMember? {
        guard let path = text(archive_entry_pathname(entry)) else { return nil }
        let kind = kind(entry)
        return ArchiveMember(
            path: path,
            kind: kind,
            size: kind == .file && archive_entry_size_is_set(entry) != 0 ? max(0, archive_entry_size(entry)) : nil,
            modified: archive_entry_mtime_is_set(entry) != 0 ? Int64(archive_entry_mtime(entry)) : nil,
            isExecutable: kind == .file && archive_entry_perm(entry) & 0o100 != 0,
            isEncrypted: archive_entry_is_encrypted(entry) != 0)
    }

    private static func kind(_ entry: OpaquePointer) -> ArchiveMember.Kind {
        if let target = text(archive_entry_hardlink(entry)) { return .hardLink(target) }
        // The values of AE_IFREG and the others, whose definitions Swift does not import, are those of stat(2).
        switch archive_entry_filetype(entry) {
        case 0o100000: return .file
        case 0o040000: return .directory
        case 0o120000: return .symbolicLink(text(archive_entry_symlink(entry)) ?? "")
        case 0o020000: return .other("a character device")
        case 0o060000: return .other("a block device")
        case 0o010000: return .other("a named pipe")
        case 0o140000: return .other("a socket")
        default: return .other("of an unknown kind")
        }
    }

    private static func text(_ bytes: UnsafePointer<CChar>?) -> String? {
        guard let bytes else { return nil }
        return bytes.withMemoryRebound(to: UInt8.self, capacity: 1) { start in
            var count = 0
            while start[count] != 0 { count += 1 }
            return MemberName.text(of: UnsafeBufferPointer(start: start, count: count))
        }
    }
}
