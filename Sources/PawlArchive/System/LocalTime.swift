import PawlSystem

/// Times of day without a time zone, such as those of DOS: taken as of the zone that is set here, as all programs do.
enum LocalTime {
    /// - Parameter asIfUTC: the seconds from 1970 to that date and time were they in UTC.
    static func secondsSince1970(asIfUTC: Int64) -> Int64 {
        var time = time_t(asIfUTC)
        var fields = tm()
        guard gmtime_r(&time, &fields) != nil else { return asIfUTC }
        // Whether it is summer there, the system is to find out.
        fields.tm_isdst = -1
        let seconds = mktime(&fields)
        return seconds == -1 ? asIfUTC : Int64(seconds)
    }
}
