import PawlCore
import PawlEngine
import PawlStore
import PawlTestKit
import Testing

@testable import PawlWork

@Suite struct SliceSpoolTests {
    private static let batch = "0123456789abcdef0123456789abcdef"
    private static let count = 6

    private func slice() -> Slice {
        let lines = (0..<Self.count).map { "{\"url\":\"http://a/\($0).jpg\",\"meta\":{\"n\":\($0)}}" }
        return Slice(
            Self.batch, SliceID(shard: 3, slice: 4), first: 40, lines: lines.map { Array($0.utf8) })
    }

    private func disk(_ seed: UInt64 = 1) -> SimulatedDisk {
        let disk = SimulatedDisk(seed: seed)
        disk.makeDirectory("/s")
        return disk
    }

    private func open(_ disk: SimulatedDisk, random: UInt64 = 5) throws -> SliceSpool {
        try SliceSpool(slice(), in: disk.openDirectory("/s"), on: "m", digests: SimulatedDigests()) { random }
    }

    private func bytes(_ item: Int) -> [UInt8] { [UInt8](repeating: UInt8(item), count: item * 37) }

    private func add(_ item: Int, to spool: inout SliceSpool) throws {
        let bytes = bytes(item)
        let facts = FinishedFacts(fileName: "x", byteCount: Int64(bytes.count), finalURL: "http://a/\(item - 40).jpg")
        try spool.add(item, facts, bytes)
    }

    @Test
    func `what a killed process had is kept, and its attempt goes on`() throws {
        let disk = disk()
        var first = try open(disk, random: 1)
        let attempt = first.attempt
        for item in [42, 40, 45] { try add(item, to: &first) }
        try first.addFailure(41, FailedItem(DownloadError(.notFound, "", remedies: [], recovery: .giveUp)))
        try first.addFailure(43, FailedItem(DownloadError(.network, "", remedies: [], recovery: .retryNow)))
        disk.kill()
        var second = try open(disk, random: 2)
        #expect(second.attempt == attempt)
        // What may pass is tried again.
        #expect(second.open == [3, 4] && second.decided == 4)
        try add(43, to: &second)
        try add(44, to: &second)
        let sealed = try second.seal(milliseconds: 0)
        #expect((sealed.head.completed, sealed.head.failed) == (5, 1))
        try check(sealed)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `bytes that a power cut took are fetched again`(_ seed: UInt64) throws {
        let disk = disk(seed)
        var first = try open(disk)
        for item in 40..<45 { try add(item, to: &first) }
        disk.crash()
        var second = try open(disk, random: seed)
        for index in second.open { try add(40 + index, to: &second) }
        #expect(second.decided == Self.count)
        try check(try second.seal(milliseconds: 0))
    }

    @Test(arguments: 0..<12)
    func `a disk that fails midway leaves what was there`(_ call: Int) throws {
        let disk = disk()
        var spool = try open(disk)
        disk.faults = .failing(.write, call: call + 1, with: .noSpace)
        for item in 40..<46 {
            // Once more where it failed.
            do { try add(item, to: &spool) } catch { try add(item, to: &spool) }
        }
        try check(try spool.seal(milliseconds: 0))
    }

    /// Looks at the tar and the manifest as their readers do.
    private func check(_ sealed: SliceSpool.Sealed) throws {
        let tar = try #require(sealed.data).bytes(atMost: 1 << 20)
        #expect(SimulatedDigests().digest(.sha256, of: tar) == sealed.head.data?.sha256)
        #expect(Array(tar.suffix(1024)) == USTARHeader.end)
        let manifest = try ManifestReader(sealed.manifest)
        #expect(manifest.head == sealed.head)
        var items: [Int] = []
        while let line = try manifest.next() {
            let outcome = try #require(ItemOutcome(jsonValue: line))
            items.append(outcome.item)
            #expect(line.encoded.hasSuffix(",\"meta\":{\"n\":\(outcome.item - 40)}}"))
            guard case .completed(let file) = outcome.end else { continue }
            let start = Int(try #require(file.offset))
            #expect(Array(tar[start..<start + Int(file.bytes)]) == bytes(outcome.item))
        }
        #expect(items == Array(40..<46))
    }

    @Test
    func `two processes on one machine have a spool each, and the last one clears both`() throws {
        let disk = disk()
        var (first, second) = (try open(disk, random: 1), try open(disk, random: 2))
        #expect(first.attempt != second.attempt && first.fileName(of: 40) != second.fileName(of: 40))
        try add(40, to: &first)
        try add(40, to: &second)
        let directory = try disk.openDirectory("/s")
        disk.install("/s/" + first.fileName(of: 41) + ".part", [1])
        disk.install("/s/other", [1])
        second.close()
        try SliceSpool.clear(slice(), in: directory, on: "m")
        // The first still works.
        #expect(disk.names(in: "/s").contains { $0.hasSuffix("00003-00004.items") })
        #expect(!disk.names(in: "/s").contains { $0.contains("00004.1") })
        try add(41, to: &first)
        first.close()
        try SliceSpool.clear(slice(), in: directory, on: "m")
        #expect(disk.names(in: "/s") == ["other"])
    }

    @Test
    func `bytes that the disk has not kept are noticed before they are delivered, and fetched again`() throws {
        let disk = disk()
        var first = try open(disk)
        for item in 40..<46 { try add(item, to: &first) }
        let tar = try #require(disk.names(in: "/s").first { $0.hasSuffix(".tar") })
        // In the second file.
        disk.overwrite("/s/" + tar, at: 512 + 1536 + 1024 + 512 + 10, with: [0xFF])
        #expect(throws: StorageError.self) { try first.seal(milliseconds: 0) }
        disk.kill()
        var second = try open(disk)
        #expect(second.decided == 1)
        for index in second.open { try add(40 + index, to: &second) }
        try check(try second.seal(milliseconds: 0))
    }

    @Test
    func `a tar that ends within a member is cut off there`() throws {
        let disk = disk()
        var first = try open(disk)
        for item in 40..<46 { try add(item, to: &first) }
        let tar = try #require(disk.names(in: "/s").first { $0.hasSuffix(".tar") })
        let file = try disk.openDirectory("/s").open(tar, writable: true)
        try file.truncate(to: try file.status().size - 1100)
        disk.kill()
        #expect(try open(disk).decided == 5)
    }

    @Test
    func `where there are no locks, nobody takes over what may be another's`() throws {
        let disk = disk()
        disk.features.hasLocks = false
        var first = try open(disk, random: 1)
        try add(40, to: &first)
        var second = try open(disk, random: 2)
        #expect(second.decided == 0 && second.attempt != first.attempt)
        try add(41, to: &second)
        try second.remove()
        for item in 41..<46 { try add(item, to: &first) }
        try check(try first.seal(milliseconds: 0))
        try first.remove()
        #expect(disk.names(in: "/s").isEmpty)
    }

    @Test
    func `the spool of another batch is not taken over`() throws {
        let disk = disk()
        var first = try open(disk)
        try add(40, to: &first)
        first.close()
        // The names have a part of the batch's number only.
        let other = Slice(
            Self.batch.replacing("f0", with: "f1"), slice().id, first: 40,
            lines: [Array("{\"url\":\"http://a/\"}".utf8)])
        let second = try SliceSpool(other, in: disk.openDirectory("/s"), on: "m", digests: SimulatedDigests()) { 9 }
        #expect(second.decided == 0 && second.attempt != first.attempt)
    }
}
