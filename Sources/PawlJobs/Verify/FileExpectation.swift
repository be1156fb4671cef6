package import PawlCore
package import PawlMetalink

/// The content that a file must have.
package struct ExpectedContent: Hashable, Sendable {
    package var digest: Digest?
    package var pieces: PieceHashes?
    /// The length of the file, in bytes.
    package var size: Int64?

    package init(digest: Digest? = nil, pieces: PieceHashes? = nil, size: Int64? = nil) {
        (self.digest, self.pieces, self.size) = (digest, pieces, size)
    }
}

/// The source of a file's expected content. `shown`: the document, as people may see it.
package enum FileExpectation: Sendable {
    case digest(Digest)
    case list(DigestList, shown: String)
    case metalink(MetalinkDocument, shown: String)

    /// - Throws: ``JobFailure/document(_:_:)`` where the document does not say.
    package func facts(of path: String) throws(JobFailure) -> ExpectedContent {
        switch self {
        case .digest(let digest): return ExpectedContent(digest: digest)
        case .list(let list, let shown): return ExpectedContent(digest: try list.digest(ofOne: [path], shown))
        case .metalink(let document, let shown):
            let file = try document.file(for: path, shown)
            return ExpectedContent(digest: file.digests.first, pieces: file.pieceHashes, size: file.size)
        }
    }
}

extension MetalinkDocument {
    /// The file of this name; or the only one, whatever the file at the path is called.
    func file(for path: String, _ shown: String) throws(JobFailure) -> MetalinkDocument.File {
        if files.count == 1, let only = files.first { return only }
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
        let exact = files.filter { $0.name == path }
        let found = exact.isEmpty ? files.filter { $0.path.last == name } : exact
        guard found.count == 1, let file = found.first else {
            throw .document(shown, .notOneFile(named: name, count: found.count, has: files.prefix(8).map(\.name)))
        }
        return file
    }
}
