import Pawl
package import PawlCore
package import PawlOptions

/// Parses option values as people write them, in lists and after flags.
package enum OptionText {
    /// The longest accepted time, far from any overflow: ten years.
    private static let maximumSeconds: Int64 = 10 * 366 * 86_400

    /// Parses a size in bytes.
    package static func size(_ text: String) throws(OptionValueProblem) -> Int64 {
        do throws(ByteQuantity.Problem) {
            return try ByteQuantity.parse(text)
        } catch {
            throw OptionValueProblem(accepted: "\(ByteQuantity.accepted): 700M, 4GB")
        }
    }

    /// Parses a rate in bytes per second, above zero.
    package static func rate(_ text: String) throws(OptionValueProblem) -> Int64 {
        guard let rate = try? ByteQuantity.parse(text), rate > 0 else {
            throw OptionValueProblem(accepted: "\(ByteQuantity.accepted), per second and above zero: 500k, 2MB")
        }
        return rate
    }

    /// Parses a rate of requests: a number, and a time if it is not a second, `30/m`. The number need not be whole.
    package static func requestRate(_ text: String) throws(OptionValueProblem) -> RequestRate {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let units = [UInt8(ascii: "s"): 1, UInt8(ascii: "m"): 60, UInt8(ascii: "h"): 3600, UInt8(ascii: "d"): 86_400]
        guard parts.count <= 2, parts[0].allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }),
            let count = Double(Substring(parts[0])), parts.count == 1 || parts[1].count == 1,
            let seconds = parts.count == 1 ? 1 : parts[1].first.flatMap({ units[$0] }),
            let rate = RequestRate(count, per: .seconds(seconds))
        else {
            throw OptionValueProblem(
                accepted: "a number of requests a second, or of another time: 20, 0.5, 30/m, 100/h, 1/d")
        }
        return rate
    }

    /// - Parameter text: a whole number of seconds above zero, or one with `s`, `m`, `h` or `d`.
    package static func time(_ text: String) throws(OptionValueProblem) -> Duration {
        var digits = text[...]
        var factor: Int64 = 1
        switch digits.last {
        case "s": digits.removeLast()
        case "m": (factor, _) = (60, digits.removeLast())
        case "h": (factor, _) = (3600, digits.removeLast())
        case "d": (factor, _) = (86_400, digits.removeLast())
        default: break
        }
        guard let number = wholeNumber(digits),
            case let (seconds, overflow) = number.multipliedReportingOverflow(by: factor), !overflow,
            (1...maximumSeconds).contains(seconds)
        else {
            throw OptionValueProblem(
                accepted: "a whole number of seconds above zero, or a number with s, m, h or d: 30, 90s, 5m, 2h")
        }
        return .seconds(seconds)
    }

    private static func withoutPeriod(_ sentence: String) -> String {
        sentence.ends(with: ".") ? String(decoding: sentence.utf8.dropLast(), as: UTF8.self) : sentence
    }

    /// `Int64` itself would take a sign.
    package static func wholeNumber(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// A header field as the user gave it. Whether it may be sent is for the library to say.
    package static func headerField(_ text: String) throws(OptionValueProblem) -> HTTPField {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > bytes.startIndex else {
            // Not shown: a header without its colon may be a bare token.
            throw OptionValueProblem(accepted: "'Name: value'; the name or the colon is missing")
        }
        // RFC 9112 §5: spaces and tabs around the value are no part of it. By bytes, as they are sent.
        let value = ASCII.trimmingBlanks(Array(bytes[colon...].dropFirst())[...])
        return HTTPField(String(decoding: bytes[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    package static func digest(_ text: String) throws(OptionValueProblem) -> Digest {
        do throws(DigestParseError) {
            return try Digest(parsing: text)
        } catch {
            throw OptionValueProblem(accepted: "ALGO:HEX. \(Self.withoutPeriod(error.message))")
        }
    }

    package static func ranges(_ text: String) throws(OptionValueProblem) -> RangeSelection {
        do throws(RangeSelection.Problem) {
            return try RangeSelection(parsing: text)
        } catch {
            throw OptionValueProblem(accepted: "ranges of bytes. \(Self.withoutPeriod(error.message))")
        }
    }

    package static func timetable(_ text: String) throws(OptionValueProblem) -> SpeedSchedule {
        do throws(SpeedSchedule.ParseError) {
            return try SpeedSchedule(parsing: text)
        } catch {
            throw OptionValueProblem(accepted: "a rate or a timetable. \(Self.withoutPeriod(error.message))")
        }
    }

    /// Reads a number.
    ///
    /// - Parameter things: its unit, for the words of the error.
    package static func number(
        _ range: ClosedRange<Int>, of things: String? = nil
    ) -> @Sendable (String) throws(OptionValueProblem) -> Int {
        { (text) throws(OptionValueProblem) in
            // `Int` itself would take a plus sign.
            guard text.utf8.first != UInt8(ascii: "+"), let number = Int(text), range.contains(number) else {
                let end = range.upperBound == .max ? "" : " to \(range.upperBound)"
                throw OptionValueProblem(
                    accepted: "a number \(things.map { "of \($0) " } ?? "")from \(range.lowerBound)\(end)")
            }
            return number
        }
    }

    package static let connections = number(1...16, of: "connections")

    /// The largest number of retries: more than any download comes to.
    package static let maximumRetries = 1_000_000

    static func retryLimit(_ text: String) throws(OptionValueProblem) -> Int {
        if text.isExactly("unlimited") { return maximumRetries }
        do { return try number(0...maximumRetries)(text) } catch {
            throw OptionValueProblem(accepted: "\(error.accepted), or unlimited")
        }
    }

    /// Retries for aria2's number of tries, of which 0 means no limit (aria2c(1)).
    package static func retries(ofTries text: String) throws(OptionValueProblem) -> Int {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else {
            throw OptionValueProblem(accepted: "a number from 0")
        }
        let tries = Int64(text) ?? .max
        return tries == 0 ? maximumRetries : min(Int(clamping: tries - 1), maximumRetries)
    }

    /// Reads countries with commas between them, as aria2 takes them.
    ///
    /// - Returns: the countries, and the texts that are none.
    package static func countries(_ list: String) -> (known: [String], unknown: [String]) {
        let texts = list.utf8.split(separator: UInt8(ascii: ",")).map {
            String(decoding: ASCII.trimmingBlanks(Array($0)[...]), as: UTF8.self)
        }.filter { !$0.isEmpty }
        return (texts.compactMap(Mirror.country), texts.filter { Mirror.country($0) == nil })
    }
}
