import PawlArchive
import PawlTestKit
import Testing

@Suite struct ZipDirectoryTests {
    typealias Member = ZipBuilder.Member

    private func entry(_ change: (inout Member) -> Void) throws -> ZipEntry {
        var member = Member("a", [1, 2, 3])
        change(&member)
        let zip = try ZipInMemory(ZipBuilder([member]))
        _ = try zip.stored()
        return try #require(zip.directory.entries.first)
    }

    @Test func `Unix attributes of a member are read`() throws {
        #expect(try entry { _ in }.kind == .file)
        #expect(try entry { $0.attributes = 0o100755 << 16 }.isExecutable)
        #expect(try entry { $0.attributes = 0o120777 << 16 }.kind == .symbolicLink)
        #expect(try entry { $0.attributes = 0o020600 << 16 }.kind == .other("a character device"))
        #expect(try entry { $0.attributes = 0o010600 << 16 }.kind == .other("a named pipe"))
        let directory = { (member: inout Member) in
            member.data = []
            (member.size, member.compressedSize, member.crc32) = (0, 0, 0)
        }
        #expect(
            try entry {
                directory(&$0); $0.attributes = 0o040755 << 16
            }.kind == .directory)
        #expect(
            try entry {
                directory(&$0); $0.name = Array("a/".utf8)
            }.kind == .directory)
        #expect(
            try entry {
                directory(&$0); ($0.madeBy, $0.attributes) = (20, 0x10)
            }.kind == .directory)
        // On DOS, the upper half of the attributes has no meaning.
        #expect(try entry { ($0.madeBy, $0.attributes) = (20, 0o120777 << 16) }.kind == .file)
        #expect(try entry { ($0.madeBy, $0.attributes) = (20, 0x10) }.kind == .file)
    }

    @Test func `a member's time is read from the most exact field`() throws {
        #expect(try entry { ($0.date, $0.time) = (0x5A21, 0x6000) }.modified == 1_735_732_800)
        #expect(try entry { _ in }.isModifiedLocal)
        #expect(try entry { $0.date = 0 }.modified == nil)
        let unix = try entry { $0.extra = ZipBuilder.extra(0x5455, [1] + ZipBuilder.little(Int32(-5))) }
        #expect(unix.modified == -5 && !unix.isModifiedLocal)
        let ticks = (1_735_732_800 + 11_644_473_600) * 10_000_000 as UInt64
        let ntfs = [0, 0, 0, 0, 1, 0, 24, 0] + ZipBuilder.little(ticks) + [UInt8](repeating: 0, count: 16)
        #expect(try entry { $0.extra = ZipBuilder.extra(0x000A, ntfs) }.modified == 1_735_732_800)
        #expect(
            try entry { $0.extra = ZipBuilder.extra(0x5855, [0, 0, 0, 0] + ZipBuilder.little(Int32(7))) }.modified == 7)
    }

    @Test(
        arguments: [
            // Name, flags, system, extra field, expected path.
            (Array("naïve".utf8), 0x800, 0, [], "naïve"),
            (Array("naïve".utf8), 0, 3, [], "naïve"),
            (Array("naïve".utf8), 0, 19, [], "naïve"),
            (Array("naïve".utf8), 0, 0, [], "na├»ve"),
            ([0x6E, 0x61, 0x8B, 0x76, 0x65], 0, 0, [], "naïve"),
            ([0x6E, 0x61, 0x8B, 0x76, 0x65], 0, 3, [], "naïve"),
            ([0xFF], 0, 0, [], "\u{A0}"),
            (Array("x".utf8), 0, 0, unicodePath("x", "ж"), "ж"),
            // An extra field for another name and one whose text is not UTF-8 are ignored.
            (Array("y".utf8), 0, 0, unicodePath("x", "ж"), "y"),
            (Array("x".utf8), 0, 0, Array(unicodePath("x", "ж").dropLast()), "x"),
            (Array("ж".utf8), 0x800, 0, unicodePath("ж", "ж"), "ж"),
            (Array("a\\b".utf8), 0, 3, [], "a\\b"),
        ] as [([UInt8], UInt16, UInt16, [UInt8], String)])
    func `Z08 member names are decoded`(
        name: [UInt8], flags: UInt16, system: UInt16, extra: [UInt8], path: String
    ) throws {
        var member = Member(name: name)
        (member.flags, member.madeBy, member.extra, member.localExtra) = (flags, system << 8 | 20, extra, extra)
        let zip = try ZipInMemory(ZipBuilder([member]))
        #expect(zip.directory.entries.first?.path == path)
        #expect(zip.directory.entries.first.map { Array($0.rawName) } == name)
        _ = try zip.stored()
    }

    @Test(
        arguments: [
            // Name, flags, system, expected path.
            (Array("a\\b".utf8), 0, 0, "a/b"), (Array("a\\b\\".utf8), 0, 14, "a/b/"),
            (Array("a\\b".utf8), 0, 10, "a/b"), (Array("é\\x".utf8), 0x800, 0, "é/x"),
            // A name that holds `/` separates by that; Unix and macOS have no other separator.
            (Array("a/b\\c".utf8), 0, 0, "a/b\\c"), (Array("unit\\x2d".utf8), 0, 3, "unit\\x2d"),
            (Array("unit\\x2d".utf8), 0, 19, "unit\\x2d"),
            // “予定表.xls” and “資料\表” in Shift-JIS: letters whose second byte is that of a backslash.
            ([0x97, 0x5C, 0x92, 0xE8, 0x95, 0x5C, 0x2E, 0x78, 0x6C, 0x73], 0, 0, "ù\\ÆΦò\\.xls"),
            ([0x61, 0x5C, 0x95, 0x5C], 0, 0, "a/ò\\"),
        ] as [([UInt8], UInt16, UInt16, String)])
    func `Z14 backslashes separate in names of members made on Windows, unless they hold a slash`(
        name: [UInt8], flags: UInt16, system: UInt16, path: String
    ) throws {
        var member = Member(name: name)
        (member.flags, member.madeBy, member.attributes) = (flags, system << 8 | 20, 0)
        let zip = try ZipInMemory(ZipBuilder([member]))
        let found = try #require(zip.directory.entries.first)
        #expect(found.path == path)
        #expect(found.kind == (path.hasSuffix("/") ? .directory : .file))
        #expect(found.hasBackslashes == (path.contains("/") && !name.contains(UInt8(ascii: "/"))))
        _ = try zip.stored()
        // The field with the name in UTF-8 is separated by the same rule.
        if flags == 0, name.allSatisfy({ $0 < 0x80 }) {
            let extra = Self.unicodePath(String(decoding: name, as: UTF8.self), String(decoding: name, as: UTF8.self))
            (member.extra, member.localExtra) = (extra, extra)
            #expect(try ZipInMemory(ZipBuilder([member])).directory.entries.first?.path == path)
        }
    }

    static func unicodePath(_ name: String, _ path: String) -> [UInt8] {
        ZipBuilder.extra(0x7075, [1] + ZipBuilder.little(ZipBuilder.crc32(name.utf8)) + Array(path.utf8))
    }

    @Test func `Z08 a member name in a wrong encoding, or with two values, is refused`() {
        expect(.damaged, "marked as UTF-8") {
            _ = try entry { ($0.name, $0.flags) = ([0xFF], 0x800) }
        }
        expect(.damaged, "two different names") {
            _ = try entry { ($0.flags, $0.extra) = (0x800, Self.unicodePath("a", "b")) }
        }
        // The second name is only in the directory, or only in the local header.
        expect(.damaged, "two names") { _ = try entry { $0.extra = Self.unicodePath("a", "b") } }
        expect(.damaged, "two names") { _ = try entry { $0.localExtra = Self.unicodePath("a", "b") } }
    }

    @Test func `Z03 members that share bytes are refused`() {
        var inner = Member("inner", [9])
        inner.isWritten = false
        // The local header lies within the data of the other member.
        inner.offset = 35
        let outer = Member("outer", ZipBuilder.local(Member("inner", [9])))
        expect(.damaged, "overlap") { _ = try ZipInMemory(ZipBuilder([outer, inner])) }
        inner.offset = 0
        inner.name = outer.name
        expect(.damaged, "overlap") { _ = try ZipInMemory(ZipBuilder([outer, inner])) }
        // The extra field's length covers the bytes that follow.
        var member = Member("a", [1])
        member.localExtra = [9, 9, 200, 0]
        expect(.damaged, "overlap") {
            var zip = ZipBuilder([member, Member("b", [2])])
            zip.members[0].data = []
            _ = try ZipInMemory(zip).stored()
        }
    }

    @Test func `Z05 a local header that differs from the directory is refused`() {
        expect(.damaged, "two names") { _ = try entry { $0.localName = Array("b".utf8) } }
        expect(.damaged, "two different checksums") { _ = try entry { $0.localCRC32 = 1 } }
        expect(.damaged, "different sizes") { _ = try entry { $0.localSize = 4 } }
        expect(.damaged, "different sizes") { _ = try entry { $0.localCompressedSize = 2 } }
        expect(.damaged, "different sizes") { _ = try entry { $0.localSize = 0 } }
        expect(.damaged, "disagree on how") { _ = try entry { $0.localMethod = 8 } }
        expect(.damaged, "disagree on how") { _ = try entry { $0.localFlags = 1 } }
        expect(.damaged, "two names") {
            _ = try entry { ($0.name, $0.madeBy, $0.localFlags) = (Array("ж".utf8), 20, 0x800) }
        }
        var moved = ZipBuilder([Member("a", [1, 2, 3])])
        moved.members[0].offset = 1
        moved.beforeDirectory = [0]
        expect(.damaged, "local header is missing") { _ = try ZipInMemory(moved).stored() }
    }

    @Test func `Z05 a data descriptor in any of its four forms must agree with the directory`() throws {
        let crc = ZipBuilder.crc32([1, 2, 3])
        let short = ZipBuilder.little(crc) + ZipBuilder.little(UInt32(3)) + ZipBuilder.little(UInt32(3))
        let long = ZipBuilder.little(crc) + ZipBuilder.little(UInt64(3)) + ZipBuilder.little(UInt64(3))
        for form in [short, long, [0x50, 0x4B, 7, 8] + short, [0x50, 0x4B, 7, 8] + long] {
            #expect(try streamed(form).size == 3)
            for index in form.indices {
                var wrong = form
                wrong[index] ^= 1
                expect(.damaged, "descriptor") { _ = try streamed(wrong) }
            }
            expect(.damaged, "descriptor") { _ = try streamed(Array(form.dropLast())) }
        }
    }

    private func streamed(_ descriptor: [UInt8]) throws -> ZipEntry {
        try entry {
            $0.flags = 8
            ($0.localCRC32, $0.localSize, $0.localCompressedSize) = (0, 0, 0)
            $0.after = descriptor
        }
    }

    @Test func `Z06 zip64 sizes are accepted wherever the format allows them`() throws {
        let three: UInt64 = 3
        for (extra, size, compressed, offset) in [
            (ZipBuilder.zip64Extra(three), UInt32.max, 3, 0),
            (ZipBuilder.zip64Extra(three), 3, .max, 0),
            (ZipBuilder.zip64Extra(three, three), .max, .max, 0),
            (ZipBuilder.zip64Extra(three, three, 0), .max, .max, .max),
            // Go and macOS also store the offset, although it fits.
            (ZipBuilder.zip64Extra(three, three, 0), .max, .max, 0),
            (ZipBuilder.zip64Extra(three, three, 0), 3, 3, 0),
            (ZipBuilder.extra(1, [3, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0]), .max, 3, 0),
            (ZipBuilder.zip64Extra(0), 3, 3, .max),
            (ZipBuilder.zip64Extra(), 3, 3, 0),
        ] as [([UInt8], UInt32, UInt32, UInt32)] {
            let entry = try entry {
                ($0.extra, $0.size, $0.compressedSize, $0.offset, $0.localSize, $0.localCompressedSize) = (
                    extra, size, compressed, offset, 3, 3
                )
            }
            #expect(entry.size == 3 && entry.compressedSize == 3 && entry.headerOffset == 0)
        }
        for (extra, size, compressed) in [
            (ZipBuilder.zip64Extra(three, three), UInt32.max, .max), (ZipBuilder.zip64Extra(three, three), 3, 3),
            (ZipBuilder.zip64Extra(three), .max, 3), (ZipBuilder.zip64Extra(three), 3, .max),
            (ZipBuilder.zip64Extra(three, three, 0), .max, .max),
        ] as [([UInt8], UInt32, UInt32)] {
            #expect(
                try entry { ($0.localExtra, $0.localSize, $0.localCompressedSize) = (extra, size, compressed) }.size
                    == 3)
        }
    }

    @Test func `Z06 missing, surplus, repeated or contradictory zip64 sizes are refused`() {
        let three: UInt64 = 3
        for (extra, size, compressed) in [
            ([], UInt32.max, 3), (ZipBuilder.zip64Extra(), .max, 3), (ZipBuilder.zip64Extra(three), .max, .max),
            (ZipBuilder.zip64Extra(.max), .max, 3), (ZipBuilder.zip64Extra(4), .max, 3),
            (ZipBuilder.zip64Extra(three, 4), .max, 3),
            (ZipBuilder.zip64Extra(4), 3, 3), (ZipBuilder.zip64Extra(three, three, 1), .max, .max),
            (ZipBuilder.zip64Extra(three) + ZipBuilder.zip64Extra(three), .max, 3), (ZipBuilder.extra(1, [3]), .max, 3),
            (ZipBuilder.zip64Extra(three, three, 0, 0, 0), .max, .max),
        ] as [([UInt8], UInt32, UInt32)] {
            expect(.damaged) {
                _ = try entry {
                    ($0.extra, $0.size, $0.compressedSize, $0.localSize, $0.localCompressedSize) = (
                        extra, size, compressed, 3, 3
                    )
                }
            }
        }
        for (extra, size, compressed) in [
            ([], UInt32.max, UInt32.max), (ZipBuilder.zip64Extra(three, 4), .max, .max),
            (ZipBuilder.zip64Extra(4, 4), 3, 3),
            (ZipBuilder.zip64Extra(three, three) + ZipBuilder.zip64Extra(three, three), .max, .max),
            (ZipBuilder.zip64Extra(three), .max, .max),
        ] as [([UInt8], UInt32, UInt32)] {
            expect(.damaged) {
                _ = try entry { ($0.localExtra, $0.localSize, $0.localCompressedSize) = (extra, size, compressed) }
            }
        }
    }

    @Test func `Z07 an unreadable member is listed with the reason`() throws {
        #expect(try entry { $0.method = 9 }.obstacle == "it is compressed by method 9, deflate64")
        #expect(try entry { $0.method = 77 }.obstacle == "it is compressed by an unknown method, number 77")
        #expect(
            try entry {
                $0.flags = 1 | 1 << 6; $0.data = Array(repeating: 0, count: 15); $0.compressedSize = 15
            }.obstacle?.contains("strong encryption") == true)
        #expect(try entry { $0.flags = 1 << 5 }.obstacle?.contains("patch") == true)
        expect(.unsupported, "another disk") { _ = try entry { $0.disk = 1 } }
        for method: UInt16 in [0, 8, 12, 14, 93, 95, 98] { #expect(try entry { $0.method = method }.obstacle == nil) }
    }

    @Test func `Z07 encryption is recognised, and invalid encryption fields are refused`() throws {
        let sealed = { (member: inout Member, overhead: Int) in
            member.flags = 1
            member.data = Array(repeating: 7, count: overhead + 3)
            member.compressedSize = UInt32(overhead + 3)
        }
        #expect(try entry { sealed(&$0, 12) }.encryption == .traditional)
        func aes(_ overhead: Int, _ extra: [UInt8], method: UInt16 = 99) throws -> ZipEntry {
            try entry {
                sealed(&$0, overhead)
                ($0.method, $0.extra, $0.localExtra) = (method, extra, extra)
            }
        }
        let strongest = ZipBuilder.extra(0x9901, [2, 0, 0x41, 0x45, 3, 0, 0])
        #expect(try aes(28, strongest).encryption == .aes(version: 2, strength: 3))
        #expect(try aes(28, strongest).method == 0)
        expect(.damaged, "AES, but not how") { _ = try aes(28, []) }
        expect(.damaged, "AES, but not how") { _ = try aes(28, ZipBuilder.extra(0x9901, [2, 0, 0x41, 0x45, 4, 0, 0])) }
        expect(.damaged, "AES, but not how") { _ = try aes(28, ZipBuilder.extra(0x9901, [2, 0, 0x41])) }
        expect(.damaged, "occurs twice") { _ = try aes(28, strongest + strongest) }
        expect(.damaged, "too short") { _ = try entry { ($0.flags, $0.data, $0.compressedSize) = (1, [1], 1) } }
        expect(.damaged, "two different sizes") { _ = try aes(29, strongest) }
    }

    @Test func `members that contradict themselves are refused`() {
        expect(.damaged, "two different sizes") { _ = try entry { $0.size = 4 } }
        expect(.damaged, "link with the name of a directory") {
            _ = try entry { ($0.name, $0.attributes) = (Array("a/".utf8), 0o120777 << 16) }
        }
        expect(.damaged, "impossible") { _ = try entry { $0.offset = 1 << 20 } }
    }

    @Test func `a gap between members counts as hiding a record only if it contains one`() {
        let header = ZipBuilder.local(Member("a", [1]))
        #expect(ZipGap.holdsRecord(header[...]))
        #expect(ZipGap.holdsRecord((Array("noise PK".utf8) + header)[...]))
        #expect(ZipGap.holdsRecord(ZipBuilder().bytes()[...]))
        #expect(!ZipGap.holdsRecord(header.prefix(29)))
        #expect(!ZipGap.holdsRecord(Array("PK\u{3}\u{4} is how a header begins, says this program".utf8)[...]))
        #expect(!ZipGap.holdsRecord([]) && !ZipGap.holdsRecord([0x50]) && !ZipGap.holdsRecord(Array("PK".utf8)[...]))
    }
}
