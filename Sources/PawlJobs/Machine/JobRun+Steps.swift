import Pawl
import PawlArchive
import PawlCore

extension JobRun {
    /// Takes the news of an operation. Those of a step that is over came too late.
    mutating func handle(_ event: JobMachineEvent, _ all: inout JobSurroundings) {
        switch (event, step) {
        case (.began, .fetching): all.publish(.began(id))
        case (.choseMembers(_, let members), .fetching): all.publish(.choseMembers(id, members))
        case (.progressed(_, let progress), .fetching): all.publish(.progressed(id, progress))
        case (.notice(_, let notice), .fetching): all.publish(.notice(id, notice))
        case (.unpacking(_, let archive, let progress), .fetching),
            (.unpacking(_, let archive, let progress), .unpacking):
            all.publish(.unpacking(id, archive: archive, progress))
        case (.waitsForSpace(_, let error), .fetching): waits(error)
        case (.fetched(_, let file), .fetching): take(file, &all)
        case (.fetchFailed(_, let failure), .fetching): fail(.fetch, failure, &all)
        case (.membersNotAvailable(_, let failure), .fetching): membersNotAvailable(failure, &all)
        case (.fetchStopped, .fetching): stopped(at: .fetch, &all)
        case (.inspected(_, let inspection), .inspecting): take(inspection, &all)
        case (.unpacked(_, let unpacked), .unpacking): take(unpacked, &all)
        case (.archiveRemoved, .removing): conclude(&all)
        case (.unpackingFailed(_, let failure), .inspecting), (.unpackingFailed(_, let failure), .unpacking),
            (.unpackingFailed(_, let failure), .removing):
            fail(.unpack, failure, &all)
        case (.unpackingStopped, .inspecting), (.unpackingStopped, .unpacking): stopped(at: .unpack, &all)
        case (.hookEnded(_, let ending), .hook): hookEnded(ending, &all)
        default: break
        }
    }

    /// Returns the file as it is to be fetched and unpacked.
    private func file(_ all: JobSurroundings) -> JobFile {
        var file = all.files[id]
        guard fetchesWhole else { return file }
        file.comesWhole = true
        // The archive of which only members were wanted was not asked for by its name.
        if file.spec.ifExists == nil { file.spec.ifExists = .skip }
        return file
    }

    // MARK: Fetching

    mutating func beginFetching(_ all: inout JobSurroundings) {
        if let error = all.refusals[id] { return fail(.fetch, .download(error), &all) }
        step = .fetching
        hasBegun = true
        all.actions.append(.fetch(id, file(all)))
    }

    private mutating func membersNotAvailable(_ failure: JobFailure, _ all: inout JobSurroundings) {
        let spec = file(all).spec
        // A name that was given was meant for the member.
        guard spec.acceptsWholeArchive, spec.fileName == nil, !fetchesWhole else { return fail(.fetch, failure, &all) }
        fetchesWhole = true
        isHalting = false
        all.publish(.fetchesWhole(id))
        guard intent == .run, all.isWorking else { return stopped(at: .fetch, &all) }
        beginFetching(&all)
    }

    /// Members that were fetched alone are unpacked already.
    private func mustUnpack(_ template: JobSpec) -> Bool {
        (template.unpacking != nil && template.members.isEmpty) || fetchesWhole
    }

    private mutating func take(_ file: FetchedFile, _ all: inout JobSurroundings) {
        (waitsForSpace, surrenders) = (nil, false)
        if let clash = all.targets.end(file.target, at: file.identity, of: id, existed: file.existed) {
            return fail(.fetch, .clash(clash, with: all.files[clash.other], at: file.path), &all)
        }
        fetched = file
        isHalting = false
        let template = all.files.template(of: id)
        guard mustUnpack(template) else {
            // Members that were fetched alone.
            if !template.members.isEmpty, !file.existed { all.targets.addDirectory(file.target, at: file.identity) }
            return conclude(&all)
        }
        all.publish(.fetched(id, file))
        guard file.result.isComplete || file.existed else { return fail(.unpack, .mayBeCutOff(file.path), &all) }
        step = .waitingToUnpack
        if intent != .run || !all.isWorking { stopped(at: .unpack, &all) }
    }

    private mutating func waits(_ error: DownloadError?) {
        // One that ends because it waited ends with what it waited for.
        if !surrenders { waitsForSpace = error }
    }

    // MARK: Unpacking

    /// Begins to unpack: it is its turn.
    mutating func beginUnpacking(_ all: inout JobSurroundings) {
        guard step == .waitingToUnpack, let fetched else { return }
        // Also of one that an earlier process has fetched.
        guard fetched.result.isComplete || fetched.existed else {
            return fail(.unpack, .mayBeCutOff(fetched.path), &all)
        }
        if unpacked != nil {
            // An earlier process was cut off while it removed the archive.
            step = .removing
            return all.actions.append(.removeArchive(id, fetched))
        }
        step = .inspecting
        let file = file(all)
        // A file that was fetched now was compared as it came.
        let mustCompare = fetched.existed && !fetched.result.isVerified
        all.actions.append(
            .inspect(
                id, ArchiveToUnpack(file: file, fetched: fetched),
                digest: mustCompare ? file.spec.options.digest : nil))
    }

    private mutating func take(_ inspection: Inspection, _ all: inout JobSurroundings) {
        guard let fetched else { return }
        isHalting = false
        guard inspection.isUnchanged else { return fail(.verify, .changedSinceFetched(fetched.path), &all) }
        guard inspection.matchesDigest != false else { return fail(.verify, .existingFileDiffers(fetched.path), &all) }
        guard intent == .run, all.isWorking else { return stopped(at: .unpack, &all) }
        let file = file(all)
        let policy = policy(file.spec, inspection)
        if policy == .replace, all.targets.hasMade(inspection.directory, at: inspection.identity) {
            return fail(.unpack, .directoryMadeInRun(inspection.path), &all)
        }
        step = .unpacking
        all.actions.append(.unpack(id, ArchiveToUnpack(file: file, fetched: fetched), ifExists: policy))
    }

    /// Returns the policy for an existing directory. A directory to which this very archive was unpacked before is
    /// kept. Otherwise the policy for files applies, except that a directory not known to be this archive's is never
    /// kept, because the archive would look unpacked; nor is a directory replaced because a newer file replaces an
    /// older one.
    private func policy(_ spec: JobSpec, _ inspection: Inspection) -> ExtractionOptions.IfExists {
        if isResumed || fetched?.existed == true, inspection.isUnpacked { return .skip }
        switch spec.ifExists {
        case .replace: return .replace
        case .rename: return .rename
        case .fail, .skip, nil: return .fail
        }
    }

    private mutating func take(_ unpacked: UnpackedFile, _ all: inout JobSurroundings) {
        guard let fetched else { return }
        self.unpacked = unpacked
        // An earlier process may have unpacked what this one fetched, and not have come to the removal.
        guard !unpacked.isSkipped || (isResumed && !fetched.existed) else { return conclude(&all) }
        all.targets.addDirectory(unpacked.target, at: unpacked.identity)
        guard all.files.template(of: id).unpacking?.removesArchive == true else { return conclude(&all) }
        // A file that was there before, and that no digest shows to be what the URL names, may be somebody else's.
        guard !fetched.existed || file(all).spec.options.digest != nil else {
            all.publish(.archiveKept(id, path: fetched.path))
            return conclude(&all)
        }
        step = .removing
        all.publish(.removesArchive(id, unpacked))
        all.actions.append(.removeArchive(id, fetched))
    }

    // MARK: Ending

    private mutating func conclude(_ all: inout JobSurroundings) {
        guard let fetched else { return }
        if let unpacked { all.publish(.unpacked(id, unpacked)) }
        end(.completed(fetched, unpacked), &all)
    }

    mutating func fail(_ step: JobStep, _ failure: JobFailure, _ all: inout JobSurroundings) {
        end(.failed(step, failure, fetched: fetched), &all)
        all.hasFailed = true
    }

    /// A hook runs for files that completed or failed, not for stopped ones.
    mutating func end(_ outcome: JobOutcome, _ all: inout JobSurroundings) {
        waitsForSpace = nil
        all.publish(.ended(id, outcome))
        fetched = nil
        guard !outcome.isStopped, !all.files.template(of: id).hook.isEmpty else { return step = .ended }
        step = .hook
        all.actions.append(.runHook(id, file(all), outcome))
    }

    /// Runs the hook that an earlier process has left.
    func resumeHook(_ all: inout JobSurroundings) {
        if let outcome { all.actions.append(.runHook(id, file(all), outcome)) }
    }

    private mutating func hookEnded(_ ending: HookEnding, _ all: inout JobSurroundings) {
        step = .ended
        if ending != .notRun { all.publish(.hookEnded(id, ending)) }
    }
}

// MARK: Interruptions

extension JobRun {
    mutating func interrupt(_ intent: Intent, _ all: inout JobSurroundings) {
        // A cancelled job stays so.
        guard isOpen, self.intent != .cancel else { return }
        self.intent = intent
        if step != .paused || intent == .cancel { halt(&all) }
    }

    /// Stops: running work is told to stop and confirms; waiting work has stopped at once.
    mutating func halt(_ all: inout JobSurroundings) {
        switch step {
        case .fetching, .inspecting, .unpacking:
            guard !isHalting else { return }
            isHalting = true
            all.actions.append(step == .fetching ? .stopFetch(id) : .stopUnpacking(id))
        case .waitingToFetch: stopped(at: .fetch, &all)
        case .waitingToUnpack: stopped(at: .unpack, &all)
        case .paused: end(.stopped(fetched == nil ? .fetch : .unpack, fetched: fetched), &all)
        // The archive is removed, and then it is done. A hook is never interrupted.
        case .removing, .hook, .ended: break
        }
    }

    /// Ends with the reason for which every file of the run waits.
    mutating func surrender(_ all: inout JobSurroundings) {
        guard isOpen, waitsForSpace != nil, !surrenders else { return }
        surrenders = true
        halt(&all)
    }

    /// Handles the end of stopped work: the file was told to stop, for good or for a while, or everything was.
    private mutating func stopped(at step: JobStep, _ all: inout JobSurroundings) {
        let wasAsked = isHalting
        isHalting = false
        if surrenders, let error = waitsForSpace { return fail(step, .download(error), &all) }
        switch intent {
        case .pause where all.isWorking:
            self.step = .paused
            waitsForSpace = nil
            all.publish(.paused(id))
        // The job was resumed before it had stopped.
        case .run where all.isWorking && wasAsked:
            if self.step == .fetching { beginFetching(&all) } else { goOn() }
        case .run, .pause, .cancel: end(.stopped(step, fetched: fetched), &all)
        }
    }

    /// Resumes the step in which it was paused.
    mutating func resume(_ all: inout JobSurroundings) {
        guard isOpen, intent != .cancel else { return }
        intent = .run
        guard step == .paused else { return }
        all.publish(.resumed(id))
        goOn()
    }

    /// Waits for its turn in the step that follows from what is there. The ports find out what of it was done: a
    /// finished download ends at once, an unpacked archive is skipped, and one that is gone counts as removed.
    mutating func goOn() { step = fetched == nil ? .waitingToFetch : .waitingToUnpack }
}
