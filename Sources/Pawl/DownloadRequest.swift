public import PawlCore
public import PawlEngine

/// One file to fetch: from where, to where, and how.
///
/// ```swift
/// var request = DownloadRequest("https://example.org/disk.iso", to: "Downloads/disk.iso")
/// request.digest = try Digest(parsing: "sha-256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
/// ```
public struct DownloadRequest: Sendable {
    /// An absolute `http` or `https` URL.
    public var url: String
    /// An existing directory; relative paths start at the working directory.
    public var directory: String
    /// The name of the file in ``directory``. Nil takes the server's `Content-Disposition` (RFC 6266), or the last segment of the URL,
    /// both made safe.
    public var fileName: String?
    /// Extra header fields. They go to the origin (scheme, host, port) of ``url`` only, and are never written to disk.
    public var headers: [(name: String, value: String)] = []
    /// A name and password for the origin of ``url``, by Basic (RFC 7617) from the first request on, and by Digest (RFC 7616) where the
    /// server asks for it. Those in a URL itself come first, a ``Downloader/Configuration/netrc`` last.
    public var credentials: Credentials?
    /// A token of RFC 6750 for the origin of ``url``, sent with each request.
    public var bearerToken: String?
    /// Answer Digest challenges alone, so that no password is ever sent itself.
    public var allowsOnlyDigest = false
    /// Nil for Pawl's own; empty for none.
    public var userAgent: String?
    /// The page that led here: an absolute `http` or `https` URL. Sent without userinfo and fragment; to another origin only the page's own
    /// origin, and from an `https` page nothing over `http`.
    public var referer: String?
    /// Connections at once, 1 to 16. Pawl begins with one and adds more while that makes the download faster.
    public var maximumConnections = 8
    /// What the finished file must hash to. Without it the server's own `Repr-Digest` (RFC 9530) is used where it sends one.
    public var digest: Digest?
    /// Other URLs of the same file, at most ``Mirror/most``. Where a digest, piece hashes, or digests that the servers send show that they
    /// are the same, all are used at once; otherwise one after the other, each from the first byte. ``url`` is asked first.
    public var mirrors: [Mirror] = []
    /// Countries whose mirrors are asked first, by ISO 3166-1 (two letters), nearest first.
    public var preferredLocations: [String] = []
    /// Hashes of pieces of the file: each piece is checked as it comes, and fetched again, from another source if there is one, when it
    /// is wrong.
    public var pieceHashes: PieceHashes?
    /// In bytes. A source whose file has another length is not used.
    public var expectedSize: Int64?
    /// Use the mirrors that the server names in its answer (RFC 6249), where it sends a digest of the file with them.
    /// The Metalink that it names is for `PawlMetalink`, and `Downloader.described(_:)`.
    public var usesServerMirrors = false
    /// In bytes; a longer file fails with ``DownloadError/Code/tooLarge``, before anything is stored where the server tells its length.
    /// Nil for no limit.
    public var maximumFileSize: Int64?
    /// Store a web page even where the name asked for is of another kind. Without it, HTML in answer to `file.zip` is taken for a login
    /// page and refused.
    public var allowsWebPage = false
    /// Fail with ``DownloadError/Code/incomplete`` where nothing shows that all bytes came: the server gave neither a
    /// length nor an end that can be told from a cut (RFC 9112 §8), and there is no digest. What came stays a partial
    /// file, which no later run takes for the whole. False: such a file gets its name, and
    /// ``DownloadResult/isComplete`` is false.
    public var requiresComplete = false
    /// In bytes per second; nil for no limit.
    public var maximumBytesPerSecond: Int64?
    /// The parts of the file that are wanted, in this order; nil for the whole. The result is those parts one behind the other, and a
    /// ``digest`` is that of the result. Parts that the file does not have fail with ``DownloadError/Code/invalidArgument``.
    public var ranges: RangeSelection?
    /// Leave the parts at the positions that they have in the whole, with holes between them.
    public var isSparse = false
    /// Of a stream: how many bytes may have come that its reader has not taken; at least 4 MiB. Buffers of up to 6 MiB come on top.
    public var streamWindow: Int64 = 32 << 20
    /// What to do when the server has another file than the one begun earlier.
    public var onChange: ChangePolicy = .restart
    /// What to do when the target exists already.
    public var ifExists: ExistingFilePolicy = .fail
    /// Go on from a partial file that another program left, after comparing its last 64 KiB with the server's.
    public var adoptsPartialFile = false
    /// Follow redirects from `https` to `http`, without credentials.
    public var allowsInsecureRedirect = false
    /// A connection that brings no byte for this long is given up and its range fetched anew.
    public var stallTimeout: Duration = .seconds(30)
    /// How long a server may take to begin an answer.
    public var responseTimeout: Duration = .seconds(60)
    /// From the beginning to the last byte; then it fails with ``DownloadError/Code/timeout``, and what came is kept. Nil for no limit.
    public var maximumTime: Duration?
    /// Fetch nothing unless the server's file is newer than the one that has the target's name, which is then replaced at the end
    /// (``ifExists`` does not count). See `docs/conditional.md`.
    public var onlyIfNewer = false
    /// Give the finished file the time of modification that the server tells.
    public var keepsRemoteTime = false
    /// Write where the file came from, and the digest that matched, into extended attributes of it (`user.xdg.*`).
    public var recordsOrigin = false
    /// Called when the link has expired (401, 403 or 410 after it had worked), at most once in 30 seconds. Return a fresh URL of the same
    /// file, or nil to fail with ``DownloadError/Code/unauthorized``. What was stored is kept either way.
    public var refreshURL: (@Sendable () async -> String?)?

    /// - Parameters:
    ///   - url: absolute, `http` or `https`.
    ///   - directory: where the file goes; its name comes from the server.
    public init(_ url: String, in directory: String = ".") {
        self.url = url
        self.directory = directory
    }

    /// - Parameters:
    ///   - url: absolute, `http` or `https`.
    ///   - path: of the finished file. Its directory must exist.
    public init(_ url: String, to path: String) {
        self.url = url
        // By bytes, as the system reads it: in `Character`s, a slash that a combining mark follows is no slash.
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
            directory = slash == path.utf8.startIndex ? "/" : String(decoding: path.utf8[..<slash], as: UTF8.self)
            fileName = String(decoding: path.utf8[slash...].dropFirst(), as: UTF8.self)
        } else {
            directory = "."
            fileName = path
        }
    }
}

extension DownloadRequest {
    /// Checks everything that can be checked without touching disk or network.
    func resolved() throws(DownloadError) -> DownloadSpec {
        let parsed = try HTTPURL.checked(url)
        var settings = DownloadSettings(url: parsed)
        settings.fields = try headers.map { (field) throws(DownloadError) in try Self.checked(field) }
        guard (1...16).contains(maximumConnections) else {
            throw .argument("\(maximumConnections) connections: choose a number from 1 to 16.")
        }
        settings.maximumConnections = maximumConnections
        settings.digest = digest
        if let limit = maximumFileSize {
            guard limit >= 0 else { throw .argument("A limit of \(limit) bytes: it cannot be less than zero.") }
            settings.maximumFileSize = limit
        }
        try addSources(to: &settings)
        if ranges != nil, adoptsPartialFile {
            throw .argument("A partial file of another program is the beginning of the whole: it cannot be adopted for parts of it.")
        }
        if isSparse, ranges == nil { throw .argument("Only parts of a file can be kept at their positions: give ranges too.") }
        settings.ranges = ranges
        settings.isSparse = isSparse
        settings.allowsWebPage = allowsWebPage
        settings.requiresComplete = requiresComplete
        settings.onChange = onChange
        try addRequestOptions(to: &settings)
        settings.allowsInsecureRedirect = allowsInsecureRedirect
        var spec = DownloadSpec(settings: settings, directory: directory.isEmpty ? "." : directory)
        if let fileName { spec.fileName = try Self.checked(fileName: fileName) }
        spec.ifExists = onlyIfNewer ? .replace : ifExists
        spec.onlyIfNewer = onlyIfNewer
        if onlyIfNewer, adoptsPartialFile {
            throw .argument("A partial file cannot be adopted where only a newer file is wanted: leave one of the two out.")
        }
        spec.adopts = adoptsPartialFile
        if let rate = maximumBytesPerSecond {
            guard rate > 0 else { throw .argument("A speed limit of \(rate): it must be more than zero.") }
            spec.bytesPerSecond = rate
        }
        return spec
    }

    private static func checked(_ field: (name: String, value: String)) throws(DownloadError) -> HTTPField {
        let isToken = !field.name.isEmpty && field.name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        guard isToken else { throw .argument("“\(field.name)” is not a header name (RFC 9110 §5.1).") }
        guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw .argument("The value of header “\(field.name)” has control characters in it.")
        }
        let owned = ["range", "if-range", "accept-encoding", "host", "connection", "transfer-encoding", "content-length"]
        guard !owned.contains(field.name.lowercased()) else {
            throw .argument("Header “\(field.name)” is Pawl's own to set; leave it out.")
        }
        return HTTPField(field.name, field.value)
    }

    private static func checked(fileName: String) throws(DownloadError) -> String {
        guard !fileName.isEmpty, fileName != ".", fileName != "..", !fileName.utf8.contains(UInt8(ascii: "/")),
            !fileName.utf8.contains(0)
        else {
            throw .argument("“\(fileName)” is not a file name. Name the file, not a directory.")
        }
        return fileName
    }
}

extension HTTPURL {
    static func checked(_ text: String) throws(DownloadError) -> HTTPURL {
        do {
            return try HTTPURL(parsing: text)
        } catch {
            throw DownloadError(.invalidURL, error.message, recovery: .giveUp)
        }
    }
}

extension DownloadError {
    static func argument(_ message: String) -> DownloadError {
        DownloadError(.invalidArgument, message, recovery: .giveUp)
    }
}
