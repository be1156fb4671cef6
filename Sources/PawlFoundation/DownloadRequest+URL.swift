public import Pawl
public import PawlCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DownloadRequest {
    /// A request from a `URL` to a file `URL`.
    ///
    /// The file URL is read strictly (RFC 8089), because a file with another name than the one asked for would be worse
    /// than an error. Percent-escapes are decoded, a relative URL is resolved against its base, and `localhost` is this
    /// machine.
    ///
    /// - Parameters:
    ///   - url: `http` or `https`. A name and password in it are credentials for its origin; a fragment is never sent.
    ///   - file: the finished file. Its directory must exist.
    /// - Throws: `DownloadError`, before anything is touched. `invalidURL`: `url` cannot be fetched.
    ///   `invalidArgument`: `file` is not a file URL, names another host, a user or a port, ends in a slash, has a
    ///   query or a fragment, has an escaped slash or NUL, or has a path that is not UTF-8 (which includes U+FFFD,
    ///   since that is what Foundation makes of one).
    public init(_ url: URL, to file: URL) throws(DownloadError) {
        self.init(try url.downloadAddress(), to: try file.targetPath())
    }

    /// A request whose file the server names, or else the URL.
    ///
    /// - Parameters:
    ///   - url: `http` or `https`.
    ///   - directory: a file URL, with or without a slash at its end. It must exist.
    /// - Throws: `DownloadError`, as the initializer with a file.
    public init(_ url: URL, in directory: URL) throws(DownloadError) {
        self.init(try url.downloadAddress(), in: try directory.directoryPath())
    }

    /// A request for what stores no file: `stream(_:)`, `document(_:maximumBytes:)`,
    /// `probe(_:)`. Used for a download, the file goes to the working directory.
    ///
    /// - Throws: `invalidURL`.
    public init(_ url: URL) throws(DownloadError) {
        self.init(try url.downloadAddress())
    }
}

extension DownloadResult {
    /// The URL of the file. Unlike the temporary file of a `URLSession`, it stays.
    public var fileURL: URL { URL(filePath: path, directoryHint: .notDirectory).absoluteURL }
}

extension FetchedDocument {
    /// The bytes of the document.
    public var data: Data { Data(bytes) }
}
