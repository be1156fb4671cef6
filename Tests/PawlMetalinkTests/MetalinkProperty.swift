import Pawl
import PawlCore
import PawlMetalink

// `scripts/fuzz` compiles this file and the properties as one module.
#if canImport(PawlTestKit)
import PawlTestKit
#endif

extension ParserProperty {
    /// Parses the input with Expat, through Pawl's reader.
    static let metalink = ParserProperty(name: "metalink") { (bytes) throws(Violation) in
        let whole = read([bytes])
        // The same bytes in pieces give the same document.
        let parts = stride(from: 0, to: bytes.count, by: 7).map { Array(bytes[$0..<min($0 + 7, bytes.count)]) }
        try claim(
            whole == read(parts),
            "in pieces it is another document: \(String(describing: whole)) \(String(describing: read(parts)))")
        guard let document = whole else { return }

        try claim(
            !document.files.isEmpty && document.files.count <= MetalinkDocument.maximumFiles,
            "\(document.files.count) files")
        try claim(Set(document.files.map(\.path)).count == document.files.count, "two files of one name")
        try claim(!document.isDynamic || document.origin != nil, "newer versions from nowhere")
        for file in document.files { try check(file) }
    }

    private static func read(_ pieces: [[UInt8]]) -> MetalinkDocument? {
        try? MetalinkDocument(pieces: pieces, from: "https://m.example/d/x.meta4")
    }

    private static func check(_ file: MetalinkDocument.File) throws(Violation) {
        try claim(!file.path.isEmpty, "a file without a name")
        for name in file.path {
            try claim(!name.isEmpty && name != "." && name != "..", "the name “\(name)”")
            try claim(
                !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") || $0 < 0x20 } && name.utf8.count <= 255,
                "the name “\(name)”")
            try claim(!FileName.isReserved(name), "a name of our own: “\(name)”")
        }
        try claim(file.size ?? 0 >= 0, "a length of \(file.size ?? 0)")
        if let size = file.size, let pieces = file.pieceHashes {
            try claim(pieces.fits(size), "pieces of another length")
        }
        try claim(Set(file.digests.map(\.algorithm)).count == file.digests.count, "two digests of one kind")
        try claim(file.mirrors.count <= MetalinkDocument.maximumURLs, "\(file.mirrors.count) URLs")
        var last = 0
        for mirror in file.mirrors {
            try claim((try? HTTPURL(parsing: mirror.url)) != nil, "the URL “\(mirror.url)”")
            try claim(
                (last...999_999).contains(mirror.priority) && mirror.priority > 0,
                "the priority \(mirror.priority) behind \(last)")
            last = mirror.priority
        }
    }
}
