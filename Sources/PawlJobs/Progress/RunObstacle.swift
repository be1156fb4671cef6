import PawlCore

/// A reason why files of a run wait, other than for their turn.
package struct RunObstacle: Hashable, Sendable {
    /// The kinds of obstacles. Among obstacles that hold up equally many files, the first kind is reported.
    package enum Kind: Int, Hashable, Sendable {
        case fullDisk, hostLimit, hostRests
    }

    package let kind: Kind
    /// The host, as `example.org:443`; of a full disk what its error says.
    package let subject: String
    /// The number of files that wait for it.
    package let count: Int

    package init(_ kind: Kind, _ subject: String, count: Int = 1) {
        (self.kind, self.subject, self.count) = (kind, subject, count)
    }

    /// Creates one; nil for a reason that concerns one file, which is shown with it.
    init?(_ reason: DownloadState.Wait, count: Int = 1) {
        switch reason {
        case .diskFull(let text): self.init(.fullDisk, text, count: count)
        case .hostLimit(let host): self.init(.hostLimit, host, count: count)
        case .hostRests(let host, _): self.init(.hostRests, host, count: count)
        case .backOff, .network, .freshURL, .timetable, .credentials: return nil
        }
    }
}

/// The disks that are full, counted by the files that wait for them: there may be as many as files.
struct FullDisks {
    private var known: [JobFileID: RunObstacle] = [:]
    private var counts: [RunObstacle: Int] = [:]

    /// - Parameter state: of the file; nil once it has ended.
    mutating func set(_ state: DownloadState?, for id: JobFileID) {
        var obstacle: RunObstacle?
        if case .waiting(.diskFull(let text)) = state { obstacle = RunObstacle(.fullDisk, text) }
        let former = known.isEmpty ? nil : known[id]
        guard former != obstacle else { return }
        if let former {
            counts[former, default: 1] -= 1
            if counts[former] == 0 { counts[former] = nil }
        }
        known[id] = obstacle
        if let obstacle { counts[obstacle, default: 0] += 1 }
    }

    var all: [RunObstacle] { counts.map { RunObstacle($0.key.kind, $0.key.subject, count: $0.value) } }
}

extension [RunObstacle] {
    /// The obstacle of most files; nil if there is none.
    var greatest: RunObstacle? {
        self.max { ($0.count, $1.kind.rawValue, $1.subject) < ($1.count, $0.kind.rawValue, $0.subject) }
    }
}
