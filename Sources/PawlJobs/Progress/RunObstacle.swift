import Pawl

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

    /// - Parameter isBegun: then what it waits for is shown with it.
    init?(_ reason: DownloadSnapshot.WaitReason?, isBegun: Bool) {
        switch reason {
        case .diskFull(let text): self.init(.fullDisk, text)
        case .hostLimit(let host) where !isBegun: self.init(.hostLimit, host)
        case .hostRests(let host, _) where !isBegun: self.init(.hostRests, host)
        case .hostLimit, .hostRests, .backOff, .freshURL, .timetable, .credentials, nil: return nil
        }
    }
}

/// The obstacles of a run, counted as they come and go: there may be as many as files.
struct Obstacles {
    private var known: [JobFileID: RunObstacle] = [:]
    private var counts: [RunObstacle: Int] = [:]

    mutating func set(_ obstacle: RunObstacle?, for id: JobFileID) {
        let former = known[id]
        guard former != obstacle else { return }
        if let former {
            counts[former, default: 1] -= 1
            if counts[former] == 0 { counts[former] = nil }
        }
        known[id] = obstacle
        if let obstacle { counts[obstacle, default: 0] += 1 }
    }

    /// The obstacle of most of them; nil if there is none.
    var greatest: RunObstacle? {
        let greatest = counts.max { one, other in
            (one.value, other.key.kind.rawValue, other.key.subject) < (
                other.value, one.key.kind.rawValue, one.key.subject
            )
        }
        return greatest.map { RunObstacle($0.key.kind, $0.key.subject, count: $0.value) }
    }
}
