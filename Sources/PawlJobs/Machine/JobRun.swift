import PawlCore

/// One running job, that of one file: fetch → verify → unpack → hook, with pause and cancel at each step.
///
/// Exists while something is done for the file. Its ``JobMachine`` says when it may begin, and when it is its turn to
/// unpack.
struct JobRun: Hashable {
    enum Step: UInt8, Hashable {
        /// The file waits because the greatest number of fetches is running.
        case waitingToFetch
        case fetching
        case waitingToUnpack
        case inspecting
        case unpacking
        case removing
        case paused
        case hook
        case ended
    }

    enum Intent: Hashable {
        case run, pause, cancel
    }

    let id: JobFileID
    var step: Step
    var intent = Intent.run
    /// The fetched file; nil again once it has ended.
    var fetched: FetchedFile?
    /// The unpacked archive.
    var unpacked: UnpackedFile?
    private var boxes = Boxes()
    /// Whether the file was told to stop and has not yet confirmed.
    var isHalting = false
    /// Whether the members cannot be fetched alone.
    var fetchesWhole = false
    /// Whether the file was told to stop because every file waited for space; it then ends with this error.
    var surrenders = false
    /// Whether it has been fetched, perhaps in part.
    var hasBegun = false
    /// Whether an earlier process began the file, and may have done more of it than was recorded.
    var isResumed = false

    init(_ id: JobFileID, at step: Step) { (self.id, self.step) = (id, step) }

    /// Resumes what an earlier process has begun, in the step that was recorded.
    init(_ id: JobFileID, resuming file: RunRecord.File) {
        self.init(id, at: .waitingToFetch)
        (fetched, unpacked, fetchesWhole) = (file.fetched, file.unpacked, file.fetchesWhole)
        isResumed = true
        if file.hasEnded {
            step = .ended
        } else if let outcome = file.outcome {
            (step, self.outcome) = (.hook, outcome)
        } else if file.isPaused {
            (step, intent) = (.paused, .pause)
        }
    }

    /// Whether its step says all about it.
    var isPlain: Bool { step == .ended || (step == .waitingToFetch && self == JobRun(id, at: step)) }

    var waitsForSpace: DownloadError? {
        get { boxes.waitsForSpace?.value }
        set { boxes.waitsForSpace = newValue.map { Boxed($0) } }
    }

    /// The outcome reported by an earlier process, which left only the hook to run.
    var outcome: JobOutcome? {
        get { boxes.outcome?.value }
        set { boxes.outcome = newValue.map { Boxed($0) } }
    }

    /// Large values that few files have.
    private struct Boxes: Hashable {
        var waitsForSpace: Boxed<DownloadError>?
        var outcome: Boxed<JobOutcome>?
    }

    var isOpen: Bool { step.isOpen }
}

extension JobRun.Step {
    /// Whether the outcome of the file is still open.
    var isOpen: Bool {
        switch self {
        case .hook, .ended: false
        case .waitingToFetch, .fetching, .waitingToUnpack, .inspecting, .unpacking, .removing, .paused: true
        }
    }

    /// Whether the archive of the file is being worked on, of which there is one at a time.
    var hasArchive: Bool {
        switch self {
        case .inspecting, .unpacking, .removing: true
        case .waitingToFetch, .fetching, .waitingToUnpack, .paused, .hook, .ended: false
        }
    }
}

/// The things that the jobs of a run share.
struct JobSurroundings: Sendable {
    /// The files in the order given, once everything is resolved.
    var files = JobFiles()
    var targets = RunTargets()
    /// The files that are not fetched, because others have their paths.
    var refusals: [JobFileID: DownloadError] = [:]
    /// Whether steps may begin: everything is resolved, and the run is not stopping.
    var isWorking = false
    /// A file has failed since this was last looked at.
    var hasFailed = false
    var actions: [JobMachineAction] = []

    mutating func publish(_ event: JobEvent) { actions.append(.publish(event)) }
}
