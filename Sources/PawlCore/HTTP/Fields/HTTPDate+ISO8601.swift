extension HTTPDate {
    /// Reads a date and time as RFC 3339 writes it; parts of a second are dropped. Nil for all else.
    package init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, let offset = Self.offset(bytes[19...]),
            zip(bytes, "0000-00-00T00:00:00".utf8).allSatisfy({ $1 == 0x30 ? ASCII.isDigit($0) : $0 == $1 })
        else { return nil }
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard (1...12).contains(month), day >= 1, day <= Calendar.dayCount(ofMonth: month, year: year),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = Calendar.dayNumber(year: year, month: month, day: day)
        self.init(secondsSinceEpoch: Int64(days) * 86400 + Int64(hour * 3600 + minute * 60 + second) - offset)
    }

    /// The offset from UTC in seconds: `Z`, or hours and minutes with a sign, behind parts of a second.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
        var scanner = FieldScanner(String(decoding: text, as: UTF8.self))
        if scanner.take("."), scanner.take(while: ASCII.isDigit).isEmpty { return nil }
        if scanner.take("Z") { return scanner.isAtEnd ? 0 : nil }
        let isEast = scanner.take("+")
        guard isEast || scanner.take("-") else { return nil }
        let hours = scanner.take(while: ASCII.isDigit)
        guard scanner.take(":") else { return nil }
        let minutes = scanner.take(while: ASCII.isDigit)
        guard hours.count == 2, minutes.count == 2, scanner.isAtEnd, case .value(let hour) = ASCII.decimal(hours),
            case .value(let minute) = ASCII.decimal(minutes), hour < 24, minute < 60
        else { return nil }
        return (isEast ? 1 : -1) * (hour * 3600 + minute * 60)
    }

    /// The time as RFC 3339 writes it: `1994-11-06T08:49:37Z`.
    package var rfc3339: String { text("-", ":") }

    /// The time in the basic format of ISO 8601: `19941106T084937Z`.
    package var basicISO8601: String { text("", "") }

    private func text(_ dash: String, _ colon: String) -> String {
        let seconds = min(max(secondsSinceEpoch, Calendar.earliestSecond), Calendar.latestSecond)
        let (day, second) = Calendar.split(seconds)
        let date = Calendar.date(ofDay: day)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let year = String(repeating: "0", count: max(0, 4 - String(date.year).utf8.count)) + String(date.year)
        let time = [second / 3600, second / 60 % 60, second % 60].map(two).joined(separator: colon)
        return [year, two(date.month), two(date.day)].joined(separator: dash) + "T" + time + "Z"
    }
}
