import PawlCore
import Synchronization

/// Performs the machine's actions. File operations run off the control executor, and their results return to the
/// machine as events.
extension DownloadDriver {
    func perform(_ action: DownloadAction) {
        observe(action)
        switch action {
        case .ask(let id, let url, let fields, let isRepeat):
            ask(id, TransportRequest(url: url, fields: fields, needsFreshConnection: isRepeat))
        case .describe(let description): state.withLock { $0.description = description }
        // Whoever was refused looks for it among the actions.
        case .awaitPermit: break
        case .prepare(let representation, let name): prepare(representation, suggested: name)
        case .store(let id, let position, let overlap, let end, let endsWithMessage, let horizon):
            noteServed(id)
            store(id, position, overlap: overlap, end: end, endsWithMessage: endsWithMessage, horizon: horizon)
        case .storeParts(let id, let ranges, let total, let type):
            noteServed(id)
            storeParts(id, ranges, total: total, contentType: type)
        case .setEnd(let id, let end): writer(id)?.setEnd(end)
        case .moveHorizon(let position):
            for writer in state.withLock({ Array($0.writers.values) }) { writer.setHorizon(position) }
        case .cancel(let id): if let writer = writer(id) { writer.cancel() } else { cancelAwaitingPermit(id) }
        case .checkpoint(let ranges): checkpoint(ranges)
        case .recordUnsynced(let ranges): recordUnsynced(ranges)
        case .setAside(let keep): setAside(keep: keep)
        case .dropAside: dropAside()
        case .refresh: refresh()
        case .keepCookies(let lines, let url):
            ports.cookies.store(lines, from: url, wallClock: ports.runtime.secondsSinceEpoch)
        case .verify(let digests, let computed): verify(digests, computing: computed)
        case .checkPieces(let range): checkPieces(range)
        case .finish(let isVerified, let isComplete): finish(isVerified: isVerified, isComplete: isComplete)
        case .quarantine: quarantine()
        case .report(let report):
            if case .retrying(_, _, of: nil, _) = report {
                networkWatch.begin(ports.runtime, on: executor) { [weak self] in self?.handle(.networkChanged) }
            }
            listener.reported(report)
        case .learned(let url, .refusedConnection(let isClosed)):
            guard let cap = ports.gate.refused(url.hostKey, isClosed: isClosed, at: ports.runtime.now) else { return }
            listener.learned(url, .connectionCap(cap))
            listener.learned(url, .refusedConnection(isClosed: isClosed))
        case .learned(let url, let observation):
            if observation == .capLifted { ports.gate.liftCap(url.hostKey, at: ports.runtime.now) }
            listener.learned(url, observation)
        case .release(let summary): release(summary)
        }
    }

    private func writer(_ id: ExchangeID) -> SegmentWriter? { state.withLock { $0.writers[id] } }

    var files: PartialFiles? { state.withLock { $0.files } }

    private func ask(_ id: ExchangeID, _ request: TransportRequest) {
        let handover = takeHandover()
        let relay = handover.flatMap { $0.relay.request.isAsGood(as: request) ? $0.relay : nil }
        if let handover { if relay != nil { keepPermit(id, of: handover) } else { drop(handover) } }
        guard relay != nil || takePermit(id, request.url) else { return }
        if observer != nil { observe(.asked(id, ObservedRequest(request))) }
        let writer = SegmentWriter(
            id: id, of: relay?.request ?? request, isAlone: isAlone(at: request.url.hostKey), runtime: ports.runtime,
            executor: executor, pool: pool, limiter: limiter,
            sink: { event in self.post { self.fromWriter(id, event) } })
        state.withLock { $0.writers[id] = writer }
        guard let relay else { return writer.attach(ports.transport.start(request, handler: writer)) }
        writer.attach(relay)
        relay.hand(to: writer)
    }

    private func isAlone(at host: String) -> Bool {
        state.withLock { $0.permits.owner }.map { ports.gate.isAlone($0, at: host) } ?? true
    }

    func fromWriter(_ id: ExchangeID, _ event: DownloadEvent) {
        if holdsBack(id, event) { return }
        if case .ended(_, let stored, let end) = event {
            giveBackPermit(id)
            let writer = state.withLock { $0.writers.removeValue(forKey: id) }
            if let writer {
                let counters = writer.counters
                files?.journal.note(writer.takeHashedBlocks())
                handle(.advanced(id, stored: counters.stored, received: counters.received, isHeldByUs: false))
                observe(.ended(id, stored: stored, received: counters.received, end))
            }
        }
        handle(event)
    }

    private func store(
        _ id: ExchangeID, _ position: Int64, overlap: Int64, end: Int64?, endsWithMessage: Bool, horizon: Int64?
    ) {
        guard let writer = writer(id), let files else { return }
        let facts = facts
        if let facts { files.noteAccepted(facts) }
        let begin: @Sendable ([UInt8]) -> Void = { held in
            writer.begin(
                BodyPlacement(position: position, end: end, overlap: held, endsWithMessage: endsWithMessage),
                horizon: horizon,
                to: SegmentWriter.Destination(
                    file: files.content, floor: files.floor,
                    hasher: files.journal.hasher(from: position, total: facts?.representation.total)))
        }
        guard overlap > 0 else { return begin([]) }
        onDisk(orFail: { self.handle(.storageFailed($0)) }) { () throws(DownloadError) in
            do throws(StorageError) {
                begin(try files.read(ByteRange((position - overlap)..<position)))
            } catch {
                throw .storage(error)
            }
        }
    }

    private func storeParts(_ id: ExchangeID, _ ranges: [ByteRange], total: Int64?, contentType: String) {
        guard let writer = writer(id), let files, let first = ranges.first, let last = ranges.last else { return }
        do throws(MultipartByteRanges.Problem) {
            let reader = try MultipartByteRanges(contentType: contentType, maximumParts: ranges.count)
            let parts = BodyPlacement.Parts(reader: reader, order: PartOrder(ranges, total: total))
            writer.begin(
                BodyPlacement(position: first.start, end: last.end, endsWithMessage: true, parts: parts),
                to: SegmentWriter.Destination(file: files.content, floor: files.floor, hasher: nil))
        } catch {
            // The response rule has parsed it already, so this cannot happen; if it did, the range would be requested
            // again.
            writer.cancel()
        }
    }

    var facts: PartialFiles.Facts? {
        state.withLock { state in
            guard let description = state.description else { return nil }
            let hashes = hashes(of: description.url, &state)
            return PartialFiles.Facts(
                url: description.url, urlHash: hashes.url, identityHash: hashes.identity,
                representation: description.representation,
                digest: plan.settings.digest, secondsSinceEpoch: ports.runtime.secondsSinceEpoch)
        }
    }

    private func hashes(of url: HTTPURL, _ state: inout State) -> JournalHashes {
        let journal = state.files?.journal.id ?? id
        if let known = state.hashes, known.journal == journal, known.url == url { return known.hashes }
        let hashes = JournalHashes(
            url: URLHash(of: plan.settings.urlIdentity(of: url)),
            identity: state.inspection?.identityHash(of: url, id: journal))
        if state.inspection != nil { state.hashes = (journal, url, hashes) }
        return hashes
    }

    private func takeHashedBlocks(for files: PartialFiles) {
        for (_, writer) in state.withLock({ $0.writers.sorted { $0.key < $1.key } }) {
            files.journal.note(writer.takeHashedBlocks())
        }
    }

    private func checkpoint(_ ranges: RangeSet) {
        guard let files, let facts else { return }
        takeHashedBlocks(for: files)
        let runtime = ports.runtime
        onDisk(orFail: { self.handle(.storageFailed($0)) }) { [self] () throws(DownloadError) in
            let begun = runtime.now
            try files.checkpoint(ranges, facts)
            let took = runtime.now - begun
            post { self.handle(.checkpointed(took: took)) }
        }
    }

    /// Records the written ranges without waiting for a sync: that is what the unsynced record is for.
    private func recordUnsynced(_ ranges: RangeSet) {
        // A kill may lose what is held: it is small, and the next checkpoint puts it down.
        guard let files, !files.isHeld, let facts else { return }
        takeHashedBlocks(for: files)
        ports.runtime.diskExecutor.submit { files.journal.recordUnsynced(ranges, facts) }
    }

    private func setAside(keep: Bool) {
        guard let files else { return }
        onDisk(orFail: { self.handle(.storageFailed($0)) }) { [self] () throws(DownloadError) in
            let aside = try files.setAside(keep: keep)
            ports.journals.leave(files.names.journal, in: plan.directory)
            state.withLock { state in
                // Data of no use to the machine is kept until the file is complete.
                if keep { state.setAsideFile = aside ?? state.setAsideFile } else { state.unusedSetAsideFile = aside }
                state.hasSetAside = true
            }
            post {
                self.state.withLock { $0.files = nil }
                self.handle(.setAside)
            }
        }
    }

    private func dropAside() {
        syncExecutor.submit { [self] in
            let aside = state.withLock { state in
                defer { state.setAsideFile = nil }
                return state.setAsideFile
            }
            // A failure to remove it only costs space.
            try? aside?.remove()
        }
    }

    private func refresh() {
        guard let refreshURL else {
            post { self.handle(.refreshed(nil)) }
            return
        }
        Task { [self] in
            let url = await refreshURL()
            post { self.handle(.refreshed(url)) }
        }
    }

    /// Returns the length of the result. By now the total length is known, and with it where the requested parts end.
    private func settledLength(of files: PartialFiles, _ facts: PartialFiles.Facts) -> Int64? {
        guard let layout = state.withLock({ $0.description?.layout }) else { return facts.representation.total }
        files.settle(layout)
        return layout.length
    }

    private func verify(_ digests: [Digest], computing algorithm: DigestAlgorithm?) {
        guard let files, let facts, let total = settledLength(of: files, facts) else { return }
        onDisk(orFail: { self.handle(.verified(.failed($0))) }) { [self] () throws(DownloadError) in
            let verification = try files.verify(
                digests, computing: algorithm, given: plan.settings.digest, total: total, facts, factory: ports.digests)
            if case .damaged(let ranges) = verification { files.journal.forgetHashes(in: ranges) }
            post { self.handle(.verified(verification)) }
        }
    }

    private func checkPieces(_ range: Range<Int>) {
        guard let files, let total = facts?.representation.total, let pieces = plan.settings.pieceHashes else { return }
        onDisk(orFail: { self.handle(.storageFailed($0)) }) { [self] () throws(DownloadError) in
            let wrong = try files.wrongPieces(of: pieces, among: range, total: total, factory: ports.digests)
            // A block hash is that of the bytes first received: once the piece is downloaded again, it would no longer
            // match.
            files.journal.forgetHashes(in: wrong.compactMap { pieces.range(ofPiece: $0, total: total) })
            post { self.handle(.checkedPieces(range, wrong: wrong)) }
        }
    }

    private func finish(isVerified: Bool, isComplete: Bool) {
        guard let files, let facts, let total = settledLength(of: files, facts) else { return }
        let marker = plan.markerNumber.map {
            CompletionMarker(number: $0, size: total, isComplete: isComplete, isVerified: isVerified)
        }
        let carried = fileFacts(facts)
        guard
            let held = HeldFinish(
                files, facts, policy: plan.existingFilePolicy, carrying: carried, marker: marker,
                keepsReceipt: plan.keepsReceipt)
        else {
            return finishOrdinarily(files, facts, total, carried, marker)
        }
        let ended: @Sendable (FinishingGroup.Outcome) -> Void = { [self] outcome in
            switch outcome {
            case .named(let file):
                file.reports.forEach(listener.reported)
                finished(files, file.name, file.trace)
            case .ordinary: finishOrdinarily(files, facts, total, carried, marker)
            case .failed(let error):
                post { self.handle(.storageFailed(.storage(error, directory: files.directory.path))) }
            }
        }
        switch plan.settings.options.sync {
        case .group: ports.finishing.add(held, ended: ended)
        case .file: syncExecutor.submit { FinishingGroup.finishAlone(held, syncs: true, ended: ended) }
        case .none: syncExecutor.submit { FinishingGroup.finishAlone(held, syncs: false, ended: ended) }
        }
    }

    private func finishOrdinarily(
        _ files: PartialFiles, _ facts: PartialFiles.Facts, _ total: Int64, _ carried: FileFacts,
        _ marker: CompletionMarker?
    ) {
        onDisk(orFail: { self.handle(.storageFailed($0)) }) { [self] () throws(DownloadError) in
            if leavesExisting(files) { return }
            let name: String
            do throws(DownloadError) {
                name = try files.finish(
                    facts, total: total, policy: plan.existingFilePolicy, syncs: plan.settings.options.sync != .none,
                    carrying: carried, marker: marker, keepsReceipt: plan.keepsReceipt
                ) { listener.reported($0) }
            } catch {
                if error.code == .fileExists, leavesExisting(files) { return }
                throw error
            }
            if let number = plan.markerNumber, let journal = files.receipt.withLock({ $0 }) {
                let receipt = Receipts.Receipt(
                    directory: plan.directory, journal: files.names.journal, identity: journal)
                ports.receipts.keep(receipt, of: number)
            }
            // A file that was whole before this download is not its own.
            let isOwn = files.adoption?.isTaken ?? true
            finished(files, name, isOwn ? (try? files.directory.status(name)).map(FileTrace.init) : nil)
        }
    }

    /// Ends the download if another file has come to have its name, and is to be left as it is. What was fetched is not
    /// needed then, and is removed.
    private func leavesExisting(_ files: PartialFiles) -> Bool {
        let name = files.names.target
        guard plan.existingFilePolicy == .skip, files.adoption == nil,
            let inspection = state.withLock({ $0.inspection }), inspection.leaves(name),
            case .completed(let outcome) = compared(.skipped(plan.settings), name).phase
        else { return false }
        try? files.discard()
        closed(files, name, nil, .leftExisting(isVerified: outcome.isVerified))
        return true
    }

    /// On a thread that may block.
    private func finished(_ files: PartialFiles, _ name: String, _ trace: FileTrace?) {
        closed(files, name, trace, .finished)
    }

    private func closed(_ files: PartialFiles, _ name: String, _ trace: FileTrace?, _ event: DownloadEvent) {
        // Failures from here on cost only a descriptor and some space.
        try? files.close()
        ports.journals.remove(files.names.journal, from: plan.directory)
        try? state.withLock { $0.unusedSetAsideFile }?.remove()
        post {
            self.state.withLock { state in
                state.fileName = name
                state.trace = trace
                state.isClosed = true
                state.files = nil
            }
            self.handle(event)
        }
    }

    /// The machine has had the digests checked by now.
    private func fileFacts(_ facts: PartialFiles.Facts) -> FileFacts {
        let (served, digests) = state.withLock { ($0.machine?.served, $0.description?.digests ?? []) }
        return FileFacts(
            plan.settings, served ?? facts.representation, matched: digests, wallClock: facts.secondsSinceEpoch)
    }

    private func quarantine() {
        guard let files else { return }
        // Bytes of several sources are no version of one, and bytes that a disk has damaged are none at all.
        let isMismatch =
            if case .quarantining(let error)? = state.withLock({ $0.machine?.phase }) {
                error.code == .digestMismatch
            } else { false }
        // An earlier run may have joined bytes of two versions, by samples or by another digest.
        let isFromZero = state.withLock { $0.machine?.summary.resumedFrom ?? 0 } == 0
        let isOfOneVersion =
            isMismatch && isFromZero && plan.settings.digest != nil && plan.settings.mirrors.isEmpty
        let verdict = isOfOneVersion ? facts : nil
        onDisk(orFail: { self.handle(.storageFailed($0)) }) { [self] () throws(DownloadError) in
            try files.quarantine(verdict)
            post { self.handle(.finished) }
        }
    }
}
