/// Text that equals only the same bytes, and is hashed and sorted by them: the key for URLs, paths and names.
///
/// `String` compares by canonical equivalence: `é` in one scalar equals `é` in two. To a server and to most file systems those are two
/// resources, and a dictionary with `String` keys would hand out one for the other.
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(_ text: Substring) { self.text = String(text) }

    package static func == (left: Self, right: Self) -> Bool { left.text.isExactly(right.text) }

    package static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // Ends the text, so that ("ab", "c") and ("a", "bc") in one key differ. UTF-8 never contains this byte.
        hasher.combine(UInt8.max)
    }
}

extension Sequence<String> {
    /// Whether one of them has the same bytes.
    package func containsExactly(_ text: some StringProtocol) -> Bool { contains { $0.isExactly(text) } }
}

extension StringProtocol {
    /// Whether the bytes are the same, where `==` also accepts another spelling of the same characters.
    @inlinable package func isExactly(_ other: some StringProtocol) -> Bool {
        // Pointers, as a comparison through the views costs ten times as much.
        let isEqual = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { left.count == $0.count && left.elementsEqual($0) }
        }
        return isEqual.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether the text begins with these bytes. `hasPrefix` misses a prefix whose last character a combining mark joins.
    @inlinable package func begins(with prefix: some StringProtocol) -> Bool {
        let begins = utf8.withContiguousStorageIfAvailable { text in
            prefix.utf8.withContiguousStorageIfAvailable { text.count >= $0.count && text.prefix($0.count).elementsEqual($0) }
        }
        return begins.flatMap(\.self) ?? utf8.starts(with: prefix.utf8)
    }

    /// Whether the text ends in these bytes. `hasSuffix` misses a suffix whose first character joins the letter before it: after
    /// U+0D4E a dot is no `Character` of its own.
    @inlinable package func ends(with suffix: some StringProtocol) -> Bool {
        let ends = utf8.withContiguousStorageIfAvailable { text in
            suffix.utf8.withContiguousStorageIfAvailable { text.count >= $0.count && text.suffix($0.count).elementsEqual($0) }
        }
        return ends.flatMap(\.self) ?? utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
