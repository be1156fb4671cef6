import Pawl
import PawlCore
import Testing

@testable import PawlJobs

@Suite("The search for a list of digests beside a URL")
struct DigestSearchTests {
    private let wrong = String(repeating: "0", count: 64)

    @Test func `lists are looked for beside the file, without its query`() throws {
        let search = DigestSearch(beside: try HTTPURL(parsing: "https://h/d/a%20b:c.iso?token=x#y"))
        #expect(
            search.places == [
                "https://h/d/a%20b:c.iso.sha256", "https://h/d/a%20b:c.iso.sha512", "https://h/d/SHA256SUMS",
                "https://h/d/SHA512SUMS", "https://h/d/sha256sum.txt",
            ])
        #expect(DigestSearch(beside: try HTTPURL(parsing: "https://h/d/")).places.isEmpty)
    }

    @Test func `a digest without a name counts only in a list of this file alone`() throws {
        let search = DigestSearch(beside: try HTTPURL(parsing: "https://h/d/a%20b.iso"))
        let nameless = DigestList(parsing: wrong.utf8)
        #expect(search.digest(in: nameless, at: search.places[0])?.hex == wrong)
        #expect(search.digest(in: nameless, at: search.places[2]) == nil)
        let named = DigestList(parsing: "\(wrong)  a b.iso\n\(wrong.replacing("0", with: "1"))  c.iso".utf8)
        #expect(search.digest(in: named, at: search.places[2])?.hex == wrong)
        #expect(search.digest(in: DigestList(parsing: "<html>".utf8), at: search.places[0]) == nil)
    }

    @Test func `whoever makes a job without looking keeps the wish for a list`() throws {
        var job = JobSpec(.url("https://h/a"))
        job.digestList = "auto"
        #expect(!job.isOneFile)
        let left = try job.withoutLocalFiles(SecretReader())
        #expect(left.jobs.map(\.digestList) == ["auto"])
    }

    @Test func `a Metalink leaves nothing to look for`() {
        var job = JobSpec(.metalink("https://h/a.meta4"))
        job.digestList = "auto"
        #expect(throws: JobSpecError.self) { try job.checked() }
    }
}
