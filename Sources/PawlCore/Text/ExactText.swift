/// Text that equals only the same bytes, and is hashed and sorted by them: the key for URLs, paths and names.
///
/// `String` compares by canonical equivalence: `é` in one scalar equals `é` in two. To a server and to most file
/// systems those are two resources, and a dictionary with `String` keys would hand out one for the other.
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(_ text: Substring) { self.text = String(text) }

    package static func == (left: Self, right: Self) -> Bool { left.text.isExactly(right.text) }

    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

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
        withBytes(and: other) { $0.count == $1.count && $1.beginsAlike($0) } ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether the text begins with these bytes. `hasPrefix` misses a prefix whose last character a combining mark
    /// joins.
    @inlinable package func begins(with prefix: some StringProtocol) -> Bool {
        withBytes(and: prefix) { $0.count >= $1.count && $1.beginsAlike($0) }
            ?? utf8.starts(with: prefix.utf8)
    }

    /// Whether the text ends in these bytes. `hasSuffix` misses a suffix whose first character joins the letter before
    /// it: after U+0D4E a dot is no `Character` of its own.
    @inlinable package func ends(with suffix: some StringProtocol) -> Bool {
        withBytes(and: suffix) {
            $0.count >= $1.count && $1.beginsAlike(UnsafeBufferPointer(rebasing: $0.suffix($1.count)))
        }
            ?? utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// Compares both texts as memory, which is much faster than through the views; nil if one of them is not in one
    /// piece.
    @inlinable package func withBytes(
        and other: some StringProtocol, _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Bool? {
        let result = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { body(mine, $0) }
        }
        return result.flatMap(\.self)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether another, at least as long, begins with these bytes. Compares eight of them at a time.
    @inlinable package func beginsAlike(_ other: Self) -> Bool {
        let (mine, others) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var index = 0
        while index + 8 <= mine.count {
            let word = mine.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard word == others.loadUnaligned(fromByteOffset: index, as: UInt64.self) else { return false }
            index += 8
        }
        while index < mine.count {
            guard mine[index] == others[index] else { return false }
            index += 1
        }
        return true
    }
}

extension String {
    /// Takes UTF-8; nil for other bytes. Much faster than `init(validating:as:)` where all are ASCII.
    package init?(utf8 bytes: ArraySlice<UInt8>) {
        if bytes.allSatisfy({ $0 < 0x80 }) {
            self.init(decoding: bytes, as: UTF8.self)
        } else {
            self.init(validating: bytes, as: UTF8.self)
        }
    }

    package var isASCII: Bool { allBytes { $0 < 0x80 } }

    /// Whether all bytes of it are of a kind. Much faster than through the view.
    @inlinable package func allBytes(_ isRight: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isRight) } ?? utf8.allSatisfy(isRight)
    }

    /// Whether the byte is in it.
    package func holds(_ byte: UInt8) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.contains(byte) } ?? utf8.contains(byte)
    }
}
