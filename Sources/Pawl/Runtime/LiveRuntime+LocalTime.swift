package import PawlCore
internal import PawlSystem

extension LiveRuntime {
    package func weekTime(secondsSinceEpoch: Int64) -> WeekTime { Self.weekTime(secondsSinceEpoch: secondsSinceEpoch) }

    /// The same without an instance.
    package static func weekTime(secondsSinceEpoch: Int64) -> WeekTime {
        var time = time_t(secondsSinceEpoch)
        var local = tm()
        // localtime_r need not look at the time zone anew (POSIX); a machine may be taken to another one.
        tzset()
        // Null only for a year that does not fit, which no clock shows.
        guard localtime_r(&time, &local) != nil else { return WeekTime(weekday: 0, secondsOfDay: 0) }
        let seconds = (Int(local.tm_hour) * 60 + Int(local.tm_min)) * 60 + Int(local.tm_sec)
        return WeekTime(weekday: Int(local.tm_wday), secondsOfDay: seconds)
    }

    /// The next moment at which the clock on the wall shows a time, in seconds since 1970.
    package static func secondsSinceEpoch(of time: WeekTime, after now: Int64) -> Int64 {
        let expected = now + Int64(weekTime(secondsSinceEpoch: now).seconds(until: time))
        // Summer time may begin or end before then.
        let missing = weekTime(secondsSinceEpoch: expected).seconds(until: time)
        return expected + Int64(missing > WeekTime.secondsInWeek / 2 ? missing - WeekTime.secondsInWeek : missing)
    }
}
