import PawlTestKit

/// Metalinks and checksum lists for a file, made with the system's tools.
struct Metalinks {
    let content: [UInt8]
    let pieceLength: Int
    private let digest: String
    private let pieces: [String]

    init(_ content: [UInt8], pieceLength: Int) async throws {
        self.content = content
        self.pieceLength = pieceLength
        let directory = try TemporaryDirectory("pieces")
        var files: [String] = []
        for (index, start) in stride(from: 0, to: content.count, by: pieceLength).enumerated() {
            files.append(directory.file("\(1000 + index)"))
            try Files.write(content[start..<min(start + pieceLength, content.count)], to: files[index])
        }
        pieces = try await Self.sums(files)
        let whole = directory.file("whole")
        try Files.write(content, to: whole)
        digest = try await Self.sums([whole]).first ?? ""
    }

    var checksum: String { "sha-256:\(digest)" }

    /// A checksum list in the format of `sha256sum`.
    func list(_ name: String) -> String { "\(digest)  \(name)\n" }

    /// A Metalink, version 4.
    func document(
        name: String = World.name, urls: [String], piecesToo: Bool = true, digestToo: Bool = true, size: Int? = nil
    ) -> String {
        let hashes = pieces.map { "<hash>\($0)</hash>" }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="\(name)"><size>\(size ?? content.count)</size>
            \(digestToo ? "<hash type=\"sha-256\">\(digest)</hash>" : "")
            \(piecesToo ? "<pieces length=\"\(pieceLength)\" type=\"sha-256\">\(hashes)</pieces>" : "")
            \(urls.enumerated().map { "<url priority=\"\($0 + 1)\">\($1)</url>" }.joined())
            </file></metalink>
            """
    }

    private static func sums(_ files: [String]) async throws -> [String] {
        let output = try await Subprocess.run("sha256sum", files)
        return output.standardOutput.split(separator: "\n").map { String($0.prefix(64)) }
    }
}
