import PawlSystem

/// The kinds of libarchive's failures. It tells them apart by its texts only, in which it quotes those of its
/// decompressors; the texts are those of libarchive 3.6 to 3.8.
enum LibArchiveFailure: Hashable {
    case notAnArchive
    case encrypted
    /// A method, filter or variant that libarchive does not know.
    case unsupported
    /// The archive needs more memory than there is, or than libarchive or the decompressor allows.
    case needsMemory
    case truncated
    /// A 7z whose bytes do not fit together: damaged, or one of those that libarchive misreads, such as PPMd with the
    /// filter BCJ.
    case doubtful
    case damaged

    private static let words: [(LibArchiveFailure, [String])] = [
        (.notAnArchive, ["unrecognized archive format"]),
        (.encrypted, ["encrypt", "crypto", "passphrase"]),
        // zstd: “Frame requires too much memory for decoding”; liblzma's limit: “Out of memory”.
        (
            .needsMemory,
            ["too much memory", "out of memory", "no memory", "not enough memory", "allocate", "allocation"]
        ),
        (
            .unsupported,
            [
                "unsupported", "not supported", "unknown codec", "unexpected codec", "unexpected property",
                "with many filters", "invalid options", "dictionary mismatch", "unrecognized gnu sparse",
            ]
        ),
        (.truncated, ["truncated", "unexpected end", "premature end"]),
    ]
    private static let doubtfulWords = ["damaged 7-zip", "decode ppmd", "bcj2 conversion"]

    /// - Parameters:
    ///   - message: libarchive's.
    ///   - isAtEnd: whether all of the archive was read and more was asked for.
    init(_ message: String, isAtEnd: Bool = false) {
        let message = message.lowercased()
        func holds(_ words: [String]) -> Bool { words.contains { message.contains($0) } }
        // A cause that is named comes before the end of the file, which then only follows from it.
        let named = Self.words.first { holds($0.1) }?.0
        self = named ?? (isAtEnd ? .truncated : holds(Self.doubtfulWords) ? .doubtful : .damaged)
    }

    /// - Parameters:
    ///   - what: the archive or the member, as the subject of a sentence.
    ///   - message: libarchive's.
    func error(_ what: String, _ message: String, member: String? = nil) -> ArchiveError {
        let reason = "libarchive reports \(quoted(message))"
        let (code, text, remedies): (ArchiveError.Code, String, [ArchiveError.Remedy]) =
            switch self {
            case .notAnArchive: (.notAnArchive, "\(what) is not a zip, 7z or tar archive.", [])
            case .encrypted:
                (.unsupported, "\(what) is encrypted in a way that cannot be decrypted here.", [.useOtherProgram])
            case .unsupported: (.unsupported, "\(what) cannot be unpacked by Pawl: \(reason).", [.useOtherProgram])
            case .needsMemory:
                (
                    .unsupported,
                    "\(what) cannot be unpacked by Pawl, because it needs more memory than is available or allowed: \(reason).",
                    [.useOtherProgram]
                )
            case .truncated: (.truncated, "\(what) is cut off: its end is missing.", [.fetchAgain])
            case .doubtful:
                (
                    .unsupported,
                    "\(what) cannot be unpacked by Pawl: \(reason). Either the archive is damaged, or it is compressed in a way that libarchive misreads.",
                    [.useOtherProgram, .fetchAgain]
                )
            case .damaged: (.damaged, "\(what) is damaged.", [.fetchAgain])
            }
        return ArchiveError(
            code, text, remedies: remedies, member: member,
            underlying: message.isEmpty ? nil : "libarchive: \(message)")
    }

    static func error(_ message: String, path: String, file: FileStream, member: String? = nil) -> ArchiveError {
        if let failure = file.failure { return failure }
        let what = member.map { "The member \(quoted($0)) of \(quoted(path))" } ?? quoted(path)
        let failure = Self(message, isAtEnd: file.isAtEnd)
        return failure.error(failure == .notAnArchive ? quoted(path) : what, message, member: member)
    }
}
