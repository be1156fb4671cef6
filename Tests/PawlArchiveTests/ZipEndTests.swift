import PawlArchive
import PawlTestKit
import Testing

@Suite struct ZipEndTests {
    private let one = ZipBuilder([ZipBuilder.Member("a.txt", Array("hello".utf8))])

    @Test func `the directory is found behind a comment, in front of padding, and behind a program`() throws {
        let plain = try ZipInMemory.end(of: one.bytes())
        #expect(
            plain.directoryStart == 40 && plain.directoryEnd == 91 && plain.entryCount == 1 && plain.prefixLength == 0)

        var commented = one
        commented.comment = Array(repeating: 0x41, count: 65_535)
        #expect(try ZipInMemory.end(of: commented.bytes()).comment.count == 65_535)
        #expect(try ZipInMemory.end(of: commented.bytes()).directoryStart == 40)

        // `bsdtar -c --format zip` pads its output to 10,240 bytes when it writes to a pipe.
        var padded = one
        padded.suffix = Array(repeating: 0, count: 10_240 - one.bytes().count)
        #expect(try ZipInMemory(padded).stored() == [Array("hello".utf8)])

        for counts in [false, true] {
            var behind = one
            behind.prefix = Array("#!/usr/bin/env python3\n".utf8)
            behind.countsPrefix = counts
            #expect(try ZipInMemory.end(of: behind.bytes()).prefixLength == (counts ? 0 : 23))
            #expect(try ZipInMemory(behind).stored() == [Array("hello".utf8)])
        }
    }

    @Test func `an empty zip has no members`() throws {
        #expect(try ZipInMemory(ZipBuilder()).directory.entries.isEmpty)
    }

    @Test func `zip64 records are accepted if they agree with the end record`() throws {
        for isMaximal in [false, true] {
            for sector in [0, 8, 400] {
                for prefix in sector == 0 ? [0, 7] : [0] {
                    var zip = one
                    zip.zip64 = .init()
                    zip.zip64?.isMaximal = isMaximal
                    zip.zip64?.sector = Array(repeating: 0, count: sector)
                    zip.prefix = Array(repeating: 0x20, count: prefix)
                    #expect(try ZipInMemory(zip).stored() == [Array("hello".utf8)])
                }
            }
        }
    }

    @Test func `a tail that is too short is read again, with no more bytes than needed`() throws {
        let bytes = one.bytes()
        #expect(try ZipEnd.find(in: Array(bytes.suffix(22)), ofFileOfLength: Int64(bytes.count)) == .needsMore(from: 0))
        #expect(try ZipEnd.find(in: [], ofFileOfLength: 1 << 40) == .needsMore(from: 1 << 40 - ZipEnd.usualTailLength))
    }

    @Test func `Z09 a zip without its end is refused as truncated`() {
        let bytes = one.bytes()
        for count in 0..<bytes.count { expect(.truncated) { _ = try ZipInMemory(Array(bytes.prefix(count))) } }
    }

    @Test func `Z05 bytes after the end record are refused`() {
        for suffix in [[1], Array("\r\n".utf8), [0, 0, 1], one.bytes() + [0x41]] as [[UInt8]] {
            var zip = one
            zip.suffix = suffix
            expect(.damaged, "follows its end") { _ = try ZipInMemory(zip) }
        }
    }

    @Test func `Z05 two end records are refused`() {
        var inside = one
        inside.comment = ZipBuilder().bytes()
        expect(.damaged, "two end records") { _ = try ZipInMemory(inside) }
        inside.comment += [0x41]
        expect(.damaged, "hides in its comment") { _ = try ZipInMemory(inside) }
    }

    @Test func `a stored archive within an archive is not a second end`() throws {
        let inner = one.bytes()
        #expect(try ZipInMemory(ZipBuilder([ZipBuilder.Member("inner.zip", inner)])).stored() == [inner])
    }

    @Test func `Z06 zip64 records that differ from the end record are refused`() {
        func zip(_ change: (inout ZipBuilder) -> Void) throws {
            var zip = one
            zip.zip64 = .init()
            zip.zip64?.isMaximal = false
            change(&zip)
            _ = try ZipInMemory(zip)
        }
        expect(.damaged, "two end records differ") { try zip { $0.count = 2 } }
        expect(.damaged, "two end records differ") { try zip { $0.directoryOffset = 0 } }
        expect(.damaged, "two end records differ") { try zip { $0.directoryLength = 0 } }
        expect(.damaged, "states 9") {
            try zip {
                $0.zip64?.isMaximal = true
                $0.zip64?.count = 9
            }
        }
        expect(.damaged, "zip64 end record") { try zip { $0.zip64?.locatorOffset = 3 } }
        expect(.damaged, "zip64 end record") { try zip { $0.zip64?.locatorOffset = .max } }
        expect(.damaged, "wrong length") { try zip { $0.zip64?.length = 45 } }
        expect(.damaged, "wrong length") { try zip { $0.zip64?.length = .max } }
    }

    @Test func `Z07 one part of an archive on several disks is refused`() {
        var zip = one
        zip.disk = 1
        expect(.unsupported, "several disks") { _ = try ZipInMemory(zip) }
    }

    @Test func `Z05 a false member count reserves no memory and is refused`() {
        for count: UInt64 in [0, 2, 1 << 62, .max] {
            var zip = one
            zip.zip64 = .init()
            zip.zip64?.count = count
            expect(.damaged, "states \(count) members, but its list has 1") { _ = try ZipInMemory(zip) }
        }
        var short = one
        short.count = 2
        expect(.damaged) { _ = try ZipInMemory(short) }
    }

    @Test func `Z05 a directory in a different place from what the end record says is refused`() {
        for offset: UInt32 in [41, 1000, .max] {
            var zip = one
            zip.directoryOffset = offset
            expect(.damaged) { _ = try ZipInMemory(zip) }
        }
        // An offset that is one too small looks like one byte in front of the archive; then no record is where it
        // should be.
        var zip = one
        zip.directoryOffset = 39
        expect(.damaged, "overlap") { _ = try ZipInMemory(zip).stored() }
    }
}
