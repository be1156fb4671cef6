extension DownloadMachine {
    // MARK: Towards an end

    mutating func drain(for goal: Goal) -> [DownloadAction] {
        switch phase {
        case .draining(.conclude(.cancel)), .verifying, .finishing, .quarantining, .settingAside, .saving:
            // Pause and cancel may come at any time; file operations under way are short and complete first.
            switch goal {
            case .conclude(.pause): return interrupt(by: .pause)
            case .conclude(.cancel): return interrupt(by: .cancel)
            case .conclude(.fail), .conclude(.finish), .startOver: return []
            }
        case .draining(let former) where !goal.outranks(former): return []
        case .idle, .fetching, .refreshing, .draining:
            phase = .draining(goal)
            return segments.filter(\.isLive).flatMap { cancelSegment($0.id) }
        case .paused, .cancelled, .completed, .failed: return []
        }
    }

    private mutating func interrupt(by interruption: Interruption) -> [DownloadAction] {
        switch phase {
        case .saving(let former):
            if interruption.conclusion.outranks(former) { phase = .saving(interruption.conclusion) }
        case .settingAside(let former): phase = .settingAside(former == .cancel ? .cancel : interruption)
        case .verifying(let former): phase = .verifying(former == .cancel ? .cancel : interruption)
        // The download ends anyway, with the same result.
        case .draining, .finishing, .quarantining: break
        case .idle, .fetching, .refreshing, .paused, .cancelled, .completed, .failed: break
        }
        return []
    }

    /// Proceeds to a goal when all exchanges have ended and no checkpoint runs.
    mutating func settle(_ goal: Goal) -> [DownloadAction] {
        switch goal {
        case .conclude(let conclusion): save(before: conclusion)
        case .startOver(let keeping): startOver(keeping)
        }
    }

    private mutating func startOver(_ keeping: Keeping) -> [DownloadAction] {
        // Bytes handed to the reader cannot be taken back.
        if isStreaming, !written.isEmpty { return conclude(.fail(brokenStream)) }
        guard attempt.isPrepared else {
            forgetRepresentation()
            phase = .fetching
            return []
        }
        phase = .settingAside(nil)
        return setAside(keeping)
    }

    private mutating func save(before conclusion: Conclusion) -> [DownloadAction] {
        // A finished file that never had a journal needs none now: the finishing sequence syncs it.
        let needsJournal = conclusion == .finish ? hasJournal : (hasJournal || !written.isEmpty)
        if attempt.isPrepared, !attempt.earlier.isAdopting, !isStreaming, !storageHasFailed, needsJournal,
            written != durable
        {
            phase = .saving(conclusion)
            return checkpoint()
        }
        return conclude(conclusion)
    }

    mutating func conclude(_ conclusion: Conclusion) -> [DownloadAction] {
        switch conclusion {
        case .pause:
            phase = .paused
            return [release]
        case .cancel:
            phase = .cancelled
            return [release]
        case .fail(let error):
            phase = .failed(error)
            return [release]
        case .finish:
            let digests = digestsOfResult
            let computed = digestToCompute
            guard digests.isEmpty, computed == nil else {
                phase = .verifying(nil)
                return [.verify(digests, computing: computed)]
            }
            phase = .finishing
            return [.finish(isVerified: isVerified, isComplete: isComplete)]
        }
    }

    mutating func verified(_ verification: Verification, at now: Instant) -> [DownloadAction] {
        guard case .verifying(let interruption) = phase else { return [] }
        switch verification {
        case .passed(let computed):
            let matched = digestsOfResult
            let wanted = matched.first { $0.algorithm == settings.options.computedDigest }
            attempt.digest = computed ?? wanted ?? matched.first
            phase = .finishing
            return [.finish(isVerified: isVerified, isComplete: isComplete)]
        case .mismatch(let error):
            if let again = startOverAfterMismatch(error, interruption, at: now) { return again }
            phase = .quarantining(error)
            return [.quarantine]
        case .damaged(let ranges):
            // The disk or memory changed them after receipt: the server is not to blame, so only they are fetched
            // again.
            guard restarts.countRepair() else {
                let error = DownloadError(
                    .diskError,
                    "The disk or the memory keeps corrupting received bytes of this file.",
                    remedies: [.checkDisk], recovery: .giveUp)
                phase = .quarantining(error)
                return [.quarantine]
            }
            for range in ranges {
                attempt.written.remove(range)
                attempt.pieces?.touch(range)
                attempt.checkpoints.forget(range)
            }
            return resumeFetching(unless: interruption)
        case .failed(let error):
            return storageFailed(error)
        }
    }

    mutating func finished() -> [DownloadAction] {
        switch phase {
        case .finishing:
            phase = .completed(Outcome(isComplete: isComplete, isVerified: isVerified))
            return aside.drop(passedBy: .max) + [release]
        case .quarantining(let error):
            phase = .failed(error)
            return [release]
        case .idle, .fetching, .draining, .saving, .settingAside, .refreshing, .verifying, .paused, .cancelled,
            .completed, .failed:
            return []
        }
    }

    mutating func leftExisting(isVerified: Bool) -> [DownloadAction] {
        guard case .finishing = phase else { return [] }
        attempt.digest = isVerified ? settings.digest : nil
        phase = .completed(Outcome(isComplete: false, isVerified: isVerified, skipReason: .exists))
        return aside.drop(passedBy: .max) + [release]
    }

    /// FAULTS V04: where a digest had to decide whether answers belong together and says no, all of one answer may
    /// still be right.
    private mutating func startOverAfterMismatch(
        _ error: DownloadError, _ interruption: Interruption?, at now: Instant
    ) -> [DownloadAction]? {
        // The digests of all pieces match, so downloading again will not help.
        guard attempt.pieces == nil else { return nil }
        guard sources.count == 1 else { return startOverAlone(because: error, interruption, at: now) }
        guard attempt.restsOnDigest, settings.onChange == .restart, restarts.allowsChange else { return nil }
        restarts.countChange()
        phase = .settingAside(interruption)
        return reportRestart(.changed(.digest)) + setAside(.untilPassed)
    }

    // MARK: Starting over

    mutating func setAside(_ keeping: Keeping) -> [DownloadAction] {
        if let refusal = refusalToSetAside { return storageFailed(refusal) }
        // Another program's partial file is neither compared with nor removed.
        if attempt.earlier.isForeign { return [.setAside(keep: true)] }
        return aside.add(held: written.count, keeping)
    }

    /// A full disk may have room once the former partial file is removed. Nil: there is nothing to remove.
    mutating func makeRoom(after error: DownloadError) -> [DownloadAction]? {
        guard error.code == .diskFull, let representation else { return nil }
        let drop = aside.dropForRoom()
        return drop.isEmpty ? nil : drop + [.prepare(representation, suggestedName: "")]
    }

    mutating func setAsideDone() -> [DownloadAction] {
        guard case .settingAside(let interruption) = phase else { return [] }
        forgetRepresentation()
        return resumeFetching(unless: interruption)
    }

    /// A pause or cancel may have come while the files were being worked on.
    private mutating func resumeFetching(unless interruption: Interruption?) -> [DownloadAction] {
        phase = .fetching
        return interruption.map { drain(for: .conclude($0.conclusion)) } ?? []
    }

    private mutating func forgetRepresentation() {
        attempt = attempt.next(of: settings)
        sources.forgetRepresentation()
    }

    mutating func abandon() -> [DownloadAction] {
        segments.removeAll()
        return [release]
    }
}
