import ArgumentParser
import PawlCore
import PawlJobs

/// Files that a Metalink document names.
struct MetalinkOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Download the files that this Metalink document names (docs/metalink.md). May be repeated.",
            valueName: "file or url"), completion: .file())
    var metalink: [String] = []

    @Option(
        help: ArgumentHelp(
            "Download only this file of a Metalink: its name, a pattern such as '*.iso', or its number from 1. May be repeated.",
            valueName: "file"))
    var select: [String] = []

    func check() throws(UsageError) {
        guard select.isEmpty || !metalink.isEmpty else {
            throw UsageError("--select chooses from a Metalink; name one with --metalink.")
        }
    }

    /// For users who pass a document as a URL.
    static func hint(for job: JobSpec) -> String {
        guard case .url(let url, _) = job.source, !JobDocument.isURL(url) else { return "" }
        let name = url.lowercased()
        guard name.ends(with: ".meta4") || name.ends(with: ".metalink") else { return "" }
        return " The files that a Metalink names are fetched with --metalink."
    }
}
