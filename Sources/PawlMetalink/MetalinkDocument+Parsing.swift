internal import Pawl
internal import PawlCore
internal import PawlXML

extension MetalinkDocument {
    /// Reads a document.
    ///
    /// - Parameters:
    ///   - bytes: the whole document, at most ``maximumBytes``.
    ///   - url: where it was fetched from, for URLs in it that are relative; nil for one from a disk.
    /// - Throws: ``MetalinkError`` for what is not well-formed, is no Metalink, or is damaged so that it cannot be
    ///   trusted.
    public init(parsing bytes: [UInt8], from url: String? = nil) throws(MetalinkError) {
        try self.init(pieces: [bytes], from: url)
    }

    /// The document in pieces, cut anywhere.
    package init(pieces: some Sequence<[UInt8]>, from url: String? = nil) throws(MetalinkError) {
        guard let xml = XMLReader() else {
            throw MetalinkError(message: "There is not enough memory to read it.", line: 1, column: 1)
        }
        var reader = MetalinkReader(documentURL: url.flatMap { try? HTTPURL(parsing: $0) })
        xml.began = { (name, attributes) throws(XMLReader.Failure) in try reader.begin(name, attributes) }
        xml.ended = { () throws(XMLReader.Failure) in try reader.end() }
        xml.text = { (bytes) throws(XMLReader.Failure) in try reader.add(bytes) }
        var count = 0
        for piece in pieces {
            count += piece.count
            guard count <= Self.maximumBytes else {
                throw MetalinkError(
                    message: "The document has more than \(Self.maximumBytes >> 20) MiB.", line: 1, column: 1)
            }
            let problem = piece.withUnsafeBytes { xml.problem(feeding: $0, isLast: false) }
            if let problem { throw problem }
        }
        if let problem = xml.problem(feeding: UnsafeRawBufferPointer(start: nil, count: 0), isLast: true) {
            throw problem
        }
        (files, notices) = reader.finish()
        guard !files.isEmpty else { throw MetalinkError(xml.located("The document names no file.")) }
        origin = reader.origin
        isDynamic = reader.isDynamic && reader.origin != nil
    }
}

extension XMLReader {
    fileprivate func problem(feeding bytes: UnsafeRawBufferPointer, isLast: Bool) -> MetalinkError? {
        do throws(Problem) {
            try feed(bytes, isLast: isLast)
            return nil
        } catch {
            return MetalinkError(error)
        }
    }
}

extension MetalinkError {
    fileprivate init(_ problem: XMLReader.Problem) {
        self.init(message: problem.message, line: problem.line, column: problem.column)
    }
}
