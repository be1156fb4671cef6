import Pawl
import PawlCore

/// One download: no queue stands between it and the person who waits for it.
struct SingleFetch {
    let get: ResolvedGet
    let session: Session
    let display: GetDisplay
    let hooks: DownloadHooks?
    let unpacker: Unpacker?

    func run() async throws(DownloadError) {
        guard let planned = get.downloads.first else { return }
        var configuration = get.configuration
        configuration.hostMemoryPath = StateDirectory.file("hosts")
        let downloader = try Downloader.forThisProcess(configuration)
        await display.began(planned)
        let ending: GetEnding
        do throws(DownloadError) {
            let stream = get.streamsToOutput ? try downloader.stream(planned.request) : nil
            let download: Download
            if let stream { download = stream.download } else { download = try downloader.start(planned.request) }
            session.interruption.onStop {
                // The result tells how it went.
                Task { _ = try? await download.pause() }
            }
            ending = await watch(download, stream, planned)
        } catch {
            ending = .failed(error)
        }
        let counted = await display.ended(planned, ending)
        if case .completed(let result) = counted, let unpacker {
            await unpack(planned, result, unpacker)
        } else if !get.streamsToOutput {
            // Of a stream there is no file to hand to a program.
            await hooks?.ended(planned, counted)
        }
    }

    private func unpack(_ planned: PlannedDownload, _ result: DownloadResult, _ unpacker: Unpacker) async {
        session.interruption.onStop(within: .removal) { Task { await unpacker.stop() } }
        // What was said of the download is read before the rest is waited for.
        await display.tick()
        let ticker = Task {
            guard let interval = display.interval else { return }
            while true {
                do { try await Task.sleep(for: interval) } catch { return }
                await display.tick()
            }
        }
        await unpacker.begin(planned, result)
        await unpacker.finish()
        ticker.cancel()
        await ticker.value
    }

    func watch(_ download: Download, _ stream: DownloadStream?, _ planned: PlannedDownload) async -> GetEnding {
        let notices = Task {
            for await notice in download.notices { await display.note(notice, of: planned) }
        }
        let ticker = Task {
            guard let interval = display.interval else { return }
            while true {
                do { try await Task.sleep(for: interval) } catch { return }
                await display.update(planned, download.currentProgress)
                await display.tick()
            }
        }
        let ending = if let stream { await pump(stream) } else { await ending(of: download) }
        ticker.cancel()
        // Nothing may be drawn after the last line, and no notice be lost before it.
        await ticker.value
        await notices.value
        await display.update(planned, download.currentProgress)
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

    /// `-o -`: the bytes go to stdout in order, while they come. All else is said on stderr.
    private func pump(_ stream: DownloadStream) async -> GetEnding {
        do {
            for try await bytes in stream {
                guard session.output.write(bytes) else {
                    // Whoever read has enough, as head has after some lines.
                    session.interruption.stop(.outputClosed)
                    stream.download.cancel()
                    return .stopped(.outputClosed, bytes: 0, total: nil)
                }
            }
            return .completed(try await stream.download.result())
        } catch let error as DownloadError {
            return .failed(error)
        } catch {
            return .stopped(session.interruption.cause, bytes: 0, total: nil)
        }
    }
}
