package import PawlCore

/// A file on a simulated server, and how that server treats it. A plain value: a scenario draws one from its seed.
package struct SimulatedOrigin: Sendable {
    package enum Ranges: Sendable { case honoured, ignored, sometimes }
    package enum Several: Sendable, CaseIterable {
        case parts, reversed, merged, firstOnly, whole, refused, unsatisfiable, cut, otherParts, otherTotal
        /// The last part says other than the first how long the file is.
        case otherTotalLater
        /// The first part ends before it said it would, the boundary follows.
        case shortPart
        /// No boundary behind the last part.
        case unended
    }
    package enum Validator: Sendable, CaseIterable { case strong, weakAndDate, weakOnly, dateOnly, none }

    /// What becomes of a connection beyond the most that are allowed.
    package enum Excess: Hashable, Sendable {
        case status(Int)
        case reset
        /// Taken, and never answered.
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

    /// The clock by which `Date` is made.
    package enum Clock: Hashable, Sendable {
        case right
        /// Behind that of the file system, as a file server's can be.
        case behind(seconds: Int64)
        /// No `Date` at all.
        case none
    }

    /// What the server makes of an entity tag.
    package enum TagStyle: Hashable, Sendable, CaseIterable {
        case usual
        /// `""` for every file.
        case empty
        case unquoted
        /// Two lines, the first of which is the same for every version.
        case twoLines
        /// The same for every version, which is a lie that nobody can see through.
        case constant
    }

    package var versions: [Version]
    /// When each version but the first takes the place of the one before.
    package var replacements: [Instant] = []
    /// When the second version takes the place of the first.
    package var replacedAt: Instant? {
        get { replacements.first }
        set { replacements = newValue.map { [$0] } ?? [] }
    }
    package var clock = Clock.right
    package var tagStyle = TagStyle.usual
    /// Whether a 416 carries the validators of the version it speaks of.
    package var showsTagOf416 = false
    /// Whether `Content-Range` says how long the whole is; `*` otherwise.
    package var showsTotal = true
    /// Every body that leads across this position of the file is cut there.
    package var cutsAt: Int?
    /// How many idle connections the client keeps, each of which the server closes at the second request.
    package var closesKept = 0
    /// 401 to whoever sends no `Authorization`.
    package var asksForLogin = false
    package var redirectsKeepQuery = false
    package var ranges: Ranges = .honoured
    /// What becomes of several ranges in one request.
    package var several = Several.parts
    package var honoursIfRange = true
    package var refusesIfRange = false
    package var validator: Validator = .strong
    package var sendsLength = true
    /// Of the last version it may not, where it does of the others: a page that is made anew each time has come in the file's place.
    package var sendsLengthOfLast = true
    package var sendsDigest = false
    package var bytesPerSecond: Int64 = 1 << 20
    package var chunk = 8192
    package var latency: Duration = .milliseconds(5)
    /// What all connections together get.
    package var totalBytesPerSecond: Int64?
    /// A byte every so often is all that the n-th request, counted from 1, gets.
    package var drips: [Int: Duration] = [:]
    package var maximumConnections = 64
    package var excess = Excess.status(503)
    package var redirects = 0
    /// The redirect's target works for this long, then answers 403.
    package var linkLifetime: Duration?

    /// What it says to everything.
    package var refusal: Int?
    /// Sent with the file.
    package var fields: [HTTPField] = []

    /// Chances of one exchange to go wrong in a way of its own.
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
    /// A page with status 200 in answer to a later range: a login, a notice that the link has expired.
    package var answersPage = 0.0

    package init(versions: [Version]) { self.versions = versions }

    /// The same server on a good day.
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

    /// Random bytes of a file.
    static func content(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        let words = (0..<(count + 7) / 8).map { _ in random.next().littleEndian }
        return words.withUnsafeBytes { Array($0.prefix(count)) }
    }

    // MARK: What it says of a version

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

    /// Whether a condition names this version, in the eyes of a server that compares bytes. No empty tag does.
    func isMet(_ condition: String, by version: Version) -> Bool {
        condition != "\"\"" && validators(of: version).contains { $0.value == condition }
    }
}
