internal import CExpat

/// Reads XML with Expat and hands out elements, attributes and text. It never opens anything: there are no external
/// entities here, for a document type is refused where it begins, before any entity could be declared.
package final class XMLReader {
    /// Thrown by the receivers of elements and text.
    package struct Failure: Error {
        package var message: String

        package init(message: String) { self.message = message }
    }

    /// The reason why a document cannot be read, and where it shows.
    package struct Problem: Error {
        package let message: String
        /// The number of the line, counted from 1.
        package let line: Int
        /// The column, in bytes, counted from 1.
        package let column: Int
    }

    package struct Name: Hashable {
        /// The namespace of the name; empty for none.
        package var namespace: String
        package var local: String

        package init(namespace: String, local: String) { (self.namespace, self.local) = (namespace, local) }
    }

    /// Elements are no deeper; Metalink needs seven.
    package static let maximumDepth = 64
    /// The longest attribute, in bytes. A URL may have 16 KiB, and nothing else in a document of ours is as long.
    package static let maximumAttributeBytes = 64 << 10

    /// Receives the beginning of an element.
    package var began: (Name, [Name: String]) throws(Failure) -> Void = { _, _ in }
    /// Receives the end of an element.
    package var ended: () throws(Failure) -> Void = {}
    /// Receives text, often a piece at a time.
    package var text: (UnsafeRawBufferPointer) throws(Failure) -> Void = { _ in }

    private let parser: XML_Parser
    private var depth = 0
    private var failure: Problem?

    /// The separator between a namespace and a name. It can be in neither.
    private static let separator = UInt8(ascii: "\n")

    /// Creates a reader; nil if there is no memory for it.
    package init?() {
        guard let parser = XML_ParserCreateNS(nil, XML_Char(Self.separator)) else { return nil }
        self.parser = parser
        // The handlers are called within `feed` only, while `self` is there.
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser, { XMLReader.of($0)?.begin($1, $2) },
            { user, _ in XMLReader.of(user)?.end() })
        XML_SetCharacterDataHandler(parser) { XMLReader.of($0)?.characters($1, $2) }
        XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in
            XMLReader.of(user)?.stop("A document type (<!DOCTYPE) is not accepted.")
        }
    }

    deinit { XML_ParserFree(parser) }

    /// Reads on.
    ///
    /// - Throws: ``Problem``, also for what the closures throw. Nothing may be fed after that.
    package func feed(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(Problem) {
        // An empty buffer may have no address, and Expat takes one at the end only.
        guard bytes.count > 0 || isLast else { return }
        let count = Int32(clamping: bytes.count)
        let status = XML_Parse(parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count, isLast ? 1 : 0)
        if let failure { throw failure }
        guard status == XML_STATUS_OK else {
            let code = XML_GetErrorCode(parser)
            throw located(
                "This is not well-formed XML: \(XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)")."
            )
        }
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> XMLReader? {
        user.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    /// An error at the place that was reached.
    package func located(_ message: String) -> Problem {
        Problem(
            message: message, line: Int(clamping: XML_GetCurrentLineNumber(parser)),
            column: Int(clamping: XML_GetCurrentColumnNumber(parser)) &+ 1)
    }

    private func stop(_ message: String) {
        guard failure == nil else { return }
        failure = located(message)
        XML_StopParser(parser, 0)
    }

    // MARK: What Expat calls

    private func begin(_ name: UnsafePointer<XML_Char>?, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?)
    {
        // Expat may still hand out what it has read when it was told to stop.
        guard failure == nil, let name else { return }
        depth += 1
        guard depth <= Self.maximumDepth else {
            return stop("Elements are nested more than \(Self.maximumDepth) deep.")
        }
        var found: [Name: String] = [:]
        var next = attributes
        while let pair = next, let key = pair[0], let value = pair[1] {
            let bytes = UnsafeRawBufferPointer(start: value, count: Self.length(value))
            guard bytes.count <= Self.maximumAttributeBytes else {
                return stop("An attribute has more than \(Self.maximumAttributeBytes) bytes.")
            }
            found[Self.name(key)] = String(decoding: bytes, as: UTF8.self)
            next = pair + 2
        }
        perform { () throws(Failure) in try began(Self.name(name), found) }
    }

    private func end() {
        guard failure == nil else { return }
        depth -= 1
        perform { () throws(Failure) in try ended() }
    }

    private func characters(_ bytes: UnsafePointer<XML_Char>?, _ count: Int32) {
        guard failure == nil, let bytes else { return }
        let raw = UnsafeRawBufferPointer(start: bytes, count: Int(count))
        perform { () throws(Failure) in try text(raw) }
    }

    private func perform(_ body: () throws(Failure) -> Void) {
        do throws(Failure) {
            try body()
        } catch {
            stop(error.message)
        }
    }

    private static func name(_ raw: UnsafePointer<XML_Char>) -> Name {
        let bytes = UnsafeRawBufferPointer(start: raw, count: length(raw))
        guard let cut = bytes.firstIndex(of: separator) else {
            return Name(namespace: "", local: String(decoding: bytes, as: UTF8.self))
        }
        return Name(
            namespace: String(decoding: bytes[..<cut], as: UTF8.self),
            local: String(decoding: bytes[(cut + 1)...], as: UTF8.self))
    }

    private static func length(_ raw: UnsafePointer<XML_Char>) -> Int {
        var end = raw
        while end.pointee != 0 { end += 1 }
        return end - raw
    }
}
