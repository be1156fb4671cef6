import PawlArchive
import PawlCore
import PawlJobs
import Testing

@testable import Pawl
@testable import PawlCLI

@Suite struct GetUnpackingTests {
    private static let damaged = ArchiveError(.damaged, "“x” in “a.zip” is damaged.", member: "x")

    private static func fetched(_ path: String) -> FetchedFile {
        FetchedFile(target: FileTarget(path: path), result: DownloadResult.example.becoming(path, byteCount: 1))
    }

    private static func unpacked(_ directory: String) -> UnpackedFile {
        UnpackedFile(
            target: FileTarget(path: directory), result: ExtractionResult(directory: directory, members: 1, bytes: 1))
    }

    private static func failed(_ path: String) -> JobOutcome {
        .failed(.unpack, .archive(damaged), fetched: fetched(path))
    }

    private func words(_ words: String...) throws -> GetWords {
        GetWords(
            get: try ResolvedGet.of(["--extract"] + words), style: DisplayStyle(locale: .utf8, isColoured: false),
            command: ["pawl", "get", "--extract"] + words)
    }

    @Test func `an archive that is not unpacked is kept, and the command to unpack it is shown`() throws {
        let words = try words("http://h/a")
        #expect(
            words.lines(unpacking: Self.failed("down/a b.zip"), of: words.get.downloads[0], after: .zero) == [
                "pawl: error: “x” in “a.zip” is damaged.", "pawl: “down/a b.zip” is kept. To unpack it:",
                "  pawl extract 'down/a b.zip'",
            ])
        #expect(
            words.lines(
                unpacking: .stopped(.unpack, fetched: Self.fetched("down/a b.zip")), of: words.get.downloads[0],
                after: .zero
            ).first
                == "pawl: Stopped; “down/a b.zip” is complete but not unpacked. To unpack it:")
        let named = try self.words("http://h/a", "--extract-to", "down/a b", "--no-links")
        #expect(
            named.unpackCommand(Self.fetched("down/a b.zip"), named.get.downloads[0])
                == "pawl extract 'down/a b.zip' -d 'down/a b' --no-links")
        #expect(
            named.unpackCommand(Self.fetched("-a.zip"), named.get.downloads[0])
                == "pawl extract ./-a.zip -d 'down/a b' --no-links")
        let several = try self.words("http://h/a", "http://h/b", "--extract-to", "d")
        #expect(
            several.unpackCommand(Self.fetched("x/a.zip"), several.get.downloads[0]) == "pawl extract x/a.zip -d d/a")
    }

    @Test func `a failed unpacking has its own exit code, and a failed download takes precedence`() throws {
        let words = try words("http://h/a", "http://h/b")
        let done = JobOutcome.completed(.example, Self.unpacked("a"))
        #expect(RunEnding.of(words.get, [1: done, 2: done]).exitCode == .done)
        let half = RunEnding.of(words.get, [1: done, 2: Self.failed("b")])
        #expect(half.exitCode == .notUnpacked)
        #expect(words.lines(for: half.summary).first?.contains("2 of 2 files, 1 not unpacked") == true)
        #expect(RunEnding.of(words.get, [1: .failed(.reset), 2: Self.failed("b")]).exitCode == .network)
        let stopped = JobOutcome.stopped(.unpack, fetched: Self.fetched("b"))
        #expect(RunEnding.of(words.get, [1: done, 2: stopped], cause: .interrupt).exitCode == .interrupted)
    }

    @Test func `unpacking is drawn in place of a single download, and below several`() throws {
        let style = DisplayStyle(locale: .utf8, isColoured: false)
        var alone = RunProgress(total: 1)
        alone.unpacking = ArchiveActivity(.unpacking, name: "a.zip", id: 1)
        #expect(
            RunRenderer(style: style, slots: 1).lines(alone, width: 80, height: 24, time: .zero, frame: 0).count == 2)
        var several = RunProgress(total: 9)
        several.unpacking = ArchiveActivity(.unpacking, name: "a.zip", id: 1)
        for height in 1...24 {
            let lines = RunRenderer(style: style, slots: 5).lines(
                several, width: 80, height: height, time: .zero, frame: 0)
            #expect(lines.count <= max(1, height - 1))
            if height > 8 { #expect(lines.contains { $0.text(coloured: false).hasPrefix("a.zip: 0") }) }
        }
    }
}
