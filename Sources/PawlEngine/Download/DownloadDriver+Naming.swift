import PawlCore
import Synchronization

/// Performs the steps of a ``NameSearch``, and so creates the partial file or finds the one to resume.
extension DownloadDriver {
    func prepare(_ representation: Representation, suggested: String) {
        if let tell = plan.onlyAsks {
            tell(suggested, representation)
            return post { self.handle(.prepared(.skipped(.exists))) }
        }
        let isNamed = plan.fileName != nil || state.withLock { $0.fileName } != nil
        if isNamed {
            search(representation, suggested)
        } else {
            listener.inTurn { [self] in search(representation, suggested) }
        }
    }

    private func search(_ representation: Representation, _ suggested: String) {
        let (known, found, isReleased) = state.withLock { ($0.fileName, $0.inspection, $0.isReleased || $0.hasEnded) }
        // Its turn may come late, here and below; the executor of its files has ended with the program.
        if isReleased { return }
        let rules = NamingRules(plan.settings, chosen: plan.fileName, renamesTaken: plan.renamesTaken)
        let search = NameSearch(for: representation, suggested: suggested, known: known, rules)
        onDisk(orFail: { self.handle(.prepared(.failed($0))) }) { [self] () throws(DownloadError) in
            if state.withLock({ $0.isReleased }) { return }
            let inspection = if let found { found } else { try TargetInspection(plan, ports, newID: id) }
            state.withLock { $0.inspection = inspection }
            try perform(search, representation, inspection)
        }
    }

    private func perform(
        _ search: NameSearch, _ representation: Representation, _ inspection: TargetInspection
    ) throws(DownloadError) {
        var search = search
        var files: PartialFiles?
        var step = search.firstStep
        while true {
            switch step {
            case .reserve(let name):
                // What stands under another name is left to whoever comes for it.
                try? files?.close()
                files = nil
                step = search.handle(listener.mayTake(name) ? .reserved : .reservedByAnother)
            case .examine(let name, let isSpare):
                let found: TargetInspection.Found? =
                    try isSpare ? inspection.examineSpare(name) : inspection.examine(name)
                files = found?.files
                if case .finishedBefore(let name, let marker) = found { noteFinished(name, marker, inspection) }
                step = search.handle(found?.finding(at: name) ?? .taken)
            case .compare(let name):
                let isMadeNow = search.isHeldByAnother ? try isMade(name, inspection) : false
                step = search.handle(.version(isMadeNow ? nil : try inspection.version(of: name)))
            case .create(let name):
                if let kept = try inspection.reclaimMismatched(representation, as: name, facts) {
                    files = kept.files
                    step = search.handle(.reclaimed(kept.recovered))
                    continue
                }
                try inspection.refuseMismatched(representation, as: name)
                files = try create(name, representation.total, inspection)
                step = search.handle(files == nil ? .overtaken : .created)
            case .conclude(let preparation, let name): return conclude(preparation, name, files, inspection.leftover)
            case .fail(let error):
                try? files?.close()
                throw error
            }
        }
    }

    /// Whether another download of this run has made the file of this name.
    private func isMade(_ name: String, _ inspection: TargetInspection) throws(DownloadError) -> Bool {
        do throws(StorageError) {
            guard let status = try inspection.directory.status(name) else { return false }
            return try ports.finished.finisher(of: status, under: name, in: inspection.directory) == .sameRun
        } catch {
            throw .storage(error, directory: plan.directory)
        }
    }

    /// Creates the partial file; nil if another process created it first.
    private func create(
        _ name: String, _ total: Int64?, _ inspection: TargetInspection
    ) throws(DownloadError) -> PartialFiles? {
        let layout = state.withLock { $0.description?.layout }
        // A length that no head has told may be another file's.
        if let total, layout == nil, total > 0, total <= ports.largestHeldFile, plan.settings.window == nil,
            plan.settings.options.expectedSize == nil
        {
            return PartialFiles(
                holding: name, in: inspection.directory, total: total, id: id, storage: ports.storage,
                leftover: inspection.leftover, finished: ports.finished)
        }
        do throws(StorageError) {
            let files = try PartialFiles(
                creating: name, in: inspection.directory, total: total, layout: layout, id: id, storage: ports.storage,
                leftover: inspection.leftover, finished: ports.finished)
            beginJournal(of: files, total)
            return files
        } catch  where error.reason == .exists || error.reason == .busy {
            return nil
        } catch {
            throw .storage(error, directory: inspection.directory.path)
        }
    }

    private func beginJournal(of files: PartialFiles, _ total: Int64?) {
        guard let facts, plan.settings.window == nil, CheckpointPolicy.beginsWithJournal(total: total) else { return }
        files.journal.recordUnsynced(RangeSet(), facts)
    }

    private func conclude(_ preparation: Preparation, _ name: String, _ files: PartialFiles?, _ leftover: Leftover) {
        if let files {
            ports.journals.hold(files.names.journal, in: plan.directory)
            if files.held == nil { ports.desk.note([files.names.partial, files.names.journal], in: plan.directory) }
        }
        state.withLock { state in
            state.files = files ?? state.files
            state.fileName = name
        }
        post {
            self.report(leftover)
            if files != nil { self.listener.named(name) }
            self.handle(.prepared(preparation))
        }
    }
}

extension TargetInspection.Found {
    fileprivate var files: PartialFiles? {
        if case .resumable(let files, _) = self { files } else { nil }
    }

    fileprivate func finding(at name: String) -> NameSearch.Finding {
        switch self {
        case .fresh(let free): .free(free ?? name)
        case .skipped(let existing, _): .present(existing)
        case .finishedBefore(let own, _): .own(own)
        case .alreadyFinished: .finished
        case .resumable(let files, let recovered): .resumable(files.names.target, recovered)
        }
    }
}
