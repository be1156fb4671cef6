import Pawl
import PawlJobs

/// Why a download waits that is not running, other than for its turn.
enum Obstacle: Hashable {
    /// The host, as `example.org:443`.
    case hostLimit(String)
    case hostRests(String)
    case fullDisk(String)

    /// - Parameter isBegun: then what it waits for is shown with it.
    init?(_ reason: DownloadSnapshot.WaitReason?, isBegun: Bool) {
        switch reason {
        case .diskFull(let text): self = .fullDisk(text)
        case .hostLimit(let host) where !isBegun: self = .hostLimit(host)
        case .hostRests(let host, _) where !isBegun: self = .hostRests(host)
        case .hostLimit, .hostRests, .backOff, .freshURL, .credentials, nil: return nil
        }
    }
}

/// The obstacles of a run, counted as they come and go: there may be as many as downloads.
struct Obstacles {
    private var known: [JobFileID: Obstacle] = [:]
    private var counts: [Obstacle: Int] = [:]

    mutating func set(_ obstacle: Obstacle?, for id: JobFileID) {
        let former = known[id]
        guard former != obstacle else { return }
        if let former {
            counts[former, default: 1] -= 1
            if counts[former] == 0 { counts[former] = nil }
        }
        known[id] = obstacle
        if let obstacle { counts[obstacle, default: 0] += 1 }
    }

    /// About what keeps most of them; nil when nothing does.
    var sentence: String? {
        guard let (obstacle, count) = counts.max(by: { ($0.value, "\($1.key)") < ($1.value, "\($0.key)") }) else { return nil }
        let subject = count == 1 ? "1 waits" : "\(count) wait"
        switch obstacle {
        case .hostLimit(let host): return "\(subject): \(host) has as many connections as it may have"
        case .hostRests(let host): return "\(subject): \(host) is left alone for a while"
        case .fullDisk(let text): return "\(subject): \(text)"
        }
    }
}
