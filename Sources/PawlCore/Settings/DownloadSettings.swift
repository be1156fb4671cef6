/// The settings of a download for its machine: the caller's request, checked, and the engine's additions.
///
/// Copies are cheap: a queue has many thousands, and most of them share all but their URLs.
@dynamicMemberLookup
package struct DownloadSettings: Hashable, Sendable {
    /// The part of a request besides its URL and its target. All files of a list may have one in common.
    package struct Template: Hashable, Sendable {
        /// The current address, if the URL has expired. Stored data stays keyed by the URL.
        package var freshURL: HTTPURL?
        package var options = DownloadOptions()
        /// Fields of the caller, sent to the origin of ``askedURL`` only.
        package var callerFields: [HTTPField] = []
        /// The value of `User-Agent`; empty for no such field.
        package var userAgent = defaultUserAgent
        /// The page that led to the URL.
        package var referer: HTTPURL?
        /// The name and password for the origin of ``askedURL`` only.
        package var credentials: Credentials?
        package var bearerToken: BearerToken?
        /// Other URLs of the same file. What they may be used for, docs/mirrors.md says.
        package var mirrors: [Source] = []

        package static let defaultUserAgent = "Pawl/1"

        package init() {}

        /// Whether the two are the same to the byte. Two texts that Swift takes for equal may differ in theirs.
        package func isExactly(_ other: Self) -> Bool {
            self == other && texts.elementsEqual(other.texts) { $0.isExactly($1) }
        }

        private var texts: [String] {
            [userAgent, credentials?.name ?? "", credentials?.password ?? ""]
                + callerFields.flatMap { [$0.name, $0.value] } + options.preferredLocations
        }
    }

    /// The request for one file, checked: its URL, and the rest.
    package struct Request: Hashable, Sendable {
        package var url: HTTPURL
        package var template: Boxed<Template>

        package init(url: HTTPURL, _ template: Boxed<Template> = plain) { (self.url, self.template) = (url, template) }

        /// The first to be asked.
        package var askedURL: HTTPURL { template.value.freshURL ?? url }

        /// Whether a file that exists is enough.
        var leavesExisting: Bool { template.value.options.existingFilePolicy == .skip }
    }

    /// The engine's own ways with a download, which few have that are not the usual ones.
    package struct Ways: Hashable, Sendable {
        package var smallestPiece: Int64 = 1 << 20
        /// The representation that an earlier download saw, when other parts of the same file are wanted now. The first
        /// response is compared with this, so that a different file is refused before any byte is written.
        package var expected: Representation?
        /// The caller has checksums of its own for what comes, so that a missing validator is no obstacle.
        package var isCheckedByCaller = false
        /// Whether a server that sends the whole in place of parts is read as far as they reach, if that is not far.
        package var readsWhole = true
        /// No request asks for more. Then none needs to be cut short for another connection, which would throw away
        /// what was on its way.
        package var maximumRequestLength: Int64?
        /// Whether small parts may go into one request.
        package var asksForSeveral = true
        /// The number of bytes that a stream may hold that its reader has not taken; nil if the bytes go to a file.
        package var window: Int64?
        /// The version of the existing target, if only a newer file is wanted.
        package var targetVersion: TargetVersion?
        package var retry = RetryPolicy()
        /// Whether redirects are followed. If not, the first one ends the download with an error that holds its target.
        package var followsRedirects = true
        package var shortestRefreshInterval: Duration = .seconds(30)
        package var overlap: Int64 = 64 * 1024
    }

    package var request: Request
    /// The name the caller chose.
    package var fileName: String?
    private var ways = usual
    package var netrc: Netrc?
    /// Whether the caller can supply a fresh URL.
    package var canRefresh = false
    /// Facts remembered about the hosts of the URLs, by ``HTTPURL/originKey``.
    package var hostHints = KnownHosts()
    /// Tries without progress that earlier runs of this download have made, so that a rest between them is no new
    /// beginning.
    package var failuresBefore = 0
    package var seed: UInt64 = 0
    /// Seconds since 1970 at ``Instant/zero``, for a `Retry-After` that names a date.
    package var epochAtZero: Int64 = 0

    /// The template of a request for nothing but a URL and a target.
    package static let plain = Boxed(Template())
    private static let usual = Boxed(Ways())

    package init(_ request: Request) { self.request = request }

    package init(url: HTTPURL, _ template: Boxed<Template> = plain) { request = Request(url: url, template) }

    package var url: HTTPURL {
        _read { yield request.url }
        set { request.url = newValue }
    }

    package var options: DownloadOptions {
        _read { yield request.template.value.options }
        set { request.template.value.options = newValue }
    }

    package subscript<Value>(dynamicMember option: WritableKeyPath<DownloadOptions, Value>) -> Value {
        get { request.template.value.options[keyPath: option] }
        set { request.template.value.options[keyPath: option] = newValue }
    }

    package subscript<Value>(dynamicMember part: WritableKeyPath<Template, Value>) -> Value {
        get { request.template.value[keyPath: part] }
        set { request.template.value[keyPath: part] = newValue }
    }

    package subscript<Value>(dynamicMember way: WritableKeyPath<Ways, Value>) -> Value {
        get { ways.value[keyPath: way] }
        set { ways.value[keyPath: way] = newValue }
    }

    package var existingFilePolicy: ExistingFilePolicy { options.existingFilePolicy }

    /// The first to be asked.
    package var askedURL: HTTPURL { request.askedURL }

    /// Takes in what is remembered of the host of each URL.
    package mutating func takeHints(from hints: (HTTPURL) -> HostHints) {
        for url in [askedURL] + self.mirrors.map(\.url) {
            let found = hints(url)
            if found != HostHints() { hostHints[url.originKey] = found }
        }
    }

    /// The URL that stored bytes are recorded under. A fresh one stands for another place of the file, unless it
    /// differs in secrets alone.
    package var recordedURL: HTTPURL {
        guard let freshURL = self.freshURL, !urlIdentity(of: freshURL).isExactly(urlIdentity) else { return url }
        return freshURL
    }

    /// The caller's own first.
    package var allURLs: [HTTPURL] { [url] + self.mirrors.map(\.url) }

    /// Pieces are those of a whole file that lies on the disk as it is.
    package var checkablePieces: PieceHashes? {
        options.ranges == nil && self.window == nil ? options.pieceHashes : nil
    }

    /// The finished bytes are verified by a digest, so weak validators suffice until then.
    package var decidesByDigest: Bool { options.digest != nil || checkablePieces != nil || self.isCheckedByCaller }
}
