import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// Time limits, and the treatment of existing and finished files.
struct DetailOptions: RequestOptions {
    @Option(parsing: .unconditional, help: ArgumentHelp("Stop after this time in all, and keep what came: 90s, 10m, 2h.", valueName: "time"))
    var maxTime: String?

    @Flag(help: "Download only if the server's file is newer than the existing one, and replace that.")
    var ifNewer = false

    @Flag(help: "Set the file's modification time to the server's.")
    var remoteTime = false

    @Flag(help: "Write where the file came from, and the checksum that matched, into its extended attributes (user.xdg.*).")
    var xattr = false

    @Option(
        help: ArgumentHelp(
            "Before a file gets its name, sync each one to disk, small ones together, or none: then a power cut may damage it.", valueName: "policy"))
    var sync = SyncPolicy.group

    func apply(to job: inout JobSpec) throws(UsageError) {
        if let maxTime { job.options.maximumTime = try UsageError.value(of: "--max-time", maxTime, OptionText.time) }
        job.options.onlyIfNewer = ifNewer
        job.options.keepsRemoteTime = remoteTime
        job.options.recordsOrigin = xattr
        job.options.sync = sync
    }
}
