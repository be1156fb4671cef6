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

    package var versions: [Version]
    /// When the second version takes the place of the first.
    package var replacedAt: Instant?
    package var ranges: Ranges = .honoured
    /// What becomes of several ranges in one request.
    package var several = Several.parts
    package var honoursIfRange = true
    package var refusesIfRange = false
    package var validator: Validator = .strong
    package var sendsLength = true
    package var sendsDigest = false
    package var bytesPerSecond: Int64 = 1 << 20
    package var chunk = 8192
    package var latency: Duration = .milliseconds(5)
    /// What all connections together get.
    package var totalBytesPerSecond: Int64?
    /// A byte every so often is all that the n-th request, counted from 1, gets.
    package var drips: [Int: Duration] = [:]
    package var mostConnections = 64
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
        return healed
    }

    package func version(at now: Instant) -> Version {
        guard let replacedAt, now >= replacedAt, versions.count > 1 else { return versions[0] }
        return versions[1]
    }
}
