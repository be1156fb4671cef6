import PawlArchive
import PawlCore
import Testing

@testable import Pawl
@testable import PawlCLI

@Suite struct GetUnpackingTests {
    private static let planned = PlannedUnpacking(archive: "down/a b.zip", directory: "down/a b", isNamed: false)
    private static let damaged = ArchiveError(.damaged, "“x” in “a.zip” is damaged.", member: "x")

    private func words(_ urls: String...) throws -> GetWords {
        GetWords(get: try ResolvedGet.of(["--extract"] + urls), locale: .utf8, command: ["pawl", "get", "--extract"] + urls)
    }

    @Test func `an archive that is not unpacked is kept, and there is a command to try again`() throws {
        #expect(
            try words("http://h/a").lines(for: .failed(Self.damaged), of: Self.planned, after: .zero) == [
                "pawl: “x” in “a.zip” is damaged.", "pawl: “down/a b.zip” is kept. To unpack it:", "  pawl extract 'down/a b.zip'",
            ])
        var named = Self.planned
        named.isNamed = true
        #expect(named.command == "pawl extract 'down/a b.zip' -d 'down/a b'")
        named.archive = "-a.zip"
        #expect(named.command == "pawl extract ./-a.zip -d 'down/a b'")
        #expect(
            try words("http://h/a").lines(for: .stopped, of: Self.planned, after: .zero).first
                == "pawl: Stopped; “down/a b.zip” is whole, and nothing of it is unpacked. To unpack it:")
    }

    @Test func `what was not unpacked has its exit code, and a failed download counts for more`() throws {
        let words = try words("http://h/a", "http://h/b")
        func summary(_ endings: [Int: GetEnding], _ unpackings: [Int: UnpackingEnding], cause: StopCause? = nil) -> RunSummary {
            var run = RunProgress(total: 2)
            for id in endings.keys.sorted() {
                run.began(id, name: "", at: .zero)
                if let ending = endings[id] { run.ended(id, ending) }
            }
            return RunSummary(words.get, run, endings: endings, unpackings: unpackings, elapsed: .seconds(1), cause: cause)
        }
        let done: [Int: GetEnding] = [1: .completed(.example), 2: .completed(.example)]
        let unpacked = UnpackingEnding.unpacked(ExtractionResult(directory: "a", members: 1, bytes: 1))
        #expect(summary(done, [1: unpacked, 2: unpacked]).exitCode == .done)
        let half = summary(done, [1: unpacked, 2: .failed(Self.damaged)])
        #expect(half.exitCode == .notUnpacked)
        #expect(words.lines(for: half).first?.contains("2 of 2 files, 1 not unpacked") == true)
        #expect(summary([1: .failed(.reset), 2: .completed(.example)], [2: .failed(Self.damaged)]).exitCode == .network)
        #expect(summary(done, [1: unpacked, 2: .stopped], cause: .interrupt).exitCode == .interrupted)
    }

    @Test func `a hook is told where it is, or why not`() throws {
        let directory = Array("/srv".utf8)
        var facts = try #require(
            HookFacts(.completed(.example), id: "1", url: "http://h/a", digest: nil, workingDirectory: directory))
        facts.add(.unpacked(ExtractionResult(directory: "down/a", members: 1, bytes: 1)), workingDirectory: directory)
        #expect(facts.variables["PAWL_EXTRACTED"] == "yes" && facts.paths["PAWL_DIRECTORY"] == Array("/srv/down/a".utf8))
        facts.add(.failed(Self.damaged), workingDirectory: directory)
        #expect(facts.variables["PAWL_EXTRACTED"] == "no" && facts.variables["PAWL_CODE"] == "damaged" && facts.variables["PAWL_EXIT_CODE"] == "18")
        let stray = facts.environment(inheriting: ["PAWL_DIRECTORY=/old", "HOME=/h"].map { Array($0.utf8) })
        #expect(!stray.contains(Array("PAWL_DIRECTORY=/old".utf8)) && stray.contains(Array("HOME=/h".utf8)))
    }

    @Test func `unpacking is drawn in place of the download, and below several`() throws {
        let style = DisplayStyle(locale: .utf8, isColoured: false)
        var alone = RunProgress(total: 1)
        alone.unpacking = ArchiveActivity(.unpacking, name: "a.zip", id: 1)
        #expect(RunRenderer(style: style, slots: 1).lines(alone, width: 80, height: 24, time: .zero, frame: 0).count == 2)
        var several = RunProgress(total: 9)
        several.unpacking = ArchiveActivity(.unpacking, name: "a.zip", id: 1)
        for height in 1...24 {
            let lines = RunRenderer(style: style, slots: 5).lines(several, width: 80, height: height, time: .zero, frame: 0)
            #expect(lines.count <= max(1, height - 1))
            if height > 8 { #expect(lines.contains { $0.text(coloured: false).hasPrefix("a.zip: 0") }) }
        }
    }
}
