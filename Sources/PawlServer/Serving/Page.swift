import CPawlPage
import PawlCore

/// The page's files, which are part of the program.
struct Page: Sendable {
    private struct File {
        var bytes: HTTPAnswer.StaticBytes
        var type: String
        var tag: String
    }

    private let files: [ExactText: File]

    static let shared = Page()

    private init() {
        var files: [ExactText: File] = [:]
        for index in 0..<Int(c_pawl_page_count) {
            let file = c_pawl_page_file(Int32(index))
            let path = String(cString: file.path)
            let bytes = UnsafeRawBufferPointer(start: file.bytes, count: Int(file.count))
            files[ExactText(path)] = File(
                bytes: .init(bytes: bytes), type: Self.type(of: path), tag: "\"\(Self.hash(bytes))\"")
        }
        self.files = files
    }

    /// Returns the FNV-1a hash, which only has to differ between versions of the program.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> String {
        String(bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
    }

    private static func type(of path: String) -> String {
        switch path.utf8.split(separator: UInt8(ascii: ".")).last.map({ String($0) ?? "" }) {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }

    var paths: [String] { files.keys.map(\.text) }

    /// The description of the API.
    var description: HTTPAnswer {
        guard let file = files[ExactText("openapi.json")] else { return Problem.notFound.answer }
        return HTTPAnswer(status: 200, fields: [("content-type", "application/json")], body: .fixed(file.bytes))
    }

    /// - Throws: ``Problem`` for what is none of its files.
    func answer(_ path: String, _ call: HTTPCall) throws(Problem) -> HTTPAnswer {
        let name = path.isEmpty ? "index.html" : path
        guard let file = files[ExactText(name)], !name.utf8.elementsEqual("openapi.json".utf8) else { throw .notFound }
        // Always asked for again, so that a new version of the program is a new page.
        let fields = [("etag", file.tag), ("cache-control", "no-cache")].map { (name: $0.0, value: $0.1) }
        if let known = call.field("if-none-match"), known.utf8.elementsEqual(file.tag.utf8) {
            return .empty(304, fields: fields)
        }
        return HTTPAnswer(status: 200, fields: [("content-type", file.type)] + fields, body: .fixed(file.bytes))
    }
}
