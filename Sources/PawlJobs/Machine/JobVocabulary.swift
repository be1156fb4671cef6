package import Pawl
package import PawlArchive
package import PawlCore
package import PawlEngine

/// A downloaded archive, and how to unpack it.
package struct ArchiveToUnpack: Hashable, Sendable {
    package var file: JobFile
    package var fetched: FetchedFile
}

/// The facts about a finished file that are collected before it is unpacked.
package struct Inspection: Hashable, Sendable {
    /// Whether the file has the expected digest; nil if it was not compared.
    package var matchesDigest: Bool?
    /// The directory that the archive would be unpacked to.
    package var directory: FileTarget
    /// The same as its job spells it.
    package var path: String
    /// The directory was made from this very archive.
    package var isUnpacked: Bool
    /// The file is the one that was fetched.
    package var isUnchanged: Bool
    /// The file or directory that has this name now; nil where nothing has.
    package var identity: FileIdentity?

    package init(
        matchesDigest: Bool?, directory: FileTarget, path: String = "", isUnpacked: Bool, isUnchanged: Bool = true,
        identity: FileIdentity? = nil
    ) {
        self.identity = identity
        self.isUnchanged = isUnchanged
        self.matchesDigest = matchesDigest
        self.directory = directory
        self.path = path
        self.isUnpacked = isUnpacked
    }
}

package enum JobMachineEvent: Hashable, Sendable {
    case start
    /// The documents of a job were read: `index` is that of the job in the run.
    /// `notices`: what they have that could not be used.
    /// `unused`: words of its selection that have chosen nothing.
    case resolved(index: Int, [PreparedFile], notices: [String] = [], unused: Set<String> = [])
    case notResolved(index: Int, JobFailure)

    // A fetch tells these, in order.
    case began(JobFileID)
    indirect case choseMembers(JobFileID, ChosenMembers)
    indirect case progressed(JobFileID, JobProgress)
    indirect case notice(JobFileID, DownloadNotice)
    /// The members of this archive are being unpacked, or the archive itself is.
    indirect case unpacking(JobFileID, archive: String, ArchiveProgress)
    /// The file waits for space on a full disk; with nil, it no longer waits.
    indirect case waitsForSpace(JobFileID, DownloadError?)
    // One of these ends it.
    case fetched(JobFileID, FetchedFile)
    case fetchFailed(JobFileID, JobFailure)
    /// The server has only the whole archive of which members are wanted.
    case membersNotAvailable(JobFileID, JobFailure)
    /// The fetch ended because the file, or the whole run, was stopped; received bytes are kept.
    case fetchStopped(JobFileID)

    indirect case inspected(JobFileID, Inspection)
    case unpacked(JobFileID, UnpackedFile)
    case archiveRemoved(JobFileID)
    /// Inspecting, unpacking or removing failed.
    case unpackingFailed(JobFileID, JobFailure)
    case unpackingStopped(JobFileID)
    case hookEnded(JobFileID, HookEnding)
    case pause(JobFileID)
    case resume(JobFileID)
    case cancel(JobFileID)
    /// Stop everything: running work ends, and nothing starts.
    case stop
}

/// The next operations of the driver. Each one it starts ends with exactly one event.
package enum JobMachineAction: Hashable, Sendable {
    /// Read the documents of a job; `index` is its index in the run.
    indirect case resolve(index: Int, JobSpec)
    case stopResolving(index: Int)
    case fetch(JobFileID, JobFile)
    /// Stops a fetch and keeps the received bytes.
    case stopFetch(JobFileID)
    /// Look at the file and at where it goes; `digest`: compare it.
    case inspect(JobFileID, ArchiveToUnpack, digest: Digest?)
    case unpack(JobFileID, ArchiveToUnpack, ifExists: ExtractionOptions.IfExists)
    case stopUnpacking(JobFileID)
    case removeArchive(JobFileID, FetchedFile)
    case runHook(JobFileID, JobFile, JobOutcome)
    case publish(JobEvent)
}
