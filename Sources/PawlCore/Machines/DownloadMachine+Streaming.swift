/// The bytes go to a reader, in order, while they come (docs/streaming.md): what was handed over cannot be taken back,
/// and what was not must fit into a window.
extension DownloadMachine {
    var isStreaming: Bool { settings.window != nil }

    /// The position at and past which nothing is stored before the reader has come nearer; nil for no bound.
    var horizon: Int64? {
        guard let window = settings.window else { return nil }
        let (end, overflow) = consumed.addingReportingOverflow(window)
        guard !overflow else { return nil }
        guard settings.ranges != nil else { return end }
        guard let layout else { return nil }
        // What fits is counted in the bytes that are handed over, which lie apart in the file.
        return layout.positions(within: end).ranges.last?.end
    }

    /// The reader has taken so many bytes of the result.
    mutating func consumed(_ count: Int64) -> [DownloadAction] {
        guard isStreaming, count > consumed else { return [] }
        consumed = count
        return horizon.map { [.moveHorizon($0)] } ?? []
    }

    /// Returns the missing range nearest to the reader, unless it begins past the horizon.
    func nearest(_ gaps: [ByteRange]) -> [ByteRange] {
        guard let horizon else { return gaps }
        return gaps.first { $0.start < horizon }.flatMap { ByteRange(start: $0.start, end: $0.end) }.map { [$0] } ?? []
    }

    /// Cuts lie within the horizon, so that every connection brings what is needed soon. One that waits for the reader
    /// is not slow, and what came by another already is not asked for again.
    func nearest(_ loads: [SegmentPlanner.Load]) -> [SegmentPlanner.Load] {
        guard let horizon else { return loads }
        return loads.compactMap { load in
            if let index = index(of: load.id), segments[index].isFlowing, segments[index].meter.isHeldByUs {
                return nil
            }
            guard let near = ByteRange(start: load.remaining.start, end: min(load.remaining.end, horizon)),
                let missing = RangeSet(near).subtracting(written).ranges.first,
                let needed = ByteRange(start: missing.start, end: near.end)
            else { return nil }
            var load = load
            load.remaining = needed
            return load
        }
    }

    /// Every connection waits for the reader, and the reader for bytes that none of them brings and no other may be
    /// asked for: the farthest makes room.
    mutating func makeRoomForReader() -> [DownloadAction] {
        guard let horizon, nextStart == nil, let gap = gaps(in: written)?.first, gap.start < horizon else { return [] }
        let live = segments.filter(\.isLive)
        guard live.allSatisfy({ $0.isFlowing && $0.meter.isHeldByUs && $0.position > gap.start }),
            let farthest = live.max(by: { $0.position < $1.position })
        else { return [] }
        return cancelSegment(farthest.id)
    }

    /// The error when nothing proves that the next bytes belong to those already delivered.
    var brokenStream: DownloadError {
        DownloadError(
            .network,
            "The connection broke, and \(currentURL.shownHost) sends nothing that proves that the rest belongs to the data already read.",
            remedies: [.tryAgain, .downloadToFile], recovery: .retryAfter(nil), underlying: lastProblem?.underlying)
    }
}
