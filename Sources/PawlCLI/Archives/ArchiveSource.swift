import PawlArchive
import PawlJobs

/// The location of an archive as named on the command line.
enum ArchiveSource: Hashable {
    case file(String)
    case url(String)

    init(_ text: String) throws(UsageError) {
        guard !text.isEmpty else { throw UsageError("The name of the archive is empty.") }
        self = JobDocument.isURL(text) ? .url(text) : .file(text)
    }
}
