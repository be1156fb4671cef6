import PawlTestKit
import Testing

@testable import PawlArchive

struct CompressedDocumentTests {
    private let directory: TemporaryDirectory
    private let text = Array((1...2000).map { "line \($0)\n" }.joined().utf8)

    init() throws {
        directory = try TemporaryDirectory("document")
        try Files.write(text, to: directory.file("text"))
    }

    private func compressed(_ command: String) async throws -> [UInt8] {
        try await shell("\(command) < text > packed", in: directory)
        return try Files.read(directory.file("packed"))
    }

    @Test(arguments: ["gzip -c", "bzip2 -c", "xz -c", "zstd -qc", "(gzip -c; printf more | gzip -c)"])
    func `Z18 a compressed document is decoded, and only up to its limit`(_ command: String) async throws {
        let document = try #require(CompressedDocument(try await compressed(command)))
        let whole = text + (command.contains("more") ? Array("more".utf8) : [])
        #expect(try document.decoded(atMost: whole.count) == whole)
        expect(.tooLarge) { _ = try document.decoded(atMost: whole.count - 1) }
        expect(.tooLarge) { _ = try document.decoded(atMost: 0) }
    }

    @Test(arguments: ["gzip -c", "bzip2 -c", "xz -c", "zstd -qc --check"])
    func `Z18 a compressed document that is cut off or damaged is not decoded`(_ command: String) async throws {
        let bytes = try await compressed(command)
        for count in stride(from: 8, to: bytes.count, by: 97) {
            let document = try #require(CompressedDocument(Array(bytes.prefix(count))))
            #expect(throws: ArchiveError.self, "\(count)") { try document.decoded(atMost: 1 << 20) }
        }
        var damaged = bytes
        // Data or a checksum in each of the formats.
        damaged[bytes.count - 5] ^= 0x55
        let document = try #require(CompressedDocument(damaged))
        #expect(throws: ArchiveError.self) { try document.decoded(atMost: 1 << 20) }
    }

    // MARK: deflate

    private static let zlib =
        "python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read()))'"

    @Test func `Z18 a document under the coding deflate is decoded, with zlib's frame or bare, and up to its limit`()
        async throws
    {
        let framed = try await compressed(Self.zlib)
        for bytes in [framed, Array(framed.dropFirst(2).dropLast(4))] {
            #expect(try CompressedDocument.inflated(bytes, atMost: text.count) == text)
            expect(.tooLarge) { _ = try CompressedDocument.inflated(bytes, atMost: text.count - 1) }
            for count in stride(from: 0, to: bytes.count, by: 7) {
                #expect(throws: ArchiveError.self, "\(count)") {
                    try CompressedDocument.inflated(Array(bytes.prefix(count)), atMost: 1 << 20)
                }
            }
            #expect(throws: ArchiveError.self) { try CompressedDocument.inflated(bytes + [0], atMost: 1 << 20) }
        }
        var damaged = framed
        damaged[framed.count - 1] ^= 1
        expect(.damaged) { _ = try CompressedDocument.inflated(damaged, atMost: 1 << 20) }
    }

    @Test func `Z18 text that is said to be deflated, and is not, is not decoded`() {
        for line in ["3b5d5c3712955042212316173ccf37be  f", "# sums", "SHA256 (f) = 00", "Kc"] {
            #expect(throws: ArchiveError.self, "\(line)") {
                try CompressedDocument.inflated(Array((line + "\n").utf8), atMost: 1 << 20)
            }
        }
    }

    @Test func `Z18 plain text is no compressed document`() {
        #expect(CompressedDocument(text) == nil)
        #expect(CompressedDocument([]) == nil)
    }
}
