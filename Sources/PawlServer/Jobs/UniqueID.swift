import PawlSystem

/// UUIDs of version 7 (RFC 9562 §5.7): in the order of their time.
enum UniqueID {
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return make(millisecondsSinceEpoch: Clock.millisecondsSinceEpoch, random: generator.next(), generator.next())
    }

    static func make(millisecondsSinceEpoch: Int64, random first: UInt64, _ second: UInt64) -> String {
        let high = UInt64(bitPattern: millisecondsSinceEpoch) << 16 | 0x7000 | first & 0x0FFF
        let low = 0x8000_0000_0000_0000 | second >> 2
        let digits = [high, low].map { value in
            let text = String(value, radix: 16)
            return String(repeating: "0", count: 16 - text.utf8.count) + text
        }.joined()
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }
}

enum Clock {
    static var millisecondsSinceEpoch: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    static var secondsSinceEpoch: Int64 { millisecondsSinceEpoch / 1000 }
}
