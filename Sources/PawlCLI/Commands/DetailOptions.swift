import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// Time limits, and the treatment of existing and finished files.
struct DetailOptions: RequestOptions {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Stop after this total time and keep the progress: 90s, 10m, 2h.", valueName: "time"))
    var maxTime: String?

    @Flag(help: "Download only if the server's file is newer than the existing one, and replace that.")
    var ifNewer = false

    @Flag(help: "Set the file's modification time to the server's.")
    var remoteTime = false

    @Flag(help: "Record the file's URL and the checksum that matched in its extended attributes (user.xdg.*).")
    var xattr = false

    @Option(
        help: ArgumentHelp(
            "Sync each file to disk before it gets its name, sync small files in groups, or sync none: then a power cut may damage files.",
            valueName: "policy"))
    var sync = SyncPolicy.group

    func apply(to job: inout JobSpec) throws(UsageError) {
        if let maxTime { job.options.maximumTime = try UsageError.value(of: "--max-time", maxTime, OptionText.time) }
        job.options.onlyIfNewer = ifNewer
        job.options.keepsRemoteTime = remoteTime
        job.options.recordsOrigin = xattr
        job.options.sync = sync
    }
}
