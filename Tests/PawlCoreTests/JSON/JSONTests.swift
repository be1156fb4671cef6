import PawlCore
import PawlTestKit
import Testing

@Suite struct JSONTests {
    private static func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    private static func whole(_ number: Int64) -> JSONValue { .integer(number) }

    private static let allowed: [(String, JSONValue)] = [
        ("null", .null), (" true ", .boolean(true)), ("false", .boolean(false)), ("0", whole(0)), ("-7", whole(-7)),
        ("9223372036854775807", whole(.max)), ("9223372036854775808", .decimal("9223372036854775808")),
        ("1.50", .decimal("1.50")),
        ("-0.0e+2", .decimal("-0.0e+2")), ("\"\"", .string("")),
        (#""a\"\\\/\b\f\n\r\té""#, .string("a\"\\/\u{8}\u{C}\n\r\té")), (#""\ud83d\ude00""#, .string("😀")),
        ("\"\\u0000\"", .string("\0")),
    ]

    private static let nestedValues: [(String, JSONValue)] = [
        ("[]", .array([])), ("{ }", .object([])), ("\t[\n1 ,\r2 ]", .array([whole(1), whole(2)])),
        ("[1,[2],{}]", .array([whole(1), .array([whole(2)]), .object([])])),
        (#"{"a":1,"b":{"a":null}}"#, ["a": whole(1), "b": ["a": .null]]),
    ]

    @Test(arguments: allowed + nestedValues)
    func `every value that RFC 8259 allows is parsed`(text: String, value: JSONValue) throws {
        #expect(try Self.parse(text) == value)
        #expect(try Self.parse(value.encoded) == value)
    }

    @Test(arguments: [
        "", " ", "nul", "True", "01", "-", "1.", ".5", "1e", "+1", "NaN", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"", "\"\n\"", "[1,]", "[1 2]", "[", "{", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}",
        "{\"a\":1,\"a\":2}",
        "1 2", "[]]", "'a'", "{\"a\":1 \"b\":2}", "\u{FEFF}1",
    ])
    func `any other text is an error`(text: String) {
        #expect(throws: JSONValue.Problem.self) { try Self.parse(text) }
    }

    /// `é` as one scalar and as two are different names, and bytes that are not UTF-8 are not text.
    @Test func `member names are told apart by their bytes`() throws {
        let value = try Self.parse("{\"é\":1,\"e\u{301}\":2}")
        guard case .object(let members) = value else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.value) == [Self.whole(1), Self.whole(2)])
        #expect(throws: JSONValue.Problem.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
    }

    @Test func `nesting depth is limited`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try Self.parse(nested(JSONValue.maximumDepth))
        #expect(throws: JSONValue.Problem.self) { try Self.parse(nested(JSONValue.maximumDepth + 1)) }
        #expect(throws: JSONValue.Problem.self) { try Self.parse(String(repeating: "[{\"a\":", count: 1_000_000)) }
    }

    @Test func `a parse error names its position`() throws {
        let problem = #expect(throws: JSONValue.Problem.self) { try Self.parse("{\"a\": x}") }
        #expect(problem?.position == 6)
    }
}
