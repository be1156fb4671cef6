package import PawlCore

extension ParserProperty {
    static func rangeSelection(_ bytes: [UInt8]) throws(Violation) {
        let value = text(bytes)
        guard let parsed = try? RangeSelection(parsing: value) else { return }
        try claim((1...RangeSelection.maximumParts).contains(parsed.parts.count), "\(parsed.parts.count) parts")
        try claim((try? RangeSelection(parsing: parsed.description)) == parsed, "\(parsed) is read otherwise")
        for total in [0, 1, 1000, Int64.max] {
            guard let resolved = try? parsed.resolved(total: total) else { continue }
            try claim(
                resolved.pieces.allSatisfy { !$0.isEmpty && $0.end <= total }, "\(resolved.pieces) of \(total) bytes")
            try claim(resolved.wanted == RangeSet(resolved.pieces), "other bytes than the pieces have")
            let layout = ResultLayout(resolved, isSparse: false)
            try claim(
                layout.positions(within: layout.length) == resolved.wanted, "\(layout.length) bytes do not hold all")
            try claim(layout.length(holding: resolved.wanted) == layout.length, "two lengths of one file")
        }
    }

    static func speedSchedule(_ bytes: [UInt8]) throws(Violation) {
        guard let parsed = try? SpeedSchedule(parsing: text(bytes)) else { return }
        for hour in 0..<168 {
            let time = WeekTime(weekday: hour / 24, secondsOfDay: hour % 24 * 3600)
            try claim(parsed.bytesPerSecond(at: time).map { $0 > 0 } ?? true, "a limit that lets nothing pass")
            guard let wait = parsed.secondsUntilChange(after: time) else { continue }
            try claim((1...WeekTime.secondsInWeek).contains(wait), "the next change in \(wait) seconds")
        }
    }

    /// The first line of the input is the value of Content-Type, the rest the body.
    static func multipart(_ bytes: [UInt8]) throws(Violation) {
        let type = bytes.prefix { $0 != 0x0A }
        let body = Array(bytes.dropFirst(type.count + 1))
        let whole = events(text(Array(type)), body, by: body.count)
        for size in [1, 3, 64] {
            let pieces = events(text(Array(type)), body, by: size)
            try claim(pieces == whole, "in pieces of \(size) it is \(pieces), and whole \(whole)")
        }
        guard case .events(let events, _) = whole else { return }
        var left: Int64 = 0
        var next: Int64 = 0
        for event in events {
            switch event {
            case .part(let range, let total):
                try claim(
                    left == 0 && !range.isEmpty && total.map { range.end <= $0 } ?? true,
                    "a part of \(range) of \(total ?? -1)")
                (left, next) = (range.count, range.start)
            case .bytes(let position, let slice):
                try claim(
                    position == next && Int64(slice.count) <= left,
                    "\(slice.count) bytes at \(position) instead of \(left) at \(next)")
                left -= Int64(slice.count)
                next += Int64(slice.count)
            case .partEnded: try claim(left == 0, "a part that ends \(left) bytes short")
            case .ended: try claim(left == 0, "an end within a part")
            }
        }
    }

    private enum Outcome: Equatable {
        case refused(MultipartByteRanges.Problem)
        /// Adjacent runs of bytes are joined, wherever the input was cut.
        case events([MultipartByteRanges.Event], MultipartByteRanges.Problem?)
    }

    private static func events(_ type: String, _ body: [UInt8], by size: Int) -> Outcome {
        var events: [MultipartByteRanges.Event] = []
        do throws(MultipartByteRanges.Problem) {
            var parser = try MultipartByteRanges(contentType: type, maximumParts: 16)
            do throws(MultipartByteRanges.Problem) {
                for start in stride(from: 0, to: body.count, by: max(1, size)) {
                    let piece = Array(body[start..<min(start + max(1, size), body.count)])
                    var index = 0
                    while let (event, end) = try parser.next(in: piece, from: index) {
                        append(event, to: &events, offset: start)
                        index = end
                    }
                }
                try parser.finish()
                return .events(events, nil)
            } catch {
                return .events(events, error)
            }
        } catch {
            return .refused(error)
        }
    }

    private static func append(
        _ event: MultipartByteRanges.Event, to events: inout [MultipartByteRanges.Event], offset: Int
    ) {
        guard case .bytes(let position, let slice) = event else {
            events.append(event)
            return
        }
        let moved = slice.lowerBound + offset..<slice.upperBound + offset
        if case .bytes(let start, let former)? = events.last, former.upperBound == moved.lowerBound {
            events[events.count - 1] = .bytes(position: start, former.lowerBound..<moved.upperBound)
        } else {
            events.append(.bytes(position: position, moved))
        }
    }
}

extension MultipartByteRanges {
    /// Parses the next event from an array.
    package mutating func next(in bytes: [UInt8], from start: Int) throws(Problem) -> (event: Event, end: Int)? {
        var parser = self
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(Problem) in try parser.next(in: buffer, from: start) }
        }
        self = parser
        return try result.get()
    }
}
