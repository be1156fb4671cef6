/// A configuration that cannot be used, in a sentence that says where and why.
package struct ConfigurationError: Error {
    package var message: String
    /// The option that it is about, by its name in the file; the caller knows where that option was given.
    package var key: String?

    package init(_ message: String, about key: String? = nil) {
        self.message = message
        self.key = key
    }
}
