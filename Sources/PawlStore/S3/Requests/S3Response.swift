package import PawlCore
import PawlXML

/// A response of a store, whole.
package struct S3Response: Sendable {
    package let head: ResponseHead
    package let body: StoreBody

    package init(_ head: ResponseHead, _ body: StoreBody) { (self.head, self.body) = (head, body) }

    package var isSuccess: Bool { (200..<300).contains(head.status) }

    /// Whether an object is here. A server that is no store, as that of a login page, gives it no ETag.
    package var isObject: Bool { head.status == 200 && head.fields.first("etag") != nil }

    /// Whether an object was stored, of which no more is said.
    package var isStored: Bool { isSuccess && head.fields.first("etag") != nil && body.length == 0 }

    /// The longest document, in bytes. A list of a thousand names of 1,024 bytes may have five million.
    static let maximumDocument = 8 << 20

    /// The elements of the document in it; empty where there is none.
    package var document: S3Document {
        guard let bytes = try? body.bytes(atMost: Self.maximumDocument), !bytes.isEmpty else { return S3Document() }
        return S3Document(parsing: bytes) ?? S3Document()
    }
}

/// The elements of a document of S3 or STS that have text, by their local names: each name of ours means the same
/// wherever it stands.
package struct S3Document: Sendable {
    package struct Element: Hashable, Sendable {
        /// The names from the root on, without it, with slashes between.
        package var path: String
        package var text: String
    }

    /// The local name of the root; empty for no document.
    package private(set) var root = ""
    /// In the order of their ends.
    package private(set) var elements: [Element] = []

    init() {}

    /// Reads a document; nil for what is not well-formed.
    package init?(parsing bytes: [UInt8]) {
        guard let xml = XMLReader() else { return nil }
        var builder = Builder()
        xml.began = { (name, _) throws(XMLReader.Failure) in builder.begin(name.local) }
        xml.ended = { () throws(XMLReader.Failure) in builder.end() }
        xml.text = { (bytes) throws(XMLReader.Failure) in builder.text += bytes }
        // A server that lets the client wait may send blanks first.
        let text = bytes.drop { ASCII.isBlank($0) || $0 == 0x0A || $0 == 0x0D }
        let isWellFormed = text.withUnsafeBytes { bytes in
            do throws(XMLReader.Problem) {
                try xml.feed(bytes, isLast: true)
                return true
            } catch {
                return false
            }
        }
        guard isWellFormed else { return nil }
        (root, elements) = (builder.root, builder.elements)
    }

    /// Returns the text of the first element of this path.
    package func text(_ path: String) -> String? { elements.first { $0.path.isExactly(path) }?.text }

    private struct Builder {
        var root = ""
        var elements: [Element] = []
        var text: [UInt8] = []
        private var names: [String] = []
        private var hasChildren = false

        mutating func begin(_ name: String) {
            if names.isEmpty { root = name }
            names.append(name)
            (text, hasChildren) = ([], false)
        }

        mutating func end() {
            let path = names.dropFirst().joined(separator: "/")
            // An element around others is told as well, where it ends, with no text.
            elements.append(Element(path: path, text: hasChildren ? "" : String(decoding: text, as: UTF8.self)))
            names = names.dropLast()
            (text, hasChildren) = ([], true)
        }
    }
}

extension S3Document {
    /// The code of an error, as AWS lists them; empty where the store names none.
    package var errorCode: String { root.isExactly("Error") ? text("Code") ?? "" : "" }

    /// The objects of a list, by their names.
    package var listed: [(name: String, length: Int64)] {
        var (found, name, length): ([(String, Int64)], String?, Int64?) = ([], nil, nil)
        for element in elements {
            switch element.path {
            case "Contents/Key": name = element.text
            case "Contents/Size": length = Int64(element.text)
            case "Contents":
                if let name, let length { found.append((name, length)) }
                (name, length) = (nil, nil)
            default: break
            }
        }
        return found
    }

    /// Whether a list goes on in another page.
    package var isTruncated: Bool { text("IsTruncated")?.isExactly("true") == true }

    /// Where the next page of a list begins.
    package var nextMark: String? { isTruncated ? text("NextContinuationToken") : nil }
}
