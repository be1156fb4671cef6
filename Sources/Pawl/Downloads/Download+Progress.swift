public import PawlCore
import PawlEngine

extension Download {
    /// The readers of a download's progress.
    typealias Readers = Broadcast<Only, DownloadProgress, Never>

    enum Only: Hashable, Sendable { case only }

    /// An `AsyncSequence` of the latest progress.
    public struct Progress: AsyncSequence, Sendable {
        public typealias Element = DownloadProgress
        let download: Download

        public struct AsyncIterator: AsyncIteratorProtocol {
            let reader: Readers.Reader

            public mutating func next() async -> DownloadProgress? {
                guard case .state(_, let progress)? = await reader.next(pause: {})?.first else { return nil }
                return progress
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: download.makeReader()) }
    }
}
