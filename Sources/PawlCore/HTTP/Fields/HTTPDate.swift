/// A point in time with the resolution of one second, as HTTP fields write it (RFC 9110 §5.6.7).
package struct HTTPDate: Hashable, Comparable, Sendable {
    package let secondsSinceEpoch: Int64

    package init(secondsSinceEpoch: Int64) {
        self.secondsSinceEpoch = secondsSinceEpoch
    }

    /// Reads IMF-fixdate and the two obsolete formats. Nil when the text is anything else, or contradicts itself: 31
    /// February, or a Monday that was a Sunday.
    ///
    /// - Parameter now: seconds since the epoch, to tell the century of the two-digit year of the RFC 850 format.
    ///   Without it, 70 and above are in the 1900s.
    package init?(parsing text: String, now: Int64? = nil) {
        let fields = Fields(imfFixdate: text) ?? Fields(rfc850: text, now: now) ?? Fields(asctime: text)
        guard let seconds = fields?.secondsSinceEpoch else { return nil }
        secondsSinceEpoch = seconds
    }

    /// Reads a date that a clock may have told. Nil for one before 2 January 1980 as well: clocks that were never set
    /// and build dates start there, and stay the same though the bytes change (V11).
    init?(believable text: String) {
        let firstBelievable: Int64 = 315_619_200
        guard let date = HTTPDate(parsing: text), date.secondsSinceEpoch >= firstBelievable else { return nil }
        self = date
    }

    package static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.secondsSinceEpoch < right.secondsSinceEpoch }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`. The format ends with the year 9999; times outside are written as the nearest
    /// one inside.
    package var imfFixdate: String {
        let seconds = min(max(secondsSinceEpoch, Calendar.earliestSecond), Calendar.latestSecond)
        let (day, second) = Calendar.split(seconds)
        let date = Calendar.date(ofDay: day)
        let weekday = Calendar.shortWeekdays[Calendar.weekday(ofDay: day)]
        let month = Calendar.months[date.month - 1]
        let time = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, to: 2) }.joined(separator: ":")
        return "\(weekday), \(Self.padded(date.day, to: 2)) \(month) \(Self.padded(date.year, to: 4)) \(time) GMT"
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// A date and time as written, before it is checked.
private struct Fields {
    var weekday: Int
    var year: Int
    var month: Int
    var day: Int
    var time: Time

    struct Time {
        var hour: Int
        var minute: Int
        var second: Int
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    init?(imfFixdate text: String) {
        var scanner = FieldScanner(text)
        guard let weekday = scanner.takeShortWeekday(), scanner.take(literal: ", "),
            let day = scanner.takeNumber(digits: 2), scanner.take(" "),
            let month = scanner.takeMonth(), scanner.take(" "),
            let year = scanner.takeNumber(digits: 4), scanner.take(" "),
            let time = scanner.takeTime(), scanner.take(literal: " GMT"), scanner.isAtEnd
        else { return nil }
        self.init(weekday: weekday, year: year, month: month, day: day, time: time)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    init?(rfc850 text: String, now: Int64?) {
        var scanner = FieldScanner(text)
        guard let weekday = scanner.takeName(of: Calendar.weekdays), scanner.take(literal: ", "),
            let day = scanner.takeNumber(digits: 2), scanner.take("-"),
            let month = scanner.takeMonth(), scanner.take("-"),
            let shortYear = scanner.takeNumber(digits: 2), scanner.take(" "),
            let time = scanner.takeTime(), scanner.take(literal: " GMT"), scanner.isAtEnd
        else { return nil }
        let year = Self.year(endingIn: shortYear, now: now)
        self.init(weekday: weekday, year: year, month: month, day: day, time: time)
    }

    /// `Sun Nov  6 08:49:37 1994`
    init?(asctime text: String) {
        var scanner = FieldScanner(text)
        guard let weekday = scanner.takeShortWeekday(), scanner.take(" "),
            let month = scanner.takeMonth(), scanner.take(" "),
            let day = scanner.take(" ") ? scanner.takeNumber(digits: 1) : scanner.takeNumber(digits: 2),
            scanner.take(" "),
            let time = scanner.takeTime(), scanner.take(" "),
            let year = scanner.takeNumber(digits: 4), scanner.isAtEnd
        else { return nil }
        self.init(weekday: weekday, year: year, month: month, day: day, time: time)
    }

    private init(weekday: Int, year: Int, month: Int, day: Int, time: Time) {
        self.weekday = weekday
        self.year = year
        self.month = month
        self.day = day
        self.time = time
    }

    /// A year more than 50 years ahead is the latest past one with these digits (RFC 9110 §5.6.7).
    private static func year(endingIn digits: Int, now: Int64?) -> Int {
        guard let now else { return digits + (digits >= 70 ? 1900 : 2000) }
        // An absurd clock must not lead to a year without four digits; 1970 to 9892 is enough.
        let thisYear = Calendar.date(ofDay: Calendar.split(min(max(now, 0), 250_000_000_000)).day).year
        let year = thisYear - thisYear % 100 + digits
        if year > thisYear + 50 { return year - 100 }
        return year <= thisYear - 50 ? year + 100 : year
    }

    /// The moment in seconds since 1970; nil if no such moment exists.
    var secondsSinceEpoch: Int64? {
        guard (1...12).contains(month), day >= 1, day <= Calendar.dayCount(ofMonth: month, year: year) else {
            return nil
        }
        // The grammar allows a leap second; one can only be the last of a day.
        let isLeapSecond = time.hour == 23 && time.minute == 59 && time.second == 60
        guard time.hour < 24, time.minute < 60, time.second < 60 || isLeapSecond else { return nil }
        let dayNumber = Calendar.dayNumber(year: year, month: month, day: day)
        guard Calendar.weekday(ofDay: dayNumber) == weekday else { return nil }
        return Int64(dayNumber) * 86400 + Int64(time.hour * 3600 + time.minute * 60 + time.second)
    }
}

extension FieldScanner {
    fileprivate mutating func takeNumber(digits count: Int) -> Int? {
        let digits = take(while: ASCII.isDigit)
        guard digits.count == count, case .value(let number) = ASCII.decimal(digits) else { return nil }
        return Int(exactly: number)
    }

    /// The index of the name that comes next. Names are case-sensitive (RFC 9110 §5.6.7).
    fileprivate mutating func takeName(of names: [String]) -> Int? {
        names.firstIndex(of: String(decoding: take(while: ASCII.isLetter), as: UTF8.self))
    }

    fileprivate mutating func takeShortWeekday() -> Int? { takeName(of: Calendar.shortWeekdays) }

    fileprivate mutating func takeMonth() -> Int? { takeName(of: Calendar.months).map { $0 + 1 } }

    fileprivate mutating func takeTime() -> Fields.Time? {
        guard let hour = takeNumber(digits: 2), take(":"), let minute = takeNumber(digits: 2), take(":"),
            let second = takeNumber(digits: 2)
        else { return nil }
        return Fields.Time(hour: hour, minute: minute, second: second)
    }
}

/// The Gregorian calendar, by day numbers counted from 1 January 1970, for the years 0 to 9999.
enum Calendar {
    static let shortWeekdays = weekdays.map { String($0.prefix(3)) }
    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static let earliestSecond = Int64(dayNumber(year: 0, month: 1, day: 1)) * 86400
    static let latestSecond = Int64(dayNumber(year: 9999, month: 12, day: 31)) * 86400 + 86399

    /// 1 March of the year 0 as a day number. Years that begin in March have their leap day last, which keeps the sums
    /// simple.
    private static let dayOfMarchYearZero = -719_468
    private static let daysPer400Years = 146_097

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    static func dayCount(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Day number and second within that day.
    static func split(_ seconds: Int64) -> (day: Int, second: Int) {
        let second = seconds % 86400
        let day = seconds / 86400
        return second < 0 ? (Int(day - 1), Int(second + 86400)) : (Int(day), Int(second))
    }

    /// 0 is Sunday. 1 January 1970 was a Thursday.
    static func weekday(ofDay day: Int) -> Int { ((day + 4) % 7 + 7) % 7 }

    static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        // Counted in 400-year eras of years that begin on 1 March.
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysPer400Years + dayOfEra + dayOfMarchYearZero
    }

    static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day - dayOfMarchYearZero
        let era = (shifted >= 0 ? shifted : shifted - (daysPer400Years - 1)) / daysPer400Years
        let dayOfEra = shifted - era * daysPer400Years
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
