public import PawlCore

/// A completed download.
public struct DownloadResult: Hashable, Sendable {
    /// The path of the file.
    public let path: String
    private var facts: FinishedFacts
    /// The representation that the server served; nil if nothing was fetched, and for a manager's downloads.
    package var representation: Representation?
    /// The number of bytes transferred, where ``path`` is something else that was made of them.
    private var transferredByteCount: Int64?
    private var beside: Beside<FileTrace?>

    /// A value that makes no two results differ.
    private struct Beside<Value: Sendable>: Hashable, Sendable {
        var value: Value

        static func == (left: Self, right: Self) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }

    /// - Parameter directory: the facts have the name of the file in it.
    package init(_ facts: FinishedFacts, in directory: String) {
        let folder =
            directory == "." || directory.isEmpty ? "" : directory.ends(with: "/") ? directory : directory + "/"
        (path, self.facts) = (folder + facts.fileName, facts)
        (self.facts.trace, beside) = (nil, Beside(value: facts.trace))
    }

    /// Creates the result for a file that existed before and was left unchanged.
    package static func existing(_ path: String, byteCount: Int64, finalURL: String) -> DownloadResult {
        var facts = FinishedFacts(fileName: path, byteCount: byteCount, finalURL: finalURL)
        (facts.isComplete, facts.skipReason) = (false, .exists)
        return DownloadResult(facts, in: "")
    }

    /// Returns the result that an earlier process recorded; none of its bytes were received in this one.
    package static func recorded(
        _ path: String, byteCount: Int64, isComplete: Bool, isVerified: Bool, skipReason: SkipReason?
    ) -> DownloadResult {
        var facts = FinishedFacts(fileName: path, byteCount: byteCount, finalURL: "")
        (facts.isComplete, facts.isVerified, facts.skipReason) = (isComplete, isVerified, skipReason)
        facts.resumedFrom = byteCount
        return DownloadResult(facts, in: "")
    }

    /// Returns the result for a file that was made from the downloaded bytes.
    package func becoming(_ path: String, byteCount: Int64) -> DownloadResult {
        var facts = facts
        (facts.fileName, facts.byteCount, facts.skipReason) = (path, byteCount, nil)
        facts.digest = nil
        var result = DownloadResult(facts, in: "")
        result.transferredByteCount = fetchedByteCount
        return result
    }
}

extension DownloadResult {
    /// The length of the file in bytes.
    public var byteCount: Int64 { facts.byteCount }
    /// Whether all bytes of one representation were received. False only if the server sent neither a length nor an end
    /// that differs from a lost connection (RFC 9112 §8) and no digest was known, or if an existing file was left as it
    /// was.
    public var isComplete: Bool { facts.isComplete }
    /// A digest, given by the caller or the server, matched.
    public var isVerified: Bool { facts.isVerified }
    /// Whether nothing was fetched, for the reason in ``skipReason``.
    public var wasSkipped: Bool { facts.wasSkipped }
    /// The target existed and was left as it was: ``ExistingFilePolicy/skip`` was asked for, or the server's file is
    /// not newer. Nil where the file was fetched.
    public var skipReason: SkipReason? { facts.skipReason }
    /// Bytes that an earlier run had stored and that were not fetched again.
    public var resumedFrom: Int64 { facts.resumedFrom }
    /// The status code of the response that the first bytes of this run came with, after redirects: mostly 206, since
    /// most requests are for a range. Nil if no server was asked for bytes.
    public var status: Int? { facts.response?.status }
    /// The `Content-Type` of that response, as sent; nil also if it was sent several times.
    public var contentType: String? { facts.response?.contentType }
    /// The server's `ETag`, as sent; nil if it sent none.
    public var entityTag: String? { facts.entityTag }
    /// The server's `Last-Modified`, as sent.
    public var lastModified: String? { facts.lastModified }
    /// Anything but nil: the bytes are stored as the server coded them, such as `gzip`, though `identity` was asked
    /// for.
    public var contentEncoding: String? { facts.contentCoding }
    /// The digest of the file: the one to compute (``DownloadOptions/computedDigest``), or else the one that matched,
    /// the caller's or the server's. Nil where neither is known, and for a file that was left as it was and compared
    /// with nothing.
    public var digest: Digest? { facts.digest }
    /// The URL that the bytes came from after redirects, redacted.
    public var finalURL: String { facts.finalURL }
    /// The URLs that bytes came from in this run, redacted: the one asked for and its mirrors, before redirects.
    public var sources: [String] { facts.sources }
    /// The number of bytes transferred over the network in this run.
    package var fetchedByteCount: Int64 { wasSkipped ? 0 : transferredByteCount ?? max(0, byteCount - resumedFrom) }
    /// The file as it was made by this process; nil for others, and where that is not known.
    package var trace: FileTrace? { beside.value }
}

/// The data needed to resume a paused download, in this process or a later one.
///
/// Small, `Codable`, and free of secrets: the stored URL has no userinfo and no signature. When those had to be left
/// out, ``needsURL`` is true, and ``Downloader/resume(from:url:configure:)`` wants the full URL again.
public struct ResumeData: Codable, Hashable, Sendable {
    /// The URL without userinfo and signature-like query items.
    public let url: String
    public let needsURL: Bool
    public let directory: String
    /// The name of the file; nil if the download was paused before the server had answered.
    public let fileName: String?
    /// Bytes stored and durable when it was paused.
    public let byteCount: Int64
    public let totalBytes: Int64?
    /// `sha-256:…` when the caller had given one.
    public let digest: String?
    public let maximumConnections: Int
}
