package import Pawl
package import PawlArchive
package import PawlCore

/// The progress of a fetch.
package struct JobProgress: Hashable, Sendable {
    package var progress: DownloadProgress
    /// The name of the file; nil until the server has named it.
    package var fileName: String?

    package init(_ progress: DownloadProgress, fileName: String? = nil) {
        self.progress = progress
        self.fileName = fileName
    }
}

/// The selected members of a remote archive.
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
    /// The run will download these files. `repeated`: the number of further files that were given twice.
    case planned(JobFiles, repeated: Int)
    /// The run was refused before anything began.
    case refused(JobFailure)
    /// The file is being fetched. Not told of one that ends at once.
    case began(JobFileID)
    /// The selection of members to download from an archive was made.
    indirect case choseMembers(JobFileID, ChosenMembers)
    /// The server sends no parts: the whole archive is downloaded, and only the selected members are unpacked.
    case fetchesWhole(JobFileID)
    indirect case progressed(JobFileID, JobProgress)
    indirect case notice(JobFileID, DownloadNotice)
    /// The file is whole and has its name, and is still to be unpacked.
    case fetched(JobFileID, FetchedFile)
    /// The unpacking of an archive, or of members of it, progressed.
    indirect case unpacking(JobFileID, archive: String, ArchiveProgress)
    /// The removal of an unpacked archive begins; ``unpacked(_:_:)`` follows.
    case removesArchive(JobFileID, UnpackedFile)
    case unpacked(JobFileID, UnpackedFile)
    /// The archive existed before the run, and no digest verified it, so it is kept.
    case archiveKept(JobFileID, path: String)
    case paused(JobFileID)
    /// The file resumed after ``paused(_:)``.
    case resumed(JobFileID)
    /// Files were stopped before they began, so many of several. No end is told of them.
    case neverBegun(Int)
    /// The file ended; only its hook may follow.
    case ended(JobFileID, JobOutcome)
    case hookEnded(JobFileID, HookEnding)
    /// The whole run ended; no event follows.
    case finished
}
