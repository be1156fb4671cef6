import PawlCore

extension JobFileState {
    init(_ file: RunRecord.File) {
        self.init(.waitingToFetch)
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
}

extension JobMachine {
    /// Resumes each file in the step that was recorded. The ports find out what of it was done: a finished download
    /// ends at once, an unpacked archive is skipped, and one that is gone counts as removed.
    mutating func resumeAll() {
        phase = .working
        for id in ids where steps[id.number - 1] == .hook {
            if let outcome = self[id].outcome { actions.append(.runHook(id, file(id), outcome)) }
        }
        for id in openFiles where self[id].step != .paused { goOn(id) }
    }
}
