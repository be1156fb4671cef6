/// Credentials for a request; sent to the origin of its URL only.
///
/// Printing one shows no secret.
public enum Authentication: Hashable, Sendable {
    /// HTTP Basic (RFC 7617) from the first request on, and Digest (RFC 7616) where the server asks for it.
    case password(Credentials)
    /// A token of RFC 6750, sent with each request.
    case bearer(String)
}

extension Authentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .password(let credentials): credentials.description
        case .bearer: "Bearer …"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
