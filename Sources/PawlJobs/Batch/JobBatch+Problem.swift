extension JobBatch {
    /// The reason why a batch cannot be made. The shell words it, since only it knows the flag or field.
    package indirect enum Problem: Error {
        /// An error in the pattern of a URL.
        case urlPattern(URLPatternError)
        /// An error in the pattern of the file name.
        case namePattern(URLPatternError)
        case place(TargetPlace.Problem)
        case spec(JobSpecError, of: JobSpec)
        /// The list cannot be read; here and below, the list as people may see it.
        case list(String, DownloadList.Problem)
        case option(String, DownloadList.Problem)
        case entry(String, line: Int, Problem)
        /// A Metalink names its mirrors itself.
        case mirrorsOfMetalink
        /// The template states for several files what can apply to only one.
        case onlyOfOne(Subject)
        /// Several files would have one name.
        case sharedName(String, count: Int)
    }

    package enum Subject: Hashable, Sendable { case digest, mirrors, members }
}

extension JobBatch.Problem {
    /// The problem for a reader who types no options.
    package var sentence: String {
        switch self {
        case .urlPattern(let error), .namePattern(let error): error.message
        case .spec(let error, _): error.message
        case .list(_, let problem), .option(_, let problem): problem.message
        case .entry(_, _, let problem): problem.sentence
        case .place: "The name or the directory of the file cannot be used."
        case .mirrorsOfMetalink, .onlyOfOne, .sharedName: "These options cannot be used together."
        }
    }
}
