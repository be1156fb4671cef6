/// Selects members by patterns: `*` and `?` match within a part of the path, `**` across parts. A pattern without any
/// of them that names a directory takes in all that is in it.
package struct MemberSelection {
    private let patterns: [(text: String, scalars: [Unicode.Scalar], isPlain: Bool)]
    private var isMatched: [Bool]

    /// - Parameter patterns: nil takes everything.
    /// - Throws: ``ArchiveError/Code/invalidArgument``.
    package init(_ patterns: [String]?) throws(ArchiveError) {
        self.patterns = try (patterns ?? ["**"]).map { (text) throws(ArchiveError) in
            var scalars = text.unicodeScalars[...]
            while scalars.starts(with: "./".unicodeScalars) { scalars = scalars.dropFirst(2) }
            while scalars.last == "/" { scalars = scalars.dropLast() }
            guard !scalars.isEmpty else {
                throw ArchiveError(
                    .invalidArgument, "\(quoted(text)) is not a pattern for members. “**” matches all of them.")
            }
            return (text, Array(scalars), !scalars.contains { $0 == "*" || $0 == "?" })
        }
        isMatched = self.patterns.map { _ in patterns == nil }
    }

    /// - Parameter path: with `/` between its parts and none at either end.
    package mutating func takes(_ path: String) -> Bool {
        let scalars = Array(path.unicodeScalars)
        var isTaken = false
        for (index, pattern) in patterns.enumerated() {
            let matches =
                pattern.isPlain ? Self.isIn(pattern.scalars, scalars) : Self.matches(pattern.scalars[...], scalars[...])
            guard matches else { continue }
            isMatched[index] = true
            isTaken = true
        }
        return isTaken
    }

    /// Patterns that no member has matched so far.
    package var unmatched: [String] { zip(patterns, isMatched).filter { !$1 }.map(\.0.text) }

    private static func isIn(_ directory: [Unicode.Scalar], _ path: [Unicode.Scalar]) -> Bool {
        path.starts(with: directory) && (path.count == directory.count || path[directory.count] == "/")
    }

    /// Remembers the last `*` and the last `**` and goes back to those only, as an earlier one could do no better.
    private static func matches(_ pattern: ArraySlice<Unicode.Scalar>, _ path: ArraySlice<Unicode.Scalar>) -> Bool {
        var at = pattern.startIndex
        var place = path.startIndex
        var star: (at: Int, place: Int)?
        var doubleStar: (at: Int, place: Int)?
        while true {
            if at < pattern.endIndex, pattern[at] == "*" {
                if at + 1 < pattern.endIndex, pattern[at + 1] == "*" {
                    at += 2
                    // `a/**/b` takes in `a/b`.
                    doubleStar = (at, place)
                    star = nil
                    if at < pattern.endIndex, pattern[at] == "/", place == path.startIndex || path[place - 1] == "/" {
                        at += 1
                    }
                } else {
                    at += 1
                    star = (at, place)
                }
                continue
            }
            if place == path.endIndex, at == pattern.endIndex { return true }
            if at < pattern.endIndex, place < path.endIndex,
                pattern[at] == path[place] || (pattern[at] == "?" && path[place] != "/")
            {
                at += 1
                place += 1
            } else if let last = star, last.place < path.endIndex, path[last.place] != "/" {
                star = (last.at, last.place + 1)
                (at, place) = (last.at, last.place + 1)
            } else if let last = doubleStar, last.place < path.endIndex {
                doubleStar = (last.at, last.place + 1)
                star = nil
                (at, place) = (last.at, last.place + 1)
                if at < pattern.endIndex, pattern[at] == "/", path[place - 1] == "/" { at += 1 }
            } else {
                return false
            }
        }
    }
}
