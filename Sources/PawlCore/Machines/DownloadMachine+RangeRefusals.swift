/// Requests that are refused because they name a range.
extension DownloadMachine {
    /// Lets the plan repeat a refused request without its range, once. False: the refusal is not about the range, or
    /// that is known already.
    ///
    /// - Parameter mayPass: the same request may succeed a moment later. Where bytes are held, that is tried first: a
    ///   request without a range begins at zero.
    mutating func drops(rangeOf segment: SegmentMachine, mayPass: Bool) -> Bool {
        let source = segment.source
        guard segment.request.isRanged, flowingCount == 0, !canSpare(source), !sources[source].habits.asksPlainly,
            !sources[source].file.rangeSupport.isProven,
            !mayPass || written.isEmpty || sources[source].retry.failuresWithoutProgress >= 2
        else { return false }
        switch sources[source].habits.rangeRefusal {
        case .asked, .settled: return false
        case .unknown: sources[source].habits.rangeRefusal = .asked(mayPass: mayPass)
        case .doubtful: sources[source].habits.rangeRefusal = .asked(mayPass: false)
        }
        sources[source].habits.asksPlainly = true
        return true
    }

    /// Notes that the request was refused without its range as well: then that was not the reason.
    mutating func noteRefused(_ segment: SegmentMachine) {
        guard case .asked = sources[segment.source].habits.rangeRefusal, !segment.request.isRanged else { return }
        sources[segment.source].habits.rangeRefusal = .settled
        sources[segment.source].habits.asksPlainly = false
    }

    /// Notes that the file came without the range. True if the range is better asked for once more, because the server
    /// takes ranges by its own words, and only the rest is missing.
    mutating func noteCame(_ head: ResponseHead, for segment: SegmentMachine) -> Bool {
        let source = segment.source
        guard case .asked(let mayPass) = sources[source].habits.rangeRefusal, !segment.request.isRanged else {
            return false
        }
        let takesRanges = head.fields.first("accept-ranges")?.lowercased() == "bytes"
        guard mayPass, takesRanges else {
            sources[source].habits.rangeRefusal = .settled
            return false
        }
        sources[source].habits.rangeRefusal = .doubtful
        sources[source].habits.asksPlainly = false
        return !written.isEmpty
    }
}

extension Refusal {
    /// Whether it may be about the range in the request. A named wait, if it is the first, and 429 are about the number
    /// of requests, 407 and 511 about the way to the server.
    ///
    /// - Parameter proof: what the request said of who asks. A wrong password is not sent twice.
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
