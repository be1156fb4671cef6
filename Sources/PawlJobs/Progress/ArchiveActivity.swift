package import PawlArchive

/// The archive being unpacked or packed: a value that receives the progress and the time.
package struct ArchiveActivity: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case unpacking
        case packing
    }

    private struct Sample: Hashable, Sendable {
        var time: Duration
        var bytes: Int64
    }

    package let kind: Kind
    /// The name of the archive, or of the directory that it becomes.
    package let name: String
    /// The number of the download in its run; nil if the archive belongs to none.
    package let id: Int?
    package private(set) var progress = ArchiveProgress()
    private var samples: [Sample]

    /// The time over which the rate is measured.
    private static let window = Duration.seconds(3)

    /// - Parameter start: when it began, on the clock of ``update(_:at:)``.
    package init(_ kind: Kind, name: String, id: Int? = nil, at start: Duration = .zero) {
        self.kind = kind
        self.name = name
        self.id = id
        samples = [Sample(time: start, bytes: 0)]
    }

    package mutating func update(_ progress: ArchiveProgress, at time: Duration) {
        self.progress = progress
        samples.append(Sample(time: time, bytes: progress.bytes))
        while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// The rate, in unpacked bytes per second; 0 at first.
    package var rate: Double {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return 0 }
        return Double(max(0, last.bytes - first.bytes)) / ((last.time - first.time) / .seconds(1))
    }

    /// The completed fraction, from 0 to 1: of the bytes if their number is known, else of the archive's bytes; nil if
    /// neither is known.
    package var fraction: Double? {
        if let total = progress.totalBytes, total > 0 { return min(1, Double(progress.bytes) / Double(total)) }
        if let total = progress.totalArchiveBytes, total > 0 {
            return min(1, Double(progress.archiveBytes) / Double(total))
        }
        return nil
    }
}
