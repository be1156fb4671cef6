import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@testable import PawlWork

/// Texts under gzip, which are read and written piece by piece.
struct GzipTests {
    private let directory: TemporaryDirectory
    private let text = Array((1...50_000).map { "line \($0 &* 7919)\n" }.joined().utf8)

    init() throws {
        directory = try TemporaryDirectory("gzip")
        try Files.write(text, to: directory.file("text"))
    }

    private func read(_ packed: [UInt8]) throws -> [UInt8] {
        let content = MemoryContent(maximumSize: packed.count)
        try content.write(packed, at: 0)
        let reader = try GzipReader(content, length: Int64(packed.count))
        var found: [UInt8] = []
        while let piece = try reader.next() {
            #expect(!piece.isEmpty)
            found += piece
        }
        return found
    }

    private func written(_ pieces: [[UInt8]]) throws -> [UInt8] {
        let packed = Locked<[UInt8]>([])
        let writer = try GzipWriter { bytes in packed.withLock { $0 += bytes } }
        for piece in pieces { try writer.write(piece) }
        try writer.close()
        return packed.withLock { $0 }
    }

    @Test(arguments: ["gzip -c text", "gzip -1c text", "(head -c 1000 text | gzip -c; tail -c +1001 text | gzip -c)"])
    func `what gzip has written is read`(_ command: String) async throws {
        _ = try await Subprocess.run("sh", ["-c", "cd '\(directory.path)' && \(command) > packed"])
        #expect(try read(try Files.read(directory.file("packed"))) == text)
    }

    @Test(arguments: [1, 1000, 1_000_000])
    func `what is written is read by gzip, whatever the pieces`(_ length: Int) async throws {
        let end = length == 1 ? 3000 : text.count
        let pieces = stride(from: 0, to: end, by: length).map { Array(text[$0..<min(end, $0 + length)]) }
        try Files.write(try written(pieces), to: directory.file("packed"))
        _ = try await Subprocess.run("sh", ["-c", "cd '\(directory.path)' && gzip -dc < packed > unpacked"])
        #expect(try Files.read(directory.file("unpacked")) == Array(text.prefix(end)))
    }

    @Test func `the same bytes give the same, also none`() throws {
        #expect(try written([text]) == written([Array(text.prefix(10)), Array(text.dropFirst(10))]))
        #expect(try read(written([])).isEmpty)
    }

    @Test func `a failure of the place is told`() throws {
        let writer = try GzipWriter { (_) throws(StorageError) in
            throw StorageError(operation: "write", name: "x", reason: .noSpace)
        }
        let error = #expect(throws: StorageError.self) {
            for _ in 0..<50 { try writer.write(text.map { $0 &* 31 ^ UInt8.random(in: 0...255) }) }
            try writer.close()
        }
        #expect(error?.reason == .noSpace)
    }

    @Test func `what is no gzip, or not whole, is an error`() throws {
        let packed = try written([text])
        var damaged = packed
        damaged[packed.count / 2] ^= 1
        for bytes in [text, Array(packed.dropLast(9)), Array(packed.dropLast(1)), damaged, packed + [1], []] {
            #expect(throws: GzipReader.Failure.self) { try read(bytes) }
        }
    }
}
