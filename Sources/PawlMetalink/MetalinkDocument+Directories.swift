import Pawl
public import PawlCore

extension MetalinkDocument.File {
    /// Makes the directories of the file's path that are not there. None of them may be a symbolic link: a document
    /// must not be able to name a place that somebody else has laid a link to.
    ///
    /// - Parameter directory: an existing one, that they go beneath.
    /// - Throws: `DownloadError` with code `notWritable`.
    public func makeDirectories(in directory: String = ".") throws(DownloadError) {
        guard path.count > 1 else { return }
        try NestedDirectories.make(path.dropLast(), in: directory, followsLinks: true)
    }
}
