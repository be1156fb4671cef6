/// Downloads of parts of a file (docs/ranges.md).
extension DownloadMachine {
    /// The wanted ranges; nil if all of the file is wanted, or its length is not known yet. Ranges that cannot be
    /// resolved were refused when the length became known.
    var wanted: RangeSet? { layout?.selection.wanted }

    /// The positions of the parts in the partial file; nil if the whole is wanted, or the length that decides is not
    /// known.
    var layout: ResultLayout? {
        guard let ranges = settings.ranges else { return nil }
        let resolved = total.map { try? ranges.resolved(total: $0) } ?? ranges.withoutTotal
        return resolved.map { ResultLayout($0, isSparse: settings.isSparse) }
    }

    /// The number of bytes to fetch in all; nil while that is not known.
    package var wantedCount: Int64? { settings.ranges == nil ? total : wanted?.count }

    /// Returns the wanted ranges that are not in `held`, ascending; nil while the length is not known.
    func gaps(in held: RangeSet) -> [ByteRange]? {
        if settings.ranges != nil { return wanted?.subtracting(held).ranges }
        return total.map { held.gaps(upTo: $0) }
    }

    /// Returns the wanted parts of a stored range.
    func wanted(of range: ByteRange) -> [ByteRange] {
        settings.ranges == nil ? [range] : wanted?.intersection(range).ranges ?? []
    }

    /// The first request asks for the first part, so that nothing is fetched for nothing.
    func firstRequest() -> (start: Int64, end: Int64?, suffix: Int64?) {
        switch settings.ranges?.parts.first {
        case .from(let start, let end): (start, end, nil)
        case .last(let count): (0, nil, count)
        case nil: (0, nil, nil)
        }
    }

    var asksOnce: Bool { settings.ranges?.parts.count == 1 }

    /// Returns the reason why the wanted ranges cannot be fetched from this file; nil if they can.
    func objection(toRangesOf found: Representation, from url: HTTPURL) -> DownloadError? {
        guard let ranges = settings.ranges, let total = found.total else { return nil }
        do throws(RangeSelection.Problem) {
            _ = try ranges.resolved(total: total)
            return nil
        } catch {
            return DownloadError(.invalidArgument, "\(url.redacted): \(error.message)", recovery: .giveUp)
        }
    }

    /// RFC 9110 §15.5.17: 416 tells the length, so that the user can be told what is wrong with a range.
    func unsatisfiable(_ head: ResponseHead, from url: HTTPURL) -> DownloadError? {
        guard head.status == 416, settings.ranges != nil, total == nil,
            let value = head.fields.first("content-range"),
            case .unsatisfied(let total?)? = try? ContentRange(parsing: value)
        else { return nil }
        return objection(toRangesOf: Representation(fields: head.fields, total: total), from: url)
    }

    /// The server sends the whole. It is read up to the last byte that is wanted, if that is not far to go for what it
    /// brings.
    func objection(toReadingWhole found: Representation, from url: HTTPURL) -> DownloadError? {
        guard let ranges = settings.ranges else { return nil }
        if let error = objection(toRangesOf: found, from: url) { return error }
        let refusal = "\(url.shownHost) does not send parts of this file"
        guard settings.readsWhole else {
            return DownloadError(
                .rangesNotSupported, "\(refusal), only the whole file.", remedies: [.fetchWhole], recovery: .giveUp)
        }
        guard let resolved = found.total.map({ try? ranges.resolved(total: $0) }) ?? ranges.withoutTotal else {
            return DownloadError(
                .rangesNotSupported,
                "\(refusal) and does not state the file's length, so the range \(ranges) cannot be resolved.",
                remedies: [.fetchWhole], recovery: .giveUp)
        }
        let detour = resolved.wanted.upperBound - resolved.wanted.count
        guard detour > max(PartOrder.maximumDetour, resolved.wanted.count) else { return nil }
        if found.isRecentlyModified {
            let seconds = found.secondsUntilSettled
            return DownloadError(
                .changed,
                "\(url.redacted) may have been modified so recently that its parts cannot be distinguished from those of another version\(seconds.map { ", for another \($0) seconds" } ?? "").",
                remedies: [.tryLater, .fetchWhole], recovery: .retryAfter(seconds.map { .seconds($0) }))
        }
        return DownloadError(
            .rangesNotSupported,
            "\(refusal): \(detour) bytes would have to be downloaded and discarded for the \(resolved.wanted.count) requested.",
            remedies: [.fetchWhole], recovery: .giveUp)
    }

    /// Returns the number of bytes wanted of a file.
    func length(wantedOf found: Representation) -> Int64? {
        guard let ranges = settings.ranges else { return found.total }
        return (found.total.map { try? ranges.resolved(total: $0) } ?? ranges.withoutTotal)?.wanted.count
    }

    /// Ends a whole file that is read for its parts behind the last of them.
    mutating func stopAfterLastPart(_ index: Int, _ found: Representation) {
        guard let ranges = settings.ranges,
            let end = (found.total.map { try? ranges.resolved(total: $0) } ?? ranges.withoutTotal)?.wanted.upperBound
        else { return }
        segments[index].end = end
    }

    /// Handles a file that ended before the requested parts did, so that its length is known only now; nil if the
    /// length was known before.
    mutating func endedBeforeLastPart(_ segment: SegmentMachine, at now: Instant) -> [DownloadAction]? {
        guard settings.ranges != nil, segment.answer.isFromZero, segment.answer.announcedEnd == nil else { return nil }
        if let error = objection(toEndOf: segment) { return giveUp(segment.source, because: error, at: now) }
        amend(segment.source) { $0.total = segment.position }
        guard let found = representation, let error = objection(toRangesOf: found, from: segment.url) else { return [] }
        return drain(for: .fail(error))
    }

    /// The digests that the result must match. A server's digests describe the whole file (RFC 9530 §3).
    var digestsOfResult: [Digest] {
        if let digest = settings.digest { return [digest] }
        // Where the caller knows better, no server's word counts.
        if attempt.pieces != nil { return [] }
        // Of a stream, whoever reads it sees whether it is what it should be.
        return settings.ranges == nil && !isStreaming ? computable(representation?.digests ?? []) : []
    }

    /// The digest that the caller wants to know, unless it is compared anyway.
    var digestToCompute: DigestAlgorithm? {
        let isCompared = digestsOfResult.contains { $0.algorithm == settings.options.computedDigest }
        return isCompared || isStreaming ? nil : settings.options.computedDigest
    }

    // MARK: Several in one request

    /// RFC 9110 §17.15 lets a server take many small ranges for an attack.
    private static let maximumAtOnce = 10
    /// The largest part that is requested together with others. A larger one takes longer to arrive than to request.
    /// And a part counts only when the boundary behind it has arrived, so this much may be lost with a connection.
    private static let largestPart: Int64 = 16 << 10
    /// A whole file in place of its parts is taken up to this length, rather than asked for again.
    private static let largestWhole: Int64 = 256 << 10

    /// Small ranges that go into one request, two at least; nil: one by one.
    func together(_ gaps: [ByteRange]) -> [ByteRange]? {
        let source = sources[sources.lead]
        guard settings.ranges != nil, settings.asksForSeveral, !isStreaming, !source.habits.refusesSeveral,
            !source.habits.asksPlainly, !source.file.rangeSupport.isIgnored,
            // The head tells no length. Where one is expected, a single range shows first whether this is the file.
            representation.map({ _ in isCombinable || settings.digest != nil })
                ?? (settings.expectedSize == nil && attempt.pieces == nil)
        else { return nil }
        let few = gaps.prefix(Self.maximumAtOnce).prefix { gap in
            // A server may send what lies between two as well (RFC 9110 §15.3.7.2), and nothing that is stored may be
            // written again.
            gap.count <= Self.largestPart && written.intersection(ByteRange(gaps[0].start..<gap.start)).isEmpty
        }
        return few.count > 1 ? Array(few) : nil
    }

    /// Returns the gaps that deserve a connection of their own. While small parts come in one response, those behind
    /// them are left for the next one: connections of their own would cost more than they save.
    func worthConnection(_ gaps: [ByteRange]) -> [ByteRange] {
        guard segments.contains(where: { $0.isLive && !$0.request.several.isEmpty }) else { return gaps }
        return gaps.filter { $0.count > Self.largestPart }
    }

    /// Anything but the parts, in answer to a request for several ranges, says that they are to be asked for one by
    /// one. Nil: the answer can be used, or says something else.
    mutating func withoutSeveral(_ verdict: Verdict, _ segment: SegmentMachine) -> [DownloadAction]? {
        guard !segment.request.several.isEmpty else { return nil }
        switch verdict {
        case .several, .redirect, .changed, .empty, .refused(.notFound), .refused(.captivePortal): return nil
        case .refused(.busy):
            // The wait that it asked for is kept.
            sources[segment.source].habits.refusesSeveral = true
            return nil
        case .refused(.other), .refused(.unauthorized), .refused(.temporary):
            // RFC 9110 §14.2: a server, or what stands before it, may refuse what looks like an attack. If it meant
            // something else, it says so to a single range as well.
            sources[segment.source].habits.refusesSeveral = true
            return cancelSegment(segment.id)
        case .partial(let range, _):
            sources[segment.source].habits.refusesSeveral = true
            let detour = range.count - (wanted?.intersection(range).count ?? range.count)
            return detour > PartOrder.maximumDetour ? cancelSegment(segment.id) : nil
        case .whole(let found):
            // RFC 9110 §14.2: it may send the whole because there are several, and still honour each one.
            sources[segment.source].habits.refusesSeveral = true
            return found.total.map { $0 <= Self.largestWhole } ?? false ? nil : cancelSegment(segment.id)
        // Whether it was for several ranges or for the condition beside them is seen when one is asked for.
        case .bad, .askWithoutRange, .askWithoutCondition, .startsEarly, .askForLastBytes, .alreadyComplete, .unproven:
            sources[segment.source].habits.refusesSeveral = true
            return cancelSegment(segment.id)
        }
    }

    /// Parts that did not come as expected are asked for one by one. Nil: how the exchange ended decides what it means.
    mutating func endedWithinParts(_ segment: SegmentMachine, _ end: StreamEnd) -> [DownloadAction]? {
        guard !segment.request.several.isEmpty, end != .cancelled else { return nil }
        guard segment.answer.partsType != nil else {
            // Closed without a word: some answer so to what they do not like.
            if case .failed = end { sources[segment.source].habits.refusesSeveral = true }
            return nil
        }
        // All have come, whatever happened behind the last boundary.
        if segment.position >= segment.end ?? 0 { return concluded(segment) }
        sources[segment.source].habits.refusesSeveral = true
        switch end {
        // Nobody has failed.
        case .complete, .boundReached: return []
        case .failed(let error) where error.reason == .malformed: return []
        case .failed, .cancelled, .overlapDiffers: return nil
        }
    }
}
