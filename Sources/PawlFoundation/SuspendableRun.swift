import Foundation
import Pawl
import PawlCore

/// A request that is run by one `Download` after the other: the pausing and resuming for a ``DownloadTask``.
///
/// While it runs, a task of its own holds it; suspended, only its owners do. It refers to its `Progress` weakly.
final class SuspendableRun: @unchecked Sendable {  // `values` is reached only under `lock`.
    private enum Phase {
        case running(Download)
        /// Told to pause. `resumes`: it was resumed before it had paused.
        case suspending(Download, resumes: Bool)
        case suspended(ResumeData)
        case canceling(Download)
        /// The download could not begin again, and that is about to be told.
        case failing
        case ended(Result<DownloadResult, any Error>)
    }

    private struct Values {
        var request: DownloadRequest
        /// The phase of the run; nil before the start.
        var phase: Phase?
        /// Tasks that wait for the result, those included whose continuation is not there yet.
        var waiting: Set<UUID> = []
        var continuations: [UUID: Waiter] = [:]
    }

    private typealias Waiter = CheckedContinuation<DownloadResult, any Error>

    private let downloader: Downloader
    private let feed: ProgressFeed
    private let lock = NSLock()
    private var values: Values

    init(_ request: DownloadRequest, by downloader: Downloader, feed: ProgressFeed) {
        self.downloader = downloader
        self.feed = feed
        values = Values(request: request)
    }

    private func withValues<Value>(_ body: (inout Values) -> Value) -> Value { lock.withLock { body(&values) } }

    // MARK: Looking

    var state: DownloadTask.State {
        switch withValues({ $0.phase }) {
        case .running, .suspending(_, resumes: true), nil: .running
        case .suspending: .suspending
        case .suspended: .suspended
        case .canceling: .canceling
        case .failing, .ended: .completed
        }
    }

    /// Whether the task accepts no further calls.
    var isOver: Bool { state == .canceling || state == .completed }

    var waiterCount: Int { withValues { $0.waiting.count } }

    var download: Download? {
        if case .running(let download) = withValues({ $0.phase }) { download } else { nil }
    }

    func result() async throws -> DownloadResult {
        let id = UUID()
        withValues { _ = $0.waiting.insert(id) }
        defer { withValues { _ = $0.waiting.remove(id) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let end = withValues { values -> Result<DownloadResult, any Error>? in
                    if case .ended(let end) = values.phase { return end }
                    guard values.waiting.contains(id) else { return .failure(CancellationError()) }
                    values.continuations[id] = continuation
                    return nil
                }
                if let end { continuation.resume(with: end) }
            }
        } onCancel: {
            cancelWait(id)
        }
    }

    /// The last that waits takes the download with it, and hears of its end.
    private func cancelWait(_ id: UUID) {
        let (isLast, continuation) = withValues { values -> (Bool, Waiter?) in
            guard values.waiting != [id] else { return (true, nil) }
            values.waiting.remove(id)
            return (false, values.continuations.removeValue(forKey: id))
        }
        if isLast { cancel() }
        continuation?.resume(throwing: CancellationError())
    }

    // MARK: Steering

    func start() throws(DownloadError) {
        follow(try withValues { begin(&$0) }.get())
    }

    /// Under the lock, so that nothing that is asked for meanwhile gets lost.
    private func begin(_ values: inout Values) -> Result<Download, DownloadError> {
        let begun = Result { () throws(DownloadError) in try downloader.start(values.request) }
        switch begun {
        case .success(let download): values.phase = .running(download)
        case .failure: values.phase = .failing
        }
        return begun
    }

    private func begin(_ values: inout Values, from data: ResumeData) -> Result<Download, DownloadError> {
        // The server may have named it, or it was renamed on account of another one.
        if let name = data.fileName { values.request.fileName = name }
        return begin(&values)
    }

    private func begun(_ result: Result<Download, DownloadError>) {
        switch result {
        case .success(let download): follow(download)
        case .failure(let error): end(.failure(error))
        }
    }

    private enum Steered {
        case stops(Download)
        case begun(Result<Download, DownloadError>)
    }

    /// Suspends or resumes it. Of one that has ended nothing changes.
    ///
    /// - Parameter isPaused: looked at in turn with all other changes, so that one that looked earlier cannot undo
    ///   what was asked for since.
    func setPaused(_ isPaused: () -> Bool) {
        let steered = withValues { values -> Steered? in
            switch (values.phase, isPaused()) {
            case (.running(let download), true):
                values.phase = .suspending(download, resumes: false)
                return .stops(download)
            case (.suspending(let download, _), let isPaused):
                values.phase = .suspending(download, resumes: !isPaused)
                return nil
            case (.suspended(let data), false): return .begun(begin(&values, from: data))
            case (.running, false), (.suspended, true), (.canceling, _), (.failing, _), (.ended, _), (nil, _):
                return nil
            }
        }
        switch steered {
        case .stops(let download): Task { try? await download.pause() }
        case .begun(let result): begun(result)
        case nil: break
        }
    }

    func cancel() {
        switch beginCanceling() {
        case .running(let download): download.cancel()
        case .suspended: end(.failure(CancellationError()))
        default: break
        }
    }

    /// Cancels the download and returns its resume data; nil if it had ended, or was being cancelled already.
    func cancelForResumeData() async -> ResumeData? {
        switch beginCanceling() {
        case .running(let download): return try? await download.pause()
        case .suspended(let data):
            end(.failure(CancellationError()))
            return data
        default: return nil
        }
    }

    /// - Returns: what it did before.
    private func beginCanceling() -> Phase? {
        withValues { values in
            switch values.phase {
            case .running(let download), .suspending(let download, _):
                values.phase = .canceling(download)
                return .running(download)
            case .suspended, .canceling, .failing, .ended, nil: return values.phase
            }
        }
    }

    // MARK: Ending

    private func follow(_ download: Download) {
        download.follow(by: feed)
        Task {
            await download.finished()
            do {
                end(.success(try await download.result()))
            } catch is CancellationError {
                // Of one that was paused, by whomever, it is there at once.
                settle(try? await download.pause())
            } catch {
                end(.failure(error))
            }
        }
    }

    /// The outcome of a run that has stopped.
    private enum Settled {
        case resumed(Result<Download, DownloadError>)
        case suspended
        case over
    }

    /// - Parameter data: nil for one that has stopped and was not paused.
    private func settle(_ data: ResumeData?) {
        let settled = withValues { values -> Settled in
            guard let data else { return .over }
            switch values.phase {
            case .suspending(_, resumes: true): return .resumed(begin(&values, from: data))
            case .running, .suspending:
                values.phase = .suspended(data)
                return .suspended
            case .suspended, .canceling, .failing, .ended, nil: return .over
            }
        }
        switch settled {
        case .resumed(let result): begun(result)
        case .suspended: feed.stop()
        case .over: end(.failure(CancellationError()))
        }
    }

    private func end(_ result: Result<DownloadResult, any Error>) {
        let waiters = withValues { values -> [Waiter]? in
            if case .ended = values.phase { return nil }
            values.phase = .ended(result)
            defer { values.continuations = [:] }
            return Array(values.continuations.values)
        }
        guard let waiters else { return }
        switch result {
        case .success(let result): feed.finish(result)
        case .failure(is CancellationError): feed.cancel()
        case .failure: feed.stop()
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}
