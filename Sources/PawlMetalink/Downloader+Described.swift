public import Pawl
internal import PawlCore

/// A request, and what a Metalink that its server named has added to it.
public struct DescribedRequest: Sendable {
    /// The request, unchanged if no document added anything.
    public var request: DownloadRequest
    /// Whether a document added something to the request.
    public var isDescribed: Bool
    /// The reasons why documents that the server named were not used, for a person to read.
    public var notices: [String]
}

extension Downloader {
    /// The largest number of documents of one server that are read.
    private static let maximumDocuments = 3

    /// Asks the server of a file for the Metalink that describes it (RFC 6249 §4: `Link: <…>; rel=describedby`), and
    /// puts what that says into the request: length, digest, hashes of pieces, mirrors.
    ///
    /// It costs a request, and one for the document where the server names one. What the caller knows counts for more,
    /// and a document that contradicts it, or the server's own length or digest, is of another file. A document is
    /// never a reason to fail: without one the request is what it was.
    ///
    /// - Parameter request: with piece hashes, or for parts of a file, it is left as it is.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func described(_ request: DownloadRequest) async throws -> DescribedRequest {
        try await described(request) { (document) throws(DownloadError) in document.bytes }
    }

    /// - Parameter decode: the document's bytes as they were before the server coded them.
    package func described(
        _ request: DownloadRequest, decode: (FetchedDocument) throws(DownloadError) -> [UInt8]
    ) async throws -> DescribedRequest {
        let request = try request.withSecrets()
        var result = DescribedRequest(request: request, isDescribed: false, notices: [])
        guard request.pieceHashes == nil, request.ranges == nil, let url = try? HTTPURL(parsing: request.url),
            // Where it cannot be asked, the download itself says why.
            let found = try? await description(of: request), found.isThere
        else {
            try Task.checkCancellation()
            return result
        }
        for place in found.metalinks.prefix(Self.maximumDocuments) {
            try Task.checkCancellation()
            do {
                let document = try await document(at: place, like: request, decode)
                let file = try document.entry(of: url, request.fileName, in: place)
                result.request = try request.adding(file, found, from: place)
                result.isDescribed = true
                return result
            } catch let error as Unfit {
                result.notices.append(error.description)
            } catch let error as DownloadError {
                result.notices.append("The Metalink that \(url.shownHost) names cannot be downloaded: \(error.message)")
            }
        }
        return result
    }

    private func document(
        at place: HTTPURL, like request: DownloadRequest, _ decode: (FetchedDocument) throws(DownloadError) -> [UInt8]
    ) async throws -> MetalinkDocument {
        let fetched = try await document(
            request.asking(forDocument: place.serialized), maximumBytes: MetalinkDocument.maximumBytes)
        let bytes = try decode(fetched)
        do throws(MetalinkError) {
            return try MetalinkDocument(parsing: bytes, from: fetched.url)
        } catch {
            throw Unfit(place, "\(error)")
        }
    }
}

/// The reason why a document was not used.
private struct Unfit: Error, CustomStringConvertible {
    let description: String

    init(_ place: HTTPURL, _ why: String) {
        description = "The Metalink \(place.redacted) that the server names was not used: \(why)"
    }
}

extension MetalinkDocument {
    /// The one of its files that a URL is: by the URL, by its name, or the only one.
    fileprivate func entry(of url: HTTPURL, _ name: String?, in place: HTTPURL) throws(Unfit) -> File {
        if let file = files.first(where: { $0.mirrors.contains { (try? HTTPURL(parsing: $0.url)) == url } }) {
            return file
        }
        let last = String(
            decoding: PercentCoding.decode(url.path.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8),
            as: UTF8.self)
        let named = files.filter { $0.path.last == last || $0.path.last == name }
        if named.count == 1, let file = named.first { return file }
        guard files.count == 1, let only = files.first else {
            throw Unfit(place, "none of its \(files.count) files is “\(last)”.")
        }
        return only
    }
}

extension DownloadRequest {
    /// Adds a document to the request. What the server says with its answer and what a document says must be of one
    /// file (RFC 6249 §6).
    fileprivate func adding(
        _ file: MetalinkDocument.File, _ found: FileDescription, from place: HTTPURL
    ) throws(Unfit) -> DownloadRequest {
        for total in [found.total, options.expectedSize].compactMap(\.self) {
            if let size = file.size, size != total {
                throw Unfit(place, "it describes a file of \(size) bytes, but this one has \(total).")
            }
            if let pieces = file.pieceHashes, !pieces.fits(total) {
                throw Unfit(place, "its piece hashes do not fit a file of \(total) bytes.")
            }
        }
        for known in found.digests + [options.digest].compactMap(\.self) {
            let other = file.digests.first { $0.algorithm == known.algorithm }
            if let other, other != known {
                throw Unfit(place, "its \(known.algorithm.rawValue) digest does not match this file.")
            }
        }
        var request = self
        request.digest = options.digest ?? file.digests.first
        request.pieceHashes = file.pieceHashes
        request.expectedSize = options.expectedSize ?? file.size
        // RFC 6249 §4: with nothing to compare, whoever holds a mirror could send what they like.
        guard request.digest != nil || request.pieceHashes != nil || !found.digests.isEmpty else { return request }
        // What was asked for over https is fetched over nothing less.
        let isSecure = url.lowercased().begins(with: "https:") && !options.allowsInsecureRedirect
        let known = Set(([url] + mirrors.map(\.url)).map { ExactText($0) })
        for mirror in file.mirrors
        where !known.contains(ExactText(mirror.url)) && request.mirrors.count < Mirror.maximumCount {
            if !isSecure || mirror.url.lowercased().begins(with: "https:") { request.mirrors.append(mirror) }
        }
        return request
    }
}
