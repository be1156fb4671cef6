import Pawl
import PawlArchive
package import PawlCore

/// The progress of a run of downloads: a value that receives events and the time.
package struct RunProgress: Sendable {
    /// A file that runs.
    package struct Running: Hashable, Sendable {
        package var id: Int
        /// Empty until ``RunProgress/name(_:)``.
        package var name: String
        /// The time of its begin, since the run began.
        package var began: Duration
        package var progress = DownloadProgress(state: .queued)
        fileprivate var resumedFrom: Int64 = 0

        fileprivate var fetched: Int64 { max(0, progress.bytesStored - resumedFrom) }
    }

    private struct Sample {
        var time: Duration
        var fetched: Int64
    }

    /// Files in the run.
    package var total: Int
    /// The running files in the order given, which is roughly that in which they began.
    package private(set) var running: [Running] = []
    package private(set) var completed = 0
    /// The number of completed files that had existed before.
    package private(set) var skipped = 0
    package private(set) var failed = 0
    package private(set) var stopped = 0
    /// The number of bytes stored by files that were stopped, or failed for a reason that another run may survive.
    package private(set) var saved: Int64 = 0
    /// The length of the last of these, if it is known.
    package private(set) var savedTotal: Int64?
    /// Bytes stored by those that were stopped, of which the next run makes no use.
    package private(set) var useless: Int64 = 0
    /// The archive that is unpacked now.
    package var unpacking: ArchiveActivity?
    /// The obstacle of most waiting files.
    package var obstacle: RunObstacle?
    /// Bytes of the files that have ended, with what had been stored before.
    private var endedBytes: Int64 = 0
    /// Bytes of those among them that are complete.
    private var completedBytes: Int64 = 0
    private var endedFetched: Int64 = 0
    private var samples: [Sample] = [Sample(time: .zero, fetched: 0)]

    /// The time over which the rate is measured.
    private static let window = Duration.seconds(3)
    /// A rate measured over less says nothing of the time left.
    private static let shortestMeasure = Duration.seconds(1)

    package init(total: Int) {
        self.total = total
    }

    // MARK: What happens

    package mutating func began(_ id: Int, name: String = "", at time: Duration) {
        let index = running.firstIndex { $0.id > id } ?? running.endIndex
        running.insert(Running(id: id, name: name, began: time), at: index)
    }

    /// Names the running files that have no name: many end before anybody looks.
    package mutating func name(_ name: (Int) -> String) {
        for index in running.indices where running[index].name.isEmpty {
            running[index].name = name(running[index].id)
        }
    }

    package mutating func update(_ id: Int, name: String? = nil, progress: DownloadProgress) {
        guard let index = running.firstIndex(where: { $0.id == id }) else { return }
        let known = running[index].progress.canResume
        running[index].progress = progress
        if progress.canResume == nil { running[index].progress.canResume = known }
        if let name { running[index].name = name }
    }

    package mutating func resumed(_ id: Int, from offset: Int64) {
        guard let index = running.firstIndex(where: { $0.id == id }) else { return }
        running[index].resumedFrom = offset
    }

    package mutating func ended(_ id: Int, _ outcome: JobOutcome) {
        switch outcome {
        case .completed(let file, _):
            let result = file.result
            ended(
                id,
                as: result.wasSkipped ? .skipped : .completed(bytes: result.byteCount, fetched: result.fetchedByteCount)
            )
        case .stopped: ended(id, as: .stopped)
        case .failed(_, .download(let error), _): ended(id, as: .failed(isKept: error.keepsStoredBytes))
        case .failed: ended(id, as: .failed(isKept: false))
        }
    }

    /// The end of a download.
    package enum End: Hashable, Sendable {
        case completed(bytes: Int64, fetched: Int64)
        /// The file existed before.
        case skipped
        /// The download failed; `isKept` tells that its bytes are kept for another run.
        case failed(isKept: Bool)
        case stopped
    }

    package mutating func ended(_ id: Int, as end: End) {
        let last = running.firstIndex { $0.id == id }.map { running.remove(at: $0) }
        switch end {
        case .completed(let bytes, let fetched):
            completed += 1
            endedBytes += bytes
            completedBytes += bytes
            endedFetched += fetched
        case .skipped:
            completed += 1
            skipped += 1
        case .failed, .stopped:
            if end == .stopped { stopped += 1 } else { failed += 1 }
            if end != .failed(isKept: false) {
                if last?.progress.canResume ?? true {
                    saved += last?.progress.bytesStored ?? 0
                    savedTotal = last?.progress.totalBytes
                } else {
                    useless += last?.progress.bytesStored ?? 0
                }
            }
            endedBytes += last?.progress.bytesStored ?? 0
            endedFetched += last?.fetched ?? 0
        }
    }

    /// Measures the rate between calls. Call it often.
    package mutating func tick(at time: Duration) {
        samples.append(Sample(time: time, fetched: fetched))
        while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// Removes a file that no longer runs but has not ended.
    package mutating func rests(_ id: Int) { running.removeAll { $0.id == id } }

    // MARK: What is known

    /// The timetable's pause that holds now.
    package var pause: SpeedSchedule.Pause? {
        for download in running {
            if case .waiting(.timetable(let pause)) = download.progress.state { return pause }
        }
        return nil
    }

    /// The number of files that have neither ended nor run.
    package var waiting: Int { max(0, total - ended - running.count) }

    package var ended: Int { completed + failed + stopped }

    package var isLarge: Bool { total > 1 }

    /// The number of bytes fetched by this run.
    package var fetched: Int64 { running.reduce(endedFetched) { $0 + $1.fetched } }

    /// The number of bytes in the files, those of earlier runs included.
    package var bytesStored: Int64 { running.reduce(endedBytes) { $0 + $1.progress.bytesStored } }

    /// The rate over the last seconds, in bytes per second; 0 at first.
    package var rate: Double {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return 0 }
        return Double(max(0, last.fetched - first.fetched)) / ((last.time - first.time) / .seconds(1))
    }

    /// The files of which bytes come or have come: all but those that failed, were stopped, or existed before.
    private var wanted: Int { max(0, total - failed - stopped - skipped) }

    /// Bytes stored of the wanted files.
    package var wantedStored: Int64 { running.reduce(completedBytes) { $0 + $1.progress.bytesStored } }

    /// The length of all wanted files; nil while one of them is unknown.
    package var wantedTotal: Int64? {
        let known = knownLengths
        return known.count == wanted && known.count > 0 ? Int64(saturating: known.sum) : nil
    }

    private var knownLengths: (count: Int, sum: Double) {
        running.reduce((completed - skipped, Double(completedBytes))) { known, download in
            guard let length = download.progress.totalBytes else { return known }
            return (known.0 + 1, known.1 + Double(length))
        }
    }

    /// The stored fraction of the wanted files, from 0 to 1: by bytes, where files of unknown length count as average
    /// ones; by files while no length is known.
    package var fraction: Double {
        guard ended < total, wanted > 0 else { return 1 }
        let known = knownLengths
        guard known.count > 0, known.sum > 0 else {
            return min(1, Double(completed - skipped) / Double(wanted))
        }
        let average = known.sum / Double(known.count)
        let stored = running.reduce(Double(completedBytes)) { stored, download in
            stored
                + min(Double(download.progress.bytesStored), download.progress.totalBytes.map { Double($0) } ?? average)
        }
        return min(1, stored / (average * Double(wanted)))
    }

    /// Connections that running files hold to this host, as `example.org` or `example.org:443`.
    package func connections(to host: String) -> Int {
        running.reduce(0) { count, download in
            count + download.progress.connections.count { host.isExactly($0.host) || host.begins(with: $0.host + ":") }
        }
    }

    /// The estimated time left: by the bytes if every file's length is known; else by the files, once a few have been
    /// fetched.
    package var secondsLeft: Double? {
        guard ended < total, let now = samples.last?.time, let first = samples.first?.time,
            now - first >= Self.shortestMeasure
        else { return nil }
        let lengths = running.compactMap(\.progress.totalBytes)
        if waiting == 0, lengths.count == running.count, rate > 0 {
            let rest = zip(running, lengths).reduce(Int64(0)) { $0 + max(0, $1.1 - $1.0.progress.bytesStored) }
            return Double(rest) / rate
        }
        let fetchedFiles = completed - skipped
        guard fetchedFiles >= 3 else { return nil }
        let done = Double(fetchedFiles) + running.reduce(0) { $0 + ($1.progress.fractionCompleted ?? 0) }
        return now / .seconds(1) / done * max(0, Double(total - ended) - (done - Double(fetchedFiles)))
    }
}
