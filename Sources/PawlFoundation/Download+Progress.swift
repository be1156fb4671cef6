public import Foundation
public import Pawl
public import PawlCore

extension Download {
    /// A `Foundation.Progress` of this download: its unit is the byte, its kind a file that is downloaded.
    ///
    /// ```swift
    /// let downloader = try Downloader()
    /// let first = try downloader.start(DownloadRequest("https://example.org/disk.iso", to: "disk.iso"))
    /// let second = try downloader.start(DownloadRequest("https://example.org/tools.zip", to: "tools.zip"))
    /// let total = Progress.ofDownloads(totalUnitCount: 2)
    /// total.addChild(first.makeProgress(), withPendingUnitCount: 1)
    /// total.addChild(second.makeProgress(), withPendingUnitCount: 1)
    /// ```
    ///
    /// - It is indeterminate until the length is known, and ends finished for a file that was there already, too. The
    ///   last byte counts only once the file has its name, and an empty file is one unit.
    /// - `userInfo` has `throughputKey` (bytes per second, an `Int`) and `estimatedTimeRemainingKey` (seconds, a
    ///   `Double`) while they are known, `fileOperationKindKey`, and at the end `fileURLKey`.
    /// - `cancel()`, `pause()` and `resume()` cancel, pause and resume the download for everyone, also when called on a
    ///   parent, and what was received is kept. `isPaused` says what was asked by way of the `Progress`;
    ///   `Download.state` knows better.
    /// - A download that fails leaves it unfinished.
    /// - It changes at most some twenty times a second, on a thread of the library. Each call makes another one, and
    ///   only you hold it. To be called from any thread.
    ///
    /// On Linux `Progress` has no properties for rate and time (hence `userInfo`), no texts (`localizedDescription` is
    /// empty), no key-value observing, so a display has to look now and then, and no lock. This one can be read,
    /// cancelled and paused from any thread; make a parent of several by
    /// ``Foundation/Progress/ofDownloads(totalUnitCount:)``.
    public func makeProgress() -> Foundation.Progress {
        let progress = Foundation.Progress.ofDownload()
        progress.cancellationHandler = { [self] in cancel() }
        let turn = NSLock()
        progress.onPause { [self] progress in
            turn.withLock {
                if progress.isPaused { requestPause() } else { try? resume() }
            }
        }
        // The handlers refer to the `Progress` weakly, and the `Progress` to the download: no cycle.
        let feed = ProgressFeed(progress)
        onProgress { feed.show($0) }
        feed.begin(with: currentProgress)
        onEnd { result, state in
            switch result {
            case .success(let file): feed.finish(file)
            case .failure: if state == .cancelled { feed.cancel() } else { feed.stop() }
            }
        }
        return progress
    }
}

extension DownloadManager {
    /// A `Foundation.Progress` of a download of this manager, through pauses, retries and its time in the queue.
    ///
    /// It is as ``Pawl/Download/makeProgress()`` says, and:
    ///
    /// - `cancel()` removes the download, and keeps what was received, as `remove(_:deletingFiles:)`. `pause()` and
    ///   `resume()` are `pause(_:)` and `resume(_:)`. `isPaused` says what was asked by way of the `Progress`;
    ///   `DownloadSnapshot.state` knows better.
    /// - It changes at most ten times a second. It ends shortly after `result(of:)` does, and for good: one that
    ///   failed and is resumed needs another.
    ///
    /// - Throws: `unknownDownload` for an id that is not there (any more).
    public func makeProgress(of id: DownloadID) throws(DownloadError) -> Foundation.Progress {
        guard let snapshot = snapshot(id) else {
            throw DownloadError(.unknownDownload, "There is no download with the id \(id).", recovery: .giveUp)
        }
        let progress = Foundation.Progress.ofDownload()
        progress.cancellationHandler = { [self] in try? remove(id) }
        let turn = NSLock()
        progress.onPause { [self] progress in
            turn.withLock {
                if progress.isPaused { try? pause(id) } else { try? resume(id) }
            }
        }
        let feed = ProgressFeed(progress)
        feed.show(snapshot)
        Task { await follow(id, by: feed) }
        return progress
    }

    private func follow(_ id: DownloadID, by feed: ProgressFeed) async {
        let end = await withTaskGroup(of: Result<DownloadResult, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await self.result(of: id)) } catch { return .failure(error) }
            }
            group.addTask { await self.watch(id, by: feed) }
            defer { group.cancelAll() }
            // One that is gone is told of by its result, unless nobody listens any more.
            while let end = await group.next() {
                if end != nil || !feed.isSeen { return end }
            }
            return nil
        }
        // One that failed may be resumed by its manager, and by nobody who holds what has ended.
        feed.detach()
        switch end {
        case .success(let result)?: feed.finish(result)
        case .failure(is CancellationError)? where snapshot(id) == nil: feed.cancel()
        case .failure?: feed.stop()
        case nil: break
        }
    }

    /// Looks now and then: the events of a manager are those of all its downloads, and one reader for each would be too
    /// much of them.
    private func watch(_ id: DownloadID, by feed: ProgressFeed) async -> Result<DownloadResult, any Error>? {
        while !Task.isCancelled, feed.isSeen, let now = snapshot(id) {
            feed.show(now)
            try? await Task.sleep(for: now.state.isRunning ? .milliseconds(100) : .milliseconds(500))
        }
        return nil
    }
}

extension ProgressFeed {
    fileprivate func show(_ snapshot: DownloadSnapshot) {
        // The end is told with its result.
        if case .completed = snapshot.state { return }
        show(snapshot.progress)
    }
}
