package import PawlCore
package import PawlEngine

/// A request to S3, before it has a server and a signature.
package struct S3Request: Sendable {
    package var method: TransportRequest.Method
    /// The name of the object in the bucket; empty for the bucket itself.
    package var name: String
    package var query: [(name: String, value: String)] = []
    package var fields: [HTTPField] = []
    package var content: SignedContent?

    /// The longest time in which nothing comes or goes. What the system has taken of much content may be long on its
    /// way, and a store puts many parts together.
    var patience: Duration {
        if method == .post { return .seconds(300) }
        return (content?.range.count ?? 0) > 1 << 20 ? .seconds(120) : .seconds(20)
    }

    /// Content whose digest is known before it is sent.
    package struct SignedContent: Sendable {
        package var body: StoreBody
        package var range: ByteRange
        package var digest: [UInt8]

        package init(_ body: StoreBody, _ range: ByteRange, digest: [UInt8]) {
            (self.body, self.range, self.digest) = (body, range, digest)
        }

        package init(_ bytes: [UInt8]) {
            self.init(StoreBody(bytes), ByteRange(0..<Int64(bytes.count)), digest: SHA256.hash(bytes))
        }
    }

    private init(
        _ method: TransportRequest.Method, _ name: String, query: [(name: String, value: String)] = [],
        content: SignedContent? = nil
    ) {
        (self.method, self.name, self.query, self.content) = (method, name, query, content)
    }

    // MARK: Objects

    /// Stores an object.
    ///
    /// - Parameter isConditional: only where there is none (`If-None-Match: *`, RFC 9110 §13.1.2).
    package static func put(_ name: String, _ content: SignedContent, isConditional: Bool) -> S3Request {
        var request = S3Request(.put, name, content: content)
        request.fields = [checksum(content)]
        if isConditional { request.fields.append(HTTPField("If-None-Match", "*")) }
        return request
    }

    package static func get(_ name: String) -> S3Request {
        var request = S3Request(.get, name)
        request.fields = [HTTPField("x-amz-checksum-mode", "ENABLED")]
        return request
    }

    package static func delete(_ name: String) -> S3Request { S3Request(.delete, name) }

    /// Lists objects whose names begin so, in the order of their names.
    ///
    /// - Parameter mark: where the page before ended.
    package static func list(_ prefix: String, from mark: String?) -> S3Request {
        let query = [("list-type", "2"), ("prefix", prefix)] + (mark.map { [("continuation-token", $0)] } ?? [])
        return S3Request(.get, "", query: query)
    }

    // MARK: Objects in parts

    /// Begins an upload in parts.
    ///
    /// - Parameter isChecked: parts have their digests with them, which not all stores know.
    package static func beginUpload(_ name: String, isChecked: Bool) -> S3Request {
        var request = S3Request(.post, name, query: [("uploads", "")], content: SignedContent([]))
        if isChecked { request.fields = [HTTPField("x-amz-checksum-algorithm", "SHA256")] }
        return request
    }

    /// Stores a part.
    ///
    /// - Parameter number: from 1.
    package static func put(
        _ name: String, part number: Int, of upload: String, _ content: SignedContent, isChecked: Bool
    ) -> S3Request {
        let query = [("partNumber", "\(number)"), ("uploadId", upload)]
        var request = S3Request(.put, name, query: query, content: content)
        if isChecked { request.fields = [checksum(content)] }
        return request
    }

    /// A part that is stored.
    package struct Part: Hashable, Sendable {
        package var tag: String
        /// The SHA-256; nil: the store does not know it.
        package var digest: [UInt8]?

        package init(tag: String, digest: [UInt8]?) { (self.tag, self.digest) = (tag, digest) }
    }

    /// Makes an object of all parts.
    package static func completeUpload(_ name: String, _ upload: String, _ parts: [Part]) -> S3Request {
        let lines = parts.enumerated().map { index, part in
            let tag = part.tag.utf8.map { byte in
                switch byte {
                case UInt8(ascii: "\""): "&quot;"
                case UInt8(ascii: "&"): "&amp;"
                case UInt8(ascii: "<"): "&lt;"
                default: String(Unicode.Scalar(byte))
                }
            }
            .joined()
            return "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag>"
                + (part.digest.map { "<ChecksumSHA256>\(Base64.encode($0))</ChecksumSHA256>" } ?? "") + "</Part>"
        }
        let text =
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(lines.joined())</CompleteMultipartUpload>"
        var request = S3Request(.post, name, query: [("uploadId", upload)], content: SignedContent(Array(text.utf8)))
        request.fields = [HTTPField("Content-Type", "application/xml")]
        return request
    }

    package static func abortUpload(_ name: String, _ upload: String) -> S3Request {
        S3Request(.delete, name, query: [("uploadId", upload)])
    }

    private static func checksum(_ content: SignedContent) -> HTTPField {
        HTTPField("x-amz-checksum-sha256", Base64.encode(content.digest))
    }
}

/// The lengths of the parts of a large object.
package enum S3Parts {
    /// A larger object is stored in parts.
    package static let largestWhole: Int64 = 64 << 20
    package static let smallest: Int64 = 16 << 20
    /// The most parts that an object may have.
    package static let maximumCount: Int64 = 10_000

    /// Returns the ranges of the parts, all of the same length but the last.
    package static func ranges(of length: Int64) -> [ByteRange] {
        let part = max(smallest, (length - 1) / maximumCount + 1)
        return stride(from: 0, to: length, by: Int64.Stride(part)).map { ByteRange($0..<min($0 + part, length)) }
    }
}
