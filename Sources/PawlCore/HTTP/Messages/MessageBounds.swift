/// Bounds of what a server may send besides content (FAULTS L08, L17, L18).
package enum MessageBounds {
    package static let largestField = 64 * 1024
    package static let largestSection = 256 * 1024
    package static let maximumFields = 200
    package static let maximumInterimResponses = 20
    /// The largest chunk line, and the largest trailer section.
    package static let largestChunkLine = 16 * 1024
}
