import PawlClient
import PawlCore
import PawlJobs

/// The state of the watched downloads: a value that receives events and the time.
struct WatchAccount {
    /// The watched ids, in the order given; nil for all that are active or become so.
    let ids: [String]?
    private(set) var run = RunProgress(total: 0)
    private var downloads: [ExactText: ServiceDownload] = [:]
    /// The numbers of downloads in the run, in the order in which they were seen.
    private var numbers: [ExactText: Int] = [:]
    private let watched: Set<ExactText>?
    /// The watched ids whose downloads have neither ended nor gone.
    private var open: Set<ExactText>

    init(ids: [String]?) {
        self.ids = ids
        watched = ids.map { Set($0.map { ExactText($0) }) }
        open = watched ?? []
    }

    /// Whether all watched downloads have ended or are gone.
    var isOver: Bool { ids != nil && open.isEmpty }

    /// Returns whether events of this download are shown.
    func watches(_ id: String) -> Bool { watched?.contains(ExactText(id)) ?? true }

    /// The exit code of the first download that failed, in the order given.
    var exitCode: ExitCode {
        for id in ids ?? [] {
            guard let download = downloads[ExactText(id)] else { return .failure }
            if let error = download.error, download.state.hasEnded { return ExitCode(error) }
            if download.state == .failed { return .failure }
        }
        return .done
    }

    /// - Returns: the download, if it has just ended.
    mutating func handle(_ download: ServiceDownload, at time: Duration) -> ServiceDownload? {
        let id = ExactText(download.id)
        guard watched?.contains(id) ?? (!download.state.hasEnded || numbers[id] != nil) else { return nil }
        let before = downloads[id]
        let number = number(of: id)
        downloads[id] = download
        guard !download.state.hasEnded else {
            open.remove(id)
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

    mutating func handle(_ progress: [ServiceProgress]) {
        for item in progress {
            let id = ExactText(item.id)
            guard var download = downloads[id], let number = numbers[id] else { continue }
            download.update(item)
            downloads[id] = download
            run.update(number, progress: download.progress)
        }
    }

    mutating func removed(_ id: String) {
        let id = ExactText(id)
        open.remove(id)
        guard let number = numbers[id], downloads.removeValue(forKey: id)?.state.hasEnded == false else { return }
        run.ended(number, as: .stopped)
    }

    /// Records that an id does not exist when the watch begins.
    mutating func missing(_ id: String) {
        guard downloads[ExactText(id)] == nil else { return }
        _ = number(of: ExactText(id))
        open.remove(ExactText(id))
    }

    mutating func tick(at time: Duration) { run.tick(at: time) }

    private mutating func number(of id: ExactText) -> Int {
        if let number = numbers[id] { return number }
        let number = numbers.count + 1
        numbers[id] = number
        run.total = number
        return number
    }
}

extension ServiceDownload {
    fileprivate var end: RunProgress.End {
        guard state == .completed else { return .failed(isKept: false) }
        return wasSkipped ? .skipped : .completed(bytes: bytes, fetched: bytes)
    }

    /// The progress in the form that the renderer takes.
    var progress: DownloadProgress {
        let progressState: DownloadState =
            switch (state, step) {
            case (.running, "verify"): .running(.verifying)
            case (.running, "resolve"): .running(.probing)
            case (.running, "unpack"), (.running, "hook"): .running(.finishing)
            case (.running, _): .running(connections.isEmpty && bytes == 0 ? .probing : .downloading)
            case (.waiting, _) where waiting?.code.isExactly("timetable") ?? false:
                .waiting(.backOff(seconds: 0, reason: whyWaiting ?? ""))
            case (.waiting, _): .waiting(.backOff(seconds: Double(waitsSeconds ?? 0), reason: whyWaiting ?? ""))
            case (.paused, _): .paused
            default: .queued
            }
        return DownloadProgress(
            state: progressState, bytesStored: bytes, bytesDurable: durable, totalBytes: total,
            bytesPerSecond: Double(rate),
            secondsLeft: secondsLeft.map { Double($0) },
            connections: connections.map {
                DownloadProgress.Connection(
                    id: $0.id, position: $0.position, end: $0.end, bytesPerSecond: Double($0.rate), host: $0.host)
            })
    }
}
