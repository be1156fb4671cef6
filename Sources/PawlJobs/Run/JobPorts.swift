package import PawlArchive
package import PawlCore

/// An operation that a port has begun. ``stop()`` returns at once, may come at any time and more than once, and makes
/// it end soon.
package protocol JobWork: Sendable {
    func stop()
}

/// Reads the documents that jobs name.
///
/// Of this port and the others: calls return at once, and each tells its end exactly once, on any thread, perhaps
/// before it has returned.
package protocol JobDocumentPort: Sendable {
    /// - Parameters:
    ///   - place: a path or URL.
    ///   - spec: whose document it is. What is meant for the origin of its URL goes to no other.
    func read(
        _ place: String, for spec: JobSpec, atMost maximumBytes: Int,
        _ ended: @escaping @Sendable (Result<JobDocument, JobFailure>) -> Void
    ) -> any JobWork

    /// Asks a file's server for the documents that describe it. Without one, the file is unchanged.
    func describe(
        _ file: JobFile, _ ended: @escaping @Sendable (Result<DescribedFile, JobFailure>) -> Void
    ) -> any JobWork
}

/// Brings files.
package protocol JobFetchPort: Sendable {
    /// Determines the file's target and identity. Nothing is created or changed.
    func prepare(_ file: JobFile) throws(JobFailure) -> PreparedFile

    /// Begins a fetch. What happens is told as events of the machine, in order and perhaps several at once: for many
    /// files at once, any of their callers is told of all.
    func fetch(_ id: JobFileID, _ file: JobFile, _ tell: @escaping JobTelling)

    /// Makes a fetch end soon; received bytes are kept. Nothing happens if the file is not being fetched (any more).
    func stop(_ id: JobFileID)
}

package typealias JobTelling = @Sendable ([JobMachineEvent]) -> Void

/// Inspects, unpacks and removes archives.
package protocol JobArchivePort: Sendable {
    /// - Parameter digest: compare the file with it.
    func inspect(
        _ id: JobFileID, _ archive: ArchiveToUnpack, digest: Digest?,
        _ ended: @escaping @Sendable (JobArchiveEnd<Inspection>) -> Void
    ) -> any JobWork

    func unpack(
        _ id: JobFileID, _ archive: ArchiveToUnpack, ifExists: ExtractionOptions.IfExists,
        progress: @escaping @Sendable (ArchiveProgress) -> Void,
        _ ended: @escaping @Sendable (JobArchiveEnd<UnpackedFile>) -> Void
    ) -> any JobWork

    /// An archive that is not there any more is removed.
    func remove(_ fetched: FetchedFile, _ ended: @escaping @Sendable (Result<Void, JobFailure>) -> Void)
}

package enum JobArchiveEnd<Value: Sendable>: Sendable {
    case done(Value)
    case failed(JobFailure)
    /// The operation stopped when told to and left nothing behind.
    case stopped
}

/// Runs the programs that wait for files.
package protocol JobHookPort: Sendable {
    /// Looks for the program of a job, before anything is fetched.
    func check(_ spec: JobSpec) throws(JobFailure)

    /// A program that fails changes nothing about the file.
    func run(_ id: JobFileID, _ file: JobFile, _ outcome: JobOutcome, _ ended: @escaping @Sendable (HookEnding) -> Void)
}

/// The ports of a ``JobDriver``.
package struct JobPorts: Sendable {
    package var documents: any JobDocumentPort
    package var fetches: any JobFetchPort
    package var archives: any JobArchivePort
    package var hooks: any JobHookPort

    package init(
        documents: any JobDocumentPort, fetches: any JobFetchPort, archives: any JobArchivePort, hooks: any JobHookPort
    ) {
        self.documents = documents
        self.fetches = fetches
        self.archives = archives
        self.hooks = hooks
    }
}
