internal import PawlCore
internal import PawlXML

/// Takes the elements of a document and makes a tree of what counts in it. What it means is found out by
/// ``MetalinkBuilder``.
///
/// Elements that are not known, of other namespaces before all, are passed over with what is in them (RFC 5854 §5.2).
struct MetalinkReader {
    typealias Failure = XMLReader.Failure

    enum Version { case three, four }

    /// The elements of one file, as they were read.
    struct RawFile {
        var name = ""
        var size: Int64?
        var digests: [Digest] = []
        var pieces: [PieceHashes] = []
        var urls: [RawURL] = []
        var metaURLCount = 0
    }

    struct RawHash {
        var type: String
        var digits = ""
    }

    struct RawPieces {
        var type: String
        var length: String
        var hashes: [(index: String?, digits: String)] = []
    }

    struct RawURL {
        /// A URI reference.
        var reference = ""
        /// The base addresses given by the elements around it, outermost first (RFC 5854 §2).
        var bases: [String] = []
        /// A number from 1, of which 1 is best.
        var priority: Int?
        var location: String?
    }

    private enum Element {
        case metalink, files, file, verification, resources
        case size, hash, pieces, pieceHash, url, metaURL, origin
        case ignored

        var hasText: Bool {
            switch self {
            case .size, .hash, .pieceHash, .url, .metaURL, .origin: true
            case .metalink, .files, .file, .verification, .resources, .pieces, .ignored: false
            }
        }
    }

    private(set) var version: Version?
    private(set) var origin: String?
    private(set) var isDynamic = false
    private var drafts: [MetalinkBuilder.Draft] = []
    private var builder: MetalinkBuilder

    private var stack: [Element] = []
    /// The bases in force, with the number of bases before each element of the stack.
    private var bases: [String] = []
    private var baseCounts: [Int] = []
    private var text: [UInt8] = []
    private var file = RawFile()
    private var hash = RawHash(type: "")
    private var piece: (index: String?, pieces: RawPieces) = (nil, RawPieces(type: "", length: ""))
    private var url = RawURL()

    static let versionFour = "urn:ietf:params:xml:ns:metalink"
    static let versionThree = "http://www.metalinker.org/"
    private static let xml = "http://www.w3.org/XML/1998/namespace"
    /// The longest text of one element, in bytes. The longest in use is a URL.
    static let maximumTextBytes = 32 << 10

    init(documentURL: HTTPURL?) { builder = MetalinkBuilder(documentURL: documentURL) }

    // MARK: Elements

    mutating func begin(_ name: XMLReader.Name, _ attributes: [XMLReader.Name: String]) throws(Failure) {
        let plain = { (key: String) in attributes[XMLReader.Name(namespace: "", local: key)] }
        let element = try element(name, plain)
        stack.append(element)
        baseCounts.append(bases.count)
        if let base = attributes[XMLReader.Name(namespace: Self.xml, local: "base")] { bases.append(base) }
        text = []
        switch element {
        case .metalink: beginDocument(plain)
        case .file:
            guard let name = plain("name") else { throw Failure(message: "A file has no name.") }
            guard drafts.count < MetalinkDocument.maximumFiles else {
                throw Failure(message: "The document names more than \(MetalinkDocument.maximumFiles) files.")
            }
            file = RawFile(name: name)
        case .hash: hash = RawHash(type: plain("type") ?? "")
        case .pieces: piece.pieces = RawPieces(type: plain("type") ?? "", length: plain("length") ?? "")
        case .pieceHash: piece.index = plain("piece")
        case .url: url = makeURL(plain)
        case .origin: isDynamic = plain("dynamic").map { $0 == "true" || $0 == "1" } ?? false
        case .files, .verification, .resources, .size, .metaURL, .ignored: break
        }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        guard let element = stack.last, element.hasText else { return }
        guard text.count + bytes.count <= Self.maximumTextBytes else {
            throw Failure(message: "The text of an element has more than \(Self.maximumTextBytes) bytes.")
        }
        text += bytes
    }

    mutating func end() throws(Failure) {
        guard let element = stack.popLast(), let count = baseCounts.popLast() else { return }
        bases.removeLast(bases.count - count)
        let content = String(decoding: Self.trimmed(text), as: UTF8.self)
        text = []
        switch element {
        case .size: file.size = try MetalinkBuilder.size(content)
        case .hash:
            hash.digits = content
            if let digest = try builder.digest(hash) { file.digests.append(digest) }
        case .pieceHash: piece.pieces.hashes.append((piece.index, content))
        case .pieces:
            if let pieces = try builder.pieces(piece.pieces) { file.pieces.append(pieces) }
        case .url:
            guard file.urls.count < MetalinkDocument.maximumURLs else {
                throw Failure(message: "A file has more than \(MetalinkDocument.maximumURLs) URLs.")
            }
            url.reference = content
            file.urls.append(url)
        case .metaURL: file.metaURLCount += 1
        case .origin: origin = content
        case .file: drafts.append(try builder.draft(file))
        case .metalink, .files, .verification, .resources, .ignored: break
        }
    }

    /// Completes the files once everything was read: the document may give its own address only at its end.
    mutating func finish() -> (files: [MetalinkDocument.File], notices: [String]) {
        let files = drafts.map { builder.complete($0, origin: origin) }
        return (files, builder.notices)
    }

    // MARK: What an element is

    private func element(_ name: XMLReader.Name, _ attribute: (String) -> String?) throws(Failure) -> Element {
        guard let parent = stack.last else {
            guard name.local == "metalink", Self.version(name.namespace, attribute("version")) != nil else {
                throw Failure(
                    message:
                        "This is not a Metalink document: it begins with <\(FileName.cut(name.local[...], toBytes: 40))>."
                )
            }
            return .metalink
        }
        guard name.namespace == Self.versionFour || name.namespace == Self.versionThree || name.namespace.isEmpty else {
            return .ignored
        }
        return child(name.local, of: parent, attribute)
    }

    /// The version, and whether such an element has any.
    private static func version(_ namespace: String, _ attribute: String?) -> Version? {
        switch (namespace, attribute?.first) {
        case (versionFour, _), ("", "4"): .four
        case (versionThree, _), ("", "3"): .three
        default: nil
        }
    }

    private func child(_ name: String, of parent: Element, _ attribute: (String) -> String?) -> Element {
        switch (parent, name) {
        case (.metalink, "files"): .files
        case (.metalink, "file"), (.files, "file"): .file
        case (.metalink, "origin"): .origin
        case (.file, "verification"): .verification
        case (.file, "resources"): .resources
        case (.file, "size"): .size
        case (.file, "hash"), (.verification, "hash"): .hash
        case (.file, "pieces"), (.verification, "pieces"): .pieces
        case (.pieces, "hash"): .pieceHash
        case (.file, "metaurl"): .metaURL
        // Version 3 has torrents among the URLs.
        case (.resources, "url") where attribute("type") == "bittorrent": .metaURL
        case (.file, "url"), (.resources, "url"): .url
        default: .ignored
        }
    }

    private mutating func beginDocument(_ attribute: (String) -> String?) {
        // Version 3 says it in attributes.
        origin = attribute("origin")
        isDynamic = attribute("type") == "dynamic"
    }

    private func makeURL(_ attribute: (String) -> String?) -> RawURL {
        var url = RawURL(bases: bases)
        url.location = attribute("location")
        if let text = attribute("priority") {
            url.priority = Int(text).flatMap { (1...999_999).contains($0) ? $0 : nil }
        } else if let text = attribute("preference"), let preference = Int(text), (1...100).contains(preference) {
            // Version 3: 100 is best.
            url.priority = 101 - preference
        }
        return url
    }

    private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return bytes[first...last]
    }
}
