public import Pawl
public import PawlCore

/// A Metalink document: files, the URLs of each, and the digests that verify it.
///
/// Version 4 (RFC 5854) and version 3 are read. Languages, systems, descriptions and signatures in it are of no
/// consequence here.
///
/// ```swift
/// let downloader = try Downloader()
/// let metalink = try await downloader.document(
///     DownloadRequest("https://example.org/disk.meta4"), maximumBytes: MetalinkDocument.maximumBytes)
/// let document = try MetalinkDocument(parsing: metalink.bytes, from: metalink.url)
/// for request in document.files.compactMap({ $0.request(in: "Downloads") }) {
///     let file = try await downloader.start(request).result()
///     print(file.path, file.isVerified)
/// }
/// ```
public struct MetalinkDocument: Hashable, Sendable {
    /// The longest document, in bytes.
    public static let maximumBytes = 16 << 20
    /// The largest number of files in a document.
    public static let maximumFiles = 10_000
    /// The largest number of URLs of a file; the first by priority are used, as many as a request takes.
    public static let maximumURLs = 1_000

    /// The files in the document's order. No two have the same path.
    public let files: [File]
    /// The address at which the document was published, and where a newer one may be (RFC 5854 §4.2.8); nil if it gives
    /// none, or no URL of use.
    public let origin: String?
    /// Whether ``origin`` has newer versions of the document.
    public let isDynamic: Bool
    /// Parts of the document that could not be used, in words.
    public let notices: [String]

    /// A file of a document.
    public struct File: Hashable, Sendable {
        /// The name, with the directories before it, each made safe (RFC 5854 §4.1.2.1). Never empty.
        public let path: [String]
        /// The length of the file, in bytes; nil if it is not given.
        public let size: Int64?
        /// The digests of the whole file, strongest first.
        public let digests: [Digest]
        /// The strongest hashes of its pieces.
        public let pieceHashes: PieceHashes?
        /// The mirrors by priority, best first.
        public let mirrors: [Mirror]

        /// The file's name, with `/` between it and the directories before it.
        public var name: String { path.joined(separator: "/") }
    }
}

/// The reason why a document cannot be used, and the position of the cause.
public struct MetalinkError: Error, Hashable, Sendable, CustomStringConvertible {
    public let message: String
    /// The number of the line, counted from 1.
    public let line: Int
    /// The column, in bytes, counted from 1.
    public let column: Int

    public var description: String { "line \(line), column \(column): \(message)" }
}
