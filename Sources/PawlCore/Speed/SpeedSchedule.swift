/// A time of the week by the clock on the wall.
public struct WeekTime: Hashable, Comparable, Sendable {
    public static let secondsInDay = 86_400
    public static let secondsInWeek = 7 * secondsInDay

    /// The time since Sunday 00:00, below ``secondsInWeek``.
    public let secondsOfWeek: Int

    /// - Parameters:
    ///   - weekday: 0 is Sunday. Taken modulo 7.
    ///   - secondsOfDay: since midnight. What is past the end of the day, such as a leap second, counts as its last
    ///     second.
    public init(weekday: Int, secondsOfDay: Int) {
        let day = ((weekday % 7) + 7) % 7
        secondsOfWeek = day * Self.secondsInDay + min(max(0, secondsOfDay), Self.secondsInDay - 1)
    }

    public static func < (left: WeekTime, right: WeekTime) -> Bool { left.secondsOfWeek < right.secondsOfWeek }

    /// Seconds from this time to the next occurrence of another, below ``secondsInWeek``; 0 for the same time.
    package func seconds(until other: WeekTime) -> Int {
        (other.secondsOfWeek - secondsOfWeek + Self.secondsInWeek) % Self.secondsInWeek
    }
}

/// The speed limits and their times: one for all times, or a timetable.
///
/// The timetable has the form of rclone's: `TIME,RATE` separated by spaces, where TIME is `HH:MM` for every day or
/// `Mon-HH:MM` for one, in local time, and RATE a number of bytes per second as ``ByteQuantity`` reads it, or `off` for
/// no limit, or `pause` to fetch nothing. Each entry holds until the next one, around the end of the week.
///
///     08:00,512k 19:00,off
///     Mon-08:00,1MB Fri-18:00,off
///     08:00,pause 22:00,off
public struct SpeedSchedule: Hashable, Sendable {
    private enum Limit: Hashable, Sendable {
        case none
        case bytesPerSecond(Int64)
        case pause
    }

    private struct Entry: Hashable, Sendable {
        var time: WeekTime
        var limit: Limit
    }

    /// A span of time in which a timetable fetches nothing.
    public struct Pause: Hashable, Sendable, CustomStringConvertible {
        /// The end, by the clock on the wall.
        public let end: WeekTime
        fileprivate let isLongerThanADay: Bool

        /// The end as people write it: `22:00`, or `Fri 18:00` of a pause that lasts longer than a day.
        public var description: String {
            let (hour, minute) = (end.secondsOfWeek / 3600 % 24, end.secondsOfWeek / 60 % 60)
            let clock = "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
            let day = SpeedSchedule.weekdays[end.secondsOfWeek / WeekTime.secondsInDay]
            return isLongerThanADay ? "\(day) \(clock)" : clock
        }

        /// A sentence that says why nothing is fetched.
        package var sentence: String { "Paused by the timetable until \(self)." }
    }

    /// Ascending, one entry for each time; never empty.
    private let entries: [Entry]

    /// Creates one limit for all times; nil for none.
    public init(bytesPerSecond: Int64?) {
        let limit = bytesPerSecond.map { Limit.bytesPerSecond($0) } ?? .none
        entries = [Entry(time: WeekTime(weekday: 0, secondsOfDay: 0), limit: limit)]
    }

    private init(entries: [Entry]) { self.entries = entries }

    /// Returns the limit at a time, in bytes per second; nil for no limit and during a ``pause(at:)``.
    public func bytesPerSecond(at time: WeekTime) -> Int64? {
        guard case .bytesPerSecond(let rate) = entries[index(at: time)].limit else { return nil }
        return rate
    }

    /// The pause that holds at a time; nil if bytes may be fetched.
    public func pause(at time: WeekTime) -> Pause? {
        var (first, next) = (index(at: time), index(at: time))
        guard entries[next].limit == .pause else { return nil }
        // Proven: both end, for one entry of every timetable does not pause.
        repeat { next = (next + 1) % entries.count } while entries[next].limit == .pause
        var before = first
        repeat {
            first = before
            before = (before + entries.count - 1) % entries.count
        } while entries[before].limit == .pause
        let end = entries[next].time
        return Pause(
            end: end, isLongerThanADay: entries[first].time.seconds(until: end) > WeekTime.secondsInDay)
    }

    private func index(at time: WeekTime) -> Int {
        // Before the first entry of the week the last one still holds.
        entries.lastIndex { $0.time <= time } ?? entries.count - 1
    }

    /// Seconds from a time to the next entry; nil where one limit holds for all times.
    public func secondsUntilChange(after time: WeekTime) -> Int? {
        guard entries.count > 1, let first = entries.first else { return nil }
        let next = entries.first { $0.time > time }
        let end = next?.time.secondsOfWeek ?? first.time.secondsOfWeek + WeekTime.secondsInWeek
        return end - time.secondsOfWeek
    }

    /// Whether anything is ever limited.
    public var limitsAnything: Bool { entries.contains { $0.limit != .none } }
}

extension SpeedSchedule {
    /// The reason why a text is neither a rate nor a timetable.
    public struct ParseError: Error, Hashable, Sendable {
        /// A sentence that says what is wrong and what is accepted.
        public let message: String
    }

    /// - Throws: ``ParseError``.
    public init(parsing text: String) throws(ParseError) {
        let words = text.split { $0 == " " || $0 == "\t" || $0 == ";" }
        guard !words.isEmpty else { throw ParseError(message: "A speed limit is empty. " + Self.accepted) }
        guard words.count > 1 || words[0].contains(",") else {
            self.init(entries: [Entry(time: WeekTime(weekday: 0, secondsOfDay: 0), limit: try Self.limit(words[0]))])
            try checkFetches()
            return
        }
        var daily: [Int: Entry] = [:]
        var weekly: [Int: Entry] = [:]
        for word in words {
            let parts = word.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw ParseError(message: "“\(word)” is not a timetable entry. " + Self.accepted)
            }
            let limit = try Self.limit(parts[1])
            for time in try Self.times(parts[0]) {
                let entry = Entry(time: time, limit: limit)
                let isDaily = !parts[0].contains("-")
                let former =
                    isDaily
                    ? daily.updateValue(entry, forKey: time.secondsOfWeek)
                    : weekly.updateValue(entry, forKey: time.secondsOfWeek)
                guard former == nil else { throw ParseError(message: "The timetable has “\(parts[0])” twice.") }
            }
        }
        // What is said of one day is meant more than what is said of all.
        self.init(entries: daily.merging(weekly) { _, weekly in weekly }.values.sorted { $0.time < $1.time })
        try checkFetches()
    }

    private func checkFetches() throws(ParseError) {
        guard entries.allSatisfy({ $0.limit == .pause }) else { return }
        throw ParseError(message: "A limit that always pauses fetches nothing. " + Self.accepted)
    }

    private static let accepted =
        "A limit is \(ByteQuantity.accepted), per second, or off; a timetable looks like \"08:00,512k 19:00,off\" or \"Mon-08:00,1M Fri-18:00,off\", with pause to fetch nothing: \"08:00,pause 22:00,off\"."

    private static func limit(_ text: Substring) throws(ParseError) -> Limit {
        if text == "off" || text == "unlimited" { return .none }
        if text == "pause" { return .pause }
        do throws(ByteQuantity.Problem) {
            let rate = try ByteQuantity.parse(String(text))
            guard rate > 0 else { throw ByteQuantity.Problem.malformed }
            return .bytesPerSecond(rate)
        } catch {
            if let mistake = Self.mistake(in: text) {
                throw ParseError(message: "“\(text)” is not a speed limit. " + mistake)
            }
            let what = error == .tooLarge ? "is too large for a speed limit" : "is not a speed limit"
            throw ParseError(message: "“\(text)” \(what). " + accepted)
        }
    }

    /// Returns advice about a common mistake; nil for others.
    private static func mistake(in text: Substring) -> String? {
        let bytes = text.utf8.prefix { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
        guard !bytes.isEmpty else { return nil }
        if bytes.allSatisfy({ $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }) {
            return "Use “off” for no limit, and “pause” in a timetable to fetch nothing."
        }
        let digits = String(Substring(bytes))
        return switch String(Substring(text.utf8.dropFirst(bytes.count))).lowercased() {
        case "%": "Percentages are not supported; use bytes per second, such as 1M."
        case "kbps", "kbit", "kbit/s", "mbps", "mbit", "mbit/s", "gbps", "gbit", "gbit/s":
            "Bits are not supported; 1 Mbit/s is 125kB."
        case "kb", "kb/s", "kbyte/s": "Write \(digits)kB."
        case "mb", "mb/s", "mbyte/s": "Write \(digits)MB."
        case "gb", "gb/s", "gbyte/s": "Write \(digits)GB."
        case "k/s", "kib/s": "Write \(digits)k."
        case "m/s", "mib/s": "Write \(digits)M."
        case "g/s", "gib/s": "Write \(digits)G."
        default: nil
        }
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    private static func times(_ text: Substring) throws(ParseError) -> [WeekTime] {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let clock = parts.last, parts.count <= 2, let seconds = secondsOfDay(clock) else {
            throw ParseError(message: "“\(text)” is not a time of day from 00:00 to 23:59. " + accepted)
        }
        guard parts.count == 2 else { return (0..<7).map { WeekTime(weekday: $0, secondsOfDay: seconds) } }
        let name = parts[0].lowercased()
        guard
            let day = weekdays.firstIndex(where: {
                let short = $0.lowercased()
                return name == short || (name.hasPrefix(short) && name.hasSuffix("day"))
            })
        else {
            throw ParseError(message: "“\(parts[0])” is not a weekday: use Mon, Tue, Wed, Thu, Fri, Sat or Sun.")
        }
        return [WeekTime(weekday: day, secondsOfDay: seconds)]
    }

    private static func secondsOfDay(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 3600 + minute * 60
    }
}
