/// An archive on disk: zip, 7z, or tar, plain or compressed by gzip, bzip2, xz or zstd.
public struct Archive: Hashable, Sendable {
    public let path: String

    /// Creates an archive for a path without opening or reading it yet.
    public init(_ path: String) { self.path = path }
}
