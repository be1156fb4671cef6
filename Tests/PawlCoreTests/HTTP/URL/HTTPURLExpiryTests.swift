import PawlCore
import Testing

@Suite struct HTTPURLExpiryTests {
    private static let noon: Int64 = 1_767_960_000  // 2026-01-09T12:00:00Z

    @Test(arguments: [
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260109T110000Z&X-Amz-Expires=3600&X-Amz-Signature=ab",
        "x-goog-date=20260109T113000Z&x-goog-expires=1800&x-goog-signature=ab",
        "AWSAccessKeyId=AKIA&Expires=1767960000&Signature=abc%3D",
        "sv=2024-11-04&se=2026-01-09T12%3A00%3A00Z&sr=b&sp=r&sig=abc", "token=abcdef&exp=1767960000",
        "se=2026-01-09T12:00Z&sig=abc",
    ])
    func `a signed link says when it expires`(_ query: String) throws {
        #expect(try HTTPURL(parsing: "https://a.example/f?" + query).expiry == Self.noon)
    }

    @Test func `a day alone is its beginning`() throws {
        #expect(try HTTPURL(parsing: "https://a.example/f?se=2026-01-09&sig=a").expiry == Self.noon - 12 * 3600)
    }

    @Test(arguments: [
        "", "?Expires=1767960000", "?se=3&sig=a", "?sig=a&se=2026-13-01", "?token=a&exp=30", "?X-Amz-Expires=3600",
        "?X-Amz-Date=20260109T110000Z&X-Amz-Expires=99999999999999999999",
    ])
    func `other links say nothing`(_ query: String) throws {
        #expect(try HTTPURL(parsing: "https://a.example/f" + query).expiry == nil)
    }
}
