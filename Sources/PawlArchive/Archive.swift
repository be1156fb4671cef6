/// An archive on disk: zip, 7z, or tar, plain or compressed by gzip, bzip2, xz or zstd.
public struct Archive: Hashable, Sendable {
    public let path: String

    /// Nothing is opened or read yet.
    public init(_ path: String) { self.path = path }
}
