public import Pawl
public import PawlCore

/// A job: where a download comes from, where it goes, what is accepted, and what happens to the file afterwards.
///
/// A job is a value. It can be compared, stored, sent to another machine, and written as JSON (docs/jobs.md), which
/// leaves out defaults. ``checked()`` validates it. Every property of `DownloadContext` is one of the job, too:
/// `headers` is `context.headers`.
@dynamicMemberLookup
public struct JobSpec: Hashable, Sendable {
    /// The source of the URLs.
    public enum Source: Hashable, Sendable {
        /// An absolute `http` or `https` URL, and others of the same file.
        case url(String, mirrors: [Mirror] = [])
        /// The files that a Metalink document names: a path or URL, and which of them (by name, pattern, or number from
        /// 1); all if empty.
        case metalink(String, select: [String] = [])
    }

    /// The values that many jobs of a list have in common: their copies share them.
    private struct Common: Hashable {
        var freshURL: String?
        /// The options, except for the digest and the policy for existing files.
        var options = DownloadOptions()
        var digestList: String?
        var context = DownloadContext()
        var keepsPath = false
        var members: [String] = []
        var acceptsWholeArchive = false
        var unpacking: Unpacking?
        var hook: [String] = []

        /// Whether the two are the same to the byte. Two texts that Swift takes for equal may differ in theirs.
        func isExactly(_ other: Self) -> Bool {
            self == other && texts.elementsEqual(other.texts) { $0.isExactly($1) }
        }

        private var texts: [String] {
            let texts = [freshURL, digestList, unpacking?.directory, unpacking?.password?.text].compactMap(\.self)
            return texts + context.texts + members + hook + options.preferredLocations
        }
    }

    /// The id of the job, stable, chosen by its creator, and repeated in everything reported about it. At most 128
    /// visible ASCII characters.
    public var id: String?
    public var source: Source
    /// An existing directory; relative paths start at the working directory of whoever does the job.
    public var directory = "."
    /// The name of the file; nil if the server or the URL names it.
    public var fileName: String?
    /// The policy for an existing target. Nil leaves it to the run. A single file then fails. With several files, or
    /// one that is unpacked, an existing target is kept, so that running the same jobs again downloads only what is
    /// missing. Where only newer files are wanted, the older one is replaced.
    public var ifExists: ExistingFilePolicy?
    /// The digest of ``options``: in a list, each file has its own.
    var digest: Digest?
    private var common = Boxed(Common())

    /// The current address of the file, if the URL has expired; see `DownloadRequest.freshURL`.
    public var freshURL: String? {
        get { common.value.freshURL }
        set { common.value.freshURL = newValue }
    }

    /// The options of the download; the policy for existing files in them is ``ifExists``.
    public var options: DownloadOptions {
        get {
            var options = common.value.options
            (options.ifExists, options.digest) = (ifExists, digest)
            return options
        }
        set {
            (ifExists, digest) = (newValue.ifExists, newValue.digest)
            var options = newValue
            (options.ifExists, options.digest) = (nil, nil)
            // Copies go on sharing a value that is unchanged.
            if options != common.value.options { common.value.options = options }
        }
    }

    /// A list of digests that has one for the file, as `sha256sum` writes it: a path or URL.
    public var digestList: String? {
        get { common.value.digestList }
        set { common.value.digestList = newValue }
    }

    /// The header fields and credentials for the origin of the URL, the user agent and the referer.
    public var context: DownloadContext {
        get { common.value.context }
        set { common.value.context = newValue }
    }

    public subscript<Value>(dynamicMember part: WritableKeyPath<DownloadContext, Value>) -> Value {
        get { common.value.context[keyPath: part] }
        set { common.value.context[keyPath: part] = newValue }
    }

    /// Whether the file is stored in directories named after the host and the path of its URL, beneath
    /// ``directory``, which are created if they are missing. Has no effect if ``fileName`` is given.
    public var keepsPath: Bool {
        get { common.value.keepsPath }
        set { common.value.keepsPath = newValue }
    }

    /// The members to fetch from the zip archive at the URL, instead of all; `*` matches within a directory, `**`
    /// across directories.
    public var members: [String] {
        get { common.value.members }
        set { common.value.members = newValue }
    }

    /// Whether a server without byte ranges may send the whole archive, from which the members are then unpacked.
    public var acceptsWholeArchive: Bool {
        get { common.value.acceptsWholeArchive }
        set { common.value.acceptsWholeArchive = newValue }
    }

    /// The way to unpack the file once it is complete; for members, the way they may be stored.
    public var unpacking: Unpacking? {
        get { common.value.unpacking }
        set { common.value.unpacking = newValue }
    }

    /// A program to run once everything is done or has failed, with its arguments (docs/hooks.md).
    public var hook: [String] {
        get { common.value.hook }
        set { common.value.hook = newValue }
    }

    public init(_ source: Source) { self.source = source }

    /// Whether another job is known to ask for the same but for its URL, and the place and the digest of its file.
    func asksAlike(_ other: Self) -> Bool {
        guard case .url(_, mirrors: []) = source, case .url(_, mirrors: []) = other.source else { return false }
        return hasCommon(with: other)
    }

    /// Whether another job is known to be the same but for the URLs, the name, the directory and the digest of its
    /// file.
    func differsOnlyInFile(from other: Self) -> Bool {
        id == nil && other.id == nil && hasPlainMirrors && other.hasPlainMirrors && hasCommon(with: other)
    }

    /// Whether the source is a URL, and nothing but their URLs is known of its mirrors.
    var hasPlainMirrors: Bool {
        guard case .url(_, let mirrors) = source else { return false }
        return mirrors.allSatisfy { mirror in
            mirror == .plain(mirror.url) && !mirror.url.isEmpty && !mirror.url.utf8.contains(UInt8(ascii: "\n"))
        }
    }

    /// Whether another job is known to be the same but for its source, its id, and the place and the digest of its
    /// file.
    func hasCommon(with other: Self) -> Bool {
        ifExists == other.ifExists
            && (common.isShared(with: other.common) || common.value.isExactly(other.common.value))
    }

    /// The use that a job makes of its file.
    package struct Use: Hashable, Sendable {
        private let members: Set<ExactText>
        private let unpacking: Unpacking?
        private let directory: ExactText?
        private let hook: [ExactText]

        fileprivate init(_ spec: JobSpec) {
            members = Set(spec.members.map { ExactText($0) })
            unpacking = spec.unpacking
            directory = spec.unpacking?.directory.map { ExactText($0) }
            hook = spec.hook.map { ExactText($0) }
        }
    }

    /// Two jobs that use a file in two ways are not one, though they ask for the same.
    package var use: Use { Use(self) }

    /// A job for one URL.
    public init(_ url: String) { self.init(.url(url)) }
}

extension Mirror {
    /// A mirror of which nothing else is known. Its URL is taken as it is, while the public one converts the host.
    static func plain(_ url: String) -> Mirror {
        var mirror = unknown
        mirror.url = url
        return mirror
    }

    private static let unknown = Mirror("")
}

/// The way an archive is unpacked after its download.
public struct Unpacking: Hashable, Sendable {
    /// A new directory. Nil: beside the archive, by its name.
    public var directory: String?
    /// Whether the archive is deleted once it is unpacked.
    public var removesArchive = false
    /// Whether symbolic links are created whose targets stay inside the directory; all others are errors. If false,
    /// each symbolic link is an error.
    public var allowsLinks = true
    /// Whether members are unpacked whose names differ only in case or in their Unicode form.
    public var allowsTwins = false
    /// The largest unpacked size of all members together, in bytes; nil for 10 GiB or ten times the archive, whichever
    /// is more.
    public var maximumBytes: Int64?
    /// The largest ratio of a member's unpacked size to its compressed size; nil for no limit.
    public var maximumRatio: Int64? = 100
    public var maximumMembers = 1_000_000
    /// The password of encrypted archives.
    public var password: Secret?

    public init() {}
}
