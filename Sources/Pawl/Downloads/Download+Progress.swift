public import PawlCore

extension Download {
    /// An `AsyncSequence` of the latest progress.
    public struct Progress: AsyncSequence, Sendable {
        public typealias Element = DownloadProgress
        let download: Download

        public struct AsyncIterator: AsyncIteratorProtocol {
            let download: Download
            var seen = -1

            public mutating func next() async -> DownloadProgress? {
                guard let (progress, version) = await download.progress(after: seen) else { return nil }
                seen = version
                return progress
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(download: download) }
    }
}
