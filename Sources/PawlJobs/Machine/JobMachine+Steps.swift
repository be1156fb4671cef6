import Pawl
import PawlArchive
import PawlCore

extension JobMachine {
    // MARK: Fetching

    mutating func fetch(_ id: JobFileID) {
        self[id].step = .waitingToFetch
        fetchQueue.append(id)
    }

    mutating func fetchNext() {
        while phase == .working, mayFetchMore, let id = fetchQueue.popFirst() {
            // It may have been paused or cancelled since.
            if steps(id, [.waitingToFetch]) { beginFetching(id) }
        }
    }

    mutating func beginFetching(_ id: JobFileID) {
        if let error = refusals[id] { return fail(id, .fetch, .download(error)) }
        self[id].step = .fetching
        self[id].hasBegun = true
        actions.append(
            .fetch(id, FileToFetch(file: file(id), isWhole: self[id].fetchesWhole, isAlone: files.count == 1)))
    }

    mutating func membersNotAvailable(_ id: JobFileID, _ failure: JobFailure) {
        guard steps(id, [.fetching]) else { return }
        let spec = file(id).spec
        // A name that was given was meant for the member.
        guard spec.acceptsWholeArchive, spec.fileName == nil, !self[id].fetchesWhole else {
            return fail(id, .fetch, failure)
        }
        self[id].fetchesWhole = true
        self[id].isHalting = false
        actions.append(.publish(.fetchesWhole(id)))
        guard self[id].intent == .run, phase == .working else { return stopped(id, at: .fetch) }
        beginFetching(id)
    }

    /// Members that were fetched alone are unpacked already.
    private func mustUnpack(_ id: JobFileID) -> Bool {
        let spec = files.template(of: id)
        return (spec.unpacking != nil && spec.members.isEmpty) || self[id].fetchesWhole
    }

    mutating func fetched(_ id: JobFileID, _ file: FetchedFile) {
        guard steps(id, [.fetching]) else { return }
        (self[id].waitsForSpace, self[id].surrenders) = (nil, false)
        if let clash = targets.end(file.target, at: file.identity, of: id, existed: file.existed) {
            return fail(id, .fetch, .clash(clash, with: self.file(clash.other), at: file.path))
        }
        self[id].fetched = file
        self[id].isHalting = false
        guard mustUnpack(id) else {
            // Members that were fetched alone.
            if !files.template(of: id).members.isEmpty, !file.existed {
                targets.addDirectory(file.target, at: file.identity)
            }
            return conclude(id)
        }
        actions.append(.publish(.fetched(id, file)))
        guard file.result.isComplete || file.existed else { return fail(id, .unpack, .mayBeCutOff(file.path)) }
        self[id].step = .waitingToUnpack
        guard self[id].intent == .run, phase == .working else { return stopped(id, at: .unpack) }
        unpackQueue.append(id)
    }

    mutating func waits(_ id: JobFileID, _ error: DownloadError?) {
        // One that ends because it waited ends with what it waited for.
        guard steps(id, [.fetching]), !self[id].surrenders else { return }
        self[id].waitsForSpace = error
        if error != nil { spaceWaiters.insert(id) }
    }

    // MARK: Unpacking

    mutating func unpackNext() {
        while phase == .working, unpacking == nil, let id = unpackQueue.popFirst() { beginUnpacking(id) }
    }

    private mutating func beginUnpacking(_ id: JobFileID) {
        guard let fetched = self[id].fetched else { return }
        // Also of one that an earlier process has fetched.
        guard fetched.result.isComplete || fetched.existed else { return fail(id, .unpack, .mayBeCutOff(fetched.path)) }
        unpacking = id
        if self[id].unpacked != nil {
            // An earlier process was cut off while it removed the archive.
            self[id].step = .removing
            return actions.append(.removeArchive(id, fetched))
        }
        self[id].step = .inspecting
        let file = file(id)
        // What was fetched now was compared as it came.
        let mustCompare = fetched.existed && !fetched.result.isVerified
        actions.append(.inspect(id, archive(file, fetched), digest: mustCompare ? file.spec.options.digest : nil))
    }

    mutating func inspected(_ id: JobFileID, _ inspection: Inspection) {
        guard steps(id, [.inspecting]), let fetched = self[id].fetched else { return }
        self[id].isHalting = false
        guard inspection.isUnchanged else { return fail(id, .verify, .changedSinceFetched(fetched.path)) }
        guard inspection.matchesDigest != false else { return fail(id, .verify, .existingFileDiffers(fetched.path)) }
        guard self[id].intent == .run, phase == .working else { return stopped(id, at: .unpack) }
        let policy = policy(id, inspection)
        if policy == .replace, targets.hasMade(inspection.directory, at: inspection.identity) {
            return fail(id, .unpack, .directoryMadeInRun(inspection.path))
        }
        self[id].step = .unpacking
        actions.append(.unpack(id, archive(file(id), fetched), ifExists: policy))
    }

    private func archive(_ file: JobFile, _ fetched: FetchedFile) -> ArchiveToUnpack {
        ArchiveToUnpack(file: file, fetched: fetched, isAlone: files.count == 1)
    }

    /// Returns the policy for an existing directory. A directory to which this very archive was unpacked before is
    /// kept. Otherwise the policy for files applies, except that a directory not known to be this archive's is never
    /// kept, because the archive would look unpacked; nor is a directory replaced because a newer file replaces an
    /// older one.
    private func policy(_ id: JobFileID, _ inspection: Inspection) -> ExtractionOptions.IfExists {
        let state = self[id]
        if state.isResumed || state.fetched?.existed == true, inspection.isUnpacked { return .skip }
        switch file(id).spec.ifExists {
        case .replace: return .replace
        case .rename: return .rename
        case .fail, .skip, nil: return .fail
        }
    }

    mutating func unpacked(_ id: JobFileID, _ unpacked: UnpackedFile) {
        guard steps(id, [.unpacking]), let fetched = self[id].fetched else { return }
        self[id].unpacked = unpacked
        // An earlier process may have unpacked what this one fetched, and not have come to the removal.
        guard !unpacked.isSkipped || (self[id].isResumed && !fetched.existed) else { return conclude(id) }
        targets.addDirectory(unpacked.target, at: unpacked.identity)
        guard files.template(of: id).unpacking?.removesArchive == true else { return conclude(id) }
        // A file that was there before, and that no digest shows to be what the URL names, may be somebody else's.
        guard !fetched.existed || file(id).spec.options.digest != nil else {
            actions.append(.publish(.archiveKept(id, path: fetched.path)))
            return conclude(id)
        }
        self[id].step = .removing
        actions += [.publish(.removesArchive(id, unpacked)), .removeArchive(id, fetched)]
    }

    // MARK: Ending

    mutating func conclude(_ id: JobFileID) {
        guard isOpen(id), let file = self[id].fetched else { return }
        if let unpacked = self[id].unpacked { actions.append(.publish(.unpacked(id, unpacked))) }
        end(id, .completed(file, self[id].unpacked))
    }

    mutating func fail(_ id: JobFileID, _ step: JobStep, _ failure: JobFailure) {
        guard isOpen(id) else { return }
        end(id, .failed(step, failure, fetched: self[id].fetched))
        stopIfFailsFast()
    }

    /// A hook runs for files that completed or failed, not for stopped ones.
    mutating func end(_ id: JobFileID, _ outcome: JobOutcome) {
        if unpacking == id { unpacking = nil }
        self[id].waitsForSpace = nil
        actions.append(.publish(.ended(id, outcome)))
        self[id].fetched = nil
        guard !outcome.isStopped, !files.template(of: id).hook.isEmpty else {
            self[id].step = .ended
            return
        }
        self[id].step = .hook
        actions.append(.runHook(id, file(id), outcome))
    }

    mutating func hookEnded(_ id: JobFileID, _ ending: HookEnding) {
        guard step(id) == .hook else { return }
        self[id].step = .ended
        if ending != .notRun { actions.append(.publish(.hookEnded(id, ending))) }
    }
}
