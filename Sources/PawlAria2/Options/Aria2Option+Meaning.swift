import PawlCore

extension Aria2Option {
    /// What the option is to Pawl.
    package enum Meaning: Hashable, Sendable {
        /// A part of the job. `isTold`: the job's specification tells it again as it was given.
        case job(isTold: Bool)
        /// For the program that is started: connections, queue, output, files of its own.
        case program
        /// How aria2 works inside, or BitTorrent and FTP: the same file comes without it.
        case inner
        /// Not supported; the same file comes without it. Users are told.
        case unsupported
        /// What is downloaded, or from whom, would be other than asked for. `instead`: what to do.
        case refused(instead: String)
    }

    package var meaning: Meaning { Self.meanings[ExactText(name)] ?? .inner }

    /// Given so, the option asks for nothing.
    package func isHarmless(_ value: String) -> Bool {
        if initial.map(value.isExactly) ?? value.isEmpty { return true }
        // Pawl accepts nothing older than TLS 1.2.
        return name.isExactly("min-tls-version") && value.isExactly("TLSv1.1")
    }

    private static let meanings: [ExactText: Meaning] = {
        var meanings: [ExactText: Meaning] = [:]
        func mean(_ meaning: Meaning, _ names: [String]) { for name in names { meanings[ExactText(name)] = meaning } }
        mean(
            .job(isTold: true),
            [
                "allow-overwrite", "auto-file-renaming", "checksum", "conditional-get", "continue", "dir", "gid",
                "header", "max-download-limit", "out", "pause",
                "referer", "remote-time", "user-agent",
            ])
        mean(
            .job(isTold: false),
            [
                "http-no-cache", "http-passwd", "http-user", "max-connection-per-server", "max-tries",
                "metalink-location", "piece-length", "split",
                "timeout",
            ])
        mean(
            .program,
            [
                "all-proxy", "all-proxy-passwd", "all-proxy-user", "ca-certificate", "certificate", "check-certificate",
                "conf-path", "connect-timeout",
                "console-log-level", "daemon", "disable-ipv6", "download-result", "enable-color", "enable-rpc",
                "follow-metalink", "force-save", "force-sequential",
                "help", "http-proxy", "http-proxy-passwd", "http-proxy-user", "https-proxy", "https-proxy-passwd",
                "https-proxy-user", "human-readable",
                "input-file", "interface", "load-cookies", "log", "log-level", "max-concurrent-downloads",
                "max-overall-download-limit", "metalink-file",
                "netrc-path", "no-conf", "no-netrc", "no-proxy", "on-download-complete", "on-download-error",
                "on-download-pause", "on-download-start",
                "on-download-stop", "parameterized-uri", "private-key", "quiet", "rpc-allow-origin-all",
                "rpc-certificate", "rpc-listen-all", "rpc-listen-port",
                "rpc-private-key", "rpc-secret", "rpc-secure", "save-cookies", "save-not-found", "save-session",
                "save-session-interval", "select-file",
                "show-console-readout", "stderr", "stop", "stop-with-process", "summary-interval",
                "truncate-console-readout", "version",
            ])
        mean(
            .unsupported,
            [
                "async-dns-server", "check-integrity", "dscp", "lowest-speed-limit", "max-file-not-found",
                "metalink-base-uri", "metalink-language",
                "metalink-os", "metalink-preferred-protocol", "metalink-version",
                "multiple-interface", "optimize-concurrent-downloads",
                "proxy-method", "remove-control-file", "retry-wait", "rpc-max-request-size", "socket-recv-buffer-size",
            ])
        mean(.refused(instead: "pawl probe shows what a server says of a file"), ["dry-run"])
        mean(.refused(instead: "pawl verify checks a file"), ["hash-check-only"])
        mean(.refused(instead: "pawl get --dry-run --metalink shows what a Metalink has"), ["show-files"])
        mean(.refused(instead: "Pawl does not download by BitTorrent"), ["torrent-file"])
        mean(.refused(instead: "Pawl accepts TLS 1.2 and 1.3"), ["min-tls-version"])
        mean(.refused(instead: "use rpc-secret"), ["rpc-user", "rpc-passwd"])
        return meanings
    }()

    // MARK: On the command line

    package enum Argument: Hashable, Sendable { case none, optional, required }

    package var argument: Argument {
        switch name {
        case "version": .none
        case "show-console-readout": .required
        case "certificate", "help", "optimize-concurrent-downloads", "rpc-certificate", "rpc-secret": .optional
        default: if case .flag = kind { .optional } else { .required }
        }
    }

    package var letter: Character? { Self.letters.first { $0.name.isExactly(name) }?.letter }

    static func index(ofLetter letter: Character) -> Int? {
        letters.first { $0.letter == letter }.flatMap { index(of: $0.name) }
    }

    private static let letters: [(letter: Character, name: String)] = [
        ("a", "file-allocation"), ("c", "continue"), ("D", "daemon"), ("d", "dir"), ("h", "help"), ("i", "input-file"),
        ("j", "max-concurrent-downloads"),
        ("k", "min-split-size"), ("l", "log"), ("M", "metalink-file"), ("m", "max-tries"), ("n", "no-netrc"),
        ("O", "index-out"), ("o", "out"),
        ("P", "parameterized-uri"), ("p", "ftp-pasv"), ("q", "quiet"), ("R", "remote-time"), ("S", "show-files"),
        ("s", "split"), ("T", "torrent-file"),
        ("t", "timeout"), ("U", "user-agent"), ("u", "max-upload-limit"), ("V", "check-integrity"), ("v", "version"),
        ("x", "max-connection-per-server"),
        ("Z", "force-sequential"),
    ]

    /// It names a file or directory, in which `${HOME}` stands for that of the user.
    var isPath: Bool {
        switch name {
        case "ca-certificate", "dir", "input-file", "load-cookies", "log", "metalink-file", "netrc-path",
            "on-download-complete", "on-download-error",
            "on-download-pause", "on-download-start", "on-download-stop", "out", "private-key", "rpc-certificate",
            "rpc-private-key", "save-cookies", "save-session":
            true
        default: false
        }
    }

    /// The values that it takes, behind "takes".
    package var accepted: String {
        switch kind {
        case .flag: "true or false"
        case .number(let range) where range.upperBound == .max: "a whole number from \(range.lowerBound)"
        case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .size(let range) where range.upperBound == .max: "a number of bytes such as 100K or 2M"
        case .size(let range): "a number of bytes such as 2M, from \(range.lowerBound) to \(range.upperBound)"
        case .decimal: "a number"
        case .word(let words): "one of " + words.joined(separator: ", ")
        case .checksum: "ALGORITHM=HEX; the algorithms are md5, sha-1, sha-256 and sha-512"
        case .text, .lines: "a text"
        }
    }
}
