internal import Pawl
internal import PawlCore
internal import PawlXML

/// Converts a document's statements about a file into checked values.
struct MetalinkBuilder {
    typealias Failure = XMLReader.Failure
    typealias File = MetalinkDocument.File

    let documentURL: HTTPURL?
    /// Paths taken, in lower case: one file must not replace another, on any file system.
    private var paths: Set<String> = []
    private(set) var notices: [String] = []
    /// A document of many files would repeat them without end.
    private static let maximumNotices = 20

    init(documentURL: HTTPURL?) { self.documentURL = documentURL }

    /// A file whose URLs are not resolved yet.
    struct Draft {
        var path: [String]
        var size: Int64?
        var digests: [Digest]
        var pieceHashes: PieceHashes?
        var urls: [MetalinkReader.RawURL]
    }

    mutating func draft(_ raw: MetalinkReader.RawFile) throws(Failure) -> Draft {
        if raw.metaURLCount > 0 { note("Torrents and other descriptions of files are not used.") }
        return Draft(
            path: try path(raw.name), size: raw.size, digests: try Self.strongestFirst(raw.digests),
            pieceHashes: try Self.strongest(raw.pieces, size: raw.size), urls: raw.urls)
    }

    mutating func complete(_ draft: Draft, origin: String?) -> File {
        File(
            path: draft.path, size: draft.size, digests: draft.digests, pieceHashes: draft.pieceHashes,
            mirrors: mirrors(draft.urls, origin))
    }

    private mutating func note(_ text: String) {
        if notices.count < Self.maximumNotices, !notices.contains(text) { notices.append(text) }
    }

    // MARK: Name and size

    private mutating func path(_ name: String) throws(Failure) -> [String] {
        guard let path = FileName.metalinkPath(name) else {
            throw Failure(
                message:
                    "The file name “\(Self.short(name))” is refused: it must be a relative path without “..” and “\\”."
            )
        }
        guard path.count <= 32 else {
            throw Failure(message: "The file “\(Self.short(name))” lies more than 32 directories deep.")
        }
        guard paths.insert(path.joined(separator: "/").lowercased()).inserted else {
            throw Failure(message: "Two files are named “\(Self.short(name))”.")
        }
        return path
    }

    static func size(_ text: String) throws(Failure) -> Int64 {
        guard case .value(let size) = ASCII.decimal(Array(text.utf8)[...]) else {
            throw Failure(message: "The size “\(short(text))” is not a number of bytes.")
        }
        return size
    }

    private static func short(_ text: String) -> String { FileName.cut(text[...], toBytes: 80) }

    // MARK: Digests

    /// Decodes a digest; nil if its algorithm is not known.
    mutating func digest(_ hash: MetalinkReader.RawHash) throws(Failure) -> Digest? {
        guard let algorithm = algorithm(hash.type) else { return nil }
        return Digest(algorithm: algorithm, bytes: try Self.bytes(hash.digits, algorithm))
    }

    private static func strongestFirst(_ digests: [Digest]) throws(Failure) -> [Digest] {
        var found: [DigestAlgorithm: Digest] = [:]
        for digest in digests {
            guard found[digest.algorithm] == nil || found[digest.algorithm] == digest else {
                throw Failure(message: "A file has two different \(digest.algorithm.rawValue) digests.")
            }
            found[digest.algorithm] = digest
        }
        return DigestAlgorithm.allCases.compactMap { found[$0] }
    }

    private mutating func algorithm(_ type: String) -> DigestAlgorithm? {
        let algorithm = DigestAlgorithm(name: type)
        // Version 3 keeps PGP signatures and others in places of their own; a kind of digest that is unknown is no
        // damage.
        if algorithm == nil { note("Digests of the unknown type “\(Self.short(type))” were ignored.") }
        return algorithm
    }

    private static func bytes(_ digits: String, _ algorithm: DigestAlgorithm) throws(Failure) -> [UInt8] {
        guard let digest = Digest(algorithm: algorithm, hexadecimal: digits.utf8) else {
            throw Failure(
                message:
                    "“\(short(digits))” is not a digest of type \(algorithm.rawValue), which has \(algorithm.byteCount * 2) hexadecimal digits."
            )
        }
        return digest.bytes
    }

    // MARK: Pieces

    /// Decodes the hashes of pieces; nil if their algorithm is not known.
    mutating func pieces(_ raw: MetalinkReader.RawPieces) throws(Failure) -> PieceHashes? {
        guard let algorithm = algorithm(raw.type) else { return nil }
        let hashes = try Self.inOrder(raw).map { (digits) throws(Failure) in try Self.bytes(digits, algorithm) }
        return try Self.pieces(algorithm, raw.length, hashes)
    }

    private static func strongest(_ all: [PieceHashes], size: Int64?) throws(Failure) -> PieceHashes? {
        if let size, let wrong = all.first(where: { !$0.fits(size) }) {
            throw Failure(
                message:
                    "\(wrong.count) hashes of pieces of \(wrong.pieceLength) bytes do not fit a file of \(size) bytes.")
        }
        return all.min { strength(of: $0.algorithm) < strength(of: $1.algorithm) }
    }

    private static func pieces(
        _ algorithm: DigestAlgorithm, _ length: String, _ hashes: [[UInt8]]
    ) throws(Failure) -> PieceHashes {
        guard case .value(let length) = ASCII.decimal(Array(length.utf8)[...]) else {
            throw Failure(message: "The length of pieces, “\(short(length))”, is not a number of bytes.")
        }
        do throws(PieceHashesError) {
            return try PieceHashes(algorithm: algorithm, pieceLength: length, hashes: hashes)
        } catch {
            throw Failure(message: error.message)
        }
    }

    /// Returns the hashes in the file's order, as RFC 5854 §4.1.3 has them. Version 3 numbers them.
    private static func inOrder(_ raw: MetalinkReader.RawPieces) throws(Failure) -> [String] {
        guard raw.hashes.contains(where: { $0.index != nil }) else { return raw.hashes.map(\.digits) }
        let numbered = raw.hashes.map { (number: $0.index.flatMap { Int($0) } ?? -1, digits: $0.digits) }.sorted {
            $0.number < $1.number
        }
        guard numbered.map(\.number) == Array(numbered.indices) else {
            throw Failure(message: "The pieces of a file are not numbered from 0 to \(numbered.count - 1), each once.")
        }
        return numbered.map(\.digits)
    }

    /// Returns the rank of an algorithm; smaller is stronger.
    private static func strength(of algorithm: DigestAlgorithm) -> Int {
        DigestAlgorithm.allCases.firstIndex(of: algorithm) ?? .max
    }

    // MARK: URLs

    private mutating func mirrors(_ urls: [MetalinkReader.RawURL], _ origin: String?) -> [Mirror] {
        var known: Set<HTTPURL> = []
        var mirrors: [Mirror] = []
        for url in urls {
            guard let resolved = resolve(url, origin) else { continue }
            guard known.insert(resolved).inserted else { continue }
            mirrors.append(
                Mirror(
                    Self.text(of: resolved), priority: url.priority ?? Mirror.lowestPriority,
                    location: url.location.flatMap(Self.country)))
        }
        let order = mirrors.indices.sorted { (mirrors[$0].priority, $0) < (mirrors[$1].priority, $1) }
        return order.map { mirrors[$0] }
    }

    /// RFC 3986 §5.1: what is relative is so to the innermost `xml:base`, and that to the one around it, and the
    /// outermost to the URL that the document came from. Of a document from a disk, the place where it was published is
    /// taken for that.
    private mutating func resolve(_ url: MetalinkReader.RawURL, _ origin: String?) -> HTTPURL? {
        var base = documentURL ?? origin.flatMap { try? HTTPURL(parsing: $0) }
        base?.userinfo = nil
        for reference in url.bases { base = Self.resolve(reference, base) ?? base }
        if let resolved = Self.resolve(url.reference, base) { return resolved }
        let scheme = url.reference.prefix { $0 != ":" }
        note(
            scheme.count < url.reference.count && !scheme.contains("/")
                ? "URLs that begin with “\(Self.short(String(scheme))):” are not used."
                : "A URL that cannot be read was ignored.")
        return nil
    }

    private static func resolve(_ reference: String, _ base: HTTPURL?) -> HTTPURL? {
        if let base { return try? base.resolving(reference) }
        return try? HTTPURL(parsing: reference)
    }

    /// Returns a URL with the credentials that the document gives for it.
    private static func text(of url: HTTPURL) -> String {
        guard let userinfo = url.userinfo else { return url.serialized }
        let scheme = url.scheme.rawValue + "://"
        return scheme + userinfo + "@" + url.serialized.dropFirst(scheme.count)
    }

    private static func country(_ text: String) -> String? {
        let code = text.lowercased()
        return code.utf8.count == 2 && code.utf8.allSatisfy(ASCII.isLowercase) ? code : nil
    }
}
