/// Credentials for a request; sent to the origin of its URL only.
///
/// Printing one shows no secret.
public enum Authentication: Hashable, Sendable {
    /// HTTP Basic (RFC 7617) from the first request on, and Digest (RFC 7616) where the server asks for it. The secret
    /// is the password.
    case password(name: String, Secret)
    /// A token of RFC 6750, sent with each request.
    case bearer(Secret)
}

extension Authentication {
    package var secret: Secret {
        get {
            switch self {
            case .password(_, let secret), .bearer(let secret): secret
            }
        }
        set {
            switch self {
            case .password(let name, _): self = .password(name: name, newValue)
            case .bearer: self = .bearer(newValue)
            }
        }
    }
}

extension Authentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .password(let name, _): "\(name):…"
        case .bearer: "Bearer …"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A secret that proves an identity, or the place where to find it.
///
/// Read when a download is started or added to a manager, and the call waits for it. The manager's session keeps the
/// secret itself, or nothing of it (`DownloadManager.Configuration.storesSecrets`). Printing one shows the place, and
/// never the secret.
///
/// ```swift
/// var request = DownloadRequest("https://example.org/disk.iso", to: "disk.iso")
/// request.authentication = .bearer(.file("token.txt"))
/// ```
public enum Secret: Hashable, Sendable {
    case value(String)
    /// The only line of a file: its path.
    case file(String)
    /// An environment variable of the process that makes the request: its name.
    case environment(String)

    package var isValue: Bool { if case .value = self { true } else { false } }

    /// The secret itself, the path or the name.
    package var text: String {
        switch self {
        case .value(let text), .file(let text), .environment(let text): text
        }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .value: "…"
        case .file(let path): "the file “\(path)”"
        case .environment(let name): "the environment variable “\(name)”"
        }
    }

    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
