package import PawlArchive
package import PawlCore
package import PawlMetalink

/// A file of a run, from 1, in the order given.
package struct JobFileID: Hashable, Comparable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// One file that a job is to bring, after its documents were read.
package struct JobFile: Hashable, Sendable {
    /// Its source is a URL.
    package var spec: JobSpec
    /// What tells it from other requests; two files that share it and the target are one.
    package var identity: [UInt8]
    package var target: JobTarget

    package init(spec: JobSpec, identity: [UInt8], target: JobTarget) {
        self.spec = spec
        self.identity = identity
        self.target = target
    }
}

/// A file that is whole and has its name.
package struct FetchedFile: Hashable, Sendable {
    package var target: JobTarget
    /// As its job spells it.
    package var path: String
    /// It was there before, and nothing was fetched.
    package var existed: Bool
    package var isVerified: Bool
    /// False: nothing shows that all of it came.
    package var isComplete: Bool
    /// Its length and time of modification when it was fetched; nil where they are not known.
    package var mark: UnpackedMark?

    package init(target: JobTarget, path: String, existed: Bool, isVerified: Bool, isComplete: Bool = true, mark: UnpackedMark? = nil) {
        self.target = target
        self.path = path
        self.existed = existed
        self.isVerified = isVerified
        self.isComplete = isComplete
        self.mark = mark
    }
}

/// An archive that was fetched, and what is to become of it.
package struct ArchiveToUnpack: Hashable, Sendable {
    package var file: JobFile
    package var fetched: FetchedFile
    /// The run has no other file. Of several archives each goes into a directory of its own.
    package var isAlone: Bool
}

/// What is known of a finished file before it is unpacked.
package struct Inspection: Hashable, Sendable {
    /// False: its digest is not the one that was asked for. Nil: it was not compared.
    package var matchesDigest: Bool?
    /// Where it would be unpacked to.
    package var directory: JobTarget
    /// The directory was made from this very archive.
    package var isUnpacked: Bool
    /// The file is the one that was fetched.
    package var isUnchanged: Bool

    package init(matchesDigest: Bool?, directory: JobTarget, isUnpacked: Bool, isUnchanged: Bool = true) {
        self.isUnchanged = isUnchanged
        self.matchesDigest = matchesDigest
        self.directory = directory
        self.isUnpacked = isUnpacked
    }
}

/// What the steps of a file are, in their order.
package enum JobStep: Hashable, Sendable, CaseIterable {
    case resolve, fetch, verify, unpack, hook
}

package enum JobFailure: Error, Hashable, Sendable {
    case download(DownloadError)
    case archive(ArchiveError)
    /// The job itself cannot be done.
    case spec(JobSpecError)
    /// Two files of the run are to have one target.
    case sameTarget(JobFile, JobFile)
    case clash(TargetClash)
    /// The file was there before, and is not what the digest says.
    case existingFileDiffers
    /// Nothing shows that all of the archive came, so it is not unpacked.
    case mayBeCutOff
    /// The directory was made from another archive of the run.
    case directoryMadeInRun
    /// A document that the job names; where it is, as people may see it.
    case document(String, JobDocumentProblem)
    /// Somebody has replaced or changed it since it was fetched.
    case changedSinceFetched
}

/// Why a document that could be read is of no use.
package enum JobDocumentProblem: Hashable, Sendable {
    case notMetalink(MetalinkError)
    /// A file of it has no `http` or `https` URL.
    case noUsableURL(file: String)
    /// Nothing in it is chosen by this word.
    case selectsNothing(String)
    /// It is a list of digests that has none for the file.
    case noDigest(DigestListError)
}

/// How one file of a run ended.
package enum JobOutcome: Hashable, Sendable {
    /// `isUnpacked`: nil where it was not asked for; false where the directory was left as it was.
    case completed(FetchedFile, isUnpacked: Bool?)
    /// `fetched`: the file is there, and a later step failed.
    case failed(JobStep, JobFailure, fetched: FetchedFile?)
    /// Neither: it was told to stop, before or in this step.
    case stopped(JobStep, fetched: FetchedFile?)

    package var isFailure: Bool { if case .failed = self { true } else { false } }
    package var isStopped: Bool { if case .stopped = self { true } else { false } }
}

package enum JobMachineEvent: Hashable, Sendable {
    case start
    /// The documents of a job were read: `index` is that of the job in the run.
    /// `notices`: what they have that could not be used.
    case resolved(index: Int, [JobFile], notices: [String] = [])
    case notResolved(index: Int, JobFailure)
    case fetched(JobFileID, FetchedFile)
    case fetchFailed(JobFileID, JobFailure)
    /// The server has only the whole archive of which members are wanted.
    case membersNotAvailable(JobFileID, JobFailure)
    /// It ended because it was told to, or because all was stopped; what it has is kept.
    case fetchStopped(JobFileID)
    /// It waits for space on a full disk, or (nil) does not wait any more.
    case waitsForSpace(JobFileID, DownloadError?)
    case inspected(JobFileID, Inspection)
    case unpacked(JobFileID, isSkipped: Bool, directory: JobTarget)
    case archiveRemoved(JobFileID)
    /// Of inspecting, unpacking or removing.
    case unpackingFailed(JobFileID, JobFailure)
    case unpackingStopped(JobFileID)
    case hookEnded(JobFileID)
    case pause(JobFileID)
    case resume(JobFileID)
    case cancel(JobFileID)
    /// Everything: what runs ends, and nothing begins any more.
    case stop
}

/// What a driver does next. Each operation that it begins reports exactly one event that ends it.
package enum JobMachineAction: Hashable, Sendable {
    /// Read its documents: `index` is that of the job in the run.
    case resolve(index: Int, JobSpec)
    case stopResolving(index: Int)
    case fetch(JobFileID, JobFile)
    /// The archive, in place of the members that are wanted.
    case fetchWhole(JobFileID, JobFile)
    /// What it has is kept.
    case stopFetch(JobFileID)
    /// Look at the file and at where it goes; `digest`: compare it.
    case inspect(JobFileID, ArchiveToUnpack, digest: Digest?)
    case unpack(JobFileID, ArchiveToUnpack, ifExists: ExtractionOptions.IfExists)
    case stopUnpacking(JobFileID)
    case removeArchive(JobFileID, FetchedFile)
    case runHook(JobFileID, JobFile, JobOutcome)
    case publish(JobEvent)
}

/// What those who watch a run are told by its machine.
package enum JobEvent: Hashable, Sendable {
    /// These files will be fetched. `repeated`: so many were given before.
    case planned(repeated: Int)
    /// What a document of this job has that could not be used.
    case noticed(index: Int, [String])
    /// Nothing has begun, and nothing will.
    case refused(JobFailure)
    /// The members that are wanted cannot be had alone: the archive is fetched, and they alone are unpacked.
    case fetchesWhole(JobFileID)
    /// The archive was there before the run, and no digest shows what it is, so it is kept.
    case archiveKept(JobFileID)
    case ended(JobFileID, JobOutcome)
    case paused(JobFileID)
    /// Of the whole run, and the last.
    case finished
}
