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
/// Every property of ``DownloadContext`` and of ``DownloadOptions`` is one of the request, too: `request.headers` is
/// `request.context.headers`, and `request.digest` is `request.options.digest`.
@dynamicMemberLookup
public struct DownloadRequest: Sendable {
    /// An absolute `http` or `https` URL.
    public var url: String
    /// An existing directory; relative paths start at the working directory.
    public var directory: String
    /// The current address of the file, if ``url`` has expired; used from the first request on. Stored data, the file
    /// name and the detection of duplicates stay keyed by ``url``. The download resumes only if the responses prove
    /// that the file is the same. The ``context`` is then for the origin of this URL.
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
    /// The header fields and credentials for the origin of ``url``, the user agent and the referer.
    public var context = DownloadContext()
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

    public subscript<Value>(dynamicMember part: WritableKeyPath<DownloadContext, Value>) -> Value {
        get { context[keyPath: part] }
        set { context[keyPath: part] = newValue }
    }

    /// Checks everything that can be checked without touching the network. Secrets are read from where they are.
    package func check() throws(DownloadError) { _ = try resolved() }

    func resolved() throws(DownloadError) -> Plan {
        let url = try HTTPURL.checked(url)
        return try Plan(url, template(of: url, SecretReader()), in: directory, named: fileName)
    }

    /// Returns all but URL and target, checked. Without ``mirrors`` it is the same for each URL.
    package func template(
        of url: HTTPURL, _ secrets: SecretReader
    ) throws(DownloadError) -> Boxed<DownloadSettings.Template> {
        if let problem = options.problem { throw .argument(problem.message) }
        var template = DownloadSettings.Template()
        template.freshURL = try freshURL.map { (text) throws(DownloadError) in try HTTPURL.checked(text) }
        template.options = options
        try addMirrors(to: &template, of: url)
        try template.take(context, secrets)
        return template == DownloadSettings.plain.value ? DownloadSettings.plain : Boxed(template)
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
