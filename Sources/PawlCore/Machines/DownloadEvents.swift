/// Events in the life of a download. Every event carries plain values; ids name exchanges that the machine began.
package enum DownloadEvent: Hashable, Sendable {
    case begin
    case received(ExchangeID, ResponseHead)
    /// Everything up to `stored` is in the partial file; `received` bytes came in all. `isHeldByUs`: the disk or the
    /// speed limit, not the server, is holding back the flow.
    case advanced(ExchangeID, stored: Int64, received: Int64, isHeldByUs: Bool)
    /// The last event of an exchange. What it received in order up to `stored` is in the partial file.
    case ended(ExchangeID, stored: Int64, StreamEnd)
    case prepared(Preparation)
    case checkpointed(took: Duration)
    /// A write, sync or other call failed.
    case storageFailed(DownloadError)
    case setAside
    case refreshed(HTTPURL?)
    case verified(Verification)
    /// The result of checking pieces: those that do not match their hashes.
    case checkedPieces(Range<Int>, wrong: [Int])
    case finished
    /// The file was whole, but another from elsewhere had come to have its name, and is left as it is.
    ///
    /// - Parameter isVerified: that one matches the caller's digest.
    case leftExisting(isVerified: Bool)
    /// The number of bytes that the reader of a stream has taken in all.
    case consumed(Int64)
    /// The shared cookie jar changed.
    case cookiesChanged(CookieJar)
    case publicSuffixes(PublicSuffixList)
    case networkChanged
    case tick
    /// The exchange was not begun: its host has as many connections as it may.
    case permitRefused(ExchangeID)
    /// A connection to this host (`host:port`) is reserved for this download.
    case hostFreed(String)
    /// Another download needs one of our connections to this host.
    case yieldConnection(String)
    /// The timetable of the speed limit pauses all downloads from now on; nil: it no longer does.
    case timetable(SpeedSchedule.Pause?)
    case pause
    case cancel
}

package enum StreamEnd: Hashable, Sendable {
    /// The message was complete by its framing.
    case complete
    /// The segment's own end was reached and the connection closed.
    case boundReached
    case failed(TransportError)
    /// The bytes requested again differ from those held.
    case overlapDiffers
    case cancelled
}

package enum Preparation: Hashable, Sendable {
    case ready
    /// An earlier run has left these ranges of the file, and the answer has shown that it is the same; where it has
    /// not, a digest decides. Bytes from another URL are still to be judged.
    case resumed(RangeSet, isProven: Bool, ofOtherURL: UnprovenBytes? = nil)
    /// The target exists, and the request says to leave it.
    case skipped(SkipReason)
    /// An earlier process has finished this very download, and was cut off before it could save that. The driver knows
    /// what became of it.
    case finished
    case failed(DownloadError)
}

package enum Verification: Hashable, Sendable {
    /// - Parameter computed: the digest that was to be computed.
    case passed(computed: Digest? = nil)
    case mismatch(DownloadError)
    /// Blocks that are no longer what was received (FAULTS D21).
    case damaged([ByteRange])
    case failed(DownloadError)
}

/// Actions for the driver to perform.
package enum DownloadAction: Hashable, Sendable {
    /// - Parameter isRepeat: a kept connection lost the request before its answer, so it goes out again on a fresh one.
    case ask(ExchangeID, HTTPURL, [HTTPField], isRepeat: Bool = false)
    /// The current file was identified, or has changed. Nil: it is no longer known.
    case describe(IdentifiedFile?)
    /// The exchange was refused a permit, and starts once its host (`host:port`) has a free connection.
    case awaitPermit(ExchangeID, host: String)
    /// Create the partial file, with room for the total where it is known.
    case prepare(Representation, suggestedName: String)
    /// Let the body flow: its first `overlap` bytes are compared with what is held before `from`, the rest stored from
    /// there up to `end`.
    ///
    /// - Parameters:
    ///   - endsWithMessage: the message is announced to end there too, so that its end can be waited for.
    ///   - horizon: of a stream, the position from which on nothing may be stored yet.
    case store(
        ExchangeID, from: Int64, overlap: Int64, end: Int64?, endsWithMessage: Bool = true, horizon: Int64? = nil)
    /// The same of an answer with several parts: which are expected, of a file how long, and the value of Content-Type.
    case storeParts(ExchangeID, [ByteRange], total: Int64?, contentType: String)
    case setEnd(ExchangeID, Int64)
    /// Streams only: bytes before this position may now be stored.
    case moveHorizon(Int64)
    case cancel(ExchangeID)
    case checkpoint(RangeSet)
    /// Record what is written without a sync, so that it survives a killed process.
    case recordUnsynced(RangeSet)
    case setAside(keep: Bool)
    /// Remove the file that the last `setAside(keep: true)` kept.
    case dropAside
    case refresh
    /// Add these `Set-Cookie` lines to the shared cookie jar.
    case keepCookies([String], from: HTTPURL)
    /// Read the partial file and compare: with the digests, and with the hashes taken at receipt.
    case verify([Digest], computing: DigestAlgorithm? = nil)
    /// Read these pieces of the partial file and compare them with their hashes.
    case checkPieces(Range<Int>)
    /// Sync, check the names, rename, sync the directory (docs/reliability.md).
    case finish(isVerified: Bool, isComplete: Bool = true)
    /// Quarantine the bytes under another name: they are not the requested file.
    case quarantine
    case report(DownloadReport)
    /// An observation for HostMemory.
    case learned(HTTPURL, HostObservation)
    /// Close what is open; nothing follows.
    indirect case release(DownloadMachine.Summary)
}

/// The known facts of the current file, for the journal and the result.
package struct IdentifiedFile: Hashable, Sendable {
    /// The URL that the journal records for the held bytes.
    package var url: HTTPURL
    /// The validators of the held bytes, as the journal records them.
    package var representation: Representation
    /// The positions of the wanted parts in the partial file; nil if the whole is wanted.
    package var layout: ResultLayout?
    /// The digests that the result must match.
    package var digests: [Digest]
}

/// Facts worth reporting to a person or a log.
package enum DownloadReport: Hashable, Sendable {
    case resumed(offset: Int64)
    /// The bytes resumed from were begun from this other URL: how the file was shown to be the same.
    case tookOver(HTTPURL, UnprovenBytes.Evidence)
    case redirected(HTTPURL)
    case rangesIgnored
    /// The file was modified within seconds before it was served, so a second change could not be told: one connection
    /// fetches it.
    case recentlyModified
    case skipped(SkipReason)
    /// The server's time of modification is none that a file can have.
    case timeNotKept(String)
    /// The file system takes no extended attributes, or not these.
    case attributesNotKept
    case encoded(String)
    case changed(Representation.Difference)
    /// The stored bytes cannot be shown to belong to the server's file. They are set aside; nil: there are none.
    case startedOver(keeping: DownloadMachine.Keeping?)
    case refreshing
    case pausedByTimetable(SpeedSchedule.Pause)
    /// `of`: nil where the network is waited for, and not for so many tries.
    case retrying(DownloadError, failures: Int, of: Int?, until: Instant)
    case connectionRefused(status: Int, limit: Int)
    /// A source is no longer used, while others are.
    case sourceFailed(HTTPURL, DownloadError)
    /// A source is not used for a while; others are.
    case sourceRested(HTTPURL, DownloadError, until: Instant)
    /// A source that has another file, or does not show that it has the same: how that is known.
    case mirrorDiffers(HTTPURL, String)
    /// The combined data of several sources did not match the digest; from now on only this source is used.
    case startedAlone(HTTPURL)
    /// A piece that does not match its hash is downloaded again. The URL is known if one source sent all of it.
    case pieceWrong(Int, ByteRange, from: HTTPURL?)
    case segment(ExchangeID, SegmentReport)
}

package enum SegmentReport: Hashable, Sendable {
    case began(ByteRange?)
    case ended(stored: Int64)
}
