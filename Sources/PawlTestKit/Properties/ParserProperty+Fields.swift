internal import PawlCore

extension ParserProperty {
    static func contentRange(_ bytes: [UInt8]) throws(Violation) {
        let value = text(bytes)
        guard let parsed = try? ContentRange(parsing: value) else { return }
        let written: String
        switch parsed {
        case .range(let range, let total):
            try claim(range.count > 0 && range.start >= 0, "an empty part: \(range)")
            try claim(total.map { $0 >= range.end } ?? true, "\(range) goes on past \(total ?? -1)")
            written = "bytes \(range.start)-\(range.end - 1)/" + (total.map { "\($0)" } ?? "*")
        case .unsatisfied(let total):
            try claim(total.map { $0 >= 0 } ?? true, "a negative total")
            written = "bytes */" + (total.map { "\($0)" } ?? "*")
        }
        try claim((try? ContentRange(parsing: written)) == parsed, "\(written) is read otherwise than \(value)")
    }

    /// Lines of the input are field lines.
    static func contentLength(_ bytes: [UInt8]) throws(Violation) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { text(Array($0)) }
        let parsed = ContentLength(fieldValues: lines)
        try claim(ContentLength(fieldValues: lines.reversed()) == parsed, "the order of the lines decides")
        try claim(
            ContentLength(fieldValues: [lines.joined(separator: ",")]) == parsed, "one line says otherwise than several"
        )
        guard case .valid(let length) = parsed else { return }
        try claim(length >= 0, "a negative length")
        try claim(ContentLength(fieldValues: ["\(length)"]) == parsed, "\(length) is read otherwise")
    }

    static func retryAfter(_ bytes: [UInt8]) throws(Violation) {
        guard let parsed = RetryAfter(parsing: text(bytes)) else { return }
        for now in [0, 1_800_000_000, Int64.max, Int64.min] {
            let delay = parsed.delay(wallClock: now)
            try claim(delay >= .zero && delay <= RetryAfter.maximumDelay, "a wait of \(delay)")
        }
    }

    static func digestFields(_ bytes: [UInt8]) throws(Violation) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { text(Array($0)) }
        let parsed = DigestFields.parse(lines)
        try claim(Set(parsed.map(\.algorithm)).count == parsed.count, "one algorithm twice: \(parsed)")
        try claim(
            parsed.allSatisfy { $0.bytes.count == $0.algorithm.byteCount }, "a digest of the wrong length: \(parsed)")
        let written = parsed.map { digest in
            (digest.algorithm == .sha1 ? "sha" : digest.algorithm.rawValue) + "=:\(Base64.encode(digest.bytes)):"
        }
        try claim(DigestFields.parse([written.joined(separator: ", ")]) == parsed, "\(written) is read otherwise")
    }

    static func checksum(_ bytes: [UInt8]) throws(Violation) {
        guard let parsed = try? Digest(parsing: text(bytes)) else { return }
        try claim(parsed.bytes.count == parsed.algorithm.byteCount, "a digest of the wrong length")
        try claim((try? Digest(parsing: parsed.description)) == parsed, "\(parsed) is read otherwise")
        try claim(parsed.hex == parsed.hex.lowercased(), "not in lower case: \(parsed)")
    }

    static func httpDate(_ bytes: [UInt8]) throws(Violation) {
        let value = text(bytes)
        for now in [nil, 0, 1_800_000_000, Int64.max, Int64.min] as [Int64?] {
            guard let date = HTTPDate(parsing: value, now: now) else { continue }
            let written = date.imfFixdate
            // A leap second can carry a date past the last year that can be written.
            let isWritable = date.secondsSinceEpoch <= 253_402_300_799
            try claim(
                !isWritable || HTTPDate(parsing: written) == date, "\(value) is written as \(written), another time")
        }
        // Any number of seconds can be written, and the written date parses.
        var seconds = Cutter(bytes)
        let number = seconds.position()
        for date in [HTTPDate(secondsSinceEpoch: number), HTTPDate(secondsSinceEpoch: -number)] {
            try claim(HTTPDate(parsing: date.imfFixdate) != nil, "\(date.imfFixdate) cannot be read")
        }
    }

    static func entityTag(_ bytes: [UInt8]) throws(Violation) {
        guard let tag = EntityTag(parsing: text(bytes)) else { return }
        try claim(EntityTag(parsing: tag.raw) == tag, "\(tag.raw) is read otherwise")
        try claim(
            tag.weaklyEquals(tag) && tag.stronglyEquals(tag) != tag.isWeak, "\(tag.raw) compares wrongly with itself")
        try claim(
            !tag.raw.utf8.contains { $0 <= 0x20 || $0 == 0x7F },
            "\(tag.raw.debugDescription) could not stand in a field")
        let other = tag.isWeak ? EntityTag(parsing: String(tag.raw.dropFirst(2))) : EntityTag(parsing: "W/" + tag.raw)
        try claim(
            other.map { $0.weaklyEquals(tag) && !$0.stronglyEquals(tag) } ?? false,
            "\(tag.raw) and its twin compare wrongly")
    }

    /// Lines of the input are `Set-Cookie` lines.
    static func cookies(_ bytes: [UInt8]) throws(Violation) {
        guard let own = try? HTTPURL(parsing: "https://example.org:8443/a/b/c?d"),
            let plain = try? HTTPURL(parsing: "http://example.org:8443/a/b/c?d"),
            let above = try? HTTPURL(parsing: "https://org:8443/a/b/c?d")
        else { return }
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { text(Array($0)) }
        for now in [0, 1_800_000_000] as [Int64] {
            var jar = CookieJar()
            let hasChanged = jar.store(lines, from: own, wallClock: now)
            try claim(hasChanged == (jar != CookieJar()), "changed, and not")
            for other in [plain, above] {
                try claim(jar.value(for: other, wallClock: now) == nil, "told to \(other.serialized)")
            }
            guard let sent = jar.value(for: own, wallClock: now) else { continue }
            try claim(
                !sent.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F },
                "a line break in a field: \(sent.debugDescription)")
            try claim(sent.utf8.count <= 50 * 4098, "\(sent.utf8.count) bytes")
            let again = jar
            jar.store(lines, from: own, wallClock: now)
            try claim(
                jar.value(for: own, wallClock: now)?.utf8.count == again.value(for: own, wallClock: now)?.utf8.count,
                "stored twice, sent otherwise")
        }
    }

    static func base64(_ bytes: [UInt8]) throws(Violation) {
        try claim(Base64.decode(Array(Base64.encode(bytes).utf8)) == bytes, "encoded and decoded, it is something else")
        guard let decoded = Base64.decode(bytes) else { return }
        try claim(decoded.count * 4 / 3 <= bytes.count, "more bytes than digits can hold")
        try claim(
            Base64.decode(Array(Base64.encode(decoded).utf8)) == decoded, "decoded and encoded, it is something else")
    }
}
