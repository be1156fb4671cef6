import Pawl
import PawlCore

/// One download by the library, watched, and stopped when the program is told to stop.
struct GetRun {
    let get: ResolvedGet
    let session: Session

    func run() async -> ExitCode {
        let clock = ContinuousClock()
        let began = clock.now
        let display = GetDisplay(makeReporter())
        do {
            let downloader = try Downloader.forThisProcess(get.configuration)
            let download = try downloader.start(get.request)
            session.interruption.onStop {
                // The result tells how it went.
                Task { _ = try? await download.pause() }
            }
            await display.began(download)
            let ending = await watch(download, display)
            await display.ended(ending, after: began.duration(to: clock.now))
            return code(of: ending)
        } catch {
            let ending = GetEnding.failed(error)
            await display.ended(ending, after: began.duration(to: clock.now))
            return code(of: ending)
        }
    }

    private func watch(_ download: Download, _ display: GetDisplay) async -> GetEnding {
        let notices = Task {
            for await notice in download.notices { await display.note(notice) }
        }
        let ticker = Task {
            guard let interval = display.interval else { return }
            while true {
                do { try await Task.sleep(for: interval) } catch { return }
                await display.tick(download.currentProgress)
            }
        }
        let ending = await ending(of: download)
        ticker.cancel()
        // Nothing may be drawn after the last line, and no notice be lost before it.
        await ticker.value
        await notices.value
        return ending
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

    private func code(of ending: GetEnding) -> ExitCode {
        if case .failed(let error) = ending { session.complain(error.message) }
        return ending.exitCode
    }

    private func makeReporter() -> any GetReporter {
        if get.writesJSON { return JSONReporter(get: get, output: session.output, interruption: session.interruption) }
        if get.isQuiet { return QuietReporter() }
        let words = GetWords(get: get, locale: Locale.current, command: CommandLine.arguments)
        guard Terminal.canRedraw else { return PlainReporter(words: words, errors: session.errors) }
        return TerminalReporter(
            words: words, style: DisplayStyle(environment: Environment.value), errors: session.errors)
    }
}

/// How `pawl get` ended.
enum GetEnding: Hashable, Sendable {
    case completed(DownloadResult)
    case failed(DownloadError)
    case stopped(StopCause?, bytes: Int64, total: Int64?)

    var exitCode: ExitCode {
        switch self {
        case .completed: .done
        case .failed(let error): ExitCode(error.code)
        case .stopped(let cause, _, _): cause?.exitCode ?? .failure
        }
    }
}
