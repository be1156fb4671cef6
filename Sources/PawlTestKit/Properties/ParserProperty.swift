/// A property that one of the core's parsers keeps for any input.
///
/// Each property is checked twice: by a test over some thousands of seeded inputs, and by `scripts/fuzz`, where
/// coverage guides the inputs. Both begin with the examples in `Fuzz/Corpus/NAME`.
package struct ParserProperty: Sendable {
    package struct Violation: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    package let name: String
    /// Throws if the property does not hold; traps if the parser does.
    package let check: @Sendable ([UInt8]) throws(Violation) -> Void

    package init(name: String, check: @escaping @Sendable ([UInt8]) throws(Violation) -> Void) {
        self.name = name
        self.check = check
    }

    package static let all: [ParserProperty] = [
        ParserProperty(name: "content-range", check: contentRange),
        ParserProperty(name: "content-length", check: contentLength),
        ParserProperty(name: "content-disposition", check: contentDisposition),
        ParserProperty(name: "file-name", check: fileName),
        ParserProperty(name: "retry-after", check: retryAfter),
        ParserProperty(name: "digest-fields", check: digestFields),
        ParserProperty(name: "digest", check: instanceDigests),
        ParserProperty(name: "checksum", check: checksum),
        ParserProperty(name: "digest-list", check: digestList),
        ParserProperty(name: "link", check: link),
        ParserProperty(name: "http-date", check: httpDate),
        ParserProperty(name: "entity-tag", check: entityTag),
        ParserProperty(name: "base64", check: base64),
        ParserProperty(name: "cookies", check: cookies),
        ParserProperty(name: "auth-challenge", check: authChallenge),
        ParserProperty(name: "netrc", check: netrc),
        ParserProperty(name: "cookie-file", check: cookieFile),
        ParserProperty(name: "public-suffixes", check: publicSuffixes),
        ParserProperty(name: "url", check: url),
        ParserProperty(name: "url-reference", check: urlReference),
        ParserProperty(name: "response", check: response),
        ParserProperty(name: "message", check: message),
        ParserProperty(name: "journal", check: journal),
        ParserProperty(name: "session-record", check: sessionRecord),
        ParserProperty(name: "session-log", check: sessionLog),
        ParserProperty(name: "host-memory", check: hostMemory),
        ParserProperty(name: "hashes", check: hashes),
        ParserProperty(name: "range-set", check: rangeSet),
        ParserProperty(name: "range-selection", check: rangeSelection),
        ParserProperty(name: "multipart", check: multipart),
        ParserProperty(name: "speed-schedule", check: speedSchedule),
        ParserProperty(name: "proxy", check: proxy),
        ParserProperty(name: "proxy-handshake", check: proxyHandshake),
        ParserProperty(name: "json", check: json),
    ]
}

package func claim(
    _ holds: Bool, _ text: @autoclosure () -> String
) throws(ParserProperty.Violation) {
    if !holds { throw ParserProperty.Violation(description: text()) }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Cuts an input into values in a way that a fuzzer can learn: each value is a length byte, followed by that many
/// bytes.
struct Cutter {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func bytes() -> [UInt8] {
        let count = Int(byte())
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// A small number, or one at the edge of the representable range.
    mutating func position() -> Int64 {
        switch byte() {
        case let small where small < 200: Int64(small)
        case let large where large < 220: .max - Int64(large - 200)
        case let shift where shift < 250: Int64(1) << Int64(shift - 220)
        default: (0..<8).reduce(0) { sum, _ in sum << 8 | Int64(byte()) } & .max
        }
    }
}
