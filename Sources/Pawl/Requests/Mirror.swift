import PawlCore

/// Another URL of the file that a ``DownloadRequest`` asks for.
public struct Mirror: Hashable, Sendable {
    /// The largest number of mirrors of one download.
    public static let maximumCount = 100
    /// The priority of one for which nobody has named any.
    public static let lowestPriority = 999_999

    /// An absolute `http` or `https` URL.
    public var url: String
    /// 1 to 999,999; 1 is asked first (RFC 5854 §4.2.16.2). What is measured later counts for more.
    public var priority: Int
    /// The country it stands in, by ISO 3166-1 (two letters); nil while not known.
    public var location: String?

    public init(_ url: String, priority: Int = Mirror.lowestPriority, location: String? = nil) {
        self.url = HTTPURL.convertingHost(url)
        self.priority = priority
        self.location = location
    }
}
