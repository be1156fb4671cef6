public import PawlCore

/// A download that became a whole file.
public struct DownloadResult: Hashable, Sendable {
    /// Where the file is.
    public let path: String
    /// Its length in bytes.
    public let byteCount: Int64
    /// All bytes came, of one representation. False only when the server gave neither a length nor an end that can be told from a cut
    /// (RFC 9112 §8) and no digest was known, or when an existing file was left as it was.
    public let isComplete: Bool
    /// A digest, given by the caller or the server, matched.
    public let isVerified: Bool
    /// Nothing was fetched, and ``skipReason`` says why.
    public var wasSkipped: Bool { skipReason != nil }
    /// The target existed and was left as it was: ``ExistingFilePolicy/skip`` was asked for, or the server's file is not newer. Nil where
    /// the file was fetched.
    public let skipReason: SkipReason?
    /// Bytes that an earlier run had stored and that were not fetched again.
    public let resumedFrom: Int64
    /// The server's `ETag`, as sent; nil if it sent none.
    public let entityTag: String?
    /// The server's `Last-Modified`, as sent.
    public let lastModified: String?
    /// Anything but nil: the bytes are stored as the server coded them, such as `gzip`, though `identity` was asked for.
    public let contentEncoding: String?
    /// Where the bytes came from after redirects, redacted.
    public let finalURL: String
    /// The URLs that bytes came from in this run, redacted: the one asked for and its mirrors, before redirects.
    public let sources: [String]
    /// What came over the network, where ``path`` is something else that was made of it.
    package var transferredByteCount: Int64?
    /// Of what came over the network in this run.
    package var fetchedByteCount: Int64 { wasSkipped ? 0 : transferredByteCount ?? max(0, byteCount - resumedFrom) }
    /// What the server served; nil where nothing was fetched, and for a manager's.
    package var representation: Representation?

    /// Of what was there before and was left as it is.
    package static func existing(_ path: String, byteCount: Int64, finalURL: String) -> DownloadResult {
        DownloadResult(
            path: path, byteCount: byteCount, isComplete: false, isVerified: false, skipReason: .exists, resumedFrom: 0, entityTag: nil,
            lastModified: nil, contentEncoding: nil, finalURL: finalURL, sources: [])
    }

    /// What was made of the bytes.
    package func becoming(_ path: String, byteCount: Int64) -> DownloadResult {
        DownloadResult(
            path: path, byteCount: byteCount, isComplete: isComplete, isVerified: isVerified, skipReason: nil, resumedFrom: resumedFrom,
            entityTag: entityTag, lastModified: lastModified, contentEncoding: contentEncoding, finalURL: finalURL, sources: sources,
            transferredByteCount: fetchedByteCount)
    }
}

/// What a paused download needs to go on, in this process or a later one.
///
/// Small, `Codable`, and free of secrets: the stored URL has no userinfo and no signature. When those had to be left out,
/// ``needsURL`` is true, and ``Downloader/resume(from:url:configure:)`` wants the full URL again.
public struct ResumeData: Codable, Hashable, Sendable {
    /// Without userinfo and signature-like query items.
    public let url: String
    public let needsURL: Bool
    public let directory: String
    /// Nil when the download was paused before the server had answered.
    public let fileName: String?
    /// Bytes stored and durable when it was paused.
    public let byteCount: Int64
    public let totalBytes: Int64?
    /// `sha-256:…` when the caller had given one.
    public let digest: String?
    public let maximumConnections: Int
}

/// Something worth telling a person or a log about a download that goes on.
public enum DownloadNotice: Hashable, Sendable {
    /// An earlier run's bytes are used: how many, in all its ranges together. For a download by one connection that is the offset.
    case resumed(offset: Int64)
    /// The URL is redacted.
    case redirected(url: String)
    /// The server sends the whole file whatever is asked, so there is one connection and no resuming.
    case rangesIgnored
    /// The file was modified within two seconds before it was served, or nothing shows that it was earlier, so another change could not be
    /// detected: one connection fetches it, and an interruption means starting over.
    case recentlyModified
    /// Nothing is fetched; why.
    case skipped(SkipReason)
    /// The time of modification that the server tells, given as sent, is none that a file can have; the file has the time it was finished.
    case remoteTimeNotKept(String)
    /// The file system does not take the extended attributes that were to tell where the file came from.
    case attributesNotKept
    /// The server compressed the file though asked not to; it is stored as it came.
    case encoded(String)
    /// The server has another file now: what differs.
    case changed(String)
    /// What an earlier run or connection had stored cannot be shown to belong to the server's file, which has no strong validator or was
    /// modified just before it was served: the download starts over. `kept`: the old bytes were set aside; else nothing could ever have used them.
    case startedOver(kept: Bool)
    /// A fresh URL is being fetched.
    case refreshing
    /// A failure that is tried again: how often in a row without progress, and in how many seconds.
    case retrying(DownloadError, failures: Int, seconds: Double)
    /// The server refused one more connection; this many are used from now on.
    case connectionRefused(status: Int, limit: Int)
    /// A source is not used any more, while others are. The URL is redacted, here and below.
    case sourceFailed(url: String, DownloadError)
    /// A source is left alone for so many seconds, while others are used.
    case sourceRested(url: String, DownloadError, seconds: Double)
    /// A mirror has another file, or does not show that it has the same, and is not used beside others: how that is known.
    case mirrorDiffers(url: String, String)
    /// The digest did not match what several sources gave together: the file is fetched anew, from this source alone.
    case startedAlone(url: String)
    /// A piece was not what its hash says and is fetched again. The URL is known where one source gave all of it.
    case pieceWrong(piece: Int, range: ByteRange, url: String?)
    case segmentBegan(connection: Int, range: ByteRange?)
    /// `storedUpTo`: every byte of the segment before this position is in the partial file.
    case segmentEnded(connection: Int, storedUpTo: Int64)
}
