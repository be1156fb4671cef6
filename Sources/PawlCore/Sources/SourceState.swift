/// A source of a download, and all that was learned of the server behind it.
///
/// What one server says proves nothing about another (FAULTS V15): validators, conditions, refusals and waits are each
/// server's own.
package struct SourceState: Sendable {
    /// The uses that a source is fit for.
    package enum Standing: Hashable, Sendable {
        /// The source may be asked. Next: any other.
        case usable
        /// Has no ranges, has refused one, or is not shown to have the same file: of use only alone, from the first
        /// byte. Next: usable.
        case onlyAlone
        /// The source's file differs from the current one. Next: usable, when the current one is given up.
        case different
        /// Given up. Next: usable, where its error may pass.
        case failed(DownloadError)
    }

    package let source: Source
    /// Named by a server and not by the caller (RFC 6249).
    package let isServerSuggested: Bool
    package var standing: Standing = .usable
    var link: SourceLink
    var file = SourceFile()
    var habits = ServerHabits()
    var capacity: SourceCapacity
    var pace = SourcePace()
    var retry = SourceRetry()
    /// Bytes that came from it, useful or not.
    package var received: Int64 = 0
    /// New bytes that came from it.
    package var stored: Int64 = 0
    /// Wrong pieces that it gave; of one that several gave, each has its share.
    var blame: Double = 0
    static let maximumBlame = 2.0
    static let untilSecondChance: Duration = .seconds(300)

    init(_ source: Source, maximumConnections: Int, isServerSuggested: Bool = false) {
        self.source = source
        self.isServerSuggested = isServerSuggested
        link = SourceLink(source.url)
        capacity = SourceCapacity(maximumConnections: maximumConnections)
    }

    var isUsable: Bool { standing == .usable }

    /// The error for which the source was given up; nil if it was not.
    var error: DownloadError? { if case .failed(let error) = standing { error } else { nil } }

    /// Whether the source may be asked for a part beside others.
    var offersRanges: Bool { isUsable && !file.rangeSupport.isIgnored }

    /// An exchange may be begun with it now.
    func isReady(at now: Instant) -> Bool {
        offersRanges && !link.isRefreshing && retry.nextStart == nil && capacity.noMoreBefore.map { now >= $0 } ?? true
    }

    /// Prepares for another representation. The knowledge of the server stays: budget, back-off, the refusal of
    /// conditions and of ranges.
    mutating func forgetRepresentation() {
        file = SourceFile()
        // What is dropped was no progress: without this, a file that cannot be resumed and is always cut would be
        // fetched for ever.
        stored = 0
        retry.forgetProgress()
        // It differed from, or could not be added to, a file that is no longer in hand.
        if standing == .different || standing == .onlyAlone { standing = .usable }
    }
}
