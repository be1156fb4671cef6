import PawlCore

/// The state of a file in a ``JobMachine`` that is under way.
struct JobFileState: Hashable {
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

    var step = Step.waitingToFetch
    var intent = Intent.run
    /// The fetched file; nil again once it has ended.
    var fetched: FetchedFile?
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

    init(_ step: Step) { self.step = step }

    /// Whether its step says all about it.
    var isPlain: Bool { step == .ended || self == JobFileState(.waitingToFetch) }

    var unpacked: UnpackedFile? {
        get { boxes.unpacked?.value }
        set { boxes.unpacked = newValue.map { Boxed($0) } }
    }

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
        var unpacked: Boxed<UnpackedFile>?
        var waitsForSpace: Boxed<DownloadError>?
        var outcome: Boxed<JobOutcome>?
    }

    var isOpen: Bool { step.isOpen }
}

extension JobFileState.Step {
    /// Whether the outcome of the file is still open.
    var isOpen: Bool {
        switch self {
        case .hook, .ended: false
        case .waitingToFetch, .fetching, .waitingToUnpack, .inspecting, .unpacking, .removing, .paused: true
        }
    }
}
