/// The bytes of each file system's free space that running downloads still need.
///
/// Space that a partial file has reserved is free no more by the system's own account, so it is not counted here.
package struct SpaceRegistry: Sendable {
    /// The bytes left free for other programs (FAULTS L19).
    package static let floor: Int64 = 64 << 20

    private struct Disk: Sendable {
        var claims: [DownloadID: Int64] = [:]
        var waiting = RankedTree<DownloadID>()
        /// A download has just found this disk full.
        var isFull = false
        /// A timer is set for it.
        var isTimed = false
    }

    private var disks: [UInt64: Disk] = [:]
    private var disksOfDirectories: [ExactText: UInt64] = [:]
    private var claimants: [DownloadID: UInt64] = [:]

    package init() {}

    package func disk(of directory: String) -> UInt64? { disksOfDirectories[ExactText(directory)] }

    package mutating func note(_ directory: String, on disk: UInt64) { disksOfDirectories[ExactText(directory)] = disk }

    /// Returns the number of bytes that other downloads still need on this disk.
    package func claimed(on disk: UInt64, beside id: DownloadID) -> Int64 {
        disks[disk]?.claims.reduce(into: 0) { sum, claim in
            if claim.key != id { sum = sum.addingReportingOverflow(claim.value).overflow ? .max : sum + claim.value }
        } ?? 0
    }

    /// Sets what it will still take; nil when it is over.
    package mutating func claim(_ bytes: Int64?, on disk: UInt64?, for id: DownloadID) {
        if let former = claimants[id], former != disk || bytes == nil {
            disks[former]?.claims[id] = nil
            claimants[id] = nil
        }
        guard let disk, let bytes, bytes > 0 else {
            if let disk { disks[disk]?.claims[id] = nil }
            return
        }
        disks[disk, default: Disk()].claims[id] = bytes
        claimants[id] = disk
    }

    /// The disk on which it has a claim.
    package func disk(ofClaimBy id: DownloadID) -> UInt64? { claimants[id] }

    // MARK: Those that do not fit

    package mutating func wait(_ id: DownloadID, for disk: UInt64) {
        disks[disk, default: Disk()].waiting.insert(id)
    }

    package func isFull(_ disk: UInt64) -> Bool { disks[disk]?.isFull ?? false }

    package mutating func setFull(_ disk: UInt64, _ isFull: Bool) { disks[disk, default: Disk()].isFull = isFull }

    /// Whether a timer is to be set now.
    package mutating func beginTimer(_ disk: UInt64) -> Bool {
        defer { disks[disk, default: Disk()].isTimed = true }
        return !(disks[disk]?.isTimed ?? false)
    }

    package mutating func endTimer(_ disk: UInt64) { disks[disk]?.isTimed = false }

    package func isAwaited(_ disk: UInt64) -> Bool { !(disks[disk]?.waiting.isEmpty ?? true) }

    /// The first few of those that wait, who wait no more.
    package mutating func release(_ disk: UInt64, upTo count: Int) -> [DownloadID] {
        var released: [DownloadID] = []
        while released.count < count, let first = disks[disk]?.waiting.first {
            disks[disk]?.waiting.remove(first)
            released.append(first)
        }
        return released
    }

    package mutating func stopWaiting(_ id: DownloadID) {
        for disk in disks.keys { disks[disk]?.waiting.remove(id) }
    }
}

extension DownloadError {
    /// Said before a download begins, or goes on, that would not fit.
    package static func lacksSpace(_ name: String, needed: Int64, available: Int64, claimed: Int64) -> DownloadError {
        let others = claimed > 0 ? " (\(claimed) more are needed by downloads that run)" : ""
        return DownloadError(
            .diskFull,
            "“\(name)” still needs \(needed) bytes, and \(max(0, available - claimed)) are free for it\(others). The download resumes when there is room.",
            remedies: [.freeSpace], recovery: .retryAfter(nil),
            facts: .init(size: needed, limit: max(0, available - claimed)))
    }
}
