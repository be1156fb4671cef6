import PawlCore
import PawlJobs
import Testing

@testable import PawlServer

@Suite struct HintTests {
    private func hint(_ remedies: [String], _ step: JobStep, members: [String] = []) -> String? {
        var spec = JobSpec("https://example.org/a.zip")
        spec.members = members
        var job = StoredJob(id: StoredJob.freshID(), spec: spec, added: 0)
        job.step = step
        job.failure = StoredJob.Failure(code: "tooLarge", message: "No.", remedies: remedies)
        return job.hint
    }

    @Test func `an archive's remedy is worded as one, though downloads have another of its name`() {
        #expect(hint(["fetchWhole"], .fetch) == "Download the whole file.")
        #expect(hint(["fetchWhole"], .unpack) == "Download and unpack the whole archive.")
        #expect(hint(["fetchWhole"], .fetch, members: ["x"]) == "Download and unpack the whole archive.")
        #expect(
            hint(["decideIfExists", "chooseTarget"], .unpack)
                == "Choose what happens to existing files: rename or replace, or choose another directory.")
    }

    @Test func `a stored remedy of a later version is left out`() {
        #expect(hint(["fromLater", "tryAgain"], .fetch) == "Retry.")
        #expect(hint(["fromLater"], .fetch) == nil && hint([], .fetch) == nil)
    }

    @Test func `the remedies of a job's failure are stored by their names`() {
        let failure = JobFailure.selectsNothing("x")
        let stored = StoredJob.Failure(failure)
        #expect(stored.remedies == ["checkSelection"] && stored.recovery == "giveUp")
        #expect(failure.hint == "Choose a file that the Metalink lists.")
    }
}
