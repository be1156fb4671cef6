import Pawl
import PawlEngine
import Synchronization

/// Returns the results of the body for 0, 1, 2 … below the count, computing at most `width` of them at once.
///
/// The tasks return nothing. A release build by Swift 6.3.1 crashed where children of a group returned an index
/// together with a `Result` whose error is thrown by type.
func concurrently<Value: Sendable>(
    _ count: Int, width: Int, _ body: @escaping @Sendable (Int) async -> Value
) async -> [Value] {
    let values = Values<Value>(count)
    await withTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            if index >= width { await group.next() }
            group.addTask {
                let value = await body(index)
                values.all.withLock { $0[index] = value }
            }
        }
    }
    return values.all.withLock { $0.compactMap { $0 } }
}

private final class Values<Value: Sendable>: Sendable {
    let all: Locked<[Value?]>

    init(_ count: Int) { all = Locked([Value?](repeating: nil, count: count)) }
}
