import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// Speed limits (docs/speed-limits.md).
struct LimitOptions: RequestOptions {
    @OptionGroup var speed: SpeedOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum speed of all files together, in bytes per second or by the time of day: \"08:00,512k 19:00,off\".",
            valueName: "rate|timetable"))
    var limit: String?

    func apply(to job: inout JobSpec) throws(UsageError) { try speed.apply(to: &job) }

    func apply(to configuration: inout Downloader.Configuration) throws(UsageError) {
        guard let limit else { return }
        do throws(SpeedSchedule.ParseError) {
            configuration.speedLimit = try SpeedSchedule(parsing: limit)
        } catch {
            throw UsageError("--limit: " + error.message)
        }
    }
}

/// The speed limit of one file.
struct SpeedOptions: RequestOptions {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Maximum speed of each file, in bytes per second: 500k, 2M, 1.5MB.", valueName: "rate"))
    var maxSpeed: String?

    func apply(to job: inout JobSpec) throws(UsageError) {
        if let maxSpeed {
            job.options.maximumBytesPerSecond = try UsageError.value(of: "--max-speed", maxSpeed, OptionText.rate)
        }
    }
}
