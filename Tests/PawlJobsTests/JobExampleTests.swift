import Pawl
import PawlJobs
import Testing

/// The Swift examples of the documentation about jobs.
@Suite("Examples of the documentation: jobs")
struct JobExampleTests {
    @Test func `a job is made, checked and written`() throws {
        let digest = String(repeating: "0a", count: 32)
        // README:begin job
        var job = JobSpec("https://example.org/photos.zip")
        job.options.digest = try Digest(parsing: "sha-256:" + digest)
        job.unpacking = Unpacking()
        try job.checked()
        print(job.json)
        // README:end
        #expect(try JobSpec(json: job.json) == job)
    }

    @Test func `a job is read, or the error names the fields`() throws {
        var jobs: [JobSpec] = []
        func run(_ job: JobSpec) { jobs.append(job) }
        for line in [#"{"url":"https://example.org/a"}"#, #"{"url":"https://example.org/a","unknown":1}"#] {
            // README:begin job-reading
            do {
                run(try JobSpec(json: line))
            } catch {
                print(error.fields, error.message)
            }
            // README:end
        }
        #expect(jobs == [JobSpec("https://example.org/a")])
    }
}
