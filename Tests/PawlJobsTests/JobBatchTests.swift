import Pawl
import PawlCore
import Testing

@testable import PawlJobs

@Suite struct JobBatchTests {
    private func batch(
        like template: JobSpec = JobSpec(""), output: String? = nil, directory: String? = nil,
        holdsSecrets: Bool = false
    ) -> JobBatch {
        JobBatch(
            like: template, output: output, directory: directory, holdsSecrets: holdsSecrets,
            isDirectory: { $0 == "there" })
    }

    private func unexpected(_ what: String) { Issue.record("\(what) is told otherwise") }

    @Test func `each URL of a pattern becomes a job like the template`() throws {
        var template = JobSpec("")
        template.userAgent = "x"
        var batch = batch(like: template, output: "d/#1.bin", directory: "/srv")
        try batch.add(url: "https://h/{a,b}", isPattern: true)
        #expect(batch.jobs.map(\.source) == [.url("https://h/a"), .url("https://h/b")])
        #expect(batch.jobs.map(\.fileName) == ["a.bin", "b.bin"])
        #expect(batch.jobs.allSatisfy { $0.directory == "/srv/d" && $0.userAgent == "x" })
        #expect(batch.canBeTyped == [true, true])
        try batch.checkSeveral()
    }

    @Test func `a value that suits only one file is refused for several`() throws {
        func problem(_ change: (inout JobSpec) -> Void, output: String? = nil) throws -> JobBatch.Problem? {
            var template = JobSpec("")
            change(&template)
            var batch = batch(like: template, output: output)
            try batch.add(url: "https://h/a", isPattern: false)
            try batch.checkSeveral()
            try batch.add(url: "https://h/b", isPattern: false)
            do throws(JobBatch.Problem) { try batch.checkSeveral() } catch { return error }
            return nil
        }
        let digest = try OptionText.digest("md5:d41d8cd98f00b204e9800998ecf8427e")
        guard case .onlyOfOne(.digest)? = try problem({ $0.options.digest = digest }) else {
            return unexpected("the digest")
        }
        guard case .onlyOfOne(.mirrors)? = try problem({ $0.source = .url("", mirrors: [Mirror("https://m/")]) }) else {
            return unexpected("mirrors")
        }
        guard case .onlyOfOne(.members)? = try problem({ $0.members = ["x"] }) else { return unexpected("members") }
        guard case .sharedName("x", count: 2)? = try problem({ _ in }, output: "x") else {
            return unexpected("the name")
        }
        #expect(try problem { _ in } == nil)
    }

    @Test func `an error in a list names the list as shown, and the line`() throws {
        func problem(_ text: String) -> JobBatch.Problem? {
            var batch = batch()
            do throws(JobBatch.Problem) {
                try batch.add(list: "l") { (_) throws(DownloadList.Problem) in
                    ListReader(try DownloadList(parsing: Array(text.utf8)).entries)
                }
            } catch {
                return error
            }
            return nil
        }
        guard case .option("“l”", let option)? = problem("https://h/a\n x=y\n"), option.line == 2 else {
            return unexpected("the option")
        }
        guard case .entry("“l”", line: 3, .spec)? = problem("https://h/a\n\nftp://h/b\n") else {
            return unexpected("the URL")
        }
        guard case .entry("“l”", line: 1, .place(.isDirectory("there")))? = problem("https://h/a\n out=there\n") else {
            return unexpected("the place")
        }
    }

    @Test func `a batch with secrets is marked as not to be shown`() throws {
        var plain = batch()
        try plain.add(url: "https://h/a", isPattern: false)
        #expect(!plain.holdsSecrets && plain.canBeTyped[0])
        try plain.add(url: "https://h/a?key=1", isPattern: false)
        #expect(plain.holdsSecrets)
        var template = JobSpec("")
        template.digestList = "https://h/sums?key=1"
        for var batch in [batch(like: template), batch(holdsSecrets: true)] {
            try batch.add(url: "https://h/a", isPattern: false)
            #expect(batch.holdsSecrets && !batch.canBeTyped[0])
        }
    }
}
