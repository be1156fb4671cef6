public import PawlCore
import PawlEngine
import PawlSystem

/// A file to download: its URL, its target and its options.
///
/// ```swift
/// var request = DownloadRequest("https://example.org/disk.iso", to: "Downloads/disk.iso")
/// request.digest = try Digest(parsing: "sha-256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
/// ```
///
/// Every property of ``DownloadOptions`` is one of the request, too: `request.digest` is `request.options.digest`.
@dynamicMemberLookup
public struct DownloadRequest: Sendable {
    /// An absolute `http` or `https` URL.
    public var url: String
    /// An existing directory; relative paths start at the working directory.
    public var directory: String
    /// The current address of the file, if ``url`` has expired; used from the first request on. Stored data, the file
    /// name and the detection of duplicates stay keyed by ``url``. The download resumes only if the responses prove
    /// that the file is the same. ``headers`` and ``authentication`` are then for the origin of this URL.
    public var freshURL: String?
    /// The name of the file in ``directory``. Nil takes the server's `Content-Disposition` (RFC 6266), or the last
    /// segment of the URL, both made safe.
    public var fileName: String?
    /// Other URLs of the same file, at most ``Mirror/maximumCount``. If a digest, piece hashes, or digests that the
    /// servers send prove that they have the same file, all are used at once; otherwise one after the other, each from
    /// the first byte. ``url`` comes first.
    ///
    /// ```swift
    /// var request = DownloadRequest("https://example.org/disk.iso", to: "disk.iso")
    /// request.mirrors = [Mirror("https://mirror.example.net/disk.iso", priority: 1, location: "de")]
    /// request.digest = try Digest(
    ///     parsing: "sha-256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
    /// ```
    public var mirrors: [Mirror] = []
    /// Extra header fields. They go to the origin (scheme, host, port) of ``url`` only. A session stores those that may
    /// prove who asks, such as `Cookie`, with ``DownloadManager/Configuration/storesSecrets`` only.
    ///
    /// ```swift
    /// var request = DownloadRequest("https://example.org/disk.iso", to: "disk.iso")
    /// request.headers = [HTTPField("X-Api-Key", "s3cret")]
    /// ```
    public var headers: [HTTPField] = []
    /// The credentials for the origin of ``url``, and for no other. A name and password in a URL itself come first, a
    /// ``Downloader/Configuration/netrc`` last.
    ///
    /// ```swift
    /// var request = DownloadRequest("https://example.org/disk.iso", to: "disk.iso")
    /// let password = try Secrets.firstLine(ofFile: "password.txt")
    /// request.authentication = .password(Credentials(name: "ann", password: password))
    /// ```
    public var authentication: Authentication?
    /// The `User-Agent` field. Defaults to Pawl's; an empty string sends none.
    public var userAgent: String?
    /// The page that led here: an absolute `http` or `https` URL. Sent without userinfo and fragment; to another origin
    /// only the page's own origin, and from an `https` page nothing over `http`.
    public var referer: String?
    /// The options: how the file is fetched, and which bytes are accepted.
    public var options = DownloadOptions()
    /// Called when the link has expired (401, 403 or 410 after it had worked), at most once in 30 seconds. Return a
    /// fresh URL of the same file, or nil to fail with ``DownloadError/Code/unauthorized``. The partial file is kept
    /// either way.
    ///
    /// ```swift
    /// var request = DownloadRequest("https://example.org/disk.iso", to: "disk.iso")
    /// request.refreshURL = {
    ///     // Ask your server for a new link here.
    ///     "https://cdn.example.org/disk.iso?signature=fresh"
    /// }
    /// ```
    public var refreshURL: (@Sendable () async -> String?)?

    /// - Parameters:
    ///   - url: absolute, `http` or `https`. A host in letters outside ASCII is kept in its ASCII form.
    ///   - directory: where the file goes; its name comes from the server.
    public init(_ url: String, in directory: String = ".") {
        self.url = HTTPURL.convertingHost(url)
        self.directory = directory
    }

    /// - Parameters:
    ///   - url: absolute, `http` or `https`. A host in letters outside ASCII is kept in its ASCII form.
    ///   - path: of the finished file. Its directory must exist.
    public init(_ url: String, to path: String) {
        self.url = HTTPURL.convertingHost(url)
        let place = PathParts(path)
        directory = place.directory
        fileName = place.name
    }
}

extension DownloadRequest {
    public subscript<Value>(dynamicMember option: WritableKeyPath<DownloadOptions, Value>) -> Value {
        get { options[keyPath: option] }
        set { options[keyPath: option] = newValue }
    }

    /// Checks everything that can be checked without touching disk or network.
    package func check() throws(DownloadError) { _ = try resolved() }

    func resolved() throws(DownloadError) -> Plan {
        let url = try HTTPURL.checked(url)
        return try Plan(url, template(of: url), in: directory, named: fileName)
    }

    /// Returns all but URL and target, checked. Without ``mirrors`` it is the same for each URL.
    package func template(of url: HTTPURL) throws(DownloadError) -> Boxed<DownloadSettings.Template> {
        if let problem = options.problem { throw .argument(problem.message) }
        var template = DownloadSettings.Template()
        template.freshURL = try freshURL.map { (text) throws(DownloadError) in try HTTPURL.checked(text) }
        template.options = options
        template.callerFields = try headers.map { (field) throws(DownloadError) in try Self.checked(field) }
        try addMirrors(to: &template, of: url)
        try addCaller(to: &template)
        return template == DownloadSettings.plain.value ? DownloadSettings.plain : Boxed(template)
    }

    private static func checked(_ field: HTTPField) throws(DownloadError) -> HTTPField {
        let isToken =
            !field.name.isEmpty
            && field.name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
        guard isToken else { throw .argument("“\(field.name)” is not a header name (RFC 9110 §5.1).") }
        guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw .argument("The value of the header “\(field.name)” contains control characters.")
        }
        guard !field.isReserved else {
            throw .argument("Pawl sets the \(field.name) header itself; leave it out.")
        }
        return field
    }
}

extension Plan {
    /// - Throws: for a name that is none.
    package init(
        _ url: HTTPURL, _ template: Boxed<DownloadSettings.Template>, in directory: String, named fileName: String?
    ) throws(DownloadError) {
        self.init(settings: DownloadSettings(url: url, template), directory: directory.isEmpty ? "." : directory)
        guard let fileName else { return }
        guard !fileName.isEmpty, fileName != ".", fileName != "..", !fileName.utf8.contains(UInt8(ascii: "/")),
            !fileName.utf8.contains(0)
        else {
            throw .argument("“\(fileName)” is not a file name. Name the file, not a directory.")
        }
        self.fileName = fileName
    }
}

extension HTTPURL {
    /// The text as it is where its host cannot be converted: checking it says why.
    static func convertingHost(_ text: String) -> String { (try? writingHostInASCII(text)) ?? text }

    package static func checked(_ text: String) throws(DownloadError) -> HTTPURL {
        do {
            return try HTTPURL(parsing: writingHostInASCII(text))
        } catch {
            throw DownloadError(.invalidURL, error.message, recovery: .giveUp)
        }
    }
}

extension DownloadError {
    package static func argument(_ message: String) -> DownloadError {
        DownloadError(.invalidArgument, message, recovery: .giveUp)
    }
}
