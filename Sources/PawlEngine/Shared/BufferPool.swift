import Synchronization

/// A page-aligned block of memory that gathers bytes for one large write.
///
/// Used by one writer at a time: it fills the buffer under its lock, then hands it to the disk executor and leaves it alone until the
/// write has returned.
final class WriteBuffer: @unchecked Sendable {  // Guarded by the lock of the SegmentWriter that owns it.
    let memory: UnsafeMutableRawBufferPointer
    var count = 0
    /// Where in the file the first byte belongs.
    var offset: Int64 = 0

    init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 4096)
    }

    deinit { memory.deallocate() }

    var capacity: Int { memory.count }

    var room: Int { memory.count - count }

    var filled: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }
}

/// The memory for the buffers of all downloads, used again and again so that its pages are touched for the first time only once.
package final class BufferMemory: Sendable {
    private struct State {
        /// Lent and free together, in bytes.
        var allocated = 0
        var free: [Int: [WriteBuffer]] = [:]
    }

    private let budget: Int
    private let state = Locked(State())

    /// - Parameter budget: in bytes. Beyond it the buffers are small, and no more of them than connections need.
    package init(budget: Int = 24 << 20) { self.budget = budget }

    /// Lent and kept for reuse, in bytes.
    package var allocated: Int { state.withLock { $0.allocated } }

    /// In bytes.
    var lent: Int {
        state.withLock { state in state.allocated - state.free.reduce(0) { $0 + $1.key * $1.value.count } }
    }

    func take(_ wanted: Int) -> WriteBuffer {
        let (reused, capacity) = state.withLock { state -> (WriteBuffer?, Int) in
            if let buffer = state.free[wanted]?.popLast() { return (buffer, wanted) }
            makeRoom(for: wanted, &state)
            let capacity = state.allocated + wanted <= budget ? wanted : min(wanted, BufferPool.smallest)
            if capacity < wanted, let buffer = state.free[capacity]?.popLast() { return (buffer, capacity) }
            state.allocated += capacity
            return (nil, capacity)
        }
        let buffer = reused ?? WriteBuffer(capacity: capacity)
        buffer.count = 0
        return buffer
    }

    func put(_ buffer: WriteBuffer) {
        state.withLock { state in
            if state.allocated > budget {
                state.allocated -= buffer.capacity
            } else {
                state.free[buffer.capacity, default: []].append(buffer)
            }
        }
    }

    /// Frees unused buffers of other sizes.
    private func makeRoom(for wanted: Int, _ state: inout State) {
        for capacity in state.free.keys.sorted(by: >) where capacity != wanted {
            while state.allocated + wanted > budget, state.free[capacity]?.popLast() != nil {
                state.allocated -= capacity
            }
        }
    }
}

/// What one download takes of the memory for buffers.
struct BufferPool: Sendable {
    /// All buffers of a download together stay below this, whatever the number of connections; at least 128 KiB each, below which
    /// the cost of a system call shows (a 32 KiB write costs twice the CPU of a 1 MiB one).
    static let budget = 6 << 20
    static let largest = 1 << 20
    static let smallest = 128 << 10
    /// For what is left of a small file.
    private static let least = 16 << 10

    private let memory: BufferMemory
    private let capacity: Int

    init(_ memory: BufferMemory, connections: Int) {
        self.memory = memory
        // Two buffers a connection: one fills while the other is written.
        let share = Self.budget / max(1, 2 * connections)
        let pages = share / 4096 * 4096
        capacity = min(max(pages, Self.smallest), Self.largest)
    }

    /// - Parameter remaining: what its user still expects, in bytes; nil when that is not known.
    func take(for remaining: Int64?) -> WriteBuffer {
        var wanted = capacity
        if let remaining, remaining < Int64(capacity) {
            // A few sizes, so that they meet again.
            wanted = Self.least
            while wanted < remaining { wanted *= 2 }
        }
        return memory.take(min(wanted, capacity))
    }

    func put(_ buffer: WriteBuffer) { memory.put(buffer) }
}
