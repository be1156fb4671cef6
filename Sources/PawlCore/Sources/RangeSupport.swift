/// The way in which a server has treated requests for a range of this file, in this run.
enum RangeSupport: Hashable, Sendable {
    /// No range has been requested, or none of the answers could be used. Next: any other.
    case unknown
    /// A range was answered with that range. Next: `ignored`.
    case honoured
    /// The whole file came instead, which is final: some of the server's back ends may honour ranges, but nobody can
    /// rely on it.
    case ignored(hasHonoured: Bool)

    /// Whether any range has been answered with that range.
    var isProven: Bool {
        switch self {
        case .unknown: false
        case .honoured: true
        case .ignored(let hasHonoured): hasHonoured
        }
    }

    var isIgnored: Bool {
        switch self {
        case .unknown, .honoured: false
        case .ignored: true
        }
    }

    mutating func noteHonoured() {
        switch self {
        case .unknown, .honoured: self = .honoured
        case .ignored: self = .ignored(hasHonoured: true)
        }
    }

    mutating func noteIgnored() { self = .ignored(hasHonoured: isProven) }
}

/// Whether a server refuses requests because they name a range. Some gateways do, by any status or by closing the
/// connection, and send the file to whoever asks without one (FAULTS R32).
enum RangeRefusal: Hashable, Sendable {
    /// No request for a range has been refused. Next: `asked`, `suspected`.
    case unknown
    /// A request for a range was refused, while other sources can be asked instead. It is repeated without the range
    /// once they are gone. Next: `asked`.
    case suspected
    /// A request for a range was refused, and is repeated without the range. Next: `doubtful`, `settled`.
    ///
    /// - Parameters:
    ///   - mayPass: the refusal says that the server is in trouble, which may be over by now.
    ///   - isLast: one was repeated before.
    case asked(mayPass: Bool, isLast: Bool)
    /// The file came without the range from a server that takes ranges by its own words: what refused the range may be
    /// over. The next refusal tells. Next: `asked`.
    case doubtful
    /// The request without the range brought the file, or was refused as well.
    case settled(hasCome: Bool)

    var asksPlainly: Bool {
        switch self {
        case .unknown, .suspected, .doubtful: false
        case .asked: true
        case .settled(let hasCome): hasCome
        }
    }
}

/// The way in which a server has to be asked, whatever the file, as learned from its responses.
struct ServerHabits: Hashable, Sendable {
    /// A range of a known file was answered with the whole of it. The first time may be an accident; the next is a
    /// habit.
    var hasSentWhole = false
    /// No answer to a request for a range could be used.
    var hasUnusableRanges = false
    var rangeRefusal = RangeRefusal.unknown
    /// Requests name no range.
    var asksPlainly: Bool { hasUnusableRanges || rangeRefusal.asksPlainly }
    /// Bytes of a range that does not begin with the first one have come. A range of the whole file proves little:
    /// some servers take that one only.
    var hasSentMiddle = false
    /// Whether the server fails to answer several ranges in one request correctly.
    var refusesSeveral = false
    /// Whether the server refuses requests with If-Range.
    var refusesCondition = false

    /// Answers in a row that could not be used.
    var badResponses = 0
    /// Whether a cache on the way mixes up ranges, and is asked not to answer by itself (FAULTS N21).
    var bypassesCaches = false

    /// Has the next requests name no range, unless that was tried before. False if it was.
    mutating func askWithoutRange(mayPass: Bool) -> Bool {
        switch rangeRefusal {
        case .asked, .settled: return false
        case .unknown, .suspected: rangeRefusal = .asked(mayPass: mayPass, isLast: false)
        case .doubtful: rangeRefusal = .asked(mayPass: mayPass, isLast: true)
        }
        return true
    }

    /// Notes the whole file in answer to a range. True if it is the first time.
    mutating func noteWhole() -> Bool {
        defer { hasSentWhole = true }
        return !hasSentWhole
    }
}
