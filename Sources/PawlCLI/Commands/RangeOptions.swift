import ArgumentParser
import Pawl
import PawlCore
import PawlJobs

/// Parts of a file (docs/ranges.md).
struct RangeOptions: RequestOptions {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Download only these bytes, counted from 0: 0-499, 500-, -500 (the last 500), or several with commas.",
            valueName: "ranges"))
    var range: String?

    @Flag(help: "Keep the parts at their positions in the file, with holes between them.")
    var sparse = false

    func apply(to job: inout JobSpec) throws(UsageError) {
        guard let range else {
            if sparse { throw UsageError("--sparse is about parts of a file: give --range too.") }
            return
        }
        do throws(RangeSelection.Problem) {
            job.options.ranges = try RangeSelection(parsing: range)
        } catch {
            throw UsageError("--range: " + error.message)
        }
        job.options.isSparse = sparse
    }
}
