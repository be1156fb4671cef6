/// A configuration that cannot be used, in a sentence that says where and why.
package struct ConfigurationError: Error {
    package var reason: String
    /// The option that it is about, by its name in the file.
    package var key: String?
    /// The place that is wrong; nil if the caller knows it, or if it is about no place alone.
    package var origin: ConfigurationOrigin?

    package init(_ reason: String, about key: String? = nil, at origin: ConfigurationOrigin? = nil) {
        (self.reason, self.key, self.origin) = (reason, key, origin)
    }

    package var message: String { origin.map { "\($0.text): \(reason)" } ?? reason }
}
