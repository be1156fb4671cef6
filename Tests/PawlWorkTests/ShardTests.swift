import PawlCore
import PawlEngine
import PawlJobs
import PawlStore
import Synchronization
import Testing

@testable import PawlWork

func gzipped(_ text: String) throws -> [UInt8] {
    let bytes = Locked<[UInt8]>([])
    let writer = try GzipWriter { piece in bytes.withLock { $0 += piece } }
    try writer.write(Array(text.utf8))
    try writer.close()
    return bytes.withLock { $0 }
}

@Suite struct ShardTests {
    private func lines(_ text: String, by count: Int) throws -> [String] {
        let reader = try ShardReader(StoreBody(try gzipped(text)))
        var all: [String] = []
        while case let next = try reader.next(count), !next.isEmpty {
            #expect(next.count <= count)
            all += next.map { String(decoding: $0, as: UTF8.self) }
        }
        return all
    }

    @Test(arguments: [1, 2, 3, 1000])
    func `lines are read in portions of any size`(_ count: Int) throws {
        let expected = (0..<2500).map { "{\"url\":\"http://example.org/\($0)\"}" }
        #expect(try lines(expected.joined(separator: "\n") + "\n", by: count) == expected)
        #expect(try lines(expected.joined(separator: "\n"), by: count) == expected)
    }

    @Test
    func `blank lines do not count`() throws {
        #expect(try lines("\n\na\n \t\r\nb\r\n\n", by: 10) == ["a", "b\r"])
        #expect(try lines("", by: 10) == [])
    }

    @Test
    func `a line without an end takes no memory, and is one that cannot be read`() throws {
        let long = String(repeating: "x", count: 3 << 20)
        let found = try lines("a\n\(long)\nb\n", by: 10)
        #expect(found.count == 3 && found[0] == "a" && found[2] == "b")
        #expect(found[1].utf8.count == ShardItem.lineLimit + 1)
        #expect(code(of: Array(found[1].utf8)) == .malformed)
    }

    @Test(arguments: [0, 5, 12, 40])
    func `a shard that was cut off or changed cannot be read`(_ cut: Int) throws {
        let whole = try gzipped((0..<500).map { "line \($0 &* 7919)" }.joined(separator: "\n"))
        var changed = whole
        changed[whole.count / 2] ^= 0x10
        for bytes in [Array(whole.dropLast(1 + cut)), changed] {
            #expect(throws: GzipReader.Failure.self) {
                let reader = try ShardReader(StoreBody(bytes))
                while try !reader.next(100).isEmpty {}
            }
        }
    }

    private func code(of line: [UInt8]) -> JobSpecError.Code? {
        if case .failure(let error) = ShardItem(0, parsing: line).spec { error.code } else { nil }
    }

    @Test(arguments: [
        ("", JobSpecError.Code.malformed), ("[1]", .malformed), ("{\"url\":\"http://a/\"", .malformed),
        ("{\"id\":\"1\"}", .missingField), ("{\"url\":\"http://a/\",\"directory\":\"x\"}", .unknownField),
        ("{\"url\":\"http://a/\",\"hook\":[\"rm\"]}", .unknownField),
        ("{\"url\":\"http://a/\",\"options\":{\"retries\":3}}", .unknownField),
        ("{\"metalink\":\"x.meta4\"}", .unknownField),
        ("{\"url\":\"http://a/\",\"meta\":\"\(String(repeating: "m", count: 17_000))\"}", .invalidValue),
    ])
    func `a line that cannot be read says why`(_ line: String, _ expected: JobSpecError.Code) {
        #expect(code(of: Array(line.utf8)) == expected)
    }

    @Test
    func `what the caller says of a file is passed on as it is`() throws {
        let line =
            "{\"url\":\"https://u:p@a.example/x?sig=1\",\"id\":\"7\",\"meta\":{\"b\":1.50,\"a\":[null]},\"options\":{\"size\":5}}"
        let item = ShardItem(3, parsing: Array(line.utf8))
        #expect(item.meta?.encoded == "{\"b\":1.50,\"a\":[null]}")
        #expect(item.id == "7")
        #expect(try item.spec.get().options.expectedSize == 5)
        // Nothing secret goes into a manifest.
        let shown = try #require(item.shownURL)
        #expect(!shown.contains("u:p") && !shown.contains("sig=1"))
    }
}

@Suite struct TarMemberTests {
    @Test
    func `names of members say how to decode them`() throws {
        func name(_ type: String?, _ url: String, meta: Bool = false) throws -> String {
            TarMember.name("k", contentType: type, url: try HTTPURL(parsing: url), hasMeta: meta)
        }
        #expect(try name("image/jpeg", "http://a/x.png") == "k.jpg")
        #expect(try name("Image/PNG; charset=x", "http://a/x") == "k.png")
        #expect(try name("application/octet-stream", "http://a/x.NPY") == "k.npy")
        #expect(try name(nil, "http://a/x.tar.gz") == "k.gz")
        #expect(try name(nil, "http://a/x") == "k.bin")
        #expect(try name(nil, "http://a/x.j%20g") == "k.bin")
        #expect(try name("application/json", "http://a/x") == "k.json")
        #expect(try name("application/json", "http://a/x", meta: true) == "k.file.json")
    }

    @Test
    func `a header is that of ustar`() {
        let header = USTARHeader("0001700030000.jpg", size: 17_176).bytes
        func text(_ range: Range<Int>) -> String { String(decoding: header[range].filter { $0 != 0 }, as: UTF8.self) }
        #expect(header.count == 512)
        #expect((text(0..<100), text(124..<136), text(156..<157)) == ("0001700030000.jpg", "00000041430", "0"))
        #expect(Array(header[257..<265]) == Array("ustar\u{0}00".utf8))
        // The sum of the bytes, with blanks in place of the sum.
        let sum = header.enumerated().reduce(0) { $0 + (148..<156 ~= $1.offset ? 32 : Int($1.element)) }
        #expect(Int(text(148..<154), radix: 8) == sum)
    }

    @Test(arguments: [0, 1, 511, 512, 513, USTARHeader.largestFile])
    func `sizes up to the largest have eleven digits`(_ size: Int64) {
        let header = USTARHeader("x", size: size).bytes
        #expect(Int64(String(decoding: header[124..<135], as: UTF8.self), radix: 8) == size)
        #expect((Int(size % 512) + USTARHeader.padding(of: size)) % 512 == 0)
    }
}

@Suite struct BatchKeyTests {
    @Test
    func `only names that Pawl gives are those of a slice`() {
        let id = SliceID(shard: 17, slice: 3)
        func slice(_ text: String) -> SliceID? { StoreKey(text)?.slice }
        #expect(StoreKey.manifest(id).slice == id)
        #expect(StoreKey.data(id, digest: [UInt8](repeating: 0xAB, count: 32)).slice == id)
        #expect(slice("data/00017-00003-9f86d081884c.tar") == id)
        #expect(StoreKey.manifest(SliceID(shard: 123_456, slice: 1_000_000)).slice != nil)
        for other in [
            "data/00017-00003-9f86d081884c.idx", "data/00017-00003-9f86d081884c.tar.gz", "data/00017-00003.tar",
            "data/17-3-9f86d081884c.tar", "data/00017-00003-9f86d081884C.tar", "data/x.tar", "data/00017.tar",
            "manifests/00017-00003.ndjson.gz.bak", "manifests/00017-00003.ndjson", "other/00017-00003.ndjson.gz",
            "00017-00003.ndjson.gz", "data/-1-00003-9f86d081884c.tar",
        ] { #expect(slice(other) == nil, "\(other)") }
    }
}
