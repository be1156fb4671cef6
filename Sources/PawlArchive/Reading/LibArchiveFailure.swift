/// Maps libarchive's error texts.
enum LibArchiveFailure {
    static func error(_ message: String, path: String, file: FileStream, member: String? = nil) -> ArchiveError {
        if let failure = file.failure { return failure }
        let words = message.lowercased()
        let what = member.map { "The member \(quoted($0)) of \(quoted(path))" } ?? quoted(path)
        func error(_ code: ArchiveError.Code, _ text: String, _ remedy: ArchiveError.Remedy? = nil) -> ArchiveError {
            ArchiveError(
                code, text, remedies: remedy.map { [$0] } ?? [], member: member,
                underlying: message.isEmpty ? nil : "libarchive: \(message)")
        }
        if words.contains("encrypt") || words.contains("crypto") || words.contains("passphrase") {
            return error(.unsupported, "\(what) is encrypted in a way that cannot be decrypted here.", .useOtherProgram)
        }
        if words.contains("unrecognized archive format") {
            return error(.notAnArchive, "\(quoted(path)) is not a zip, 7z or tar archive.")
        }
        if file.isAtEnd || words.contains("truncated") || words.contains("unexpected end")
            || words.contains("premature end")
        {
            return error(.truncated, "\(what) is cut off: its end is missing.", .fetchAgain)
        }
        if words.contains("unsupported") || words.contains("not supported") {
            return error(.unsupported, "\(what) is stored in a way that is not known here.", .useOtherProgram)
        }
        return error(.damaged, "\(what) is damaged.", .fetchAgain)
    }
}
