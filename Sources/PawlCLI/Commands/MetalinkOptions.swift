import PawlCore
import PawlJobs
import PawlOptions

/// Files that a Metalink document names.
struct MetalinkOptions: Sendable {
    var metalink: [String] = []
    var select: [String] = []

    static let options = OptionDeclaration<Self>.without(
        .configuration, because: .oneDownload,
        [
            .texts(
                "metalink", "file or url", \.metalink,
                help: "Download the files that this Metalink document names (docs/metalink.md). May be repeated.",
                completion: .file),
            .texts(
                "select", "file", \.select,
                help:
                    "Download only this file of a Metalink: its name, a pattern such as '*.iso', or its number from 1. May be repeated."
            ),
        ]
    ).map { $0.without(.lists, because: .wholeRun) }

    func check() throws(UsageError) {
        guard select.isEmpty || !metalink.isEmpty else {
            throw UsageError("--select chooses from a Metalink; name one with --metalink.")
        }
    }

    /// Returns a hint for users who pass a document as a URL.
    static func hint(for job: JobSpec) -> String {
        guard case .url(let url, _) = job.source, !JobDocument.isURL(url) else { return "" }
        let name = url.lowercased()
        guard name.ends(with: ".meta4") || name.ends(with: ".metalink") else { return "" }
        return " The files that a Metalink names are fetched with --metalink."
    }
}
