import PawlCore
import PawlEngine
import PawlStore
import Synchronization

/// Stores files under names of their own, several at a time. A name that has the same bytes already was given to them
/// by another attempt, or by an earlier life of this one.
final class FileDelivery: Sendable {
    /// The length and the SHA-256 of a file.
    typealias Other = (bytes: Int64, sha256: [UInt8])

    private struct State {
        var next = 0
        /// The files that are stored, of those begun.
        var stored = 0
        var hasEnded = false
        /// The files whose names were taken and then were not.
        var vanished: Set<Int> = []
    }

    /// Files that are stored at the same time.
    private static let width = 8

    private let files: [SliceSpool.Separate]
    private let ports: SliceDriver.Ports
    private let blocking: any WorkExecutor
    private let state = Locked(State())
    private let stored: @Sendable (_ item: Int, _ other: Other?) -> Void
    private let ended: @Sendable (Result<Void, StoreError>) -> Void

    /// - Parameters:
    ///   - stored: told of each file, and of another that has its name.
    ///   - ended: called once; after a failure, files that were under way are still told of.
    init(
        _ files: [SliceSpool.Separate], _ ports: SliceDriver.Ports, on blocking: any WorkExecutor,
        stored: @escaping @Sendable (_ item: Int, _ other: Other?) -> Void,
        ended: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        (self.files, self.ports, self.blocking) = (files, ports, blocking)
        (self.stored, self.ended) = (stored, ended)
    }

    func begin() {
        guard !files.isEmpty else { return ended(.success(())) }
        for _ in 0..<min(Self.width, files.count) { beginNext() }
    }

    private func beginNext() {
        let file = state.withLock { state -> SliceSpool.Separate? in
            guard !state.hasEnded, state.next < files.count else { return nil }
            defer { state.next += 1 }
            return files[state.next]
        }
        if let file { create(file) }
    }

    private func create(_ file: SliceSpool.Separate) {
        ports.store.create(file.key, file.body) { [self] result in
            switch result {
            case .success(.created): end(file)
            case .success(.exists): compare(file)
            case .failure(let error): fail(error)
            }
        }
    }

    private func compare(_ file: SliceSpool.Separate) {
        ports.store.get(file.key) { [self] result in
            // Reading may block.
            blocking.submit { [self] in
                do throws(StoreError) {
                    guard let found = try result.get() else { return try again(file) }
                    let digest = try found.sha256(by: ports.digests)
                    end(file, digest == file.body.digest ? nil : (found.length, digest))
                } catch {
                    fail(error)
                }
            }
        }
    }

    /// Creates a file whose name was taken a moment ago, by something that is gone.
    private func again(_ file: SliceSpool.Separate) throws(StoreError) {
        guard state.withLock({ $0.vanished.insert(file.item).inserted }) else {
            throw StoreError(.unavailable, "The store says that “\(file.key)” is there, and that it is not.")
        }
        create(file)
    }

    private func end(_ file: SliceSpool.Separate, _ other: Other? = nil) {
        stored(file.item, other)
        let isLast = state.withLock { state in
            state.stored += 1
            guard state.stored == files.count, !state.hasEnded else { return false }
            state.hasEnded = true
            return true
        }
        if isLast { ended(.success(())) } else { beginNext() }
    }

    private func fail(_ error: StoreError) {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        if isFirst { ended(.failure(error)) }
    }
}
