import PawlCore
import Testing

@Suite("Byte ranges as users write them")
struct RangeSelectionTests {
    private static func selection(_ text: String) throws -> RangeSelection { try RangeSelection(parsing: text) }

    @Test(
        arguments: [
            ("0-499", [.from(0, end: 500)]), ("500-999", [.from(500, end: 1000)]), ("500-", [.from(500, end: nil)]),
            ("-500", [.last(500)]),
            ("500-599,800-899", [.from(500, end: 600), .from(800, end: 900)]),
            ("bytes=0-0,-1", [.from(0, end: 1), .last(1)]),
            ("Bytes=5-5", [.from(5, end: 6)]), (" 1-2 ,\t3-4", [.from(1, end: 3), .from(3, end: 5)]),
            ("0-9223372036854775807", [.from(0, end: nil)]),
            ("7-8,0-99,0-1", [.from(7, end: 9), .from(0, end: 100), .from(0, end: 2)]),
        ] as [(String, [RangeSelection.Part])])
    func `all range forms of RFC 9110 are parsed`(text: String, parts: [RangeSelection.Part]) throws {
        let parsed = try Self.selection(text)
        #expect(parsed.parts == parts)
        #expect(try Self.selection(parsed.description) == parsed)
    }

    @Test(arguments: [
        ("", "empty"), ("-", "not a range"), (",", "empty"), ("0-1,", "empty"), ("5", "not a range"),
        ("a-b", "not a number"), ("1-2-3", "not a range"),
        ("5-4", "ends before it starts"), ("-0", "last 0 bytes"), ("99999999999999999999-", "too large"),
        ("items=0-1", "not a supported unit"),
        ("+1-2", "not a number"), ("1 - 2", "not a number"), ("٣-4", "not a number"), ("--5", "not a range"),
    ])
    func `an invalid range is refused with the reason`(text: String, reason: String) {
        let problem = #expect(throws: RangeSelection.Problem.self) { try Self.selection(text) }
        #expect(problem?.message.contains(reason) == true, "\(problem?.message ?? "")")
    }

    @Test func `too many ranges, and invalid ranges, are refused`() {
        let many = Array(repeating: "0-1", count: 100_000).joined(separator: ",")
        #expect(throws: RangeSelection.Problem.self) { try Self.selection(many) }
        #expect(throws: RangeSelection.Problem.self) { try RangeSelection([RangeSelection.Part]()) }
        #expect(throws: RangeSelection.Problem.self) { try RangeSelection([.from(-1, end: nil)]) }
        #expect(throws: RangeSelection.Problem.self) { try RangeSelection([.from(5, end: 5)]) }
        #expect(throws: RangeSelection.Problem.self) { try RangeSelection([.last(-3)]) }
    }

    @Test(
        arguments: [
            ("0-499", [(0, 500)]), ("500-", [(500, 1000)]), ("-500", [(500, 1000)]), ("-5000", [(0, 1000)]),
            ("900-5000", [(900, 1000)]),
            ("500-599,0-99", [(500, 600), (0, 100)]), ("0-9,5-14", [(0, 10), (5, 15)]), ("999-999", [(999, 1000)]),
        ] as [(String, [(Int64, Int64)])])
    func `a selection resolves to these bytes of a file of 1,000 bytes`(text: String, ranges: [(Int64, Int64)]) throws {
        let resolved = try Self.selection(text).resolved(total: 1000)
        #expect(resolved.pieces == ranges.compactMap { ByteRange(start: $0.0, end: $0.1) })
        #expect(resolved.wanted == RangeSet(resolved.pieces))
        #expect(resolved.count == ranges.reduce(0) { $0 + $1.1 - $1.0 })
    }

    @Test(arguments: ["1000-", "1000-1001", "0-1,2000-2001"])
    func `a range beyond the end is refused, and the error names the length`(text: String) throws {
        let problem = #expect(throws: RangeSelection.Problem.self) { try Self.selection(text).resolved(total: 1000) }
        #expect(problem?.message.contains("1000 bytes") == true)
        #expect(throws: RangeSelection.Problem.self) { try Self.selection("-5").resolved(total: 0) }
    }

    @Test func `without a known length, only a selection of ranges with ends has a known size`() throws {
        #expect(try Self.selection("5-9,0-1").withoutTotal?.count == 7)
        #expect(try Self.selection("5-").withoutTotal == nil)
        #expect(try Self.selection("0-1,-5").withoutTotal == nil)
    }

    @Test func `the selected parts are packed together, or kept at their positions`() throws {
        let resolved = try Self.selection("10-19,40-49").resolved(total: 100)
        let packed = ResultLayout(resolved, isSparse: false)
        #expect(packed.length == 20)
        #expect(packed.slices(of: ByteRange(15..<45)).map(\.offset) == [5, 10])
        #expect(packed.slices(of: ByteRange(15..<45)).map(\.range) == [ByteRange(15..<20), ByteRange(40..<45)])
        #expect(packed.positions(within: 12) == RangeSet([ByteRange(10..<20), ByteRange(40..<42)]))
        #expect(packed.length(holding: RangeSet(ByteRange(10..<15))) == 5)
        #expect(packed.length(holding: RangeSet([ByteRange(10..<15), ByteRange(40..<41)])) == 11)
        #expect(packed.isFinal)
        let sparse = ResultLayout(resolved, isSparse: true)
        #expect(sparse.length == 50)
        #expect(sparse.slices(of: ByteRange(0..<100)).map(\.offset) == [10, 40])
        #expect(sparse.positions(within: 12) == RangeSet(ByteRange(10..<12)))
        #expect(!ResultLayout(try Self.selection("40-49,10-19").resolved(total: 100), isSparse: false).isFinal)
        #expect(!ResultLayout(try Self.selection("0-9,5-14").resolved(total: 100), isSparse: false).isFinal)
    }
}
