import PawlCore
import PawlEngine
import Synchronization

/// The bytes of a body on their way to a store, which compares them with their digest: the last piece of other bytes is
/// not given away, so that nothing is stored.
final class CheckedContent: Sendable {
    private struct State {
        var digester: (any Digester)?
        var position: Int64 = 0
        var failure: StoreError?
    }

    private let content: S3Request.SignedContent
    private let state: Locked<State>

    init(_ content: S3Request.SignedContent, _ digests: any DigestFactory) {
        self.content = content
        state = Locked(State(digester: try? digests.makeDigester(.sha256)))
    }

    /// The reason why it could not be sent.
    var failure: StoreError? { state.withLock { $0.failure } }

    func request(on executor: any WorkExecutor) -> RequestContent {
        RequestContent(length: content.range.count, on: executor) { count, offset in self.read(count, at: offset) }
    }

    private func read(_ count: Int, at offset: Int64) -> Result<[UInt8], StorageError> {
        let piece: [UInt8]
        do throws(StorageError) {
            piece = try content.body.content.read(count, at: content.range.start + offset)
        } catch {
            state.withLock { $0.failure = StoreError(error) }
            return .failure(error)
        }
        let failure = state.withLock { state -> StoreError? in
            guard piece.count == count, offset == state.position else { return .changed }
            piece.withUnsafeBytes { state.digester?.update($0) }
            state.position += Int64(count)
            guard state.position == content.range.count else { return nil }
            return state.digester?.finalize() == content.digest ? nil : .changed
        }
        guard let failure else { return .success(piece) }
        state.withLock { $0.failure = failure }
        return .failure(StorageError(operation: "SHA-256", name: "", reason: .inputOutput))
    }
}

extension StoreError {
    /// The bytes are not those of their digest.
    static let changed = StoreError(.damaged, "The bytes of an object changed on their way to the store.")
}
