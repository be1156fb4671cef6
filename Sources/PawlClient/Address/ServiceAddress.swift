package import PawlCore
import PawlJobs
import PawlSystem

/// The address at which the service listens.
public struct ServiceAddress: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        case socket(String)
        /// The prefix is that of a reverse proxy: empty, or a path without a slash at its end.
        case host(HTTPURL, prefix: String)
    }

    package let place: Place
    package let token: String?
    package var certificateAuthorityFile: String?

    /// A unix socket. Only its owner can connect to it, so it needs no token.
    public static func socket(_ path: String) -> ServiceAddress { ServiceAddress(place: .socket(path), token: nil) }

    /// A URL such as `http://127.0.0.1:6871` or `https://nas.example/pawl`, with the path where a reverse proxy puts
    /// the service.
    ///
    /// - Parameters:
    ///   - text: the URL.
    ///   - token: as in the service's token file.
    ///   - certificateAuthorityFile: a PEM file of authorities to trust instead of the system's, and of those that
    ///     `SSL_CERT_FILE` and its like name.
    /// - Throws: ``ServiceError`` with `invalidArgument` for another kind of URL.
    public static func url(
        _ text: String, token: String?, certificateAuthorityFile: String? = nil
    ) throws(ServiceError) -> ServiceAddress {
        let url: HTTPURL
        do {
            url = try HTTPURL(parsing: text)
        } catch {
            throw ServiceError(.invalidArgument, error.message)
        }
        guard url.query == nil, url.userinfo == nil else {
            throw ServiceError(
                .invalidArgument,
                "The address of the service is a socket, or a URL such as http://127.0.0.1:6871 without a login or query."
            )
        }
        var bytes = url.path.utf8[...]
        while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        let prefix = String(decoding: bytes, as: UTF8.self)
        return ServiceAddress(
            place: .host(url, prefix: prefix), token: token, certificateAuthorityFile: certificateAuthorityFile)
    }

    /// `$PAWL_SOCKET`, else `pawl/pawl.sock` in `$XDG_RUNTIME_DIR`, else in `$XDG_STATE_HOME`, else in
    /// `~/.local/state`.
    ///
    /// - Throws: ``ServiceError`` with `unreachable` if the environment names none of these directories.
    public static func standard() throws(ServiceError) -> ServiceAddress {
        try standard(environment: Environment.value)
    }

    package static func standard(environment: (String) -> String?) throws(ServiceError) -> ServiceAddress {
        if let path = environment("PAWL_SOCKET"), !path.isEmpty { return .socket(path) }
        // Relative paths are invalid and to be ignored (XDG base directory specification 0.8).
        if let directory = environment("XDG_RUNTIME_DIR"), directory.begins(with: "/") {
            return .socket(directory + "/pawl/pawl.sock")
        }
        guard let directory = StateDirectory.path(environment: environment) else {
            throw ServiceError(
                .unreachable,
                "The environment has neither XDG_RUNTIME_DIR nor HOME, so the service's socket cannot be found.")
        }
        return .socket(directory + "/pawl.sock")
    }

    /// The address as messages show it.
    package var shown: String {
        switch place {
        case .socket(let path): "“\(path)”"
        case .host(let url, let prefix): "\(url.scheme.rawValue)://\(url.authority)\(prefix)"
        }
    }
}
