import ArgumentParser
import Pawl

/// How long a download may take, and what becomes of a file that is there or done.
struct DetailOptions: RequestOptions {
    @Option(parsing: .unconditional, help: ArgumentHelp("Stop after this time in all, and keep what came: 90s, 10m, 2h.", valueName: "time"))
    var maxTime: String?

    @Flag(help: "Fetch nothing unless the server's file is newer than the one that is there, and replace that then.")
    var ifNewer = false

    @Flag(help: "Give the file the time of modification that the server tells.")
    var remoteTime = false

    @Flag(help: "Write where the file came from, and the checksum that matched, into its extended attributes (user.xdg.*).")
    var xattr = false

    func apply(to request: inout DownloadRequest) throws(UsageError) {
        if let maxTime { request.maximumTime = try TimeLimit.parse(maxTime, of: "--max-time") }
        if ifNewer, ![.fail, .replace].contains(request.ifExists) {
            throw UsageError("--if-newer replaces an older file, so --if-exists \(request.ifExists.rawValue) has no place beside it.")
        }
        request.onlyIfNewer = ifNewer
        request.keepsRemoteTime = remoteTime
        request.recordsOrigin = xattr
    }
}
