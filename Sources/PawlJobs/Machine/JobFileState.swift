import PawlCore

/// One file in a ``JobMachine``.
struct JobFileState: Hashable {
    enum Step: Hashable {
        /// As many as may be fetched at a time are.
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

    var file: JobFile
    var step = Step.waitingToFetch
    var intent = Intent.run
    /// Nil again once it has ended.
    var fetched: FetchedFile?
    private var boxes = Boxes()
    /// It was told to stop, and has not yet confirmed.
    var isHalting = false
    /// Its members cannot be had alone.
    var fetchesWhole = false
    /// It was told to stop because everything waited for space, and ends with this.
    var surrenders = false

    /// An earlier process began it, and may have done more of it than was recorded.
    var isResumed = false

    init(_ file: JobFile) { self.file = file }

    var unpacked: UnpackedFile? {
        get { boxes.unpacked?.value }
        set { boxes.unpacked = newValue.map { Boxed($0) } }
    }

    var waitsForSpace: DownloadError? {
        get { boxes.waitsForSpace?.value }
        set { boxes.waitsForSpace = newValue.map { Boxed($0) } }
    }

    /// What an earlier process has told of it: only its hook is left.
    var outcome: JobOutcome? {
        get { boxes.outcome?.value }
        set { boxes.outcome = newValue.map { Boxed($0) } }
    }

    /// What few files have, and is large.
    private struct Boxes: Hashable {
        var unpacked: Boxed<UnpackedFile>?
        var waitsForSpace: Boxed<DownloadError>?
        var outcome: Boxed<JobOutcome>?
    }

    /// Members that were fetched alone are unpacked already.
    var mustUnpack: Bool { (file.spec.unpacking != nil && file.spec.members.isEmpty) || fetchesWhole }

    /// Its outcome is not known yet.
    var isOpen: Bool {
        switch step {
        case .hook, .ended: false
        case .waitingToFetch, .fetching, .waitingToUnpack, .inspecting, .unpacking, .removing, .paused: true
        }
    }

    var hasEnded: Bool { step == .ended }
}
