package import Pawl
package import PawlArchive
package import PawlCore
package import PawlEngine

/// A file of a run, from 1, in the order given.
package struct JobFileID: Hashable, Comparable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A file to be downloaded by a job, once its documents are read.
///
/// Copies share their storage: it goes through many hands.
package struct JobFile: Hashable, Sendable {
    package struct Nesting: Hashable, Sendable {
        /// The names of the directories, each within the one before.
        package var names: [String]
        /// The directory of the job.
        package var directory: String

        package func check(followsLinks: Bool) throws(DownloadError) {
            try NestedDirectories.check(names, in: directory, followsLinks: followsLinks)
        }

        package func make(followsLinks: Bool) throws(DownloadError) {
            try NestedDirectories.make(names, in: directory, followsLinks: followsLinks)
        }
    }

    private struct Content: Hashable, Sendable {
        var job: Int
        var spec: JobSpec
        var nesting: Boxed<Nesting>?
        var isAlone = false
        var comesWhole = false
    }

    private var content: Boxed<Content>

    package init(job: Int = 0, spec: JobSpec, nesting: Nesting? = nil) {
        content = Boxed(Content(job: job, spec: spec, nesting: nesting.map { Boxed($0) }))
    }

    /// The index of the file's job in the run.
    package var job: Int {
        get { content.value.job }
        set { content.value.job = newValue }
    }

    /// The specification of the file; its source is a URL, and no document has to be read any more.
    package var spec: JobSpec {
        get { content.value.spec }
        set { content.value.spec = newValue }
    }

    /// Directories to be made in the job's own before the file is fetched: a document names them, or the path of the
    /// URL.
    package var nesting: Nesting? {
        get { content.value.nesting?.value }
        set { content.value.nesting = newValue.map { Boxed($0) } }
    }

    /// Whether the run has no other file. Of several archives each goes into a directory of its own.
    package var isAlone: Bool {
        get { content.value.isAlone }
        set { content.value.isAlone = newValue }
    }

    /// Whether the archive is fetched in place of the members that are wanted.
    package var comesWhole: Bool {
        get { content.value.comesWhole }
        set { content.value.comesWhole = newValue }
    }

    package var url: String { if case .url(let url, _) = spec.source { url } else { "" } }

    /// The name of the file, as far as known before the server's answer.
    package var likelyName: String {
        spec.fileName ?? (try? HTTPURL(parsing: url)).map { FileName.choose(contentDisposition: nil, url: $0) } ?? ""
    }

    /// The URL, redacted; empty for one that cannot be read.
    package var shownURL: String { (try? HTTPURL(parsing: url))?.redacted ?? "" }

    /// `disk.iso`, `isos/disk.iso`: where it will be, as far as known before the server's answer.
    package var likelyPath: String { FileTarget.path(in: spec.directory, likelyName) }

    /// Whether more is done with the file, or with what is in it, than to fetch it.
    var isUnpacked: Bool { spec.unpacking != nil || !spec.members.isEmpty }

    package var mirrors: [Mirror] { if case .url(_, let mirrors) = spec.source { mirrors } else { [] } }
}

extension JobSpec {
    /// Keeps an existing file if the request says nothing about it and several files are downloaded, or the file is
    /// unpacked.
    mutating func settleIfExists(isOneOfSeveral: Bool) {
        guard ifExists == nil, !options.onlyIfNewer, isOneOfSeveral || (unpacking != nil && members.isEmpty) else {
            return
        }
        ifExists = .skip
    }
}

/// A file of a job, with what tells it from the other files of a run.
package struct PreparedFile: Hashable, Sendable {
    package let file: JobFile
    /// The bytes that distinguish the request from others: two files that share them and the target are one.
    package let identity: [UInt8]
    package let target: FileTarget
    /// `host:port`; empty where it is not known.
    package let host: String

    package init(_ file: JobFile, identity: [UInt8], target: FileTarget, host: String = "") {
        (self.file, self.identity, self.target, self.host) = (file, identity, target, host)
    }
}

/// A file that is whole and has its name.
package struct FetchedFile: Hashable, Sendable {
    private struct Content: Hashable, Sendable {
        var target: FileTarget
        var result: DownloadResult
        var mark: UnpackedMark?
        var identity: FileIdentity?
    }

    private var content: Boxed<Content>

    package init(
        target: FileTarget, result: DownloadResult, mark: UnpackedMark? = nil, identity: FileIdentity? = nil
    ) {
        content = Boxed(Content(target: target, result: result, mark: mark, identity: identity))
    }

    package var target: FileTarget { content.value.target }
    package var result: DownloadResult { content.value.result }

    /// The length and time of modification of the file when it was fetched; nil if they are not known.
    package var mark: UnpackedMark? { content.value.mark }

    /// The identity of the file that has the name; nil if it is not known.
    package var identity: FileIdentity? { content.value.identity }

    /// The path of the file, as its job spells it.
    package var path: String { result.path }
    /// Whether the file already existed and nothing was downloaded.
    package var existed: Bool { result.wasSkipped }
}

/// The result of unpacking an archive.
package struct UnpackedFile: Hashable, Sendable {
    private struct Content: Hashable, Sendable {
        var target: FileTarget
        var result: ExtractionResult
        var identity: FileIdentity?
    }

    private var content: Boxed<Content>

    package init(target: FileTarget, result: ExtractionResult, identity: FileIdentity? = nil) {
        content = Boxed(Content(target: target, result: result, identity: identity))
    }

    package var target: FileTarget { content.value.target }
    package var result: ExtractionResult { content.value.result }

    /// The identity of the file or directory that has the name; nil if it is not known.
    package var identity: FileIdentity? { content.value.identity }

    /// Whether the directory already existed and was left unchanged.
    package var isSkipped: Bool { result.isSkipped }
}
