/// The options of a download that are plain values, and so the same in the library, the engine and the session.
///
/// ```swift
/// var request = DownloadRequest("https://example.org/disk.iso", to: "disk.iso")
/// request.maximumConnections = 4
/// request.maximumBytesPerSecond = 20 << 20
/// request.onChange = .fail
/// request.options.ifExists = .replace  // The same as request.ifExists.
/// ```
public struct DownloadOptions: Hashable, Sendable {
    // A new option is a property here and an entry of `all` below.

    // MARK: Connections

    /// Connections at once, 1 to 16. A download starts with one; connections are added only while they increase
    /// throughput.
    public var maximumConnections = 8
    /// The speed limit in bytes per second; nil for no limit.
    public var maximumBytesPerSecond: Int64?
    /// A connection that has been idle this long is dropped, and its range is requested again.
    public var stallTimeout: Duration = .seconds(30)
    /// The time from a request to the whole header of its response.
    public var responseTimeout: Duration = .seconds(60)
    /// The time from the start to the last byte. If it is exceeded, the download fails with
    /// ``DownloadError/Code/timeout``, and the partial file is kept. Nil for no limit.
    public var maximumTime: Duration?
    /// The number of retries in a row of a request that brought no new byte; 0 fails at once. Nil chooses: 9, and 3 for
    /// a host that has not answered at all. Once there are bytes, a server that cannot be reached is waited for by time
    /// instead: for an hour after the first failure, or for ``maximumRetryTime``.
    public var maximumRetries: Int?
    /// No retry begins later than this after the first failure since the last new byte. Nil for no limit, apart from
    /// that of a server that cannot be reached.
    public var maximumRetryTime: Duration?
    /// Wait for the network as long as for one that fails during a download, even if nothing has been received yet: for
    /// an hour, or for ``maximumRetryTime``. ``maximumRetries`` takes its place if set.
    public var waitsForNetwork = false
    /// Send requests although the server asked for a wait (`Retry-After`, RFC 9110 §10.2.3), to this run or to an
    /// earlier one: retries wait as after any other failure.
    public var ignoresRetryAfter = false
    /// The number of bytes that a stream may buffer ahead of its reader; at least 4 MiB. Buffers of up to 6 MiB come on
    /// top.
    public var streamWindow: Int64 = 32 << 20
    /// Follow redirects from `https` to `http`, without credentials.
    public var allowsInsecureRedirect = false
    /// Answer Digest challenges only, so that the password itself is never sent.
    public var allowsOnlyDigest = false

    // MARK: Sources

    /// Countries whose mirrors are tried first, by ISO 3166-1 (two letters), nearest first.
    public var preferredLocations: [String] = []
    /// Use the mirrors that the server names in its response (RFC 6249), if it sends a digest of the file with them.
    /// The Metalink that it names is for `PawlMetalink`, and `Downloader.described(_:)`.
    public var usesServerMirrors = false

    // MARK: What is accepted

    /// The digest that the finished file must match. Without it, the server's own `Repr-Digest` (RFC 9530) is used if
    /// there is one.
    public var digest: Digest?
    /// Compute a digest of the finished file with this algorithm, for the result's `digest`. It is compared with
    /// nothing. A stream has none. Nil: the result has the digest that matched, if there was one.
    public var computedDigest: DigestAlgorithm?
    /// Hashes of the file's pieces. Each piece is checked as it arrives; one that does not match is requested again,
    /// from another source if possible.
    public var pieceHashes: PieceHashes?
    /// The length of the file in bytes. A source whose file has another length is not used.
    public var expectedSize: Int64?
    /// The greatest length in bytes; a longer file fails with ``DownloadError/Code/tooLarge``, before anything is
    /// stored if the server sends its length. Nil for no limit.
    public var maximumFileSize: Int64?
    /// Store a web page even if the file name is of another type. Without it, HTML in response to `file.zip` is taken
    /// for a login page and refused.
    public var allowsWebPage = false
    /// Fail with ``DownloadError/Code/incomplete`` if nothing proves that the file is complete: the server sent neither
    /// a length nor an end that differs from a lost connection (RFC 9112 §8), and there is no digest. The bytes stay a
    /// partial file, which no later run takes for the whole. False: such a file gets its name, and the result's
    /// `isComplete` is false.
    public var requiresComplete = false
    /// The behaviour when the server's file differs from the one in the partial file.
    public var onChange: ChangePolicy = .restart

    // MARK: Parts

    /// The parts of the file to fetch, in this order; nil for the whole file. The result holds these parts one after
    /// the other, and ``digest`` is that of the result. Parts that the file does not have fail with
    /// ``DownloadError/Code/invalidArgument``.
    public var ranges: RangeSelection?
    /// Leave the parts at their positions in the whole file, with holes between them.
    public var isSparse = false

    // MARK: The target

    /// The policy for a target that already exists. Nil fails; with ``onlyIfNewer``, nil replaces it.
    public var ifExists: ExistingFilePolicy?
    /// Fetch nothing unless the server's file is newer than the target. A newer file is stored as ``ifExists`` says.
    /// See `docs/conditional.md`.
    public var onlyIfNewer = false
    /// Resume from a partial file that another program left, after comparing its first and last 64 KiB with the
    /// server's, and from 16 MiB on three stretches between. A ``digest`` compares all of it.
    public var adoptsPartialFile = false
    /// Set the finished file's modification time to the server's `Last-Modified`.
    public var keepsRemoteTime = false
    /// Record the URL, and the digest that matched, in extended attributes of the finished file (`user.xdg.*`).
    public var recordsOrigin = false
    /// The data that is made durable before a file gets its name.
    public var sync: SyncPolicy = .group

    public init() {}
}

extension DownloadOptions {
    /// Every option, with its name in sessions (docs/session-format.md), which is never changed, and its word.
    ///
    /// `isGuarantee`: callers rely on it, so requests that differ in it cannot share a download.
    package static let all: [DownloadOption] = [
        .number("connections", \.maximumConnections) {
            (1...16).contains($0) ? nil : "\($0) connections: choose a number from 1 to 16."
        },
        .number("rate", \.maximumBytesPerSecond) {
            $0 > 0 ? nil : "A speed limit of \($0): it must be more than zero."
        }.called("max-speed"),
        .duration("stall-timeout", \.stallTimeout) { problem($0, "stall") },
        .duration("response-timeout", \.responseTimeout) { problem($0, "response") },
        .duration("maximum-time", \.maximumTime) { problem($0, "whole") }.called("max-time"),
        .number("retries", \.maximumRetries) {
            (0...1_000_000).contains($0) ? nil : "\($0) retries: choose a number from 0 to 1000000."
        },
        .duration("retry-time", \.maximumRetryTime) { problem($0, "retries") }.called("retry-max-time"),
        .flag("wait-for-network", \.waitsForNetwork),
        .flag("ignore-retry-after", \.ignoresRetryAfter),
        .number("stream-window", \.streamWindow),
        .flag("insecure-redirect", \.allowsInsecureRedirect, isGuarantee: true).called("allow-insecure-redirect"),
        .flag("digest-only", \.allowsOnlyDigest, isGuarantee: true),
        .words("location", \.preferredLocations).called("mirror-country"),
        .flag("server-mirrors", \.usesServerMirrors),
        .text("digest", \.digest, isGuarantee: true, write: \.description) { try? Digest(parsing: $0) }
            .called("checksum"),
        .text("compute-checksum", \.computedDigest, isGuarantee: true, write: \.rawValue) { DigestAlgorithm(name: $0) },
        .text("pieces", \.pieceHashes, isGuarantee: true, write: \.text) { PieceHashes(text: $0) },
        .number("size", \.expectedSize, isGuarantee: true) {
            $0 >= 0 ? nil : "An expected size of \($0) bytes: it cannot be less than zero."
        },
        .number("maximum-size", \.maximumFileSize, isGuarantee: true) {
            $0 >= 0 ? nil : "A limit of \($0) bytes: it cannot be less than zero."
        }.called("max-filesize"),
        .flag("web-page", \.allowsWebPage, isGuarantee: true).called("allow-web-page"),
        .flag("require-complete", \.requiresComplete, isGuarantee: true),
        .word("on-change", \.onChange, isGuarantee: true),
        .text("ranges", \.ranges, write: \.description) { try? RangeSelection(parsing: $0) }.called("range"),
        .flag("sparse", \.isSparse),
        .word("if-exists", \.ifExists),
        .flag("only-if-newer", \.onlyIfNewer).called("if-newer"),
        .flag("adopts", \.adoptsPartialFile).called("adopt"),
        .flag("remote-time", \.keepsRemoteTime),
        .flag("records-origin", \.recordsOrigin).called("xattr"),
        .word("sync", \.sync, isGuarantee: true),
    ]

    private static func problem(_ time: Duration, _ name: String) -> String? {
        time > .zero ? nil : "The time allowed (\(name)) must be more than zero."
    }

    /// The first option whose value is impossible, or that contradicts another one; nil if there is none.
    package var problem: OptionProblem? {
        // The usual case, asked for each of a million files: nothing is set that could be wrong.
        var rest = self
        (rest.digest, rest.ifExists) = (Self.usual.digest, Self.usual.ifExists)
        (rest.onChange, rest.sync) = (Self.usual.onChange, Self.usual.sync)
        if rest == Self.usual { return nil }
        for option in Self.all {
            if let message = option.problem(self) { return OptionProblem(options: [option.name], message: message) }
        }
        if let pieceHashes, let expectedSize, !pieceHashes.fits(expectedSize) {
            return OptionProblem(
                options: ["pieces", "size"],
                message:
                    "\(pieceHashes.count) hashes of pieces of \(pieceHashes.pieceLength) bytes do not fit a file of \(expectedSize) bytes. Check where they came from."
            )
        }
        if isSparse, ranges == nil {
            return OptionProblem(
                options: ["sparse"], message: "Only parts of a file can be stored at their positions: give ranges too.")
        }
        guard adoptsPartialFile else { return nil }
        if ranges != nil {
            return OptionProblem(
                options: ["adopts", "ranges"],
                message:
                    "A partial file of another program can be adopted only for the whole file, not for ranges of it."
            )
        }
        if onlyIfNewer {
            return OptionProblem(
                options: ["adopts", "only-if-newer"],
                message:
                    "Adopting a partial file and downloading only a newer one exclude each other: leave one of the two out."
            )
        }
        return nil
    }

    private static let usual = DownloadOptions()

    /// The policy for an existing target: the caller's, or the default.
    package var existingFilePolicy: ExistingFilePolicy { ifExists ?? (onlyIfNewer ? .replace : .fail) }

    /// The options that a caller may rely on: which bytes are accepted, and how they are requested. All others have
    /// their defaults.
    package var guarantees: DownloadOptions {
        var guarantees = DownloadOptions()
        for option in Self.all where option.isGuarantee { option.copy(self, &guarantees) }
        return guarantees
    }
}

/// The behaviour when the server's file differs from the one in the partial file.
public enum ChangePolicy: String, Hashable, Sendable, CaseIterable {
    /// Keep the old partial file aside and start over.
    case restart
    /// Stop with ``DownloadError/Code/changed``, and leave the partial file as it is.
    case fail
}

/// The data that is made durable, so that it survives a loss of power, before a finished file gets its name and counts
/// as complete.
public enum SyncPolicy: String, Hashable, Sendable, CaseIterable {
    /// Each file, by syncs of its own.
    case file
    /// Each file; small ones that end within some milliseconds share their syncs.
    case group
    /// Nothing. After a loss of power or a crash of the system, a file that was complete may be missing, empty or
    /// damaged; other failures do it no harm. Files that are put together from parts, and those adopted in place, are
    /// synced all the same.
    case none
}

/// The behaviour when the target already exists.
public enum ExistingFilePolicy: String, Hashable, Sendable, CaseIterable {
    /// Stop with ``DownloadError/Code/fileExists``. With a ``DownloadOptions/digest``, a file that matches it is done.
    case fail
    /// Leave it and be done: without a request where the caller names the file, or a URL without a query does. With
    /// a ``DownloadOptions/digest`` it has to match that; otherwise ``DownloadError/Code/digestMismatch`` is thrown.
    /// If another process makes the file meanwhile, the bytes that were fetched of it are removed.
    case skip
    /// Take the next free name, `file (1).iso`.
    case rename
    /// Put the whole new file in its place at the end, atomically.
    case replace
}
