package import PawlCore

/// The keys that requests are signed with. Never shown.
package struct AWSCredentials: Hashable, Sendable, CustomStringConvertible {
    package let accessKeyID: String
    package let secretAccessKey: String
    /// Sent along with keys that hold for some time; nil for those that hold for ever.
    package let sessionToken: String?
    /// When they end; nil: never, or it is not known.
    package let expiration: HTTPDate?

    package init(
        accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expiration: HTTPDate? = nil
    ) {
        (self.accessKeyID, self.secretAccessKey) = (accessKeyID, secretAccessKey)
        (self.sessionToken, self.expiration) = (sessionToken, expiration)
    }

    package var description: String { "AWSCredentials(…)" }
}
