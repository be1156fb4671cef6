@testable import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The files that `pawl status` reads, and the downloads that it must not disturb.
@Suite struct PartialFileStatusTests {
    private static let owner = Owner(processID: 1, bootID: [2], startTime: 3, hostName: "h")

    private final class Flag: Sendable {
        let value = Locked(false)
    }

    /// Leaves a partial file and its journal as an interrupted download does.
    private func leave(_ name: String, in directory: TemporaryDirectory) throws {
        let bytes = (0..<JournalRecord.idSize).map { UInt8($0) }
        let record = JournalRecord(
            generation: 2, id: bytes, owner: Self.owner, state: .downloading, url: "https://h/a", urlHash: .xxh64(1),
            targetName: name,
            representation: Representation(total: 100), partialDevice: 1, partialInode: 1, expectedDigest: nil,
            updated: 0,
            blockSize: 1 << 20, durable: RangeSet(), blockHashes: [:], recentBlocks: [])
        var file = [UInt8](repeating: 0, count: Journal.fileSize)
        let slot = Journal.encode(record)
        file.replaceSubrange(0..<slot.count, with: slot)
        try Files.write(file, to: directory.file(FileName.journalName(for: name)))
        try Files.write([UInt8](repeating: 0, count: 100), to: directory.file(FileName.partialName(for: name)))
    }

    @Test func `P04 a download that begins while its status is read in a loop always gets its lock`() async throws {
        let directory = try TemporaryDirectory("status")
        try leave("a", in: directory)
        let isOver = Flag()
        let reader = Task.detached {
            var count = 0
            while !isOver.value.withLock({ $0 }) || count == 0 {
                _ = try PartialFileStatus.read(directory.file("a"))
                count += 1
            }
            return count
        }
        let place = try POSIXStorage().openDirectory(directory.path)
        var refused = 0
        for _ in 0..<20_000 {
            let file = try place.open("a.part", writable: true)
            if try !file.lock() { refused += 1 }
            try file.close()
        }
        isOver.value.withLock { $0 = true }
        #expect(try await reader.value > 0)
        #expect(refused == 0)
    }

    /// A new process holds copies of all open descriptors until it calls execve(2).
    @Test func `P04 closing a file releases its lock, even while a starting process holds a copy of the descriptor`()
        throws
    {
        let directory = try TemporaryDirectory("status")
        try leave("a", in: directory)
        let place = try POSIXStorage().openDirectory(directory.path)
        let file = try place.open("a.part", writable: true)
        #expect(try file.lock())
        let own = try #require(file as? POSIXFile)
        let inherited = try own.descriptor.use("dup") { dup($0) }
        defer { close(inherited) }
        #expect(inherited >= 0)
        try file.close()
        let next = try place.open("a.part", writable: true)
        #expect(try next.lock())
        try next.close()
    }

    @Test func `a journal whose partial file is missing is an error, unless the file is finished`() throws {
        let directory = try TemporaryDirectory("status")
        try leave("a", in: directory)
        Files.remove(directory.file("a.part"))
        let error = #expect(throws: DownloadError.self) { try PartialFileStatus.read(directory.file("a")) }
        #expect(error?.code == .journal && error?.message.contains("a.part") == true)
        try Files.write([1], to: directory.file("a"))
        #expect(try PartialFileStatus.read(directory.file("a")).fileName == "a")
    }

    @Test func `P04 whether a download runs is determined without taking a lock`() throws {
        let directory = try TemporaryDirectory("status")
        try leave("a", in: directory)
        #expect(try !PartialFileStatus.read(directory.file("a")).isLocked)
        let file = try POSIXStorage().openDirectory(directory.path).open("a.part", writable: true)
        #expect(try file.lock())
        #expect(try PartialFileStatus.read(directory.file("a")).isLocked)
        // A holder's own lock does not count for that holder.
        let own = try #require(file as? POSIXFile)
        #expect(try !own.isLockedElsewhere())
        try file.close()
        #expect(try !PartialFileStatus.read(directory.file("a")).isLocked)
    }

    /// U+0D4E forms one `Character` with the text that follows it.
    @Test(arguments: ["a", "ൎ", "a\u{D4E}", "caf\u{E9}", "cafe\u{301}"])
    func `M16 a partial file is found by each of its names, whatever letter they end in`(name: String) throws {
        let directory = try TemporaryDirectory("status")
        try leave(name, in: directory)
        for suffix in ["", ".part", ".pawl"] {
            #expect(try PartialFileStatus.read(directory.file(name + suffix)).fileName.utf8.elementsEqual(name.utf8))
        }
    }
}
