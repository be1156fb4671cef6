package import PawlArchive
package import PawlCore
package import PawlMetalink

/// The steps of a file, in order. Their names are those of the service's API.
package enum JobStep: String, Hashable, Sendable, CaseIterable {
    case resolve, fetch, verify, unpack, hook

    package var name: String { rawValue }

    package init?(name: String) {
        guard let step = Self.allCases.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        self = step
    }
}

package indirect enum JobFailure: Error, Hashable, Sendable {
    case download(DownloadError)
    case archive(ArchiveError)
    /// The job itself cannot be done.
    case spec(JobSpecError)
    /// Two files of the run are to have one target.
    case sameTarget(JobFile, JobFile)
    /// The file has the path that another file of the run has already.
    case clash(TargetClash, with: JobFile, at: String)
    /// The file was there before, and is not what the digest says.
    case existingFileDiffers(String)
    /// The archive is not unpacked, because nothing proves that it is complete.
    case mayBeCutOff(String)
    /// The directory was made from another archive of the run.
    case directoryMadeInRun(String)
    /// A document that the job names; where it is, as people may see it.
    case document(String, JobDocumentProblem)
    /// No document has a file that is chosen by this word.
    case selectsNothing(String)
    /// The file was replaced or changed after it was fetched.
    case changedSinceFetched(String)
}

/// The reason why a readable document cannot be used.
package enum JobDocumentProblem: Hashable, Sendable {
    case notMetalink(MetalinkError)
    /// A file of it has no `http` or `https` URL.
    case noUsableURL(file: String)
    /// A list of digests has none for the file.
    case noDigest(DigestListError)
    /// A Metalink that should have one file of a name, and has none or several. `has`: the names of the first few.
    case notOneFile(named: String, count: Int, has: [String])
    /// The document has no `http` or `https` URL of the file, and none was given beside it.
    case noSource
    /// The document does not tell which pieces of a file are wrong.
    case noPieceHashes
    /// Secrets for one origin were given, and the document names other origins.
    case otherOrigins
}

/// The outcome of one file of a run.
package enum JobOutcome: Hashable, Sendable {
    /// `unpacked`: nil where it was not asked for.
    case completed(FetchedFile, UnpackedFile?)
    /// `fetched`: the file is there, and a later step failed.
    case failed(JobStep, JobFailure, fetched: FetchedFile?)
    /// The file was stopped, before or in this step, and neither completed nor failed.
    case stopped(JobStep, fetched: FetchedFile?)

    package var isComplete: Bool { if case .completed = self { true } else { false } }
    package var isFailure: Bool { if case .failed = self { true } else { false } }
    package var isStopped: Bool { if case .stopped = self { true } else { false } }

    /// The file that came, whatever became of it later.
    package var file: FetchedFile? {
        switch self {
        case .completed(let file, _): file
        case .failed(_, _, let file), .stopped(_, let file): file
        }
    }
}

/// The end of a hook.
package enum HookEnding: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    case notStarted(String)
    /// The hook was not started: no program waits for the file any more, or this process stops. No event reports it.
    case notRun
}
