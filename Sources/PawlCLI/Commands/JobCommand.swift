import PawlJobs

/// A command whose flags describe jobs: `pawl get` does them, `pawl add` hands them to the service.
protocol JobCommand {
    var urls: [String] { get }
    var input: InputOptions { get }
    var metalink: MetalinkOptions { get }
    var members: MemberOptions { get }
    var extract: ExtractOptions { get }
    var unpacking: UnpackingOptions { get }
    var checksumFile: ChecksumFileOption { get }
    /// `-o`.
    var outputName: String? { get }
    /// `-d`.
    var directory: String? { get }
    /// All groups that change requests or the configuration: a new one is added there.
    var groups: [any RequestOptions] { get }
}

extension JobCommand {
    /// The job that the flags describe, without its URL and target.
    func describedJob() throws(UsageError) -> JobSpec {
        var job = JobSpec("")
        for group in groups { try group.apply(to: &job) }
        try checksumFile.apply(to: &job)
        job.members = members.member
        job.unpacking = try extract.unpacking(unpacking)
        if !job.members.isEmpty {
            job.acceptsWholeArchive = job.unpacking != nil
            if job.unpacking == nil { job.unpacking = try unpacking.unpacking() }
        }
        return job
    }
}
