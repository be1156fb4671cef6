/// The errors of zip archives that are read, in the words that all of them share.
extension ArchiveError {
    /// `what` continues “The zip archive contradicts itself or is damaged:”.
    static func zipDamaged(_ what: String) -> ArchiveError {
        ArchiveError(
            .damaged, "The zip archive is damaged or was tampered with: \(what).", remedies: [.fetchAgain, .askMaker])
    }

    /// `what` is a sentence's end about the member: “its sizes differ …”.
    static func zipDamaged(_ member: String, _ what: String) -> ArchiveError {
        let message = "The zip archive is damaged or was tampered with, at \(quoted(member)): \(what)."
        return ArchiveError(.damaged, message, remedies: [.fetchAgain, .askMaker], member: member)
    }

    static func zipTruncated(_ what: String) -> ArchiveError {
        ArchiveError(.truncated, "The zip archive is cut off: \(what).", remedies: [.fetchAgain])
    }

    static func zipUnsupported(_ what: String) -> ArchiveError {
        ArchiveError(.unsupported, "The zip archive cannot be read: \(what).", remedies: [.useOtherProgram])
    }

    static func zipUnsupported(_ member: String, _ what: String) -> ArchiveError {
        ArchiveError(
            .unsupported, "\(quoted(member)) in the zip archive cannot be read: \(what).", remedies: [.useOtherProgram],
            member: member)
    }
}
