import Pawl
import PawlCore
import Synchronization

/// The downloads of a command by the library, watched, and stopped when the program is told to stop.
struct GetRun {
    let get: ResolvedGet
    let session: Session

    private final class Running: Sendable {
        private struct State {
            var isStopped = false
            var downloads: [Int: Download] = [:]
        }
        private let state = Mutex(State())

        var isStopped: Bool { state.withLock { $0.isStopped } }
        var all: [Int: Download] { state.withLock { $0.downloads } }

        func add(_ download: Download, id: Int) {
            let isStopped = state.withLock { state in
                state.downloads[id] = download
                return state.isStopped
            }
            if isStopped { Task { _ = try? await download.pause() } }
        }

        func remove(_ id: Int) { _ = state.withLock { $0.downloads.removeValue(forKey: id) } }

        func stop() {
            let downloads = state.withLock { state in
                state.isStopped = true
                return state.downloads
            }
            for download in downloads.values { Task { _ = try? await download.pause() } }
        }
    }

    func run() async -> ExitCode {
        let display = GetDisplay(get, makeReporter())
        for remark in get.remarks { await display.remark(remark) }
        let running = Running()
        let hooks = get.hook.map { DownloadHooks($0, session: session) }
        do {
            let downloader = try Downloader.forThisProcess(get.configuration)
            session.interruption.onStop { running.stop() }
            let ticker = Task { await tick(display, running) }
            await fetchAll(downloader, display, running, hooks)
            ticker.cancel()
            // Nothing may be drawn after the last line.
            await ticker.value
        } catch {
            return session.report(error)
        }
        let failedHooks = await hooks?.finish() ?? 0
        let code = await display.finish(cause: session.interruption.cause).exitCode
        return code == .done && failedHooks > 0 ? .hookFailed : code
    }

    private func tick(_ display: GetDisplay, _ running: Running) async {
        guard let interval = display.interval else { return }
        let planned = Dictionary(uniqueKeysWithValues: get.downloads.map { ($0.id, $0) })
        while true {
            do { try await Task.sleep(for: interval) } catch { return }
            for (id, download) in running.all {
                if let planned = planned[id] { await display.update(planned, download.currentProgress) }
            }
            await display.tick()
        }
    }

    private func fetchAll(_ downloader: Downloader, _ display: GetDisplay, _ running: Running, _ hooks: DownloadHooks?) async {
        await withTaskGroup(of: Void.self) { group in
            var free = get.maximumRunning
            for planned in get.downloads where !running.isStopped {
                if free == 0 { await group.next() } else { free -= 1 }
                guard !running.isStopped else { break }
                group.addTask { await fetch(planned, downloader, display, running, hooks) }
            }
        }
    }

    private func fetch(
        _ planned: PlannedDownload, _ downloader: Downloader, _ display: GetDisplay, _ running: Running, _ hooks: DownloadHooks?
    ) async {
        await display.began(planned)
        let ending: GetEnding
        do throws(DownloadError) {
            let download = try downloader.start(planned.request)
            running.add(download, id: planned.id)
            let notices = Task { for await notice in download.notices { await display.note(notice, of: planned) } }
            ending = await self.ending(of: download)
            // No notice is lost before the last line.
            await notices.value
            await display.update(planned, download.currentProgress)
        } catch {
            ending = .failed(error)
        }
        running.remove(planned.id)
        let counted = await display.ended(planned, ending)
        await hooks?.ended(planned, counted)
        if get.failsFast, case .failed = counted { running.stop() }
    }

    private func ending(of download: Download) async -> GetEnding {
        do {
            return .completed(try await download.result())
        } catch let error as DownloadError {
            return .failed(error)
        } catch {
            let progress = download.currentProgress
            return .stopped(session.interruption.cause, bytes: progress.bytesStored, total: progress.totalBytes)
        }
    }

    private func makeReporter() -> any GetReporter {
        let words = GetWords(get: get, locale: Locale.current, command: CommandLine.arguments)
        if get.writesJSON {
            return JSONReporter(words: words, output: session.output, errors: session.errors, interruption: session.interruption)
        }
        if get.isQuiet { return QuietReporter(words: words, errors: session.errors) }
        guard Terminal.canRedraw else { return PlainReporter(words: words, errors: session.errors) }
        return TerminalReporter(
            words: words, style: DisplayStyle(environment: Environment.value), errors: session.errors)
    }
}
