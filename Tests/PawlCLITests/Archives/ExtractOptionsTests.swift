import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import PawlJobs
import Testing

@testable import PawlCLI

@Suite struct ExtractOptionsTests {
    // MARK: An optional value

    @Test(
        arguments: [
            (["get", "--extract", "dir", "http://h/a.zip"], ["get", "--extract-to=dir", "http://h/a.zip"]),
            (["get", "--extract=dir", "http://h/a.zip"], ["get", "--extract-to=dir", "http://h/a.zip"]),
            (["get", "--extract=", "http://h/a.zip"], ["get", "--extract-to=", "http://h/a.zip"]),
            (["get", "--extract", "http://h/a.zip"], ["get", "--extract", "http://h/a.zip"]),
            (["get", "--extract", "{http,https}://h/a.zip"], ["get", "--extract", "{http,https}://h/a.zip"]),
            (["get", "http://h/a.zip", "--extract"], ["get", "http://h/a.zip", "--extract"]),
            (["get", "http://h/a.zip", "--extract", "dir"], ["get", "http://h/a.zip", "--extract-to=dir"]),
            (["get", "--extract", "-q", "http://h/a.zip"], ["get", "--extract", "-q", "http://h/a.zip"]),
            (["get", "--extract", "./-q", "http://h/a.zip"], ["get", "--extract-to=./-q", "http://h/a.zip"]),
            (["get", "--extract", "--", "http://h/a.zip"], ["get", "--extract", "--", "http://h/a.zip"]),
            (["get", "--", "--extract", "dir"], ["get", "--", "--extract", "dir"]),
            (["get", "--extract-remove", "--extract", "d"], ["get", "--extract-remove", "--extract-to=d"]),
            (["extract", "--extract", "d"], ["extract", "--extract", "d"]),
            ([], []),
        ] as [([String], [String])])
    func `the word after --extract is a directory unless it is a flag or a URL`(words: [String], settled: [String]) {
        #expect(ExtractOptions.settle(words) == settled)
        #expect(ExtractOptions.settle(settled) == settled)
    }

    // MARK: Planning

    @Test func `an archive is unpacked beside itself, or into the given directory`() throws {
        #expect(try ResolvedGet.of(["http://h/a.zip"]).jobs[0].unpacking == nil)
        let beside = try #require(try ResolvedGet.of(["--extract", "http://h/a.zip"]).jobs[0].unpacking)
        #expect(beside.directory == nil && !beside.removesArchive)
        #expect(Unpacking.target(of: "down/a.tar.gz", in: beside.directory, isAlone: true) == "down/a")
        #expect(Unpacking.target(of: "down/a.tar.gz", in: beside.directory, isAlone: false) == "down/a")
        let told = try #require(
            try ResolvedGet.of(["--extract", "dir", "--extract-remove", "http://h/a.zip"]).jobs[0].unpacking)
        #expect(told.removesArchive)
        #expect(Unpacking.target(of: "down/a.zip", in: told.directory, isAlone: true) == "dir")
        #expect(Unpacking.target(of: "down/a.zip", in: told.directory, isAlone: false) == "dir/a")
    }

    /// Repeating the command unpacks an archive that was downloaded but not unpacked.
    @Test func `with --extract an existing file is skipped, unless --if-exists says otherwise`() throws {
        #expect(try ResolvedGet.of(["--extract", "http://h/a.zip"]).downloads[0].request.ifExists == .skip)
        #expect(
            try ResolvedGet.of(["--extract", "--if-exists", "fail", "http://h/a.zip"]).downloads[0].request.ifExists
                == .fail)
        #expect(try ResolvedGet.of(["http://h/a.zip"]).downloads[0].request.ifExists == nil)
    }

    @Test func `unpacking limits and passwords are read`() throws {
        func options(_ words: String...) throws -> ExtractionOptions {
            try ExtractCommand.parse(["a.zip"] + words).unpacking.unpacking.options(members: [], SecretReader())
        }
        #expect(try options() == ExtractionOptions())
        #expect(try options("--max-unpacked", "20G").limits.maximumBytes == 20 << 30)
        #expect(try options("--max-unpacked", "none").limits.maximumBytes == .max)
        #expect(try options("--max-ratio", "7").limits.maximumRatio == 7)
        #expect(try options("--max-ratio", "none").limits.maximumRatio == nil)
        #expect(try options("--max-members", "99999999999999").limits.maximumMembers == 99_999_999_999_999)
        #expect(try !options("--no-links").allowsLinks)
        #expect(try options("--allow-twins").allowsTwins)
    }
}
