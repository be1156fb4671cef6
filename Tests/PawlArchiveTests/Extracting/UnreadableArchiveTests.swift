import PawlTestKit
import Testing

@testable import PawlArchive

/// Sound archives that libarchive cannot read are told from damaged and from truncated ones.
struct UnreadableArchiveTests {
    @Test(
        arguments: [
            ("Zstd decompression failed: Frame requires too much memory for decoding", .needsMemory),
            ("Error during zstd decompression: Frame requires too much memory for decoding", .needsMemory),
            ("Lzma library error: Out of memory", .needsMemory), ("lzma stream requires too much memory", .needsMemory),
            ("Unknown codec ID: 40109", .unsupported), ("Unexpected codec ID: 3030501", .unsupported),
            ("Unsupported form of BCJ2 streams", .unsupported),
            ("The file content is encoded with many filters, but currently not supported", .unsupported),
            ("Lzma library error:  Invalid options", .unsupported),
            ("Zstd decompression failed: Dictionary mismatch", .unsupported),
            ("The archive header is encrypted, but currently not supported", .encrypted),
            ("Decryption is unsupported due to lack of crypto library", .encrypted),
            ("Unrecognized archive format", .notAnArchive),
            ("Truncated tar archive", .truncated), ("truncated gzip input", .truncated),
            ("Damaged 7-Zip archive", .doubtful), ("Failed to decode PPMd", .doubtful),
            ("Decompression failed(9)", .damaged), ("7-Zip bad CRC: 0x1 should be 0x2", .damaged),
            ("Zstd decompression failed: Restored data doesn't match checksum", .damaged),
            ("Lzma library error: Corrupted input data", .damaged), ("bzip decompression failed", .damaged),
            ("", .damaged),
        ] as [(String, LibArchiveFailure)])
    func `Z15 each of libarchive's failures has its kind`(_ message: String, _ kind: LibArchiveFailure) throws {
        #expect(LibArchiveFailure(message) == kind)
        // What only follows from the missing end is a missing end; a cause that is named is not.
        let followsFromEnd: Set<LibArchiveFailure> = [.doubtful, .damaged]
        #expect(LibArchiveFailure(message, isAtEnd: true) == (followsFromEnd.contains(kind) ? .truncated : kind))
        let error = kind.error("“x”", message)
        let mayBeDamaged = [.truncated, .doubtful, .damaged].contains(kind)
        #expect(error.remedies.contains(.fetchAgain) == mayBeDamaged, "\(error)")
        if [.unsupported, .needsMemory, .doubtful].contains(kind) {
            #expect(error.code == .unsupported && error.message.contains("cannot be unpacked by Pawl"))
            #expect(error.message.contains(message))
        }
    }

    /// - Parameter command: reads `tree` or `tree.tar`, and writes `$OUT`.
    @Test(arguments: [
        ("wide.tar.zst", "zstd -qc --ultra --long=31 < tree.tar > $OUT", "memory"),
        ("deflate64.7z", "7z a -bd -m0=Deflate64 $OUT tree > log", "codec ID"),
        ("delta.7z", "7z a -bd -m0=Delta:4 $OUT tree > log", "codec ID"),
        ("arm64.7z", "7z a -bd -m0=ARM64 -m1=LZMA2 $OUT tree > log", "codec ID"),
        ("bcj-ppmd.7z", "7z a -bd -m0=BCJ -m1=PPMd $OUT tree > log", "libarchive misreads"),
    ])
    func `Z15 a sound archive that libarchive cannot read is not called damaged`(
        _ name: String, _ command: String, _ reason: String
    ) async throws {
        let tree = try TarTree()
        let archive = try await tree.archive(name, "tar -cf tree.tar tree; \(command)")
        // Newer versions of libarchive read more.
        do {
            _ = try await Archive(archive).extract(into: tree.directory.file("out"))
            #expect(try Files.isEqual(tree.directory.file("out/tree/noise"), to: TarTree.noise))
        } catch let error as ArchiveError {
            #expect(error.code == .unsupported, "\(error)")
            #expect(error.message.contains("cannot be unpacked by Pawl") && error.message.contains(reason), "\(error)")
            #expect(error.remedies.first == .useOtherProgram)
            #expect(try !Files.names(tree.directory.path).contains { $0.hasPrefix("out") })
        }
    }

    @Test(arguments: ["a.7z.001", "a.7z.002", "a.zip.001"])
    func `Z15 one part of a split archive is named as such`(_ name: String) async throws {
        let tree = try TarTree()
        let archive = try await tree.archive(
            name, "7z a -bd -v300k \(name.contains("zip") ? "a.zip" : "a.7z") tree > log")
        let error = await #expect(throws: ArchiveError.self) {
            try await Archive(archive).extract(into: tree.directory.file("out"))
        }
        #expect(error?.code == .unsupported && error?.message.contains("Join all parts") == true)
        // Cut off, and no part.
        let cut = tree.directory.file("cut.7z")
        try Files.rename(archive, to: cut)
        let damage = await #expect(throws: ArchiveError.self) { try await Archive(cut).members() }
        #expect(damage.map { [.truncated, .notAnArchive].contains($0.code) } == true, "\(String(describing: damage))")
    }
}
