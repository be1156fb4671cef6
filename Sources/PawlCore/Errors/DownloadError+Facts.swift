extension DownloadError {
    /// The values that ``DownloadError/message`` tells; each is nil if unknown or irrelevant to the error.
    ///
    /// They stay with an error in a session, as the remedies do.
    public struct Facts: Hashable, Sendable {
        /// The HTTP status code of the server's response.
        public var status: Int?
        /// The server, or the proxy, that failed.
        public var host: String?
        /// The length of the file, or the bytes that it still needs on the disk.
        public var size: Int64?
        /// The greatest length allowed, or the bytes free on the disk.
        public var limit: Int64?
        /// The kind of item that already has the file's name.
        package var nameHolder: NameHolder?
        /// The host has no address: the failure is about all of its files.
        package var hostIsUnknown = false
        /// The target of the redirect that was not followed.
        package var redirectTarget: HTTPURL?

        package init(status: Int? = nil, host: String? = nil, size: Int64? = nil, limit: Int64? = nil) {
            self.status = status
            self.host = host
            self.size = size
            self.limit = limit
        }

        package init(unknownHost host: String) {
            self.init(host: host)
            hostIsUnknown = true
        }
    }

    package enum NameHolder: String, Hashable, Sendable, CaseIterable {
        /// A regular file, of which nothing more is known.
        case file
        /// A file that another download has just finished.
        case fileOfAnother
        case directory
        case symbolicLink
        /// An item that is not a regular file, or whose kind has not been determined.
        case other
    }
}
