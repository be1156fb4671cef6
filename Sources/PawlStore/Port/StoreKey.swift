import PawlCore

/// The name of an object in a ``Store``: parts with slashes between, as `manifests/00017-00003.ndjson.gz`.
package struct StoreKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let value: ExactText

    /// The longest key, in bytes: that of S3.
    package static let maximumLength = 1024

    /// Creates a key; nil for a text that some store could not have, or would take for another: each part has 1 to 200
    /// bytes, none of them a control character, and begins with no dot.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isUsable = parts.allSatisfy { part in
            part.first != UInt8(ascii: ".") && (1...200).contains(part.count)
                && part.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
        }
        guard isUsable else { return nil }
        value = ExactText(text)
    }

    package var text: String { value.text }

    package var description: String { text }

    /// The parts but the last.
    package var folders: [String] { parts.dropLast() }

    /// The last part.
    package var name: String { parts.last ?? "" }

    private var parts: [String] { text.utf8.split(separator: UInt8(ascii: "/")).map { String($0) ?? "" } }

    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
