/// Requests that are refused because they name a range (FAULTS R32).
extension DownloadMachine {
    /// Lets the plan repeat a refused request without its range, once. False if the refusal is not about the range, if
    /// that is known already, or if something better is left to try.
    ///
    /// - Parameter mayPass: whether the same request may succeed a moment later. Where the answer without a range would
    ///   be of little use, that is tried first: it begins at zero.
    mutating func drops(rangeOf segment: SegmentMachine, mayPass: Bool) -> Bool {
        let source = segment.source
        let isCostly = !written.isEmpty || settings.ranges != nil
        guard segment.request.isRanged, segment.request.several.isEmpty, !sources[source].habits.asksPlainly,
            !sources[source].habits.hasSentMiddle
        else { return false }
        guard !sources.hasAnother(besides: source, where: \.isUsable) else {
            if sources[source].habits.rangeRefusal == .unknown { sources[source].habits.rangeRefusal = .suspected }
            return false
        }
        guard flowingCount == 0, !mayPass || !isCostly || sources[source].retry.failuresWithoutProgress >= 2 else {
            return false
        }
        return sources[source].habits.askWithoutRange(mayPass: mayPass)
    }

    /// Whether a source that is about to be given up may have the file for whoever asks without a range. Nobody does as
    /// long as another source can be asked; the last one is asked once.
    func mayComeWithoutRange(_ source: SourceID, after error: DownloadError) -> Bool {
        let habits = sources[source].habits
        guard !habits.asksPlainly, !habits.hasSentMiddle, flowingCount(of: source) == 0 else { return false }
        switch habits.rangeRefusal {
        case .suspected: return mayRepeat(source, after: error)
        case .unknown: return error.mayConcernRange(of: sources[source].link)
        case .asked, .doubtful, .settled: return false
        }
    }

    /// Whether the request may be repeated. False for a wrong password, which is not sent twice, and for a requested
    /// wait, which is kept.
    private func mayRepeat(_ source: SourceID, after error: DownloadError) -> Bool {
        switch error.code {
        case .unauthorized:
            error.facts.status != 407
                && (error.facts.status != 401 || settings.secret(for: sources[source].link.currentURL) == nil)
        case .refused: if case .retryAfter(.some) = error.recovery { false } else { true }
        default: true
        }
    }

    /// Judges a refused request. One with a range may be repeated without it; see ``drops(rangeOf:mayPass:)``. For one
    /// without, the range was not the reason.
    ///
    /// - Parameter mayConcernRange: whether the refusal may be about the range.
    /// - Returns: true if it is repeated.
    mutating func repeatsWithoutRange(_ segment: SegmentMachine, if mayConcernRange: Bool, mayPass: Bool) -> Bool {
        if mayConcernRange, drops(rangeOf: segment, mayPass: mayPass) { return true }
        noteRefused(segment)
        return false
    }

    /// Notes that the request was of no more use without its range: then that was not the reason.
    mutating func noteRefused(_ segment: SegmentMachine) {
        guard case .asked = sources[segment.source].habits.rangeRefusal, !segment.request.isRanged else { return }
        sources[segment.source].habits.rangeRefusal = .settled(hasCome: false)
    }

    /// Notes that the file came without the range. True if the range is better asked for once more, because the server
    /// takes ranges by its own words, and only a part is missing.
    mutating func noteCame(_ head: ResponseHead, for segment: SegmentMachine) -> Bool {
        let source = segment.source
        guard case .asked(let mayPass, let isLast) = sources[source].habits.rangeRefusal, !segment.request.isRanged
        else { return false }
        let isCostly = !written.isEmpty || settings.ranges != nil
        guard !isLast, mayPass || isCostly, head.fields.members("accept-ranges") == ["bytes"] else {
            sources[source].habits.rangeRefusal = .settled(hasCome: true)
            return false
        }
        sources[source].habits.rangeRefusal = .doubtful
        return isCostly
    }

    /// Forgets what was found out about a link that another one has replaced.
    mutating func forgetRangeRefusal(of source: SourceID) {
        guard sources[source].habits.rangeRefusal != .unknown else { return }
        (sources[source].habits.rangeRefusal, sources[source].habits.hasUnusableRanges) = (.unknown, false)
    }
}

extension Refusal {
    /// Whether it may be about the range in the request. A named wait, if it is the first, and 429 are about the number
    /// of requests, 407 and 511 about the way to the server.
    ///
    /// - Parameter proof: the credentials that the request carried. A wrong password is not sent twice.
    func mayConcernRange(of proof: Authenticator.Proof, afterWait hasWaited: Bool = false) -> Bool {
        switch self {
        case .busy(let status, let wait): status != 429 && (wait == nil || hasWaited)
        case .unauthorized(let status): status != 407 && (status != 401 || proof == .none)
        case .captivePortal: false
        case .notFound, .temporary, .other: true
        }
    }

    /// Whether the same request may succeed a moment later.
    var mayPass: Bool {
        switch self {
        case .busy, .temporary: true
        case .unauthorized, .notFound, .captivePortal, .other: false
        }
    }
}

extension DownloadError {
    /// Whether a request without a range may fare better than the one that led to this. A wrong password is not sent
    /// twice, and a wait that was named is kept.
    fileprivate func mayConcernRange(of link: SourceLink) -> Bool {
        switch code {
        case .redirect: facts.redirectTarget == nil
        case .badResponse, .notFound: facts.status != nil
        case .refused: facts.status == 511 || facts.status != nil && recovery == .giveUp
        case .unauthorized: facts.status.map { $0 != 401 && $0 != 407 } ?? false
        // A redirect may have led to a host that does not answer.
        case .network: facts.host.map { !$0.isExactly(link.startURL.host) } ?? false
        default: false
        }
    }
}
