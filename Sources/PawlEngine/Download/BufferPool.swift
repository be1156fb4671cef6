import Synchronization

/// A page-aligned block of memory that bytes are gathered in before one large write.
///
/// Used by one writer at a time: it fills the buffer under its lock, then hands it to the disk lane and leaves it alone until the
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

    var room: Int { memory.count - count }

    var filled: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }
}

/// Buffers of one download, kept for reuse so that their pages are touched for the first time only once.
final class BufferPool: Sendable {
    /// All buffers of a download together stay below this, whatever the number of connections; at least 128 KiB each, below which
    /// the cost of a system call shows (a 32 KiB write costs twice the CPU of a 1 MiB one).
    static let budget = 6 << 20
    static let largest = 1 << 20
    static let smallest = 128 << 10

    private let capacity: Int
    private let free = Locked<[WriteBuffer]>([])

    init(connections: Int) {
        // Two buffers a connection: one fills while the other is written.
        let share = Self.budget / max(1, 2 * connections)
        let pages = share / 4096 * 4096
        capacity = min(max(pages, Self.smallest), Self.largest)
    }

    func take() -> WriteBuffer {
        let reused = free.withLock { $0.popLast() }
        let buffer = reused ?? WriteBuffer(capacity: capacity)
        buffer.count = 0
        return buffer
    }

    func put(_ buffer: WriteBuffer) {
        free.withLock { $0.append(buffer) }
    }
}
