import PawlCore

/// A part of the configuration file, which belongs to one program.
package enum ConfigurationTable: CaseIterable, Sendable {
    /// The lines in front of the first table.
    case service
    /// The defaults of `pawl get`.
    case get

    /// The name in brackets; nil for the lines in front of the first table.
    package var name: String? {
        switch self {
        case .service: nil
        case .get: "get"
        }
    }

    package var keys: [ConfigurationKey] {
        switch self {
        case .service: Self.serviceKeys
        case .get: Self.getKeys
        }
    }

    /// The rest of the sentence about a key of this table that stands in another one.
    var advice: String {
        switch self {
        case .service: "it is an option of the service. Move it above the first table."
        case .get: "it is an option of the table [get]. Move it below a line [get]."
        }
    }

    static let names = allCases.compactMap(\.name)

    func key(_ name: String) -> ConfigurationKey? { keys.first { $0.name.isExactly(name) } }

    private static let serviceKeys = ServiceOptions.declaration.map { ConfigurationKey($0) }

    /// The options that can have a default: neither those of one download, nor secrets, nor any that turns a check off.
    /// A test of the command compares them with its options.
    private static let getKeys =
        [
            "create_dirs", "fail_fast", "require_complete", "server_mirrors", "ipv4_only", "ipv6_only", "netrc",
            "remote_time", "xattr", "quiet",
        ].map { ConfigurationKey($0, .flag(negated: nil)) }
        + [
            "directory", "if_exists", "jobs", "per_host", "connections", "max_filesize", "on_change", "max_speed",
            "limit", "ca_certificate", "proxy", "no_proxy", "connect_timeout", "bind_address", "certificate",
            "private_key", "netrc_file", "user_agent", "timeout", "retries", "retry_max_time", "sync", "progress",
            "on_complete",
        ].map { ConfigurationKey($0, .value) }
}
