import PawlCore

extension URLPattern {
    package init(parsing text: String) throws(URLPatternError) {
        if text.begins(with: "["), text.utf8.contains("](http".utf8) { throw .markdown }
        var parser = Parser(text: Array(text.unicodeScalars))
        try parser.parse()
        var count = 1
        for case .choice(let choice) in parser.parts {
            let (product, overflow) = count.multipliedReportingOverflow(by: choice.count)
            guard !overflow, product <= Self.countLimit else {
                throw URLPatternError(
                    message: "The patterns in this URL expand to more than \(Self.countLimit) URLs.")
            }
            count = product
        }
        self.init(parts: parser.parts, count: count)
    }

    private struct Parser {
        let text: [Unicode.Scalar]
        var parts: [Part] = []
        private var index = 0
        private var plain = String.UnicodeScalarView()

        init(text: [Unicode.Scalar]) {
            self.text = text
        }

        mutating func parse() throws(URLPatternError) {
            while index < text.count {
                switch text[index] {
                case "\\":
                    if index + 1 < text.count, URLPattern.isSpecial(text[index + 1]) { index += 1 }
                    takeAsText()
                case "[": try bracket()
                case "{": try brace()
                default: takeAsText()
                }
            }
            endText()
        }

        private mutating func takeAsText() {
            plain.append(text[index])
            index += 1
        }

        private mutating func endText() {
            if !plain.isEmpty { parts.append(.text(String(plain))) }
            plain = String.UnicodeScalarView()
        }

        private mutating func add(_ choice: Choice) {
            endText()
            parts.append(.choice(choice))
        }

        // MARK: [first-last:step]

        private mutating func bracket() throws(URLPatternError) {
            guard let end = text[index...].firstIndex(of: "]") else {
                throw URLPatternError(message: "A “[” in the URL has no “]”. " + Self.help)
            }
            let inside = text[(index + 1)..<end]
            // Empty brackets are the array of a query; an address has two colons before anything else could tell it
            // from a range.
            guard !inside.isEmpty, !Self.isAddress(inside), !isInHost(inside) else {
                while index <= end { takeAsText() }
                return
            }
            guard let choice = Self.range(inside) else {
                throw URLPatternError(message: "“[\(Self.shown(inside))]” in the URL is not a range. " + Self.help)
            }
            add(choice)
            index = end + 1
        }

        /// Returns whether brackets hold an address, roughly as in RFC 3986 §3.2.2: no range has two colons, or none
        /// but hexadecimal digits and dots beside them.
        private static func isAddress(_ inside: ArraySlice<Unicode.Scalar>) -> Bool {
            let address = inside.prefix { $0 != "%" }
            return address.count { $0 == ":" } >= 2
                && address.allSatisfy { $0 == ":" || $0 == "." || $0.properties.isASCIIHexDigit }
        }

        /// Returns whether brackets with two colons stand where the host does: a wrong address is no range either, and
        /// the reader of the URL says what is wrong with it.
        private func isInHost(_ inside: ArraySlice<Unicode.Scalar>) -> Bool {
            let before = text[..<index]
            return inside.count { $0 == ":" } >= 2
                && (before.last == "@" || before.suffix(2).elementsEqual(["/", "/"] as [Unicode.Scalar]))
        }

        private static func range(_ inside: ArraySlice<Unicode.Scalar>) -> Choice? {
            let fields = inside.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count <= 2 else { return nil }
            var step: Int64 = 1
            if fields.count == 2 {
                guard let number = number(fields[1]), number > 0 else { return nil }
                step = number
            }
            let ends = fields[0].split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2 else { return nil }
            return numbers(ends[0], ends[1], step) ?? letters(ends[0], ends[1], step)
        }

        private static func numbers(
            _ from: ArraySlice<Unicode.Scalar>, _ to: ArraySlice<Unicode.Scalar>, _ step: Int64
        ) -> Choice? {
            guard let first = number(from), let last = number(to), first <= last else { return nil }
            // Zeros in front mean that all are to be that long.
            let isPadded = { (digits: ArraySlice<Unicode.Scalar>) in digits.count > 1 && digits.first == "0" }
            let width = isPadded(from) ? from.count : isPadded(to) ? to.count : 1
            return .numbers(first: first, count: Int(clamping: (last - first) / step + 1), step: step, width: width)
        }

        private static func letters(
            _ from: ArraySlice<Unicode.Scalar>, _ to: ArraySlice<Unicode.Scalar>, _ step: Int64
        ) -> Choice? {
            guard let first = letter(from), let last = letter(to), first <= last,
                // Bit 5 is the case.
                first & 0x20 == last & 0x20
            else { return nil }
            let count = Int64(last - first) / step + 1
            return .letters(first: first, count: Int(clamping: count), step: Int(clamping: step))
        }

        /// Parses at most 18 digits, which always fit.
        private static func number(_ digits: ArraySlice<Unicode.Scalar>) -> Int64? {
            guard (1...18).contains(digits.count) else { return nil }
            var number: Int64 = 0
            for digit in digits {
                guard ("0"..."9").contains(digit) else { return nil }
                number = number * 10 + Int64(digit.value - 0x30)
            }
            return number
        }

        private static func letter(_ text: ArraySlice<Unicode.Scalar>) -> UInt8? {
            guard text.count == 1, let letter = text.first, ("a"..."z").contains(letter) || ("A"..."Z").contains(letter)
            else { return nil }
            return UInt8(truncatingIfNeeded: letter.value)
        }

        // MARK: {one,two}

        private mutating func brace() throws(URLPatternError) {
            var words: [String] = []
            var word = String.UnicodeScalarView()
            var position = index + 1
            while position < text.count, text[position] != "}" {
                switch text[position] {
                case "\\" where position + 1 < text.count && URLPattern.isSpecial(text[position + 1]):
                    word.append(text[position + 1])
                    position += 1
                case ",":
                    words.append(String(word))
                    word = String.UnicodeScalarView()
                case "{", "[":
                    throw URLPatternError(message: "Patterns cannot be nested in braces. " + Self.help)
                default: word.append(text[position])
                }
                position += 1
            }
            guard position < text.count else {
                throw URLPatternError(message: "A “{” in the URL has no “}”. " + Self.help)
            }
            // As in a shell: without a comma there is nothing to choose. Identifiers are written in such braces.
            guard !words.isEmpty else {
                takeAsText()
                return
            }
            words.append(String(word))
            add(.words(words))
            index = position + 1
        }

        private static let help =
            "Patterns are [1-9], [001-120], [0-100:10], [a-f] and {one,two}."

        private static func shown(_ inside: ArraySlice<Unicode.Scalar>) -> String {
            var view = String.UnicodeScalarView()
            view.append(contentsOf: inside.prefix(40))
            return String(view) + (inside.count > 40 ? "…" : "")
        }
    }
}
