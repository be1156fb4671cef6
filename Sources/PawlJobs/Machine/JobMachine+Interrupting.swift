extension JobMachine {
    mutating func interrupt(_ id: JobFileID, _ intent: JobFileState.Intent) {
        // What is cancelled stays so.
        guard phase == .working, isOpen(id), self[id].intent != .cancel else { return }
        self[id].intent = intent
        if self[id].step != .paused || intent == .cancel { halt(id) }
    }

    /// Stops a file: running work is told to stop and confirms; waiting work has stopped at once.
    mutating func halt(_ id: JobFileID) {
        switch step(id) {
        case .fetching, .inspecting, .unpacking:
            guard !self[id].isHalting else { return }
            self[id].isHalting = true
            actions.append(self[id].step == .fetching ? .stopFetch(id) : .stopUnpacking(id))
        case .waitingToFetch: stopped(id, at: .fetch)
        case .waitingToUnpack:
            unpackQueue.remove(id)
            stopped(id, at: .unpack)
        case .paused: end(id, .stopped(self[id].fetched == nil ? .fetch : .unpack, fetched: self[id].fetched))
        // The archive is removed, and then it is done. A hook is never interrupted.
        case .removing, .hook, .ended, nil: break
        }
    }

    /// Handles the end of stopped work: the file was told to stop, for good or for a while, or everything was.
    mutating func stopped(_ id: JobFileID, at step: JobStep) {
        guard isOpen(id) else { return }
        if unpacking == id { unpacking = nil }
        let wasAsked = self[id].isHalting
        self[id].isHalting = false
        if self[id].surrenders, let error = self[id].waitsForSpace { return fail(id, step, .download(error)) }
        switch self[id].intent {
        case .pause where phase == .working:
            self[id].step = .paused
            self[id].waitsForSpace = nil
            actions.append(.publish(.paused(id)))
        // It was resumed before it had stopped.
        case .run where phase == .working && wasAsked:
            if self[id].step == .fetching { beginFetching(id) } else { goOn(id) }
        case .run, .pause, .cancel: end(id, .stopped(step, fetched: self[id].fetched))
        }
    }

    /// Resumes the step in which it was paused.
    mutating func resume(_ id: JobFileID) {
        guard phase == .working, isOpen(id), self[id].intent != .cancel else { return }
        self[id].intent = .run
        guard self[id].step == .paused else { return }
        actions.append(.publish(.resumed(id)))
        goOn(id)
    }

    /// Continues with the step that follows from what is there.
    mutating func goOn(_ id: JobFileID) {
        guard self[id].fetched != nil else { return fetch(id) }
        self[id].step = .waitingToUnpack
        unpackQueue.append(id)
    }
}
