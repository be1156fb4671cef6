public import PawlCore

/// A completed download.
public struct DownloadResult: Hashable, Sendable {
    /// The path of the file.
    public let path: String
    /// The length of the file in bytes.
    public let byteCount: Int64
    /// Whether all bytes of one representation were received. False only if the server sent neither a length nor an end
    /// that differs from a lost connection (RFC 9112 §8) and no digest was known, or if an existing file was left as it
    /// was.
    public let isComplete: Bool
    /// A digest, given by the caller or the server, matched.
    public let isVerified: Bool
    /// Whether nothing was fetched, for the reason in ``skipReason``.
    public var wasSkipped: Bool { skipReason != nil }
    /// The target existed and was left as it was: ``ExistingFilePolicy/skip`` was asked for, or the server's file is
    /// not newer. Nil where the file was fetched.
    public let skipReason: SkipReason?
    /// Bytes that an earlier run had stored and that were not fetched again.
    public let resumedFrom: Int64
    /// The server's `ETag`, as sent; nil if it sent none.
    public let entityTag: String?
    /// The server's `Last-Modified`, as sent.
    public let lastModified: String?
    /// Anything but nil: the bytes are stored as the server coded them, such as `gzip`, though `identity` was asked
    /// for.
    public let contentEncoding: String?
    /// The URL that the bytes came from after redirects, redacted.
    public let finalURL: String
    /// The URLs that bytes came from in this run, redacted: the one asked for and its mirrors, before redirects.
    public let sources: [String]
    /// The number of bytes transferred, where ``path`` is something else that was made of them.
    package var transferredByteCount: Int64?
    /// The number of bytes transferred over the network in this run.
    package var fetchedByteCount: Int64 { wasSkipped ? 0 : transferredByteCount ?? max(0, byteCount - resumedFrom) }
    /// The representation that the server served; nil if nothing was fetched, and for a manager's downloads.
    package var representation: Representation?
    /// The file as it was made by this process; nil for others, and where that is not known.
    package var trace: FileTrace? {
        get { beside.value }
        set { beside.value = newValue }
    }

    var beside = Beside<FileTrace?>(value: nil)

    /// A value that makes no two results differ.
    struct Beside<Value: Sendable>: Hashable, Sendable {
        var value: Value

        static func == (left: Self, right: Self) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }

    /// Creates the result for a file that existed before and was left unchanged.
    package static func existing(_ path: String, byteCount: Int64, finalURL: String) -> DownloadResult {
        DownloadResult(
            path: path, byteCount: byteCount, isComplete: false, isVerified: false, skipReason: .exists, resumedFrom: 0,
            entityTag: nil,
            lastModified: nil, contentEncoding: nil, finalURL: finalURL, sources: [])
    }

    /// Returns the result that an earlier process recorded; none of its bytes were received in this one.
    package static func recorded(
        _ path: String, byteCount: Int64, isComplete: Bool, isVerified: Bool, skipReason: SkipReason?
    ) -> DownloadResult {
        DownloadResult(
            path: path, byteCount: byteCount, isComplete: isComplete, isVerified: isVerified, skipReason: skipReason,
            resumedFrom: byteCount, entityTag: nil, lastModified: nil, contentEncoding: nil, finalURL: "", sources: [])
    }

    /// Returns the result for a file that was made from the downloaded bytes.
    package func becoming(_ path: String, byteCount: Int64) -> DownloadResult {
        DownloadResult(
            path: path, byteCount: byteCount, isComplete: isComplete, isVerified: isVerified, skipReason: nil,
            resumedFrom: resumedFrom,
            entityTag: entityTag, lastModified: lastModified, contentEncoding: contentEncoding, finalURL: finalURL,
            sources: sources,
            transferredByteCount: fetchedByteCount)
    }
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
