import Testing

@testable import PawlCore

@Suite("The comparison of held bytes with the server's")
struct OverlapCheckTests {
    @Test func `R05 a lead-in belongs to the next request alone, and only if that begins where the lead-in ends`() {
        var overlap = OverlapCheck()
        overlap.askAgain(for: ByteRange(90..<100))
        let first = [overlap.takePrecedingLength(before: 100), overlap.takePrecedingLength(before: 100)]
        #expect(first == [10, nil])
        overlap.askAgain(for: ByteRange(90..<100))
        let second = [overlap.takePrecedingLength(before: 200), overlap.takePrecedingLength(before: 100)]
        #expect(second == [nil, nil])
    }

    @Test func `each connection that breaks within the overlap makes the next overlap smaller, down to a limit`() {
        var overlap = OverlapCheck()
        let halvings = (1...5).map { _ in
            overlap.noteBroken()
            return overlap.halvings
        }
        #expect(halvings == [4, 8, 12, 16, 16])
    }

    @Test func `a new start requests none of the bytes that the former start held`() throws {
        let settings = DownloadSettings(url: try HTTPURL(parsing: "http://origin.example/file.bin"))
        var attempt = Attempt(of: settings)
        attempt.overlap.askAgain(for: ByteRange(90..<100))
        var next = attempt.next(of: settings)
        let count = next.overlap.takePrecedingLength(before: 100)
        #expect(count == nil && next.written.isEmpty)
    }
}
