/// What a caller asked of one download, as plain values.
package struct DownloadSettings: Hashable, Sendable {
    package var url: HTTPURL
    /// Fields of the caller, sent to the origin of `url` only.
    package var fields: [HTTPField] = []
    /// Empty: no such field.
    package var userAgent = "Pawl/1"
    /// The page that led to the URL.
    package var referer: HTTPURL?
    /// For the origin of `url` only.
    package var credentials: Credentials?
    package var bearerToken: BearerToken?
    /// Answer Digest challenges, and never send a password itself.
    package var allowsOnlyDigest = false
    package var netrc: Netrc?
    package var maximumConnections = 8
    package var smallestPiece: Int64 = 1 << 20
    package var onChange: ChangePolicy = .restart
    package var digest: Digest?
    /// Other URLs of the same file. What they may be used for, docs/mirrors.md says.
    package var mirrors: [Source] = []
    /// Countries whose mirrors are asked first, nearest first.
    package var preferredLocations: [String] = []
    package var pieces: PieceHashes?
    /// The length that the file must have; a source with another one is not used.
    package var expectedTotal: Int64?
    /// What an earlier download saw of the file whose other parts are wanted now. A server with another file is told from it as if its bytes
    /// were held already, from the first request on.
    package var expected: Representation?
    /// The caller has checksums of its own for what comes, so that a missing validator is no obstacle.
    package var isCheckedByCaller = false
    /// Whether the mirrors that a server names are used as well (RFC 6249).
    package var usesServerMirrors = false
    /// The parts that are wanted; nil: the whole.
    package var ranges: RangeSelection?
    /// Whether a server that sends the whole in place of parts is read as far as they reach, if that is not far.
    package var readsWhole = true
    /// No request asks for more. Then none needs to be cut short for another connection, which would throw away what was on its way.
    package var longestRequest: Int64?
    /// Whether small parts may go into one request.
    package var asksForSeveral = true
    /// Whether the parts keep the positions that they have in the whole.
    package var isSparse = false
    /// For a stream: how many bytes may be held that its reader has not taken. Nil: the bytes go to a file.
    package var window: Int64?
    /// More than this is not stored; nil for no limit.
    package var maximumFileSize: Int64?
    /// What has the target's name now, where only a newer file is wanted.
    package var targetVersion: TargetVersion?
    /// Give the finished file the server's `Last-Modified`.
    package var keepsRemoteTime = false
    /// Write into extended attributes of the finished file where it came from.
    package var recordsOrigin = false
    /// The name the caller chose.
    package var fileName: String?
    /// Store a web page also where its name says that something else was asked for.
    package var allowsWebPage = false
    /// Fail where the end of the last answer shows nothing, and no digest does.
    package var requiresComplete = false
    package var retry = RetryPolicy()
    /// Without a byte for this long, a connection is given up.
    package var stallTimeout: Duration = .seconds(30)
    /// From the request to the whole head of the response.
    package var headTimeout: Duration = .seconds(60)
    /// From the beginning to the last byte; nil for no limit.
    package var maximumTime: Duration?
    package var allowsInsecureRedirect = false
    /// Whether the caller can supply a fresh URL.
    package var canRefresh = false
    package var shortestRefreshInterval: Duration = .seconds(30)
    package var overlap: Int64 = 64 * 1024
    /// What is remembered of the hosts of the URLs, by ``HTTPURL/originKey``.
    package var hostHints: [String: HostHints] = [:]
    /// Tries without progress that earlier runs of this download have made, so that a rest between them is no new beginning.
    package var failuresBefore = 0
    package var seed: UInt64 = 0
    /// Seconds since 1970 at ``Instant/zero``, for a `Retry-After` that names a date.
    package var epochAtZero: Int64 = 0

    package init(url: HTTPURL) { self.url = url }

    /// Takes in what is remembered of the host of each URL.
    package mutating func takeHints(from hints: (HTTPURL) -> HostHints) {
        for url in allURLs {
            let found = hints(url)
            if found != HostHints() { hostHints[url.originKey] = found }
        }
    }

    /// The caller's own first.
    package var allURLs: [HTTPURL] { [url] + mirrors.map(\.url) }

    /// Pieces are those of a whole file that lies on the disk as it is.
    package var checkablePieces: PieceHashes? { ranges == nil && window == nil ? pieces : nil }

    /// Whatever servers say of themselves, the end will tell which bytes are right.
    package var decidesByDigest: Bool { digest != nil || checkablePieces != nil || isCheckedByCaller }
}

/// What to do when the server has another file than the one that was begun.
public enum ChangePolicy: String, Hashable, Sendable, CaseIterable {
    /// Keep the old partial file aside and begin anew.
    case restart
    /// Stop with ``DownloadError/Code/changed``, and leave the partial file as it is.
    case fail
}
