package import Pawl
package import PawlArchive
package import PawlCore

/// How far a fetch has got.
package struct JobProgress: Hashable, Sendable {
    package var progress: DownloadProgress
    /// The name of the file; nil until the server has named it.
    package var fileName: String?
    /// The reason why the download does not run; nil while it runs.
    package var waits: DownloadSnapshot.WaitReason?

    package init(_ progress: DownloadProgress, fileName: String? = nil, waits: DownloadSnapshot.WaitReason? = nil) {
        self.progress = progress
        self.fileName = fileName
        self.waits = waits
    }
}

/// Which members of a remote archive are fetched.
package struct ChosenMembers: Hashable, Sendable {
    package var archive: String
    /// The file or directory that the members become.
    package var target: String
    package var count: Int
    package var totalCount: Int
    /// The number of bytes to download.
    package var byteCount: Int64
    /// The length of the archive, in bytes.
    package var archiveLength: Int64
}

/// The events of a run of jobs, all of them and in order.
package enum JobEvent: Hashable, Sendable {
    /// Parts of a document of this job that could not be used.
    case noticed(index: Int, [String])
    /// These files will be downloaded. `repeated`: how many more were given twice.
    case planned([JobFile], repeated: Int)
    /// Nothing has begun, and nothing will.
    case refused(JobFailure)
    case began(JobFileID)
    /// Only these members of the archive are downloaded.
    case choseMembers(JobFileID, ChosenMembers)
    /// The server sends no parts: the whole archive is downloaded, and only the selected members are unpacked.
    case fetchesWhole(JobFileID)
    case progressed(JobFileID, JobProgress)
    case notice(JobFileID, DownloadNotice)
    /// The file is whole and has its name, and is still to be unpacked.
    case fetched(JobFileID, FetchedFile)
    /// Told of the archive that is unpacked, or of which members are.
    case unpacking(JobFileID, archive: String, ArchiveProgress)
    /// Before ``unpacked(_:_:)``, where the archive is to be removed: it is unpacked, and its removal begins.
    case removesArchive(JobFileID, UnpackedFile)
    case unpacked(JobFileID, UnpackedFile)
    /// The archive existed before the run, and no digest verified it, so it is kept.
    case archiveKept(JobFileID, path: String)
    case paused(JobFileID)
    /// After ``paused(_:)``.
    case resumed(JobFileID)
    /// Nothing but its hook is left.
    case ended(JobFileID, JobOutcome)
    case hookEnded(JobFileID, HookEnding)
    /// The whole run ended; no event follows.
    case finished
}
