/// A URL that the bytes of a download may come from, and its place in the order of those who wrote it down.
package struct Source: Hashable, Sendable {
    /// RFC 5854 §4.2.16.2: 1 is asked first; what has none comes last.
    package static let lowestPriority = 999_999

    package var url: HTTPURL
    package var priority: Int
    /// A country by ISO 3166-1, two letters in lower case.
    package var location: String?

    package init(url: HTTPURL, priority: Int = lowestPriority, location: String? = nil) {
        self.url = url
        self.priority = priority
        self.location = location
    }
}
