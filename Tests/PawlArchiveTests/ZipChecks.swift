import PawlArchive
import PawlTestKit
import Testing

/// A zip archive in memory, read from its end like any other.
struct ZipInMemory {
    let bytes: [UInt8]
    let directory: ZipDirectory

    init(_ bytes: [UInt8]) throws(ArchiveError) {
        self.bytes = bytes
        directory = try ZipDirectory(parsing: Self.slice(bytes, try Self.end(of: bytes)), end: try Self.end(of: bytes))
    }

    init(_ builder: ZipBuilder) throws(ArchiveError) { try self.init(builder.bytes()) }

    static func end(of bytes: [UInt8]) throws(ArchiveError) -> ZipEnd {
        var from = max(0, bytes.count - Int(ZipEnd.usualTailLength))
        while true {
            switch try ZipEnd.find(in: Array(bytes[from...]), ofFileOfLength: Int64(bytes.count)) {
            case .end(let end): return end
            case .needsMore(let more):
                #expect(more < from)
                from = Int(more)
            }
        }
    }

    private static func slice(_ bytes: [UInt8], _ end: ZipEnd) -> [UInt8] {
        Array(bytes[Int(end.directoryStart)..<Int(end.directoryEnd)])
    }

    /// The stored bytes of all members. Checks each local header.
    func stored() throws(ArchiveError) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for entry in directory.entries {
            let range = try header(entry).dataRange
            all.append(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
        }
        return all
    }

    func header(_ entry: ZipEntry) throws(ArchiveError) -> ZipLocalHeader {
        var count = ZipLocalHeader.fixedLength
        while true {
            let start = Int(entry.headerOffset)
            switch try entry.localHeader(bytes[start..<min(start + count, bytes.count)]) {
            case .header(let header):
                if header.hasDescriptor {
                    let end = Int(header.dataRange.upperBound)
                    _ = try entry.descriptorLength(
                        bytes[end..<min(end + ZipEntry.maximumDescriptorSize, Int(entry.dataBound))])
                }
                return header
            case .needsMore(let more):
                #expect(more > count)
                count = more
            }
        }
    }
}

/// Expects an error with this code whose message contains this text.
func expect(
    _ code: ArchiveError.Code, _ text: String = "", sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    do {
        try body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as ArchiveError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        #expect(text.isEmpty || error.message.contains(text), "\(error)", sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}
