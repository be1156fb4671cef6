import Pawl
import PawlCore
import PawlJobs

/// `-o -`: the bytes of one file go to stdout in order, while they come. All else is said on stderr.
struct StreamFetch {
    private let get: ResolvedGet
    private let session: Session
    private let downloader: Downloader

    private static let interval = Duration.milliseconds(100)

    /// - Parameter get: with its one file settled.
    init(get: ResolvedGet, session: Session, _ downloader: Downloader) {
        self.get = get
        self.session = session
        self.downloader = downloader
    }

    func run() async throws -> ExitCode {
        let display = GetDisplay(get, session)
        guard let download = get.downloads.first else { return .usage }
        await display.take(.planned([download.file], repeated: 0))
        await display.take(.began(download.id))
        await display.take(.ended(download.id, await outcome(of: download, display)))
        return try await display.finish()
    }

    private func outcome(of download: PlannedDownload, _ display: GetDisplay) async -> JobOutcome {
        do throws(DownloadError) {
            let stream = try downloader.stream(try download.file.spec.request(session.secrets))
            session.interruption.onStop {
                // The result tells how it went.
                Task { _ = try? await stream.download.pause() }
            }
            let notices = Task { for await notice in stream.download.notices { await display.take(.notice(download.id, notice)) } }
            let ticker = Task {
                while true {
                    do { try await Task.sleep(for: Self.interval) } catch { return }
                    await display.take(.progressed(download.id, JobProgress(stream.download.currentProgress)))
                }
            }
            let outcome = await pump(stream)
            ticker.cancel()
            // Nothing may be drawn after the last line, and no notice be lost before it.
            await ticker.value
            await notices.value
            return outcome
        } catch {
            return .failed(.fetch, .download(error), fetched: nil)
        }
    }

    private func pump(_ stream: DownloadStream) async -> JobOutcome {
        do {
            for try await bytes in stream {
                guard session.output.write(bytes) else {
                    // Whoever read has enough, as head has after some lines.
                    session.interruption.stop(.outputClosed)
                    stream.download.cancel()
                    return .stopped(.fetch, fetched: nil)
                }
            }
            let result = try await stream.download.result()
            return .completed(FetchedFile(target: JobTarget(path: result.path), result: result), nil)
        } catch let error as DownloadError {
            return .failed(.fetch, .download(error), fetched: nil)
        } catch {
            return .stopped(.fetch, fetched: nil)
        }
    }
}
