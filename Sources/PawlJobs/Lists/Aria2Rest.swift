import PawlCore

/// Options of aria2 that are no option of a download here, with the reason.
///
/// Lists, aria2c and its RPC all go by these rows; docs/aria2.md is made from them.
package struct Aria2Rest: Sendable {
    package enum Meaning: Hashable, Sendable {
        /// The same file comes without it.
        case harmless
        /// The same file comes without it, and whoever gave it may miss something: it is told.
        case unsupported
        /// The option is refused: without it, another file would come or another check be made.
        case refused
        /// Holds for all downloads of a run, and so for none in a list.
        case global
    }

    package let meaning: Meaning
    /// The reason, or, of what is refused, what to do instead.
    package let reason: String
    package let names: [String]

    private init(_ meaning: Meaning, _ reason: String, _ names: String) {
        (self.meaning, self.reason) = (meaning, reason)
        self.names = names.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
    }

    /// Returns the row of an option; nil for options of a download, and for names that aria2 does not have.
    package static func row(of name: String) -> Aria2Rest? { rows[ExactText(name)] }

    private static let rows = Dictionary(
        uniqueKeysWithValues: all.flatMap { row in row.names.map { (ExactText($0), row) } })

    package static let all: [Aria2Rest] = harmless + unsupported + refused + global

    private static let harmless = [
        Aria2Rest(
            .harmless, "Pawl does not download by BitTorrent",
            """
            bt-detach-seed-only bt-enable-hook-after-hash-check bt-enable-lpd bt-exclude-tracker bt-external-ip \
            bt-force-encryption bt-hash-check-seed bt-load-saved-metadata bt-lpd-interface bt-max-open-files \
            bt-max-peers bt-metadata-only bt-min-crypto-level bt-prioritize-piece bt-remove-unselected-file \
            bt-request-peer-speed-limit bt-require-crypto bt-save-metadata bt-seed-unverified bt-stop-timeout \
            bt-tracker bt-tracker-connect-timeout bt-tracker-interval bt-tracker-timeout dht-entry-point \
            dht-entry-point6 dht-file-path dht-file-path6 dht-listen-addr6 dht-listen-port dht-message-timeout \
            enable-dht enable-dht6 enable-peer-exchange follow-torrent index-out listen-port \
            max-overall-upload-limit max-upload-limit on-bt-download-complete pause-metadata peer-agent \
            peer-id-prefix rpc-save-upload-metadata seed-ratio seed-time
            """),
        Aria2Rest(
            .harmless, "Pawl downloads by HTTP only",
            """
            ftp-passwd ftp-pasv ftp-proxy ftp-proxy-passwd ftp-proxy-user ftp-reuse-connection ftp-type ftp-user \
            metalink-enable-unique-protocol ssh-host-key-md
            """),
        Aria2Rest(
            .harmless, "Pawl resumes by its own journal and reserves space itself",
            """
            allow-piece-length-change always-resume auto-save-interval disk-cache enable-mmap file-allocation \
            max-mmap-limit max-resume-failure-tries no-file-allocation-limit piece-length realtime-chunk-checksum
            """),
        Aria2Rest(
            .harmless, "Pawl chooses servers, segments and connections itself",
            """
            async-dns enable-http-keep-alive enable-http-pipelining event-poll min-split-size reuse-uri \
            rlimit-nofile server-stat-if server-stat-of server-stat-timeout stream-piece-selector uri-selector
            """),
        Aria2Rest(
            .harmless, "Pawl asks servers in its own way",
            """
            content-disposition-default-utf8 http-accept-gzip http-auth-challenge no-want-digest-header use-head
            """),
        Aria2Rest(
            .harmless, "each run has its own queue",
            "deferred-input gid keep-unfinished-download-result pause"),
    ]

    private static let unsupported = [
        Aria2Rest(.unsupported, "a connection that is idle for the whole timeout is dropped", "lowest-speed-limit"),
        Aria2Rest(.unsupported, "retries wait from half a second to a minute", "retry-wait"),
        Aria2Rest(.unsupported, "a missing file is not retried", "max-file-not-found"),
        Aria2Rest(
            .unsupported, "stored bytes are compared with the server's before they are resumed", "check-integrity"),
        Aria2Rest(.unsupported, "a file's journal is kept until the file is complete", "remove-control-file"),
        Aria2Rest(
            .unsupported, "all files of a Metalink are downloaded, from all of its servers",
            "metalink-base-uri metalink-language metalink-os metalink-preferred-protocol metalink-version"),
        Aria2Rest(
            .unsupported, "the system decides",
            "async-dns-server dscp multiple-interface socket-recv-buffer-size"),
        Aria2Rest(
            .unsupported, "Pawl decides", "optimize-concurrent-downloads proxy-method rpc-max-request-size"),
    ]

    private static let refused = [
        Aria2Rest(.refused, "a probe shows what a server reports about a file", "dry-run"),
        Aria2Rest(.refused, "a complete file is verified by itself", "hash-check-only"),
        Aria2Rest(.refused, "a dry run of the Metalink lists its files", "show-files"),
        Aria2Rest(.refused, "Pawl does not download by BitTorrent", "torrent-file"),
        Aria2Rest(.refused, "Pawl accepts TLS 1.2 and 1.3", "min-tls-version"),
        Aria2Rest(.refused, "use rpc-secret", "rpc-passwd rpc-user"),
    ]

    private static let global = [
        Aria2Rest(
            .global, "set the proxy of the run",
            """
            all-proxy all-proxy-passwd all-proxy-user http-proxy http-proxy-passwd http-proxy-user https-proxy \
            https-proxy-passwd https-proxy-user
            """),
        Aria2Rest(.global, "set the hosts without a proxy for the run", "no-proxy"),
        Aria2Rest(.global, "netrc is read only if the run is told to", "no-netrc"),
    ]
}
