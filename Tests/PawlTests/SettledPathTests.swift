import Pawl
import PawlSystem
import PawlTestKit
import Testing

@Suite struct SettledPathTests {
    @Test func `a remembered path is looked up again once it leads elsewhere, or its directory is renamed`() throws {
        let directory = try TemporaryDirectory("settled")
        let (first, second, third) = (directory.file("first"), directory.file("second"), directory.file("third"))
        let link = directory.file("link")
        func lead(to target: String) -> String {
            unlink(link)
            return symlink(target, link) == 0 ? POSIXStorage.settledPath(link, trust: .zero) : ""
        }
        try #require(mkdir(first, 0o700) == 0 && mkdir(second, 0o700) == 0)
        #expect(lead(to: first).hasSuffix("/first"))
        #expect(lead(to: second).hasSuffix("/second"))
        try #require(rename(second, third) == 0)
        #expect(lead(to: third).hasSuffix("/third"))
    }
}
