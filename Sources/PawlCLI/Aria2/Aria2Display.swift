import Pawl
import PawlAria2
import PawlCore
import PawlJobs
import PawlSystem

/// Tells what happens to downloads as aria2c does: lines, the readout, the table at the end.
actor Aria2Display {
    private let downloads: [Aria2Invocation.Download]
    /// The downloads that could not be begun.
    private let failed: [Aria2Invocation.Download]
    private let options: Aria2Options
    private let console: Aria2Console
    private let reports: Aria2Reports
    private let programs: Aria2Hooks
    private var files = JobFiles()
    private var gids: [GID] = []
    private var account = RunAccount([])
    private var refusal: JobFailure?
    private var results = Aria2Results()
    /// The latest progress of each running file.
    private var latest: [JobFileID: JobProgress] = [:]
    /// The indices of downloads that are left unfinished.
    private var left: Set<Int> = []
    /// The number of incomplete files of each download.
    private var open: [Int: Int] = [:]
    private var hooks: [Task<Void, Never>] = []
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var ticker: Task<Void, Never>?

    init(_ invocation: Aria2Invocation, _ console: Aria2Console) {
        (downloads, options, self.console) = (invocation.downloads, invocation.options, console)
        failed = invocation.failed.map(\.download)
        reports = Aria2Reports(options, console)
        programs = Aria2Hooks(options, console)
        left = Set(invocation.downloads.indices)
        for (download, failure) in invocation.failed { results.append(download.row(failure)) }
        start = clock.now
    }

    private var elapsed: Duration { start.duration(to: clock.now) }

    // MARK: What happens

    func handle(_ event: JobEvent) {
        switch event {
        case .noticed(_, let notices): for notice in notices { console.log(.warn, Aria2Text.shown(notice)) }
        case .planned(let files, _): planned(files)
        case .refused(let failure): refusal = failure
        case .notice(let id, let notice):
            if Self.warnings.contains(notice.code) {
                console.log(.warn, "GID#\(gid(id).text) - \(Aria2Text.shown(notice.message))")
            }
        case .progressed(let id, let news): latest[id] = news
        case .began, .fetched, .unpacking, .unpacked, .ended: break
        case .choseMembers, .fetchesWhole, .archiveKept, .removesArchive, .paused, .resumed, .neverBegun, .hookEnded,
            .finished:
            break
        }
        for change in account.handle(event, at: elapsed) {
            switch change {
            case .began(let id): run(.started, id, files[id.number - 1].likelyPath)
            case .ended(let id, let outcome, let elapsed): ended(id, outcome, after: elapsed)
            case .noted, .unpacked: break
            }
        }
    }

    private static let warnings: Set<DownloadNotice.Code> = [
        .attributesNotKept, .changed, .connectionRefused, .encoded, .mirrorDiffers, .pieceWrong, .rangesIgnored,
        .remoteTimeNotKept, .retrying, .sourceFailed, .startedOver,
    ]

    private func gid(_ id: JobFileID) -> GID { gids[id.number - 1] }

    private func planned(_ files: JobFiles) {
        self.files = files
        account = RunAccount(files)
        for file in files { open[file.job, default: 0] += 1 }
        // What was named twice is the download that was named first.
        left.formIntersection(open.keys)
        var named: Set<Int> = []
        // A Metalink may have several files: the first is the download that was asked for.
        gids = files.map {
            named.insert($0.job).inserted && downloads.indices.contains($0.job) ? downloads[$0.job].gid : .random()
        }
        console.log(.notice, Aria2Log.begins(files.count))
        ticker = Task {
            var seconds: Int64 = 0
            while true {
                do { try await Pause.sleep(for: .seconds(1)) } catch { return }
                seconds += 1
                tick(second: seconds)
            }
        }
    }

    private func ended(_ id: JobFileID, _ outcome: JobOutcome, after elapsed: Duration) {
        let file = files[id.number - 1]
        let last = latest.removeValue(forKey: id)
        let known = path(of: file, last, outcome)
        let seconds = elapsed / .seconds(1)
        var row = Aria2Results.Row(gid: gid(id), end: .complete, speed: nil, percentage: nil, path: known)
        var fetched = last?.progress.bytesStored ?? 0
        row.percentage = last?.progress.totalBytes.flatMap { $0 > 0 ? 100 * min(fetched, $0) / $0 : nil }
        switch outcome {
        case .completed(let done, _):
            (fetched, row.path, row.percentage) = (done.result.fetchedByteCount, done.path, 100)
            // A name from the server is another one, and no file that was there has it.
            if !done.path.isExactly(file.likelyPath),
                file.spec.fileName != nil || Self.isNumbered(done.path, like: file.likelyName)
            {
                console.log(.notice, Aria2Log.renamed(done.path))
            }
            console.log(.notice, Aria2Log.complete(done.path))
            open[file.job, default: 1] -= 1
            if open[file.job] == 0 { left.remove(file.job) }
            run(.completed, id, done.path)
        case .failed(_, let failure, _):
            let number = Aria2Status.number(of: failure.code)
            row.end = .failed(number)
            console.log(.error, Aria2Log.aborted(file.shownURL, number, failure.message))
            console.log(.notice, Aria2Log.incomplete(gid(id), known))
            if number == Aria2Status.notFound, downloads[file.job].options.isFalse("save-not-found") {
                left.remove(file.job)
            }
            if FileKind(path: file.likelyPath + AdoptionRule.aria2Suffix) == .other,
                failure.code.isExactly(DownloadError.Code.journal.rawValue)
            {
                console.log(.notice, "If “\(Aria2Text.shown(file.likelyPath))” is complete, remove its .aria2.")
            }
            run(.failed, id, known)
        case .stopped:
            row.end = .unfinished
            console.log(.notice, Aria2Log.incomplete(gid(id), known))
            run(.stopped, id, known)
        }
        if seconds > 0 { row.speed = Int64(saturating: Double(fetched) / seconds) }
        results.append(row)
    }

    /// Returns the path to show for a file; its URL while it has no name.
    private func path(of file: JobFile, _ last: JobProgress?, _ outcome: JobOutcome) -> String {
        let isNamed = (last?.progress.bytesStored ?? 0) > 0
        if let name = file.spec.fileName ?? last?.fileName ?? (isNamed ? file.likelyName : nil) {
            return FileTarget.path(in: file.spec.directory, name)
        }
        if case .failed(_, .download(let error), _) = outcome, error.code == .fileExists { return file.likelyPath }
        return file.shownURL
    }

    /// `a (1).iso` for `a.iso`.
    private static func isNumbered(_ path: String, like name: String) -> Bool {
        let found = PathParts(path).name
        return (1...100).contains { FileName.renamed(name, attempt: $0).isExactly(found) }
    }

    private func run(_ event: Aria2Event, _ id: JobFileID, _ path: String) {
        if let hook = programs.run(event, gid(id), path) { hooks.append(hook) }
    }

    // MARK: The readout

    private func tick(second: Int64) {
        account.tick(at: elapsed)
        let running = account.progress.running.map { one in
            Aria2Readout.Running(
                gid: gids[one.id - 1], path: FileTarget.path(in: files[one.id - 1].spec.directory, one.name),
                stored: one.progress.bytesStored, total: one.progress.totalBytes,
                connections: one.progress.connections.count, speed: Int64(saturating: one.progress.bytesPerSecond))
        }
        reports.draw(running, second: second)
    }

    // MARK: The end

    func stopDrawing() async {
        ticker?.cancel()
        await ticker?.value
    }

    /// - Returns: the exit status.
    func finish(waitsForHooks: Bool) async -> Int {
        if waitsForHooks {
            for hook in hooks { await hook.value }
        } else if !hooks.isEmpty {
            // They are to begin, and may go on alone.
            try? await Pause.sleep(for: .milliseconds(500))
        }
        if let refusal {
            console.log(.error, Aria2Text.shown(refusal.message))
            return Aria2Status.number(of: refusal.code)
        }
        let ended = Set(results.rows.map(\.gid))
        for (file, gid) in zip(files, gids) where !ended.contains(gid) {
            results.append(
                .init(
                    gid: gid, end: .unfinished, speed: nil, percentage: nil,
                    path: file.spec.fileName == nil ? file.shownURL : file.likelyPath))
        }
        reports.show(results)
        return files.isEmpty ? Aria2Status.unfinished : results.exitStatus
    }

    /// The unfinished downloads, for the next start.
    var unfinished: [Aria2Session.Entry] {
        failed.map(\.entry)
            + downloads.indices.filter { left.contains($0) || downloads[$0].options.isTrue("force-save") }.map {
                downloads[$0].entry
            }
    }
}
