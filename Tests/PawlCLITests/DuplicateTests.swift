import Pawl
import PawlCore
import Testing

@testable import PawlCLI

/// Which downloads of a run are one.
@Suite struct DuplicateTests {
    /// Pairs of these differ in what someone could take for nothing: spelling, signature, user, port, fragment.
    static let urls = [
        "https://h/caf\u{E9}", "https://h/cafe\u{301}", "https://h/caf%C3%A9", "https://h/cafe%CC%81", "https://h/caf%c3%a9",
        "https://h/dl?token=A", "https://h/dl?token=B", "https://h/dl", "https://h/dl?", "https://h/dl/", "https://h/dl#x",
        "https://alice:x@h/dl", "https://bob:y@h/dl", "https://alice@h/dl", "https://alice:x@h/dl?token=A",
        "https://h/?st=2&e=1", "https://h/?st=2&e=2", "https://h/?e=1&st=2", "http://h/dl", "HTTPS://h/dl", "https://H/dl",
        "https://h:443/dl", "https://h:444/dl", "https://h/x/../dl", "https://h/%64l", "https://h/dl?X-Amz-Signature=1&X-Amz-Date=2",
        "https://h/dl?X-Amz-Signature=2&X-Amz-Date=2", "https://h/a\u{327}\u{301}", "https://h/a\u{301}\u{327}",
    ]

    /// What a run makes of two URLs that differ in a byte: both, or one and a remark, and then only where what is sent is the same.
    @Test func `M15 of two URLs that differ both are fetched, or a remark says why one is not`() throws {
        // Parsed once: that takes longer than all the rest.
        let command = try #require(try PawlCommand.subcommand(from: ["get", "-i", "l"]) as? GetCommand)
        for first in Self.urls {
            for second in Self.urls where !first.utf8.elementsEqual(second.utf8) {
                guard let one = try? HTTPURL(parsing: first), let other = try? HTTPURL(parsing: second) else { continue }
                let entries = try DownloadList(parsing: Array("\(first)\n\(second)\n".utf8)).entries
                let get = try GetPlanner(isDirectory: { _ in false }, files: NamedFiles(), readList: { _ in entries }).plan(command)
                let planned = get.downloads.map { Array($0.request.url.utf8) }
                if one == other {
                    #expect(planned == [Array(first.utf8)] && get.remarks.count == 1, "\(first) \(second)")
                } else {
                    #expect(planned == [Array(first.utf8), Array(second.utf8)] && get.remarks.isEmpty, "\(first) \(second)")
                }
            }
        }
    }

    @Test func `M16 names and directories are told apart by bytes`() throws {
        let list = """
            https://h/1
             out=caf\u{E9}
            https://h/2
             out=cafe\u{301}
            https://h/3
             out=x
             dir=\u{E9}
            https://h/4
             out=x
             dir=e\u{301}
            """
        let get = try ResolvedGet.of(["-i", "l"], lists: ["l": list])
        #expect(get.downloads.count == 4 && get.remarks.isEmpty)
    }

    @Test func `M15 two parts of one URL are two downloads`() throws {
        let list = "https://h/a\n range=0-9\nhttps://h/a\n range=10-19\nhttps://h/a\n range=0-9\n sparse=true\nhttps://h/a\n range=0-9\n"
        let get = try ResolvedGet.of(["-i", "l"], lists: ["l": list])
        #expect(get.downloads.count == 3)
        #expect(get.remarks == ["One URL is given twice and fetched once."])
    }

    // MARK: What is counted as done

    /// Tells nobody anything.
    private struct Silence: GetReporter {
        let interval: Duration? = nil
        func remark(_ text: String) {}
        func began(_ download: PlannedDownload) {}
        func note(_ notice: DownloadNotice, of download: PlannedDownload) {}
        func tick(_ run: RunProgress, at time: Duration) {}
        func ended(_ download: PlannedDownload, _ ending: GetEnding, after elapsed: Duration) {}
        func unpacked(
            _ download: PlannedDownload, _ planned: PlannedUnpacking, _ ending: UnpackingEnding, after elapsed: Duration
        ) {}
        func finished(_ summary: RunSummary) {}
    }

    /// By paths that downloads end at, whether they were there before or not.
    private func summary(_ paths: [(String, wasSkipped: Bool)]) async throws -> RunSummary {
        let get = try ResolvedGet.of(paths.indices.map { "https://h/\($0)" })
        let display = GetDisplay(get, Silence())
        for (planned, (path, wasSkipped)) in zip(get.downloads, paths) {
            await display.began(planned)
            var result = DownloadResult.existing(path, byteCount: 1, finalURL: planned.shownURL)
            if !wasSkipped { result = result.becoming(path, byteCount: 1) }
            await display.ended(planned, .completed(result))
        }
        return await display.finish(cause: nil)
    }

    @Test(arguments: [false, true])
    func `M15 of two downloads that end at one path one is done, replaced or not`(wasSkipped: Bool) async throws {
        let summary = try await summary([("x", false), ("y", false), ("x", wasSkipped)])
        #expect(summary.completed == 2 && summary.failures.map(\.download.id) == [3])
        #expect(summary.exitCode == .fileExists)
    }

    @Test func `M16 paths that differ in a byte are two files, both done`() async throws {
        let summary = try await summary([("caf\u{E9}", false), ("cafe\u{301}", false)])
        #expect(summary.completed == 2 && summary.exitCode == .done)
    }
}
