import ArgumentParser
import Pawl
import PawlCore

extension ListOptions {
    /// In docs/lists.md, too. None of them changes the configuration, which all downloads of a run share.
    static let meanings: [String: Meaning] = [
        "out": .output, "output": .output,
        "dir": .directory, "directory": .directory,
        "checksum": .value("--checksum") { $0.transfer.checksum = digest($1.value) },
        "header": .value("--header") { $0.server.header.append($1.value) },
        "referer": .value("--referer") { $0.caller.referer = $1.value },
        "user-agent": .value("--user-agent") { $0.caller.userAgent = $1.value },
        "http-user": .userName, "http-passwd": .password,
        "user": .value("--user") { $0.credentials.user = $1.value },
        "range": .value("--range") { $0.parts.range = $1.value },
        "sparse": .switched("--sparse") { (command, _) in command.parts.sparse = true },
        "conditional-get": ifNewer, "if-newer": ifNewer,
        "remote-time": .switched("--remote-time") { (command, _) in command.details.remoteTime = true },
        "xattr": .switched("--xattr") { (command, _) in command.details.xattr = true },
        "split": connections, "max-connection-per-server": connections, "connections": connections,
        "max-download-limit": maxSpeed, "max-speed": maxSpeed,
        "max-filesize": .value("--max-filesize") { $0.transfer.maxFilesize = $1.value },
        "on-change": .value("--on-change") { (command, option) throws(DownloadList.Problem) in
            command.transfer.onChange = try choice(option)
        },
        "if-exists": .value("--if-exists") { (command, option) throws(DownloadList.Problem) in
            command.target.ifExists = try choice(option)
        },
        "allow-overwrite": .switched("--if-exists") { (command, _) in command.target.ifExists = .replace },
        "auto-file-renaming": .switched("--if-exists") { (command, _) in command.target.ifExists = .rename },
        "adopt": .switched("--adopt") { (command, _) in command.transfer.adopt = true },
        "allow-insecure-redirect": .switched("--allow-insecure-redirect") { (command, _) in
            command.transfer.allowInsecureRedirect = true
        },
        "allow-web-page": .switched("--allow-web-page") { (command, _) in command.transfer.allowWebPage = true },
        "require-complete": .switched("--require-complete") { (command, _) in command.transfer.requireComplete = true },
        "always-resume": .ignored, "async-dns": .ignored, "continue": .ignored, "file-allocation": .ignored, "gid": .ignored,
        "max-tries": .ignored, "min-split-size": .ignored, "no-file-allocation-limit": .ignored, "pause": .ignored,
        "piece-length": .ignored, "realtime-chunk-checksum": .ignored, "reuse-uri": .ignored, "stream-piece-selector": .ignored,
        "uri-selector": .ignored,
    ]

    private static let ifNewer = Meaning.switched("--if-newer") { (command, _) in command.details.ifNewer = true }

    private static let maxSpeed = Meaning.value("--max-speed") { $0.limits.maxSpeed = $1.value }

    private static let connections = Meaning.value("--connections") { (command, option) throws(DownloadList.Problem) in
        guard let number = Int(option.value) else { throw DownloadList.Problem(option, takes: "a number") }
        command.transfer.connections = number
    }

    private static func choice<Policy: ExpressibleByArgument>(
        _ option: DownloadList.Option
    ) throws(DownloadList.Problem) -> Policy {
        guard let policy = Policy(argument: option.value) else {
            throw DownloadList.Problem(option, takes: "one of " + Policy.allValueStrings.joined(separator: ", "))
        }
        return policy
    }

    /// aria2 writes `sha-256=HEX`.
    private static func digest(_ value: String) -> String {
        let bytes = value.utf8
        guard let sign = bytes.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }) else { return value }
        return String(decoding: bytes[..<sign], as: UTF8.self) + ":"
            + String(decoding: bytes[bytes.index(after: sign)...], as: UTF8.self)
    }
}

extension DownloadList.Problem {
    /// The value is not repeated: a mistyped line may hold a secret.
    fileprivate init(_ option: DownloadList.Option, takes accepted: String) {
        self.init(line: option.line, message: "“\(option.name)” takes \(accepted).")
    }
}
