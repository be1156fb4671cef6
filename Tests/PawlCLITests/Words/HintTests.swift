import Pawl
import PawlArchive
import PawlCore
import PawlJobs
import Testing

@testable import PawlCLI

@Suite struct HintTests {
    @Test func `every flag in a hint is a flag of the command`() {
        let help = HelpTopic.answer(to: ["help", "all"], columns: 200) ?? ""
        let remedies =
            DownloadError.Remedy.Known.allCases.map { JobRemedy(DownloadError.Remedy(rawValue: $0.rawValue)) }
            + ArchiveError.Remedy.Known.allCases.map { JobRemedy(ArchiveError.Remedy(rawValue: $0.rawValue)) }
            + JobRemedy.Known.allCases.map { JobRemedy($0) }
        let clauses = remedies.compactMap(\.words?.command) + [Hints.urlPattern]
        let flags = clauses.flatMap { $0.split { " ,;().".contains($0) }.filter { $0.hasPrefix("--") } }
        #expect(flags.count > 10)
        for flag in flags { #expect(help.contains(flag), "\(flag) is no flag") }
    }

    // MARK: Hints in every kind of output

    private static let error = DownloadError(
        .fileExists, "“x” already exists.", remedies: [.decideIfExists, .chooseName, .init(rawValue: "fromLater")],
        recovery: .giveUp)
    private static let words =
        "“x” already exists. Use --if-exists skip, rename or replace, or choose another name with -o."
    private static let archive = ArchiveError(.targetExists, "“x” already exists.", remedies: [.chooseTarget])

    @Test func `a failure's words name the failure first, then the remedy`() {
        #expect(Self.error.text == Self.words)
        #expect(Self.archive.text == "“x” already exists. Choose another name.")
        #expect(DownloadError(.network, "Cut.", recovery: .retryNow).text == "Cut.")
    }

    @Test func `the words of a failure appear in summaries, JSON events and the environment of hooks`() throws {
        #expect(JobFailure.download(Self.error).text == Self.words)
        #expect(JobFailure.archive(Self.archive).text == Self.archive.text)
        #expect(
            JobJSON(.command).ended(JobFileID(1), .failed(Self.error), after: .zero, stopped: 1).encoded.contains(
                Self.words))
        #expect(ArchiveJSON.failed(Self.archive, Self.archive.text, exitCode: 15).encoded.contains(Self.archive.text))
        let url = try HTTPURL(parsing: "https://h/")
        for report in [
            DownloadReport.retrying(Self.error, failures: 1, of: 9, until: .zero), .sourceFailed(url, Self.error),
            .sourceRested(url, Self.error, until: .zero),
        ] {
            #expect(
                JobJSON(.command).notice(JobFileID(1), DownloadNotice(report, now: .zero)).encoded.contains(Self.words))
        }
        #expect(FailureWords.command.message(.download(Self.error)) == Self.words)
    }

    @Test func `an invalid job is reported by the flags that made it`() {
        let help = HelpTopic.answer(to: ["help", "all"], columns: 200) ?? ""
        for flag in JobSpecError.flags.values { #expect(help.contains(flag), "\(flag) is no flag") }
        #expect(throws: UsageError("--member and --range: Ranges cannot be combined with members.")) {
            try ResolvedGet.of(["https://h/a.zip", "--member", "x", "--range", "0-9"])
        }
        #expect(throws: UsageError("--sparse: Only parts of a file can be stored at their positions: give ranges too."))
        {
            throw UsageError(Self.sparse)
        }
    }

    private static var sparse: String {
        var spec = JobSpec("https://h/a")
        spec.options.isSparse = true
        do throws(JobSpecError) { try spec.checked() } catch { return error.text }
        return ""
    }
}
