package import PawlCore

/// A file on a simulated server, and the server's treatment of it. A plain value that a scenario draws from its seed.
package struct SimulatedOrigin: Sendable {
    package enum Ranges: Sendable { case honoured, ignored, sometimes }
    package enum Several: Sendable, CaseIterable {
        case parts, reversed, merged, firstOnly, whole, refused, unsatisfiable, cut, otherParts, otherTotal
        /// The last part gives another total than the first.
        case otherTotalLater
        /// The first part ends before its announced end, and the boundary follows.
        case shortPart
        /// No boundary follows the last part.
        case unended
    }
    package enum Validator: Sendable, CaseIterable { case strong, weakAndDate, weakOnly, dateOnly, none }

    /// How a connection beyond the maximum is treated.
    package enum Excess: Hashable, Sendable {
        case status(Int)
        case reset
        /// Accepted, and never answered.
        case hang
    }

    package struct Version: Sendable {
        package var bytes: [UInt8]
        package var entityTag: String
        package var lastModified: String

        package init(bytes: [UInt8], entityTag: String, lastModified: String) {
            self.bytes = bytes
            self.entityTag = entityTag
            self.lastModified = lastModified
        }
    }

    /// The clock that `Date` fields come from.
    package enum Clock: Hashable, Sendable {
        case right
        /// Behind the file system's clock, as a file server's can be.
        case behind(seconds: Int64)
        /// No `Date` at all.
        case none
    }

    /// How the server presents an entity tag.
    package enum TagStyle: Hashable, Sendable, CaseIterable {
        case usual
        /// `""` for every file.
        case empty
        case unquoted
        /// Two lines, the first of them equal for every version.
        case twoLines
        /// Equal for every version, which is a lie that no client can detect.
        case constant
    }

    package var versions: [Version]
    /// The times at which each version but the first replaces its predecessor.
    package var replacements: [Instant] = []
    /// The time at which the second version replaces the first.
    package var replacedAt: Instant? {
        get { replacements.first }
        set { replacements = newValue.map { [$0] } ?? [] }
    }
    package var clock = Clock.right
    package var tagStyle = TagStyle.usual
    /// Whether a 416 carries the validators of the version that it is about.
    package var showsTagOf416 = false
    /// Whether `Content-Range` gives the complete length; otherwise it gives `*`.
    package var showsTotal = true
    /// Cuts every body that crosses this position of the file.
    package var cutsAt: Int?
    /// How many idle connections the client keeps, each of which the server closes at the second request.
    package var closesKept = 0
    /// Answers 401 to requests without `Authorization`.
    package var asksForLogin = false
    package var redirectsKeepQuery = false
    package var ranges: Ranges = .honoured
    /// How the server answers several ranges in one request.
    package var several = Several.parts
    package var honoursIfRange = true
    package var refusesIfRange = false
    /// The server's refusal of every request for a range; nil if it serves them.
    package var rangeRefusal: Excess?
    package var validator: Validator = .strong
    package var sendsLength = true
    /// Whether the last version has a length. False where a dynamic page without one has replaced a file that had one.
    package var sendsLengthOfLast = true
    package var sendsDigest = false
    package var bytesPerSecond: Int64 = 1 << 20
    package var chunk = 8192
    package var latency: Duration = .milliseconds(5)
    /// The rate of all connections together.
    package var totalBytesPerSecond: Int64?
    /// Requests, counted from 1, that get only one byte per interval.
    package var drips: [Int: Duration] = [:]
    package var maximumConnections = 64
    package var excess = Excess.status(503)
    package var redirects = 0
    /// The redirect's target works for this long, then answers 403.
    package var linkLifetime: Duration?

    /// Answers every request with this status.
    package var refusal: Int?
    /// Extra fields sent with the file.
    package var fields: [HTTPField] = []

    /// Probabilities of one exchange going wrong, each in its own way.
    package var refuses = 0.0
    package var dies = 0.0
    package var diesMidBody = 0.0
    package var stalls = 0.0
    package var crawls = 0.0
    package var answersBusy = 0.0
    package var shiftsStart = 0.0
    package var dropsContentRange = 0.0
    package var liesAboutTotal = 0.0
    package var answersShort = 0.0
    package var runsOn = 0.0
    package var claims416 = 0.0
    /// Answers a later range with status 200 and a page: a login form, or a notice that the link has expired.
    package var answersPage = 0.0

    package init(versions: [Version]) { self.versions = versions }

    /// One server in twelve refuses each request with a range, in one of the ways that gateways do.
    mutating func varyRangeRefusal(_ seed: UInt64) {
        var random = SplitMix64(seed: seed ^ 0x7261_6e67_6573)
        guard random.next() % 12 == 0 else { return }
        let statuses = [400, 401, 403, 404, 405, 406, 410, 412, 500, 501, 502, 503]
        let pick = Int(random.next() % UInt64(statuses.count + 1))
        rangeRefusal = pick < statuses.count ? .status(statuses[pick]) : .reset
    }

    /// The same server with its transient faults gone.
    package var healed: SimulatedOrigin {
        var healed = self
        (healed.refuses, healed.dies, healed.diesMidBody, healed.stalls, healed.crawls) = (0, 0, 0, 0, 0)
        (healed.answersBusy, healed.shiftsStart, healed.dropsContentRange) = (0, 0, 0)
        (healed.liesAboutTotal, healed.answersShort, healed.runsOn, healed.claims416) = (0, 0, 0, 0)
        healed.answersPage = 0
        healed.linkLifetime = nil
        healed.cutsAt = nil
        return healed
    }

    package func version(at now: Instant) -> Version {
        versions[min(versions.count - 1, replacements.count { $0 <= now })]
    }

    func sendsLength(of version: Version) -> Bool {
        sendsLength && (sendsLengthOfLast || index(of: version) < versions.count - 1)
    }

    func index(of version: Version) -> Int { versions.firstIndex { $0.bytes == version.bytes } ?? -1 }

    /// Pseudorandom content for a file.
    package static func content(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        let words = (0..<(count + 7) / 8).map { _ in random.next().littleEndian }
        return words.withUnsafeBytes { Array($0.prefix(count)) }
    }

    // MARK: Describing a version

    func date(at secondsSinceEpoch: Int64) -> String? {
        switch clock {
        case .right: HTTPDate(secondsSinceEpoch: secondsSinceEpoch).imfFixdate
        case .behind(let seconds): HTTPDate(secondsSinceEpoch: secondsSinceEpoch - seconds).imfFixdate
        case .none: nil
        }
    }

    func validators(of version: Version) -> [HTTPField] {
        let date = HTTPField("Last-Modified", version.lastModified)
        return switch validator {
        case .strong: tags(of: version) + [date]
        case .weakAndDate: [HTTPField("ETag", "W/" + version.entityTag), date]
        case .weakOnly: [HTTPField("ETag", "W/" + version.entityTag)]
        case .dateOnly: [date]
        case .none: []
        }
    }

    private func tags(of version: Version) -> [HTTPField] {
        switch tagStyle {
        case .usual: [HTTPField("ETag", version.entityTag)]
        case .empty: [HTTPField("ETag", "\"\"")]
        case .unquoted: [HTTPField("ETag", String(version.entityTag.filter { $0 != "\"" }))]
        case .twoLines: [HTTPField("ETag", "\"same\""), HTTPField("ETag", version.entityTag)]
        case .constant: [HTTPField("ETag", "\"same\"")]
        }
    }

    /// Whether a condition names this version, to a server that compares bytes. An empty tag never matches.
    func isMet(_ condition: String, by version: Version) -> Bool {
        condition != "\"\"" && validators(of: version).contains { $0.value == condition }
    }
}
