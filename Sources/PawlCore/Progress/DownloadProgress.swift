/// The progress of a download: a plain value, complete enough to draw a user interface from.
///
/// ```swift
/// let downloader = try Downloader()
/// let download = try downloader.start(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
/// let progress = download.currentProgress
/// if let reason = progress.state.whyWaiting { print(reason) }
/// ```
public struct DownloadProgress: Hashable, Sendable {
    /// A connection and the range it works on.
    public struct Connection: Hashable, Sendable {
        public let id: Int
        /// The next byte it will store; everything before it, back to where it began, is stored.
        public let position: Int64
        /// The position at which the connection will stop; nil if the length is unknown.
        public let end: Int64?
        public let bytesPerSecond: Double
        /// The host that it is connected to, after redirects.
        public let host: String

        package init(id: Int, position: Int64, end: Int64?, bytesPerSecond: Double, host: String = "") {
            self.id = id
            self.position = position
            self.end = end
            self.bytesPerSecond = bytesPerSecond
            self.host = host
        }
    }

    public var state: DownloadState
    /// The number of bytes in the partial file.
    public var bytesStored: Int64
    /// The part of ``bytesStored`` that would survive a power cut now, because the journal claims it.
    public var bytesDurable: Int64
    /// The length of the file in bytes; nil while unknown.
    public var totalBytes: Int64?
    /// Averaged over about a second, in bytes per second.
    public var bytesPerSecond: Double
    /// The time left at the present rate; nil if the length or the rate is not known.
    public var secondsLeft: Double?
    /// Bytes still needed on disk that are not preallocated.
    package var bytesUnreserved: Int64 = 0
    /// Whether another run can resume. False while nothing would show to which file the stored bytes belong, or while
    /// the server has not sent a range that it was asked for: another run may start from zero. Nil if no server's
    /// responses are known.
    package var canResume: Bool?
    public var connections: [Connection]
    /// The ranges that are stored, ascending.
    public var storedRanges: [ByteRange]

    package init(
        state: DownloadState, bytesStored: Int64 = 0, bytesDurable: Int64 = 0, totalBytes: Int64? = nil,
        bytesPerSecond: Double = 0, secondsLeft: Double? = nil, connections: [Connection] = [],
        storedRanges: [ByteRange] = []
    ) {
        self.state = state
        self.bytesStored = bytesStored
        self.bytesDurable = bytesDurable
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
        self.secondsLeft = secondsLeft
        self.connections = connections
        self.storedRanges = storedRanges
    }

    /// The fraction completed, from 0 to 1; nil if the length is unknown. An empty file is done at once.
    public var fractionCompleted: Double? {
        totalBytes.map { $0 == 0 ? 1 : Double(bytesStored) / Double($0) }
    }
}
