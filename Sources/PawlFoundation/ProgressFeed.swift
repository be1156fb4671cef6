import Foundation
import Pawl
import PawlCore

/// Writes what a download says of itself into a `Foundation.Progress`.
///
/// Two rules of `Progress` decide how. A child that is finished, with as many units completed as there are, hands its
/// share to its parent once and for all: so the last unit is kept back until the file has its name. And nothing of no
/// units is ever finished on Linux: so an empty file is one unit.
final class ProgressFeed: @unchecked Sendable {  // `hasShown` is reached only under `lock`.
    private weak let progress: Foundation.Progress?
    /// The lock for one writer at a time. Recursive, because an observer of the `Progress` may stop the download.
    private let lock = NSRecursiveLock()
    private var hasShown = false

    init(_ progress: Foundation.Progress) { self.progress = progress }

    /// Whether the `Progress` is still in use.
    var isSeen: Bool { progress != nil }

    /// Shows the current progress, unless something else was shown before.
    func begin(with now: DownloadProgress) {
        lock.withLock { if !hasShown { show(now) } }
    }

    func show(_ now: DownloadProgress) {
        update { progress in
            hasShown = true
            if case .completed = now.state {
                return Self.finish(progress, byteCount: now.totalBytes ?? now.bytesStored)
            }
            let rate = Int(exactly: now.bytesPerSecond.rounded()).flatMap { $0 > 0 ? $0 : nil }
            progress.setUserInfoObject(rate, forKey: .throughputKey)
            progress.setUserInfoObject(now.secondsLeft, forKey: .estimatedTimeRemainingKey)
            // Before the first answer nothing is known, also where an earlier run had got further.
            guard now.totalBytes != nil || now.bytesStored > 0 else { return }
            Self.count(progress, now.bytesStored, of: now.totalBytes)
        }
    }

    func finish(_ result: DownloadResult) {
        progress?.setUserInfoObject(result.fileURL, forKey: .fileURLKey)
        update { Self.finish($0, byteCount: result.byteCount) }
    }

    /// Stops the progress of a download that failed, or was paused for good; the stored bytes stay.
    func stop() {
        update { progress in
            progress.setUserInfoObject(nil, forKey: .throughputKey)
            progress.setUserInfoObject(nil, forKey: .estimatedTimeRemainingKey)
        }
    }

    /// Removes the handlers, so that the progress controls nothing any more.
    func detach() {
        guard let progress else { return }
        Foundation.Progress.exclusively {
            (progress.cancellationHandler, progress.pausingHandler, progress.resumingHandler) = (nil, nil, nil)
            progress.isPausable = false
        }
    }

    /// Cancels the progress of a download that was cancelled by another way than its `Progress`.
    func cancel() {
        stop()
        if let progress, !progress.isCancelled { progress.cancel() }
    }

    private func update(_ body: (Foundation.Progress) -> Void) {
        guard let progress else { return }
        lock.withLock {
            Foundation.Progress.exclusively {
                if !progress.isFinished { body(progress) }
            }
        }
    }

    private static func finish(_ progress: Foundation.Progress, byteCount: Int64) {
        progress.setUserInfoObject(nil, forKey: .throughputKey)
        progress.setUserInfoObject(nil, forKey: .estimatedTimeRemainingKey)
        let units = max(byteCount, 1)
        if progress.completedUnitCount >= units { progress.completedUnitCount = 0 }
        progress.totalUnitCount = units
        progress.completedUnitCount = units
    }

    /// - Parameter total: nil while unknown.
    private static func count(_ progress: Foundation.Progress, _ stored: Int64, of total: Int64?) {
        let total = total.map { max($0, 1) } ?? -1
        let completed = total > 0 ? min(stored, total - 1) : stored
        // In between it must not look finished either.
        if total > 0, progress.completedUnitCount >= total { progress.completedUnitCount = completed }
        if progress.totalUnitCount != total { progress.totalUnitCount = total }
        if progress.completedUnitCount != completed { progress.completedUnitCount = completed }
    }
}
