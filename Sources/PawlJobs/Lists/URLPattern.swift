/// A URL that stands for several, as curl writes them: `[1-9]`, `[001-120]`, `[0-100:10]`, `[a-f]`, `{one,two}`.
///
/// Anything that cannot be a pattern is text: the brackets of an IPv6 address, empty brackets, braces without a comma.
/// A backslash before one of `[ ] { } , \` takes its meaning away.
package struct URLPattern: Hashable, Sendable {
    /// The most URLs that one pattern may make. More is usually a typing error, and each takes memory.
    package static let countLimit = 100_000

    enum Part: Hashable, Sendable {
        case text(String)
        case choice(Choice)
    }

    enum Choice: Hashable, Sendable {
        case words([String])
        /// `width`: the digits there are at least, zeros in front of them.
        case numbers(first: Int64, count: Int, step: Int64, width: Int)
        /// The letters of a range in ASCII, all of one case.
        case letters(first: UInt8, count: Int, step: Int)
    }

    let parts: [Part]
    /// The number of URLs that the pattern makes, from 1 to ``countLimit``.
    package let count: Int

    init(parts: [Part], count: Int) {
        self.parts = parts
        self.count = count
    }

    /// The number of places where the URL varies, which `#1`, `#2`, … refer to.
    package var choiceCount: Int { choices.count }

    private var choices: [Choice] {
        parts.compactMap { part in
            if case .choice(let choice) = part { choice } else { nil }
        }
    }

    /// One of the URLs, and the text in it for each choice.
    package struct Expansion: Hashable, Sendable {
        package let url: String
        package let values: [String]
    }

    /// Returns the URL with this index, in the order of counting: the last choice changes fastest.
    ///
    /// - Parameter index: from 0, below ``count``.
    package func expansion(_ index: Int) -> Expansion {
        var rest = index
        var values: [String] = []
        for choice in choices.reversed() {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: choice.count)
            values.append(choice.value(remainder))
            rest = quotient
        }
        values.reverse()
        var url = ""
        var next = values.makeIterator()
        for part in parts {
            switch part {
            case .text(let text): url += text
            case .choice: url += next.next() ?? ""
            }
        }
        return Expansion(url: url, values: values)
    }

    /// The text as a pattern that makes it and nothing else.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            if isSpecial(scalar) { escaped.append("\\") }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }

    static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "[", "]", "{", "}", ",", "\\": true
        default: false
        }
    }
}

extension URLPattern.Choice {
    /// The number of choices, above zero.
    var count: Int {
        switch self {
        case .words(let words): words.count
        case .numbers(_, let count, _, _): count
        case .letters(_, let count, _): count
        }
    }

    func value(_ index: Int) -> String {
        switch self {
        case .words(let words): return words[index]
        case .numbers(let first, _, let step, let width):
            let digits = String(first + Int64(index) * step)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        case .letters(let first, _, let step):
            return String(Unicode.Scalar(first + UInt8(clamping: index * step)))
        }
    }
}

/// The reason why a text is no pattern. The message says what is accepted, and shows only the part of the URL that is
/// wrong.
package struct URLPatternError: Error, Equatable {
    package let message: String
    /// Whether the text would be right if it were taken literally.
    package var mayBeLiteral = true

    /// `[text](URL)`, copied from a document.
    static let markdown = Self(
        message: "This is a link in Markdown; give only the URL in its parentheses.", mayBeLiteral: false)
}
