/// A date and time of day as DOS has them (APPNOTE 4.4.6): without a time zone, to two seconds.
struct ZipTime {
    /// The seconds from 1970 to that date and time were they in UTC; nil where they are none, as the zeros that some
    /// programs write.
    static func seconds(time: UInt16, date: UInt16) -> Int64? {
        let year = Int64(date >> 9) + 1980
        let month = Int64(date >> 5 & 15)
        let day = Int64(date & 31)
        let hour = Int64(time >> 11)
        let minute = Int64(time >> 5 & 63)
        let second = Int64(time & 31) * 2
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60 else { return nil }
        return (days(year, month, day) * 24 + hour) * 3600 + minute * 60 + second
    }

    /// The days from 1970-01-01 to that day of the Gregorian calendar, counted in years that begin with March, whose
    /// last day is the odd one.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }
}
