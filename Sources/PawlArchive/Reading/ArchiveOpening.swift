/// Finds out what a file is, and opens the reader for it.
package enum ArchiveOpening {
    /// - Parameter password: for what is encrypted. Never logged.
    package static func open(_ path: String, password: String?) throws(ArchiveError) -> any MemberReader {
        try LibArchiveReader(path: path)
    }
}
