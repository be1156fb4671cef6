extension HTTPURL {
    /// The time at which a signed link expires according to itself, in seconds since 1970; nil if it does not say.
    ///
    /// `X-Amz-Date` and `X-Amz-Expires` (AWS Signature Version 4; Google's and Alibaba's are alike), `Expires` (AWS
    /// Signature Version 2, CloudFront), `se` (Azure's shared access signatures) and `exp`.
    package var expiry: Int64? {
        guard isSigned else { return nil }
        let items = Self.items(ofQuery: query ?? "")
        func value(_ name: String) -> String? { items.first { $0.name.isExactly(name) }?.value }
        for vendor in ["x-amz-", "x-goog-", "x-oss-"] {
            if let began = value(vendor + "date").flatMap(Self.seconds(ofDate:)),
                let life = value(vendor + "expires").flatMap({ Int64($0) }), (0...Self.longestLife).contains(life)
            {
                return began + life
            }
        }
        if let end = value("se").flatMap(Self.seconds(ofDate:)) { return end }
        return ["expires", "exp"].lazy.compactMap { value($0).flatMap { Int64($0) } }.first(where: Self.isTime)
    }

    /// Ten years.
    private static let longestLife: Int64 = 10 * 366 * 86_400

    /// A number that is no time would make each link an expired one.
    private static func isTime(_ seconds: Int64) -> Bool { (1_000_000_000...9_999_999_999).contains(seconds) }

    /// Names are in lower case.
    private static func items(ofQuery query: String) -> [(name: String, value: String)] {
        func decoded(_ bytes: some Sequence<UInt8>) -> String {
            String(decoding: PercentCoding.decode(bytes), as: UTF8.self)
        }
        return query.utf8.split(separator: UInt8(ascii: "&")).compactMap { item in
            item.firstIndex(of: UInt8(ascii: "=")).map { equals in
                (decoded(item[..<equals]).lowercased(), decoded(item[item.index(after: equals)...]))
            }
        }
    }

    /// `20261128T155255Z`, `2026-11-28T15:52:55Z`, or with fewer digits of the time.
    private static func seconds(ofDate text: String) -> Int64? {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: ".") }.filter(ASCII.isDigit).map {
            Int($0 - UInt8(ascii: "0"))
        }
        guard [8, 12, 14].contains(digits.count) else { return nil }
        func number(_ range: Range<Int>) -> Int {
            range.upperBound <= digits.count ? digits[range].reduce(0) { $0 * 10 + $1 } : 0
        }
        let (year, month, day) = (number(0..<4), number(4..<6), number(6..<8))
        let (hour, minute, second) = (number(8..<10), number(10..<12), number(12..<14))
        guard year >= 1970, (1...12).contains(month), (1...Calendar.dayCount(ofMonth: month, year: year)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = Int64(Calendar.dayNumber(year: year, month: month, day: day))
        return days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }
}
