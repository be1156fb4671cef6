package import PawlCore
import Synchronization

/// The unread part of a stream: bytes go in at any position, and come out in order.
///
/// The machine ensures that nothing far ahead of the reader goes in; bytes already read are dropped.
package final class StreamWindow: Sendable {
    private struct State {
        /// The pieces by the position of their first byte; none overlaps another.
        var pieces: [Int64: [UInt8]] = [:]
        var held = RangeSet()
        var position: Int64 = 0
        var isEnded = false
        var waiter: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    package init() {}

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        let waiter = state.withLock { state -> (@Sendable () -> Void)? in
            let range = ByteRange(offset..<offset + Int64(bytes.count))
            var missing = RangeSet(range)
            missing.remove(ByteRange(0..<max(0, state.position)))
            missing.subtract(state.held)
            for part in missing.ranges {
                // Proven: the part lies within the bytes.
                let first = Int(part.start - offset)
                state.pieces[part.start] = Array(bytes[first..<first + Int(part.count)])
                state.held.insert(part)
            }
            guard state.pieces[state.position] != nil else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?()
    }

    /// Notes that no more bytes will come.
    package func end() {
        let waiter = state.withLock { state -> (@Sendable () -> Void)? in
            state.isEnded = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?()
    }

    package enum Next: Sendable {
        case bytes([UInt8])
        /// `ready` will be called once.
        case wait
        case ended
    }

    /// The next bytes in order; they leave the window. For one reader.
    package func next(ready: @escaping @Sendable () -> Void) -> Next {
        state.withLock { state in
            guard let bytes = state.pieces.removeValue(forKey: state.position) else {
                if state.isEnded { return .ended }
                state.waiter = ready
                return .wait
            }
            state.position += Int64(bytes.count)
            state.held.remove(ByteRange(0..<state.position))
            return .bytes(bytes)
        }
    }

    /// The number of bytes taken.
    package var position: Int64 { state.withLock { $0.position } }

    /// The number of bytes held.
    package var count: Int64 { state.withLock { $0.held.count } }
}

extension StreamWindow: FileContent {
    /// Bytes handed over cannot be read again.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        throw StorageError(operation: "read", name: "-", reason: .notSupported)
    }
}
