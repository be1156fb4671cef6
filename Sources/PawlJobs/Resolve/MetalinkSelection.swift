package import PawlMetalink

/// Selects files of a Metalink; all by default.
package struct MetalinkSelection {
    private let words: [String]

    package init(_ words: [String]) { self.words = words }

    /// - Parameter unused: the words that have chosen nothing so far.
    package func chosen(from files: [MetalinkDocument.File], unused: inout Set<String>) -> [MetalinkDocument.File] {
        guard !words.isEmpty else { return files }
        return files.enumerated().filter { index, file in
            let matching = words.filter { Self.matches($0, file, number: index + 1) }
            unused.subtract(matching)
            return !matching.isEmpty
        }.map(\.element)
    }

    private static func matches(_ word: String, _ file: MetalinkDocument.File, number: Int) -> Bool {
        let names = [file.name, file.path.last ?? file.name]
        if names.contains(word) { return true }
        // A file that is called "2" is meant rather than the second one.
        if let wanted = Int(word) { return wanted == number }
        return names.contains { Glob.matches(Array($0.unicodeScalars)[...], Array(word.unicodeScalars)[...]) }
    }
}

/// Patterns with `*` for any run of characters and `?` for any one.
package enum Glob {
    /// The star taken last is the only one that is ever tried again, so the time is the product of the two lengths at
    /// most.
    package static func matches(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        var text = text
        var pattern = pattern
        var retry: (text: ArraySlice<Unicode.Scalar>, pattern: ArraySlice<Unicode.Scalar>)?
        while let next = text.first {
            if pattern.first == "*" {
                pattern = pattern.dropFirst()
                retry = (text, pattern)
            } else if let wanted = pattern.first, wanted == "?" || wanted == next {
                text = text.dropFirst()
                pattern = pattern.dropFirst()
            } else if let again = retry {
                text = again.text.dropFirst()
                pattern = again.pattern
                retry = (text, pattern)
            } else {
                return false
            }
        }
        return pattern.allSatisfy { $0 == "*" }
    }
}
