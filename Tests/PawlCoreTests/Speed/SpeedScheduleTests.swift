import PawlCore
import Testing

@Suite("Speed limits by time of day")
struct SpeedScheduleTests {
    private static func time(_ day: Int, _ hour: Int, _ minute: Int = 0) -> WeekTime {
        WeekTime(weekday: day, secondsOfDay: hour * 3600 + minute * 60)
    }

    @Test(arguments: [
        ("1Mbps", "Bits are not supported; 1 Mbit/s is 125kB."), ("1mb", "Write 1MB."), ("1.5MB/s", "Write 1.5MB."),
        ("10%", "Percentages are not supported; use bytes per second, such as 1M."),
        ("0", "Use “off” for no limit, and “pause” in a timetable to fetch nothing."),
    ])
    func `a common mistake in a speed limit is named in a short sentence`(text: String, words: String) {
        let error = #expect(throws: SpeedSchedule.ParseError.self) { try SpeedSchedule(parsing: text) }
        #expect(error?.message == "“\(text)” is not a speed limit. \(words)")
    }

    @Test func `a single rate applies at all times`() throws {
        for (text, rate) in [("512k", 524_288), ("off", nil), ("1MB", 1_000_000), ("1.5M", 1_572_864), ("8", 8)]
            as [(String, Int64?)]
        {
            let schedule = try SpeedSchedule(parsing: text)
            #expect(schedule.bytesPerSecond(at: Self.time(3, 12)) == rate)
            #expect(schedule.secondsUntilChange(after: Self.time(3, 12)) == nil)
            #expect(schedule.limitsAnything == (rate != nil))
            #expect(schedule == SpeedSchedule(bytesPerSecond: rate))
        }
    }

    @Test func `a daily timetable repeats every day`() throws {
        let schedule = try SpeedSchedule(parsing: "08:00,512k 19:00,off")
        for day in 0..<7 {
            #expect(schedule.bytesPerSecond(at: Self.time(day, 7, 59)) == nil)
            #expect(schedule.bytesPerSecond(at: Self.time(day, 8)) == 524_288)
            #expect(schedule.bytesPerSecond(at: Self.time(day, 18, 59)) == 524_288)
            #expect(schedule.bytesPerSecond(at: Self.time(day, 19)) == nil)
            #expect(schedule.secondsUntilChange(after: Self.time(day, 8)) == 11 * 3600)
            #expect(schedule.secondsUntilChange(after: Self.time(day, 23)) == 9 * 3600)
        }
    }

    @Test func `a weekly timetable repeats every week, and a named day overrides every day`() throws {
        let week = try SpeedSchedule(parsing: "Mon-08:00,1M;Fri-18:00,off")
        #expect(week.bytesPerSecond(at: Self.time(0, 12)) == nil)
        #expect(week.bytesPerSecond(at: Self.time(1, 7, 59)) == nil)
        #expect(week.bytesPerSecond(at: Self.time(1, 8)) == 1 << 20)
        #expect(week.bytesPerSecond(at: Self.time(5, 17)) == 1 << 20)
        #expect(week.secondsUntilChange(after: Self.time(6, 8)) == 2 * 86_400)
        let mixed = try SpeedSchedule(parsing: "00:00,1k sunday-00:00,2k")
        #expect(mixed.bytesPerSecond(at: Self.time(0, 5)) == 2048)
        #expect(mixed.bytesPerSecond(at: Self.time(1, 5)) == 1024)
        let one = try SpeedSchedule(parsing: "9:30,7")
        #expect(one.bytesPerSecond(at: Self.time(2, 0)) == 7)
    }

    @Test func `a pause of a timetable says when it ends, around midnight and the end of the week`() throws {
        let day = try SpeedSchedule(parsing: "08:00,pause 22:00,1M")
        #expect(day.pause(at: Self.time(3, 7, 59)) == nil && day.pause(at: Self.time(3, 22)) == nil)
        let pause = try #require(day.pause(at: Self.time(3, 8)))
        #expect(pause.end == Self.time(3, 22) && "\(pause)" == "22:00")
        #expect(day.bytesPerSecond(at: Self.time(3, 8)) == nil && day.limitsAnything)
        #expect(day.bytesPerSecond(at: Self.time(3, 23)) == 1 << 20)
        let night = try SpeedSchedule(parsing: "22:30,pause 06:05,off")
        #expect(night.pause(at: Self.time(6, 23)) == night.pause(at: Self.time(0, 6, 4)))
        #expect(night.pause(at: Self.time(6, 23)).map { "\($0)" } == "06:05")
        // Entries that pause one after the other are one pause.
        let week = try SpeedSchedule(parsing: "Fri-18:00,pause Sat-12:00,pause Mon-08:00,off")
        for time in [Self.time(5, 18), Self.time(6, 13), Self.time(0, 1), Self.time(1, 7, 59)] {
            #expect(week.pause(at: time).map { "\($0)" } == "Mon 08:00")
        }
        #expect(week.pause(at: Self.time(1, 8)) == nil)
    }

    @Test(arguments: [
        "pause", "08:00,pause", "08:00,pause Mon-09:00,pause", "08:00,Pause 09:00,off",
        "", " ", "fast", "0", "-1", "08:00", "08:00,", ",512k", "24:00,1M", "08:60,1M", "8:0,1M", "08:00,1M,2M",
        "08:00,0",
        "Foo-08:00,1M", "Mon-Tue-08:00,1M", "08:00,1M 8:00,2M", "1M 2M", "99999999999G", "08:00,1.M", "٠٨:٠٠,1M",
        "+8:00,1M",
    ])
    func `an invalid speed limit is refused with a message`(text: String) {
        let error = #expect(throws: SpeedSchedule.ParseError.self) { try SpeedSchedule(parsing: text) }
        #expect(error?.message.isEmpty == false)
    }

    @Test func `a time of the week is clamped to the week`() {
        #expect(WeekTime(weekday: -1, secondsOfDay: 86_400).secondsOfWeek == 7 * 86_400 - 1)
        #expect(WeekTime(weekday: 7, secondsOfDay: -5).secondsOfWeek == 0)
    }

    @Test(
        arguments: [
            ("0", 0), ("17", 17), ("17B", 17), ("1k", 1024), ("1K", 1024), ("1KiB", 1024), ("1kB", 1000), ("1KB", 1000),
            ("3M", 3 << 20),
            ("3MB", 3_000_000), ("2G", 2 << 30), ("2GB", 2_000_000_000), ("1T", 1 << 40), ("0.5k", 512),
            ("1.25MB", 1_250_000),
            ("8388607T", 8_388_607 << 40), ("9223372036854775807", .max), ("1.000000001GB", 1_000_000_001),
        ] as [(String, Int64)])
    func `sizes have units of 1024 and of 1000 bytes`(text: String, count: Int64) throws {
        #expect(try ByteQuantity.parse(text) == count)
    }

    @Test(
        arguments: [
            ("", .malformed), ("k", .malformed), ("-1", .malformed), ("+1", .malformed), ("1.5", .malformed),
            ("1.k", .malformed),
            (".5k", .malformed), ("1.2.3k", .malformed), ("1kb", .malformed), ("1 k", .malformed), ("1e3", .malformed),
            ("½k", .malformed),
            ("0x10", .malformed), ("1.0000000001k", .malformed), ("8388608T", .tooLarge),
            ("99999999999999999999", .tooLarge),
            ("8388607.9999999999T", .malformed),
        ] as [(String, ByteQuantity.Problem)])
    func `a malformed size is distinguished from one that is too large`(text: String, problem: ByteQuantity.Problem) {
        #expect(throws: problem) { try ByteQuantity.parse(text) }
    }
}
