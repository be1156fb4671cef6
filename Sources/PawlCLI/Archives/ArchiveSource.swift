import PawlArchive
import PawlJobs

/// Where an archive is that somebody named.
enum ArchiveSource: Hashable {
    case file(String)
    case url(String)

    init(_ text: String) throws(UsageError) {
        guard !text.isEmpty else { throw UsageError("The name of the archive is empty.") }
        self = JobDocument.isURL(text) ? .url(text) : .file(text)
    }
}
