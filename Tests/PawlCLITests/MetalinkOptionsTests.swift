import PawlJobs
import Testing

@testable import PawlCLI

@Suite struct MetalinkOptionsTests {
    @Test func `--select without a Metalink is an error`() {
        #expect(throws: UsageError.self) { try GetCommand.parse(["--select", "x"]).jobs.metalink.check() }
        #expect(throws: UsageError.self) { try ResolvedGet.of(["https://h/a", "--select", "x"]) }
    }

    @Test func `each Metalink is a job, and --select applies to all of them`() throws {
        let get = try ResolvedGet.of([
            "--metalink", "a.meta4", "--metalink", "https://h/b?key=1", "--select", "2", "-d", "x",
        ])
        #expect(
            get.jobs.map(\.source) == [
                .metalink("a.meta4", select: ["2"]), .metalink("https://h/b?key=1", select: ["2"]),
            ])
        #expect(get.jobs.allSatisfy { $0.directory == "x" } && !get.canBeTyped.contains(true) && !get.isFreeOfSecrets)
    }

    @Test(arguments: [
        ("disk.meta4", true), ("./x.METALINK", true), ("disk.iso", false), ("https://h.example/x.meta4", false),
    ])
    func `a Metalink file given as a URL is answered with a hint to --metalink`(_ url: String, _ expected: Bool) {
        #expect(MetalinkOptions.hint(for: JobSpec(url)).contains("--metalink") == expected)
    }

    @Test func `--checksum and --checksum-file exclude each other`() {
        #expect(throws: UsageError.self) {
            try ResolvedGet.of(["https://h/a", "--checksum-file", "SUMS", "--checksum", GetCommandTests.emptySHA256])
        }
        #expect(throws: Never.self) { try ResolvedGet.of(["https://h/a", "--checksum-file", "SUMS"]) }
    }
}
