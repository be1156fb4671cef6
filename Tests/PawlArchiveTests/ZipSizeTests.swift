import PawlTestKit
import Testing

@testable import PawlArchive

/// Zip archives whose numbers exceed 16 or 32 bits.
@Suite struct ZipSizeTests {
    @Test func `a zip of 70,000 members is read`() throws {
        var zip = ZipBuilder((0..<70_000).map { ZipBuilder.Member("m\($0)", $0 % 1000 == 0 ? [7] : []) })
        zip.zip64 = .init()
        let reader = try ZipReader.open(.bytes(zip.bytes()), password: nil)
        #expect(reader.announced?.members == 70_000 && reader.announced?.bytes == 70)
        var (count, bytes) = (0, 0)
        var last = ""
        while let member = try reader.next() {
            count += 1
            last = member.path
            while try reader.readBlock({ block, _ in bytes += block.count }) {}
        }
        #expect(count == 70_000 && bytes == 70 && last == "m69999")
    }

    /// The source makes its bytes on request: a member of 5 GiB of zeros, then a member whose offset needs 64 bits.
    @Test func `a member of 5 GiB and the member after it are read`() throws {
        let source = LargeSource()
        let reader = try ZipReader.open(source, password: nil)
        #expect(reader.announced?.members == 2 && reader.announced?.bytes == 5 << 30 + 5)
        let large = try reader.next()
        #expect(large?.path == "large" && large?.size == 5 << 30 && large?.compressedSize == 5 << 30)
        for _ in 0..<4 { #expect(try block(reader)?.allSatisfy { $0 == 0 } == true) }
        #expect(try reader.next()?.path == "small")
        let read = try block(reader)
        #expect(read == Array("small".utf8))
        #expect(try block(reader) == nil)
        #expect(try reader.next() == nil)
        #expect(source.bytesRead < 2 << 20)
    }
}

/// An archive with 5 GiB of zeros that are never stored.
private final class LargeSource: ZipSource {
    private static let size: Int64 = 5 << 30
    private let head: [UInt8]
    private let tail: [UInt8]
    var bytesRead: Int64 = 0

    init() {
        var large = ZipBuilder.Member("large")
        let sizes = ZipBuilder.zip64Extra(UInt64(Self.size), UInt64(Self.size))
        (large.size, large.compressedSize, large.extra, large.localExtra) = (.max, .max, sizes, sizes)
        // The CRC-32 of 5 GiB of zeros.
        large.crc32 = 0xB2EA_2A6F
        head = ZipBuilder.local(large)
        var small = ZipBuilder.Member("small", Array("small".utf8))
        let local = ZipBuilder.local(small)
        small.extra = ZipBuilder.zip64Extra(UInt64(head.count) + UInt64(Self.size))
        small.offset = .max
        small.isWritten = false
        large.isWritten = false
        // Without its members, the builder makes only the directory, whose offset is corrected here.
        let directory = ZipBuilder([large, small]).bytes().dropLast(22)
        let start = UInt64(head.count) + UInt64(Self.size) + UInt64(local.count)
        var end: [UInt8] =
            [0x50, 0x4B, 6, 6] + ZipBuilder.little(UInt64(44)) + [45, 3, 45, 0] + [UInt8](repeating: 0, count: 8)
        end +=
            ZipBuilder.little(UInt64(2)) + ZipBuilder.little(UInt64(2)) + ZipBuilder.little(UInt64(directory.count))
            + ZipBuilder.little(start)
        end += [0x50, 0x4B, 6, 7, 0, 0, 0, 0] + ZipBuilder.little(start + UInt64(directory.count)) + [1, 0, 0, 0]
        end += [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 12) + [0, 0]
        tail = local + directory + end
    }

    var length: Int64 { Int64(head.count) + Self.size + Int64(tail.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(ArchiveError) -> Int {
        let tailStart = Int64(head.count) + Self.size
        guard position < length else { return 0 }
        let (piece, start): (ArraySlice<UInt8>, Int64) =
            if position < head.count { (head[...], 0) } else if position >= tailStart { (tail[...], tailStart) } else {
                ([], 0)
            }
        guard !piece.isEmpty else {
            let count = Int(min(Int64(buffer.count), tailStart - position))
            UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).initializeMemory(as: UInt8.self, repeating: 0)
            bytesRead += Int64(count)
            return count
        }
        let bytes = piece.dropFirst(Int(position - start)).prefix(buffer.count)
        buffer.copyBytes(from: bytes)
        bytesRead += Int64(bytes.count)
        return bytes.count
    }
}
