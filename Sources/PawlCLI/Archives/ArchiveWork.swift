import Pawl
import PawlArchive
import PawlCore
import PawlJobs
import PawlSystem

/// Work on one archive: observed, displayed, and stopped when the program is told to stop.
struct ArchiveWork {
    let kind: ArchiveActivity.Kind
    let name: String
    let session: Session
    let writesJSON: Bool
    let isQuiet: Bool
    /// The number of the download in its run; nil if the work belongs to none.
    var id: Int?

    /// - Parameter body: the work; it is handed what to tell its progress to.
    /// - Returns: what it made, and how long it took.
    /// - Throws: what the work throws; `CancellationError` after a signal.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (@escaping @Sendable (ArchiveProgress) -> Void) async throws -> Value
    ) async throws -> (value: Value, elapsed: Duration) {
        let latest = LatestProgress()
        let clock = ContinuousClock()
        let start = clock.now
        // A signal before the handler is installed ends the program at once, so nothing may be created before.
        let (listening, isListening) = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            for await _ in listening { break }
            try Task.checkCancellation()
            return try await body { latest.set($0) }
        }
        session.interruption.onStop(within: .removal) { work.cancel() }
        isListening.yield()
        let display = Task { await show(latest, since: start) }
        let result = await work.result
        display.cancel()
        // No drawing may follow the last line.
        await display.value
        return (try result.get(), start.duration(to: clock.now))
    }

    /// Says how it failed, or that it was stopped, and what to tell the shell.
    /// - Throws: what only the program's beginning knows how to tell.
    func report(_ error: any Error) throws -> ExitCode {
        if writesJSON {
            if let error = error as? ArchiveError {
                _ = session.write(
                    ArchiveJSON.failed(error, error.text, exitCode: ExitCode(error.code).rawValue).encoded + "\n")
            } else if error is CancellationError {
                _ = session.write(
                    ArchiveJSON.stopped(exitCode: (session.interruption.cause?.exitCode ?? .failure).rawValue).encoded
                        + "\n")
            }
        }
        if error is CancellationError, session.interruption.cause != nil, session.interruption.cause != .outputClosed {
            if !isQuiet { session.say("pawl: Stopped; the partial output was removed.") }
        }
        guard let code = session.reportKnown(error) else { throw error }
        return code
    }

    // MARK: While it goes on

    private func show(_ latest: LatestProgress, since start: ContinuousClock.Instant) async {
        if writesJSON { return await repeating(every: .milliseconds(250), latest, start) { write($0) } }
        if isQuiet { return }
        guard Terminal.canRedraw else {
            return await repeating(every: .seconds(10), latest, start) { session.say("pawl: " + ArchiveWords.line($0)) }
        }
        let style = DisplayStyle.current
        let renderer = ArchiveRenderer(style: style)
        var screen = TerminalScreen()
        await repeating(every: .milliseconds(125), latest, start) { activity in
            guard Terminal.isForeground else { return screen.forget() }
            let width = Terminal.size.columns
            session.errors.write(
                screen.draw(renderer.lines(activity, width: width), width: width, coloured: style.isColoured))
        }
        let text = screen.clear(width: Terminal.size.columns)
        if !text.isEmpty { session.errors.write(text) }
    }

    /// Shows the progress until the task is cancelled; work that ends before the first interval is never shown.
    private func repeating(
        every interval: Duration, _ latest: LatestProgress, _ start: ContinuousClock.Instant,
        _ body: (ArchiveActivity) -> Void
    ) async {
        var activity = ArchiveActivity(kind, name: name, id: id)
        while true {
            do { try await Pause.sleep(for: interval) } catch { return }
            guard let progress = latest.value else { continue }
            activity.update(progress, at: start.duration(to: ContinuousClock().now))
            body(activity)
        }
    }

    /// The reader of this output started the work; once it is gone, the work is pointless.
    private func write(_ activity: ArchiveActivity) {
        if !session.output.write(ArchiveJSON.progress(activity).encoded + "\n") {
            session.interruption.stop(.outputClosed)
        }
    }
}
