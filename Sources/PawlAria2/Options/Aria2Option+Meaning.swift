import PawlCore
package import PawlJobs

extension Aria2Option {
    /// The role of the option in Pawl.
    package enum Meaning: Sendable {
        /// A part of the job, as lists have it, or of its place in the queue.
        case job
        /// An option of the program that is started: connections, queue, output, files of its own.
        case program
        /// An option that is none of a download, for the reason that the row gives.
        case other(Aria2Rest)
    }

    package var meaning: Meaning {
        if Self.ofQueue.containsExactly(name) || ListOptions.option(name) != nil { return .job }
        guard let row = Aria2Rest.row(of: name), row.meaning != .global else { return .program }
        return .other(row)
    }

    /// Lists have no use for them: each run has a queue of its own.
    private static let ofQueue = ["gid", "pause", "piece-length"]

    /// Returns whether the option with this value has no effect.
    package func isHarmless(_ value: String) -> Bool {
        if initial.map(value.isExactly) ?? value.isEmpty { return true }
        // Pawl accepts nothing older than TLS 1.2.
        return name.isExactly("min-tls-version") && value.isExactly("TLSv1.1")
    }

    /// Returns the reason why the value is not supported; nil if it is, or makes no difference.
    package func objection(_ meaning: Aria2Rest.Meaning, to value: String) -> Aria2Rest? {
        guard case .other(let row) = self.meaning, row.meaning == meaning, !isHarmless(value) else { return nil }
        return row
    }

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

    /// Whether the option names a file or directory, in which `${HOME}` stands for that of the user.
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
