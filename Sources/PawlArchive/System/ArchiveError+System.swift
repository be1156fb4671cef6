import PawlSystem

extension ArchiveError {
    /// A call on something that is only read has failed.
    static func reading(_ name: String, _ operation: String, errno number: Int32, member: String? = nil) -> ArchiveError
    {
        let why =
            switch number {
            case ENOENT: "it does not exist"
            case EACCES, EPERM: "its permissions forbid it"
            case ELOOP: "it is a symbolic link, or part of its path is one"
            case EMFILE, ENFILE: "too many files are open; its directories may be too deep"
            case ENAMETOOLONG: "its name is too long"
            default: SystemCalls.text(of: number)
            }
        return ArchiveError(
            .unreadable, "\(quoted(name)) cannot be read: \(why).", member: member,
            underlying: "\(operation): \(SystemCalls.text(of: number))")
    }

    /// A call on something that is written has failed.
    static func writing(_ name: String, _ operation: String, errno number: Int32, member: String? = nil) -> ArchiveError
    {
        let shown = quoted(name)
        let (code, message): (Code, String) =
            switch number {
            case ENOSPC: (.diskFull, "The disk is full: \(shown) cannot be written.")
            case EDQUOT: (.diskFull, "The disk quota is used up: \(shown) cannot be written.")
            case EFBIG:
                (.diskFull, "\(shown) would be larger than the file system, or a limit of this process, allows.")
            case EACCES, EPERM:
                (.notWritable, "\(shown) may not be written: the permissions of the directory forbid it.")
            case EROFS: (.notWritable, "\(shown) may not be written: the file system is read-only.")
            case ELOOP: (.notWritable, "\(shown) may not be written: part of its path is a symbolic link.")
            case ENOENT, ENOTDIR: (.notWritable, "\(shown) cannot be written: its directory does not exist.")
            case ENAMETOOLONG: (.notWritable, "\(shown) cannot be written: the name is too long for the file system.")
            case EMFILE, ENFILE: (.diskError, "\(shown) cannot be written: too many files are open.")
            default: (.diskError, "\(shown) could not be written: \(SystemCalls.text(of: number)).")
            }
        let remedies: [Remedy] = [ENOSPC, EDQUOT].contains(number) ? [.freeSpace] : []
        return ArchiveError(
            code, message, remedies: remedies, member: member,
            underlying: "\(operation): \(SystemCalls.text(of: number))")
    }
}
