import PawlCore

/// One file in a ``JobMachine``.
struct JobFileState: Hashable {
    enum Step: Hashable {
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
    var step = Step.fetching
    var intent = Intent.run
    var fetched: FetchedFile?
    var unpacked: UnpackedFile?
    /// It was told to stop, and has not yet confirmed.
    var isHalting = false
    /// Its members cannot be had alone.
    var fetchesWhole = false
    var waitsForSpace: DownloadError?
    /// It was told to stop because everything waited for space, and ends with this.
    var surrenders = false

    /// An earlier process began it, and may have done more of it than was recorded.
    var isResumed = false
    /// What an earlier process has told of it: only its hook is left.
    var outcome: JobOutcome?

    init(_ file: JobFile) { self.file = file }

    /// Members that were fetched alone are unpacked already.
    var mustUnpack: Bool { (file.spec.unpacking != nil && file.spec.members.isEmpty) || fetchesWhole }

    /// Its outcome is not known yet.
    var isOpen: Bool {
        switch step {
        case .hook, .ended: false
        case .fetching, .waitingToUnpack, .inspecting, .unpacking, .removing, .paused: true
        }
    }

    var hasEnded: Bool { step == .ended }
}
