import PawlCore
import PawlEngine
import Synchronization

/// The bytes of a file in order, as they come: by several connections behind it, and in bounded memory.
///
/// ```swift
/// let downloader = try Downloader()
/// var lineCount = 0
/// for try await bytes in try downloader.stream(DownloadRequest("https://example.org/log.txt")) {
///     lineCount += bytes.count { $0 == UInt8(ascii: "\n") }
/// }
/// ```
///
/// A slow reader holds back the network: bytes received but not yet read stay below ``DownloadOptions/streamWindow``.
/// Nothing wrong is ever handed over: bytes of another file, or ones that nothing shows to belong to those before them,
/// end the stream with an error. A ``DownloadOptions/digest`` is compared at the end, when the bytes have been handed
/// over already. Nothing is written to disk, and an interrupted stream cannot be resumed.
///
/// For one reader. When its task is cancelled, or the last reference goes, the download is cancelled.
public final class DownloadStream: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    private struct State {
        var digester: (any Digester)?
        var isOver = false
    }

    /// The download behind the stream, for its progress and notices. Pausing it ends the stream.
    public let download: Download
    private let window: StreamWindow
    private let digest: Digest?
    private let state: Locked<State>

    init(_ download: Download, window: StreamWindow, digest: Digest?, digester: sending (any Digester)?) {
        self.download = download
        self.window = window
        self.digest = digest
        state = Locked(State(digester: digester))
        download.hold()
    }

    deinit { download.cancel() }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let stream: DownloadStream

        /// The next bytes, at most a MiB of them; nil at the end.
        ///
        /// - Throws: ``DownloadError``; `CancellationError` when the download or the task was cancelled.
        public mutating func next() async throws -> [UInt8]? { try await stream.next() }
    }

    private func next() async throws -> [UInt8]? {
        while true {
            try Task.checkCancellation()
            if let bytes = try await take() { return bytes }
            // Ended; the last bytes may have come with it.
            guard case .bytes(let bytes) = window.next(ready: {}) else {
                _ = try await download.result()
                try compare()
                return nil
            }
            return taken(bytes)
        }
    }

    /// Takes the next bytes; nil at the end.
    private func take() async throws -> [UInt8]? {
        let window = window
        let next = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<StreamWindow.Next, Never>) in
                Self.wait(for: window, continuation)
            }
        } onCancel: {
            // The window ends with the download, and with it the wait.
            download.cancel()
        }
        try Task.checkCancellation()
        guard case .bytes(let bytes) = next else { return nil }
        return taken(bytes)
    }

    private static func wait(for window: StreamWindow, _ continuation: CheckedContinuation<StreamWindow.Next, Never>) {
        let next = window.next(ready: { wait(for: window, continuation) })
        if case .wait = next { return }
        continuation.resume(returning: next)
    }

    private func taken(_ bytes: [UInt8]) -> [UInt8] {
        download.consumed(window.position)
        guard digest != nil else { return bytes }
        state.withLock { state in bytes.withUnsafeBytes { state.digester?.update($0) } }
        return bytes
    }

    private func compare() throws {
        guard let digest else { return }
        let actual = state.withLock { state -> [UInt8]? in
            defer { state.digester = nil }
            return state.digester?.finalize()
        }
        guard let actual, actual != digest.bytes else { return }
        let found = Digest(algorithm: digest.algorithm, bytes: actual)?.description ?? "?"
        throw DownloadError(
            .digestMismatch,
            "The checksum does not match: \(found) instead of \(digest). The data has already been passed on. Do not use it.",
            recovery: .restart)
    }
}
