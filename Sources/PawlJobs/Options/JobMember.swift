import Pawl
import PawlCore
import PawlOptions

/// A member of a job's JSON, which is that of the HTTP API, and the option that sets it.
///
/// An option is a member of `options` with the same word, unless a row says otherwise; descriptions are the help of
/// the option, unless that is about words that programs do not write.
package struct JobMember: Hashable, Sendable {
    /// `options.maxSpeed`.
    package let name: String
    /// The name of the option, without hyphens; nil for a member that no option sets.
    package let option: String?
    package let description: String

    package static let all = JobOptions.all.flatMap(members) + ofPrograms

    private static func members(of option: JobOption) -> [JobMember] {
        (others[option.name] ?? ["options." + DownloadOption.jsonName(option.name)]).map {
            JobMember(name: $0, option: option.name, description: descriptions[$0] ?? option.help)
        }
    }

    private static let others = [
        // `digest` was the name of the checksum.
        "digest": ["options.digestOnly"],
        // One for people; programs may tell the two apart.
        "timeout": ["options.stallTimeout", "options.responseTimeout"],
        // Not options of a download, but a part of the job; lists have the plural.
        "header": ["headers"], "cookie": ["headers"], "member": ["members"], "user-agent": ["userAgent"],
        "referer": ["referer"], "checksum-file": ["digestList"], "keep-paths": ["keepPath"],
        // A login has two parts, each of which may be a secret.
        "user": ["authentication"], "bearer": ["authentication"], "bearer-file": ["authentication"],
        "bearer-env": ["authentication"],
    ]

    private static let descriptions = [
        "options.maxSpeed": "Maximum speed of the file, in bytes per second.",
        "options.maxFilesize": "Refuse files larger than this, in bytes.",
        "options.stallTimeout": "Drop a connection that is idle for this many seconds.",
        "options.responseTimeout": "Drop a connection that has not answered a request after this many seconds.",
        "options.maxTime": "Stop after this total time in seconds and keep the progress.",
        "options.retries":
            "Maximum number of retries in a row without progress; 1000000 for no limit. (default: 9, or 3 if the host does not answer at all)",
        "options.retryMaxTime":
            "Stop retrying after this many seconds without progress. (default: 3600 if no server can be reached)",
        "options.mirrorCountry": "Prefer mirrors in these countries (two letters), nearest first.",
        "options.checksum": "Fail unless the file has this checksum, ALGO:HEX. ALGO is sha-256, sha-512, sha-1 or md5.",
        "options.computeChecksum": "Compute this checksum of the finished file, and tell it to hooks.",
        "options.ifExists": "What to do if the file exists, or the directory that it is unpacked to.",
    ]

    /// Metalinks say them, and the library; nobody types them.
    private static let ofPrograms = [
        JobMember(name: "options.size", option: nil, description: "Refuse files of another length, in bytes."),
        JobMember(
            name: "options.pieces", option: nil,
            description:
                "Hashes of the file's pieces: algorithm, length of a piece, and all hashes, one after the other."),
        JobMember(
            name: "options.streamWindow", option: nil,
            description: "Of a stream, the number of bytes that may be buffered ahead of its reader."),
    ]
}
