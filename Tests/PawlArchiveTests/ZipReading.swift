import PawlTestKit
import Testing

@testable import PawlArchive

/// A member and its bytes.
struct Read: Equatable {
    var path: String
    var kind: ArchiveMember.Kind
    var bytes: [UInt8]

    init(_ path: String, _ bytes: [UInt8] = [], kind: ArchiveMember.Kind = .file) {
        (self.path, self.bytes, self.kind) = (path, bytes, kind)
    }

    init(_ path: String, _ text: String) { self.init(path, Array(text.utf8)) }
}

func readAll(_ path: String, password: String? = nil) throws -> [Read] {
    let reader = try ArchiveOpening.open(path, password: password)
    try reader.checkReadable { _ in true }
    return try readAll(reader)
}

func readAll(_ reader: any MemberReader) throws -> [Read] {
    var all: [Read] = []
    while let member = try reader.next() {
        var read = Read(member.path, kind: member.kind)
        while try reader.readBlock({ bytes, offset in
            #expect(offset == Int64(read.bytes.count))
            read.bytes += bytes
        }) {}
        all.append(read)
    }
    #expect(reader.position == reader.length)
    return all
}

/// The member's next bytes, or nil after the last.
func block(_ reader: any MemberReader) throws -> [UInt8]? {
    var result: [UInt8]?
    return try reader.readBlock { bytes, _ in result = Array(bytes) } ? result : nil
}

/// Runs a shell command in a directory and requires it to succeed.
func shell(_ line: String, in directory: TemporaryDirectory) async throws {
    let output = try await Subprocess.run(
        "sh", ["-c", "cd \(directory.path) && \(line)"], environment: ["LC_ALL": "C.UTF-8"])
    try #require(output.ending == .exited(0), "\(line): \(output.standardError) \(output.standardOutput)")
}

extension ZipSource where Self == BytesSource {
    static func bytes(_ bytes: [UInt8]) -> BytesSource { BytesSource(bytes) }
}

/// A source in memory that returns fewer bytes than requested.
final class BytesSource: ZipSource {
    let bytes: [UInt8]
    var length: Int64 { Int64(bytes.count) }
    let isShareable: Bool

    init(_ bytes: [UInt8], isShareable: Bool = false) { (self.bytes, self.isShareable) = (bytes, isShareable) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(ArchiveError) -> Int {
        guard position < length else { return 0 }
        let count = min(buffer.count, bytes.count - Int(position), 1000)
        buffer.copyBytes(from: bytes[Int(position)..<Int(position) + count])
        return count
    }
}
