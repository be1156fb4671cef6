import Synchronization

/// Bytes for one large write: gathered in a page-aligned block of memory, or left where they were received.
///
/// Used by one writer at a time: it fills the buffer under its lock, then hands it to the disk executor and leaves it
/// alone until the write has returned.
final class WriteBuffer: @unchecked Sendable {  // Guarded by the lock of the SegmentWriter that owns it.
    private struct Part {
        let bytes: UnsafeRawBufferPointer
        /// Keeps them valid.
        let memory: any ReceivedMemory
    }

    let capacity: Int
    /// The buffer's own memory; empty if bytes are left where they were received.
    let memory: UnsafeMutableRawBufferPointer
    private var kept: [Part] = []
    private var keptSize = 0
    var count = 0
    /// The position of the first byte in the file.
    var offset: Int64 = 0

    init(capacity: Int) {
        self.capacity = capacity
        memory = .allocate(byteCount: capacity, alignment: 4096)
    }

    /// Creates a buffer for bytes that are left where they were received.
    init(keeping capacity: Int) {
        self.capacity = capacity
        memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    deinit { memory.deallocate() }

    var room: Int { capacity - (isKeeping ? keptSize : count) }

    var isKeeping: Bool { memory.isEmpty }

    /// The memory that the buffer takes, in bytes.
    var size: Int { isKeeping ? keptSize : capacity }

    var parts: [UnsafeRawBufferPointer] { isKeeping ? kept.map(\.bytes) : [filled] }

    var filled: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    func keep(_ bytes: UnsafeRawBufferPointer, in memory: any ReceivedMemory) {
        kept.append(Part(bytes: bytes, memory: memory))
        keptSize += memory.size
        count += bytes.count
    }

    /// Lets go of what it was received into.
    func release() { kept = [] }
}

/// The memory for the buffers of all downloads, used again and again so that its pages are touched for the first time
/// only once.
package final class BufferMemory: Sendable {
    private struct State {
        /// Lent and free together, in bytes.
        var allocated = 0
        var free: [Int: [WriteBuffer]] = [:]
    }

    /// The least number of bytes that are left where they were received; fewer are copied.
    package static let leastKept = 64 << 10

    private let budget: Int
    private let state = Locked(State())

    /// - Parameter budget: in bytes. Beyond it the buffers are small, and no more of them than connections need.
    package init(budget: Int = 24 << 20) { self.budget = budget }

    /// Lent and kept for reuse, in bytes.
    package var allocated: Int { state.withLock { $0.allocated } }

    /// The memory lent, in bytes.
    var lent: Int {
        state.withLock { state in state.allocated - state.free.reduce(0) { $0 + $1.key * $1.value.count } }
    }

    func take(_ wanted: Int) -> WriteBuffer {
        let (reused, capacity) = state.withLock { state -> (WriteBuffer?, Int) in
            if let buffer = state.free[wanted]?.popLast() { return (buffer, wanted) }
            makeRoom(for: wanted, sparing: wanted, &state)
            let capacity = state.allocated + wanted <= budget ? wanted : min(wanted, BufferPool.smallest)
            if capacity < wanted, let buffer = state.free[capacity]?.popLast() { return (buffer, capacity) }
            state.allocated += capacity
            return (nil, capacity)
        }
        let buffer = reused ?? WriteBuffer(capacity: capacity)
        buffer.count = 0
        return buffer
    }

    /// Whether there is room to keep as much of what was received, which then counts as lent.
    func reserve(_ size: Int) -> Bool {
        state.withLock { state in
            makeRoom(for: size, sparing: nil, &state)
            guard state.allocated + size <= budget else { return false }
            state.allocated += size
            return true
        }
    }

    func put(_ buffer: WriteBuffer) {
        if buffer.isKeeping {
            state.withLock { $0.allocated -= buffer.size }
            return buffer.release()
        }
        state.withLock { state in
            if state.allocated > budget {
                state.allocated -= buffer.capacity
            } else {
                state.free[buffer.capacity, default: []].append(buffer)
            }
        }
    }

    /// Frees unused buffers of other sizes than the one to spare.
    private func makeRoom(for wanted: Int, sparing spared: Int?, _ state: inout State) {
        for capacity in state.free.keys.sorted(by: >) where capacity != spared {
            while state.allocated + wanted > budget, state.free[capacity]?.popLast() != nil {
                state.allocated -= capacity
            }
        }
    }
}

/// The share of one download in the memory for buffers.
struct BufferPool: Sendable {
    /// The bound on all buffers of a download together, whatever the number of connections; at least 128 KiB each,
    /// below which the cost of a system call shows (a 32 KiB write costs twice the CPU of a 1 MiB one).
    static let budget = 6 << 20
    static let largest = 1 << 20
    static let smallest = 128 << 10
    /// The smallest buffer, for the rest of a small file.
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

    func makeKeeping() -> WriteBuffer { WriteBuffer(keeping: capacity) }

    /// Reserves the memory that bytes were received into, if it is better to leave them there: they are many, and fill
    /// half of it.
    func reserve(_ received: any ReceivedMemory, for bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= BufferMemory.leastKept && received.size <= min(capacity, 2 * bytes.count)
            && memory.reserve(received.size)
    }

    func put(_ buffer: WriteBuffer) { memory.put(buffer) }
}
