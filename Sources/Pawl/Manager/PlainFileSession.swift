public import PawlCore
public import PawlEngine

/// A ``SessionStore`` in one file (docs/session-format.md): atomic, checksummed, readable by its owner alone.
///
/// Two managers cannot use it at once, in one process or in two. A damaged file is an error and is left as it is.
public struct PlainFileSession: SessionStore {
    private let file: SessionFile

    /// - Parameter path: of the file, which need not exist. Its directory must.
    public init(_ path: String) {
        let place = DownloadRequest("http://localhost/", to: path)
        file = SessionFile(POSIXStorage(), directory: place.directory, name: place.fileName ?? "")
    }

    public func load() throws(DownloadError) -> [SessionRecord] { try file.load() }

    public func save(_ changes: [SessionChange]) throws(DownloadError) { try file.save(changes) }

    public func close() { file.close() }
}

extension HostMemoryFile {
    init(path: String) {
        let place = DownloadRequest("http://localhost/", to: path)
        self.init(POSIXStorage(), directory: place.directory, name: place.fileName ?? "")
    }
}
