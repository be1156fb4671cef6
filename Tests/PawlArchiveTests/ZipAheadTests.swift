import PawlTestKit
import Testing

@testable import PawlArchive

/// Unpacking on several threads gives the same members as on one.
@Suite struct ZipAheadTests {
    /// Sizes below and above the limit for unpacking ahead, and above the limit for one member's waiting bytes.
    private static let sizes = [200_000, 10, 131_072, 12_000_000, 0, 300_000, 131_071, 9_000_000, 150_000, 400_000]

    private func archive(password: String? = nil) async throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let script = Self.sizes.enumerated().map { "yes 'line of \($0.offset)' | head -c \($0.element) >m\($0.offset)" }
            .joined(separator: " && ")
        try await shell(
            "\(script) && zip -q1 \(password.map { "-P \($0)" } ?? "") x.zip m0 m1 m2 m3 m4 m5 m6 m7 m8 m9",
            in: directory)
        return try Files.read(directory.file("x.zip"))
    }

    private func reader(
        _ bytes: [UInt8], threads: Int, password: String? = nil, wanted: (ArchiveMember) -> Bool = { _ in true }
    ) throws -> ZipReader {
        let reader = try ZipReader.open(BytesSource(bytes, isShareable: true), password: password, threads: threads)
        try reader.checkReadable(wanted)
        return reader
    }

    /// The members' sizes. Comparing bytes takes long in debug builds, and the reader has already verified the
    /// checksums.
    private func sizes(_ reader: ZipReader) throws -> [Int64] {
        var sizes: [Int64] = []
        while try reader.next() != nil {
            var end: Int64 = 0
            while try reader.readBlock({ block, offset in
                #expect(offset == end)
                end += Int64(block.count)
            }) {}
            sizes.append(end)
        }
        #expect(reader.position == reader.length)
        return sizes
    }

    @Test(arguments: 0...4)
    func `all members are read completely and in order, with any number of threads`(threads: Int) async throws {
        let bytes = try await archive()
        #expect(try sizes(reader(bytes, threads: threads)) == Self.sizes.map(Int64.init))
    }

    /// Inflating may consume its last byte while libarchive's block of 256 KiB is full, and then ask for more bytes
    /// than there are.
    @Test(arguments: [0, 2])
    func `members whose end falls on a border of libarchive's blocks do not stop the reader`(threads: Int) async throws
    {
        let directory = try TemporaryDirectory()
        let script = """
            import zipfile
            z = zipfile.ZipFile("x.zip", "w", zipfile.ZIP_DEFLATED)
            for n in range(700): z.writestr(str(n), bytes(262144 * (1 + n % 2) + n))
            z.writestr("last", b"last")
            z.close()
            """
        try Files.write(script.utf8, to: directory.file("make.py"))
        try await shell("python3 make.py", in: directory)
        let found = try sizes(reader(Files.read(directory.file("x.zip")), threads: threads))
        var expected: [Int64] = (0..<700).map { number in Int64(262_144 * (1 + number % 2) + number) }
        expected.append(4)
        #expect(found == expected)
    }

    @Test func `reading ahead gives each member its own bytes`() async throws {
        let reader = try reader(await archive(), threads: 2)
        while let member = try reader.next() {
            guard let first = try block(reader) else { continue }
            #expect(
                first.starts(with: Array("line of \(member.path.dropFirst())".utf8).prefix(first.count)),
                "\(member.path)")
        }
    }

    @Test func `skipped and half-read members hold up no other member`() async throws {
        let bytes = try await archive()
        let reader = try reader(bytes, threads: 2) { $0.path != "m5" }
        #expect(try reader.next()?.path == "m0")
        #expect(try reader.next()?.path == "m1")
        #expect(try reader.next()?.path == "m2")
        #expect(try reader.next()?.path == "m3")
        let some = try block(reader)
        #expect(some?.isEmpty == false)
        while let member = try reader.next(), member.path != "m5" {}
        // The filter excludes this member, which can be read nevertheless.
        var count = 0
        while let more = try block(reader) { count += more.count }
        #expect(count == 300_000)
        while let member = try reader.next(), member.path != "m9" {}
        count = 0
        while let more = try block(reader) { count += more.count }
        #expect(count == 400_000)
        // Release a reader whose threads are waiting for room.
        let other = try self.reader(bytes, threads: 3)
        for _ in 0..<4 { _ = try other.next() }
        _ = try block(other)
    }

    @Test(arguments: 0...3)
    func `a damaged member is an error when its turn comes, and the error names it`(threads: Int) async throws {
        var bytes = try await archive()
        let directory = try ZipReader.directory(of: BytesSource(bytes))
        let entry = try #require(directory.entries.first { $0.path == "m7" })
        // A byte within the compressed data.
        bytes[Int(entry.headerOffset) + 10_000] ^= 0x55
        let reader = try reader(bytes, threads: threads)
        var done: [String] = []
        do {
            while let member = try reader.next() {
                while try reader.readBlock({ _, _ in }) {}
                done.append(member.path)
            }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.code == .damaged && error.member == "m7", "\(error)")
        }
        #expect(done == (0..<7).map { "m\($0)" })
    }

    @Test func `reading ahead works with a password too`() async throws {
        let bytes = try await archive(password: "secret")
        #expect(try sizes(reader(bytes, threads: 2, password: "secret")) == Self.sizes.map(Int64.init))
        expect(.wrongPassword) { _ = try sizes(reader(bytes, threads: 2, password: "guess")) }
    }
}
