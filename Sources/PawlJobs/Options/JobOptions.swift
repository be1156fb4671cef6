import Pawl
import PawlCore
package import PawlOptions

/// An option of a job: of `pawl get` and `pawl add`, and of one file in a list.
package typealias JobOption = OptionDeclaration<JobSpec>

/// The options of a job, by subject.
package enum JobOptions {
    /// The options that apply to one file, apart from its URLs and its place.
    package static let all: [JobOption] = [
        transfer, speed, parts, members, mirrors, digestLists, headers, caller, retrying, details, credentials,
        [keepPaths, ifExists],
    ].flatMap(\.self)

    package static let transfer: [JobOption] = [
        .value(
            "connections", letter: "x", "number", \.options.maximumConnections, initial: "8",
            help: "Maximum number of connections, 1 to 16. They are added only while they increase throughput.",
            read: OptionText.connections),
        checksum,
        .word(
            "compute-checksum", "algo", \.options.computedDigest,
            help: "Compute this checksum of the finished file, and tell it."),
        .value(
            "max-filesize", "size", \.options.maximumFileSize, help: "Refuse files larger than this: 700M, 4GB.",
            read: OptionText.size),
        .word(
            "on-change", "policy", \.options.onChange, initial: .restart,
            help: "What to do if the file has changed on the server: set the old data aside and restart, or fail."),
        adopt,
        .flag(
            "allow-insecure-redirect", \.options.allowsInsecureRedirect,
            help: "Follow redirects from https to http, without credentials."
        )
        .without(.configuration, because: .safety),
        .flag(
            "allow-web-page", \.options.allowsWebPage,
            help: "Store a web page although the URL names another kind of file."
        )
        .without(.configuration, because: .safety),
        .flag(
            "require-complete", \.options.requiresComplete,
            help:
                "Fail if neither a length, a clear end of the response, nor a checksum proves that the file is complete."
        ),
    ]

    package static let checksum = JobOption.value(
        "checksum", "ALGO:HEX", \.options.digest,
        help: "Fail unless the file has this checksum. ALGO is sha-256, sha-512, sha-1 or md5.", aria2: ["checksum"],
        takesNumber: false, read: OptionText.digest
    )
    .without(.configuration, because: .oneDownload)

    package static let speed: [JobOption] = [
        .value(
            "max-speed", "rate", \.options.maximumBytesPerSecond,
            help: "Maximum speed of each file, in bytes per second: 500k, 2M, 1.5MB.",
            read: OptionText.rate)
    ]

    package static let parts: [JobOption] = [
        .value(
            "range", "ranges", \.options.ranges,
            help:
                "Download only these bytes, counted from 0: 0-499, 500-, -500 (the last 500), or several with commas.",
            read: OptionText.ranges
        )
        .without(.configuration, because: .oneDownload),
        .flag(
            "sparse", \.options.isSparse,
            help: "Keep the parts at their positions in the file, with holes between them."
        )
        .without(.configuration, because: .oneDownload),
    ]

    package static let members: [JobOption] = [
        .texts(
            "member", "pattern", \.members,
            help:
                "Download only these members of the zip archive at URL. '*' matches within a directory, '**' across directories. May be repeated."
        )
        .without(.configuration, because: .oneDownload)
    ]

    package static let mirrors: [JobOption] = [
        .flag(
            "server-mirrors", \.options.usesServerMirrors,
            help:
                "Use the mirrors and the Metalink that the server names in Link headers (RFC 6249). Mirrors are used only if it also sends a digest."
        ),
        JobOption(
            "mirror-country", .values("country"),
            help:
                "Prefer mirrors in this country (two letters), or in these, with commas. May be repeated, nearest first."
        ) { (job, text) throws(OptionValueProblem) in
            let countries = OptionText.countries(text)
            guard countries.unknown.isEmpty, !countries.known.isEmpty else {
                throw OptionValueProblem(accepted: "countries of two letters, as in ISO 3166-1: de, us, jp")
            }
            job.options.preferredLocations += countries.known
        }
        .without(.configuration, because: .repeated),
    ]

    package static let digestLists: [JobOption] = [
        .text(
            "checksum-file", "file or url", \.digestList,
            help:
                "Fail unless the file has the checksum that this list states; 'auto' looks for a list beside the URL (docs/metalink.md).",
            completion: .file
        )
        .without(.configuration, because: .oneDownload)
    ]

    package static let headers: [JobOption] = [
        JobOption(
            "header", .values("Name: value"),
            help: "Send a header field to the URL's own origin and no other. May be repeated.", aria2: ["header"]
        ) { (job, text) throws(OptionValueProblem) in job.headers.append(try OptionText.headerField(text)) }
        .without(.configuration, because: .secret)
    ]

    /// The options about identification and the time that a response may take.
    package static let caller: [JobOption] = [
        .text(
            "user-agent", "text", \.userAgent, help: "Set the User-Agent header; '' sends none.",
            aria2: ["user-agent"]),
        .text(
            "referer", "url", \.referer, help: "Set the Referer header. Other origins see only its origin.",
            aria2: ["referer"]
        )
        .without(.configuration, because: .oneDownload),
        JobOption(
            "timeout", .value("time"),
            help: "Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.", aria2: ["timeout"],
            takesNumber: true
        ) { (job, text) throws(OptionValueProblem) in
            job.options.stallTimeout = try OptionText.time(text)
            job.options.responseTimeout = job.options.stallTimeout
        },
    ]

    package static let retrying: [JobOption] = [
        .value(
            "retries", "number", \.options.maximumRetries,
            help:
                "Maximum number of retries in a row without progress, or 'unlimited'. (default: 9, or 3 if the host does not answer at all)",
            read: OptionText.retryLimit),
        .value(
            "retry-max-time", "time", \.options.maximumRetryTime,
            help:
                "Stop retrying after this long without progress: 30s, 10m. (default: 1h if no server can be reached)",
            read: OptionText.time),
        .flag(
            "wait-for-network", \.options.waitsForNetwork,
            help: "Wait for the network even if nothing has come yet."),
        .flag(
            "ignore-retry-after", \.options.ignoresRetryAfter,
            help: "Send requests even if the server asked clients to wait (Retry-After)."
        )
        .without(.configuration, because: .safety),
    ]

    /// The options about times, and about existing and finished files.
    package static let details: [JobOption] = [
        .value(
            "max-time", "time", \.options.maximumTime,
            help: "Stop after this total time and keep the progress: 90s, 10m, 2h.", read: OptionText.time
        )
        .without(.configuration, because: .oneDownload),
        .flag(
            "if-newer", \.options.onlyIfNewer,
            help: "Download only if the server's file is newer than the existing one, and replace that."
        )
        .without(.configuration, because: .oneDownload),
        .flag(
            "remote-time", \.options.keepsRemoteTime, help: "Set the file's modification time to the server's.",
            aria2: ["remote-time"]),
        .flag(
            "xattr", \.options.recordsOrigin,
            help: "Record the file's URL and the checksum that matched in its extended attributes (user.xdg.*)."),
        .word(
            "sync", "policy", \.options.sync, initial: .group,
            help:
                "Sync each file to disk before it gets its name, sync small files in groups, or sync none: then a power cut may damage files."
        ),
    ]

    package static let credentials: [JobOption] = [
        JobOption(
            "user", .value("name[:password]"),
            help: "Log in to the URL's own origin, by Basic or Digest. Asks for a missing password."
        ) { (job, text) throws(OptionValueProblem) in
            // In a list nobody can be asked.
            guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
                throw OptionValueProblem(accepted: "name:password")
            }
            let password = String(decoding: text.utf8[colon...].dropFirst(), as: UTF8.self)
            job.authentication = .password(name: String(decoding: text.utf8[..<colon], as: UTF8.self), .value(password))
        }
        .without(.configuration, because: .secret),
        .flag(
            "digest", \.options.allowsOnlyDigest,
            help: "Log in by Digest only, which never sends the password itself."
        )
        .without(.configuration, because: .secret),
        JobOption(
            "bearer", .value("token"),
            help: "Send this bearer token to the URL's own origin. Other users can see it in the process list."
        ) { (job, text) in job.authentication = .bearer(.value(text)) }
        .without(.configuration, because: .secret),
        // A list may come from somebody else, and would send a file or a variable to a server that it names.
        JobOption(
            "bearer-file", .value("file"), help: "Read the bearer token from the first line of this file.",
            completion: .file
        ) { (job, text) in job.authentication = .bearer(.file(text)) }
        .without([.lists, .configuration], because: .secret),
        JobOption(
            "bearer-env", .value("variable"), help: "Read the bearer token from this environment variable."
        ) { (job, text) in job.authentication = .bearer(.environment(text)) }
        .without([.lists, .configuration], because: .secret),
        JobOption(
            "cookie", .values("a=b; c=d"), help: "Send these cookies to the URL's own origin. May be repeated."
        ) { (job, text) throws(OptionValueProblem) in
            guard text.utf8.contains(UInt8(ascii: "=")) else {
                throw OptionValueProblem(accepted: "'name=value', several separated by semicolons")
            }
            job.headers.append(HTTPField("Cookie", text))
        }
        .without(.configuration, because: .secret),
    ]

    package static let adopt = JobOption.flag(
        "adopt", \.options.adoptsPartialFile,
        help: "Resume a partial file of another URL or program, if samples match the server's."
    )
    .without(.configuration, because: .oneDownload)

    package static let keepPaths = JobOption.flag(
        "keep-paths", \.keepsPath,
        help:
            "Store each file as HOST/PATH of its URL."
    )

    package static let ifExists = JobOption.word(
        "if-exists", "policy", \.ifExists,
        help:
            "What to do if the target exists. When files are unpacked, that includes the directory: 'replace' deletes its contents. Default: fail; skip for several files, and when they are unpacked."
    )
}
