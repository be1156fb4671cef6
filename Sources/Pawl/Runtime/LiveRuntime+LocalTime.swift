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
}
