import PawlCore

/// Finds what a mistyped word was meant to be.
package enum Suggestion {
    /// ` Did you mean “get”?`, or nothing if no candidate is near.
    package static func sentence(for word: String, among candidates: [String]) -> String {
        nearest(to: word, among: candidates).map { " Did you mean “\($0)”?" } ?? ""
    }

    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let typed = Array(word.lowercased().utf8)
        // A longer word may have more mistakes in it.
        let limit = min(2, max(1, typed.count / 3))
        let ranked = candidates.map { (candidate: $0, distance: distance(typed, Array($0.utf8))) }
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit { return best.candidate }
        return typed.count < 2 ? nil : candidates.first { $0.utf8.starts(with: typed) }
    }

    /// How many letters have to be added, removed, changed, or exchanged with their neighbour (optimal string
    /// alignment).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var least = min(last[j] + (left[i] == right[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, beforeLast[j - 1] + 1)
                }
                row.append(least)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
