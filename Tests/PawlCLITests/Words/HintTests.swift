import Pawl
import PawlArchive
import PawlCore
import Testing

@testable import PawlCLI

@Suite("Hints") struct HintTests {
    @Test(arguments: DownloadError.Remedy.all)
    func `each remedy of a download has words`(remedy: DownloadError.Remedy) throws {
        expectHalfSentence(try #require(Hints.clause(for: remedy), "\(remedy) has no words"))
    }

    @Test(arguments: ArchiveError.Remedy.all)
    func `each remedy of an archive has words`(remedy: ArchiveError.Remedy) throws {
        expectHalfSentence(try #require(Hints.clause(for: remedy), "\(remedy) has no words"))
    }

    @Test func `no remedy has the words of another`() {
        let downloads = DownloadError.Remedy.all.compactMap { Hints.clause(for: $0) }
        let archives = ArchiveError.Remedy.all.compactMap { Hints.clause(for: $0) }
        #expect(Set(downloads).count == downloads.count)
        #expect(Set(archives).count == archives.count)
    }

    private func expectHalfSentence(_ clause: String) {
        #expect(clause.first?.isLowercase == true && clause.last != "." && !clause.contains(". "), "\(clause)")
    }

    @Test func `several are one sentence`() {
        #expect(Hints.sentence([]) == nil)
        #expect(Hints.sentence(["wait for it"]) == "Wait for it.")
        #expect(Hints.sentence(["wait for it", "leave it"]) == "Wait for it, or leave it.")
        #expect(Hints.sentence(["wait for it", "leave it", "end it"]) == "Wait for it, leave it, or end it.")
    }

    @Test func `a flag that a hint names is one of the command`() {
        let help = HelpTopic.answer(to: ["help", "all"], columns: 200) ?? ""
        let clauses =
            DownloadError.Remedy.all.compactMap { Hints.clause(for: $0) } + ArchiveError.Remedy.all.compactMap { Hints.clause(for: $0) }
            + [Hints.urlPattern, Hints.checksumList]
        let flags = clauses.flatMap { $0.split { " ,;().".contains($0) }.filter { $0.hasPrefix("--") } }
        #expect(flags.count > 10)
        for flag in flags { #expect(help.contains(flag), "\(flag) is no flag") }
    }

    // MARK: Wherever an error is told

    private static let error = DownloadError(
        .fileExists, "“x” exists already.", remedies: [.decideIfExists, .chooseName, .init(rawValue: "fromLater")], recovery: .giveUp)
    private static let words = "“x” exists already. Use --if-exists skip, rename or replace, or choose another name with -o."
    private static let archive = ArchiveError(.targetExists, "“x” exists already.", remedies: [.chooseTarget])

    @Test func `what failed is told first, then what helps`() {
        #expect(Self.error.words == Self.words)
        #expect(Self.archive.words == "“x” exists already. Name another.")
        #expect(DownloadError(.network, "Cut.", recovery: .retryNow).words == "Cut.")
    }

    @Test func `it is in summaries, events and the environment of hooks`() throws {
        let ending = GetEnding.failed(Self.error)
        #expect(ending.message == Self.words)
        #expect(GetEnding.archiveFailed(Self.archive).message == Self.archive.words)
        #expect(GetEvents.ended(ending, id: 1, after: .zero).encoded.contains(Self.words))
        #expect(ArchiveEvents.failed(Self.archive, exitCode: .archive).encoded.contains(Self.archive.words))
        for notice in [
            DownloadNotice.retrying(Self.error, failures: 1, seconds: 1), .sourceFailed(url: "u", Self.error),
            .sourceRested(url: "u", Self.error, seconds: 1),
        ] {
            #expect(GetEvents.notice(notice, id: 1).encoded.contains(Self.words))
        }
        let hook = try #require(HookFacts(ending, id: "1", url: "u", digest: nil, workingDirectory: [UInt8(ascii: "/")]))
        #expect(hook.variables["PAWL_ERROR"] == Self.words)
    }
}
