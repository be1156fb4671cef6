import PawlClient
import PawlCore
import PawlJobs

/// What is known of the downloads that are watched: a value that receives events and the time.
struct WatchAccount {
    /// The watched ids, in the order given; nil for all that are active or become so.
    let ids: [String]?
    private(set) var run = RunProgress(total: 0)
    private var downloads: [String: ServiceDownload] = [:]
    /// The numbers of downloads in the run, in the order in which they were seen.
    private var numbers: [String: Int] = [:]

    init(ids: [String]?) { self.ids = ids }

    /// All watched downloads have ended or are gone.
    var isOver: Bool { ids?.allSatisfy { downloads[$0]?.state.hasEnded ?? (numbers[$0] != nil) } ?? false }

    /// Of the first that failed, in the order given.
    var exitCode: ExitCode {
        for id in ids ?? [] {
            guard let download = downloads[id] else { return .failure }
            if let error = download.error, download.state.hasEnded { return ExitCode(error) }
            if download.state == .failed { return .failure }
        }
        return .done
    }

    /// - Returns: the download, if it has just ended.
    mutating func take(_ download: ServiceDownload, at time: Duration) -> ServiceDownload? {
        guard ids?.contains(download.id) ?? (!download.state.hasEnded || numbers[download.id] != nil) else { return nil }
        let before = downloads[download.id]
        let number = number(of: download.id)
        downloads[download.id] = download
        guard !download.state.hasEnded else {
            guard before?.state.hasEnded != true else { return nil }
            run.ended(number, as: download.end)
            return download
        }
        switch (before?.state, download.state) {
        case (.running?, .running): break
        case (_, .running):
            run.began(number, name: ServiceWords.name(download), at: time)
            run.resumed(number, from: download.bytes)
        case (.running?, _): run.rests(number)
        default: break
        }
        run.update(number, name: ServiceWords.name(download), progress: download.progress)
        return nil
    }

    mutating func take(_ progress: [ServiceProgress]) {
        for item in progress {
            guard var download = downloads[item.id], let number = numbers[item.id] else { continue }
            download.update(item)
            downloads[item.id] = download
            run.update(number, progress: download.progress)
        }
    }

    mutating func removed(_ id: String) {
        guard let number = numbers[id], downloads.removeValue(forKey: id)?.state.hasEnded == false else { return }
        run.ended(number, as: .stopped)
    }

    /// Of an id that is not there when the watch begins.
    mutating func missing(_ id: String) { _ = number(of: id) }

    mutating func tick(at time: Duration) { run.tick(at: time) }

    private mutating func number(of id: String) -> Int {
        if let number = numbers[id] { return number }
        let number = numbers.count + 1
        numbers[id] = number
        run.total = number
        return number
    }
}

extension ServiceDownload {
    fileprivate var end: RunProgress.End {
        guard state == .completed else { return .failed }
        return wasSkipped ? .skipped : .completed(bytes: bytes, fetched: bytes)
    }

    /// As the renderer takes it.
    var progress: DownloadProgress {
        let progressState: DownloadProgress.State =
            switch (state, step) {
            case (.running, "verify"): .verifying
            case (.running, "resolve"): .probing
            case (.running, "unpack"), (.running, "hook"): .finishing
            case (.running, _): connections.isEmpty && bytes == 0 ? .probing : .downloading
            case (.waiting, _): .waiting(seconds: Double(waitsSeconds ?? 0), reason: whyWaiting ?? "")
            case (.paused, _): .paused
            default: .queued
            }
        return DownloadProgress(
            state: progressState, bytesStored: bytes, bytesDurable: durable, totalBytes: total, bytesPerSecond: Double(rate),
            secondsLeft: secondsLeft.map { Double($0) },
            connections: connections.map {
                DownloadProgress.Connection(id: $0.id, position: $0.position, end: $0.end, bytesPerSecond: Double($0.rate), host: $0.host)
            })
    }
}
