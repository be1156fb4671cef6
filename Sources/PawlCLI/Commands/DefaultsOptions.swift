import ArgumentParser

/// `--no-config`, for every command that has defaults.
struct DefaultsOptions: ParsableArguments, Sendable {
    @Flag(help: "Ignore the defaults in pawl/config.toml and in $PAWL_… (docs/options.md).")
    var noConfig = false
}

/// The options that can have a default, by their names in the configuration file: neither what belongs to one download,
/// nor a secret, nor what turns a check off.
extension DefaultsOptions {
    static let flags = [
        "create_dirs", "fail_fast", "require_complete", "server_mirrors", "ipv4_only", "ipv6_only", "netrc",
        "remote_time", "xattr", "quiet",
    ]

    static let values = [
        "directory", "if_exists", "jobs", "per_host", "connections", "max_filesize", "on_change", "max_speed", "limit",
        "ca_certificate", "proxy",
        "no_proxy", "connect_timeout", "bind_address", "certificate", "private_key", "netrc_file", "user_agent",
        "timeout", "retries", "retry_max_time", "sync",
        "progress", "on_complete",
    ]

    /// The options that the service has under the same name.
    static let ofServiceToo = ["directory", "ca_certificate", "proxy", "no_proxy", "bind_address", "on_complete"]
}
