import PawlCore
import PawlJobs
import PawlOptions

/// `--extract` and its companions.
///
/// No option takes a value that may be left out: ``settle(_:)`` makes one of two options of it before the words are
/// parsed (docs/decisions/0075).
struct ExtractOptions: Sendable {
    var extract = false
    var extractTo: String?
    var extractKeep = false
    var extractRemove = false

    static let options = OptionDeclaration<Self>.without(
        .configuration, because: .oneDownload,
        [
            .flag(
                "extract", \.extract,
                help: "Unpack each archive once it is complete, beside it; --extract DIR unpacks into DIR."),
            .text("extract-to", "dir", \.extractTo, help: "The same as --extract DIR.", completion: .directory),
            .flag("extract-keep", \.extractKeep, help: "Keep the archive after unpacking (the default)."),
            .flag("extract-remove", \.extractRemove, help: "Remove the archive after unpacking."),
        ]
    ).map { $0.without(.lists, because: .wholeRun) }

    /// Returns the way to unpack; nil if nothing is to be unpacked.
    func unpacking(_ limits: Unpacking) throws(UsageError) -> Unpacking? {
        guard extract || extractTo != nil else {
            guard !extractKeep, !extractRemove else {
                throw UsageError("--extract-keep and --extract-remove go with --extract.")
            }
            return nil
        }
        guard !extractKeep || !extractRemove else {
            throw UsageError("--extract-keep and --extract-remove exclude each other: give one of them.")
        }
        if let extractTo, extractTo.isEmpty { throw UsageError("--extract takes the name of a directory, or nothing.") }
        var unpacking = limits
        unpacking.directory = extractTo
        unpacking.removesArchive = extractRemove
        return unpacking
    }

    /// `--extract DIR` and `--extract=DIR` become `--extract-to=DIR`. What follows `--extract` is a directory unless it
    /// is a flag or has `://` in it, as every URL that a download has.
    static func settle(_ words: [String]) -> [String] {
        guard words.first == "get" || words.first == "add" else { return words }
        var settled: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" { return settled + [word] + rest }
            if word.begins(with: "--extract=") {
                settled.append(
                    "--extract-to=" + String(decoding: word.utf8.dropFirst("--extract=".utf8.count), as: UTF8.self))
            } else if word == "--extract", let next = rest.first, !next.begins(with: "-"), !next.contains("://") {
                settled.append("--extract-to=" + next)
                rest = rest.dropFirst()
            } else {
                settled.append(word)
            }
        }
        return settled
    }
}
