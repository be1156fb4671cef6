/// Facts of the response that the bytes of a file came with, besides those that tell versions apart
/// (``Representation``).
package struct ResponseFacts: Hashable, Sendable {
    /// The status code: mostly 206, since most requests are for a range.
    package var status: Int
    /// The `Content-Type` as sent; nil if there was none, several, or one of more than a kibibyte.
    package var contentType: String?

    package init(status: Int, contentType: String? = nil) {
        self.status = status
        self.contentType = contentType
    }

    package init(_ head: ResponseHead) {
        status = head.status
        var types = head.fields.lazy.filter { $0.isNamed("content-type") }.makeIterator()
        if let only = types.next(), types.next() == nil, only.value.utf8.count <= 1024 { contentType = only.value }
    }
}
