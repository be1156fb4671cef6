internal import NIOCore
internal import PawlEngine
internal import Synchronization

/// The memory that one connection receives into. What a writer keeps of it comes back once it is written, so that the
/// system is not asked for new pages all the time. The channel has one buffer beside these, which it uses again by
/// itself: a copy of the first that it was given.
final class ReceiveBuffers: Sendable {
    private struct State {
        var free: [ByteBuffer] = []
        /// The buffers issued lately, oldest first.
        var issued: [UnsafeMutableRawPointer] = []
        var isIdle = false
    }

    /// The largest number of free buffers, enough for one write; another may be filling meanwhile.
    private static let maximumFree = 4
    /// The largest number of remembered buffers, more than are in use at once.
    private static let maximumIssued = 32

    private let state = Locked(State())

    /// The number of buffers that wait to be used again.
    var freeCount: Int { state.withLock { $0.free.count } }

    /// Sets whether the connection waits for its next exchange; while it does, it holds no memory but the channel's
    /// own.
    func setIdle(_ isIdle: Bool) {
        state.withLock { state in
            state.isIdle = isIdle
            if isIdle { state.free = [] }
        }
    }

    /// Returns an object that keeps bytes that were read into a buffer of this connection; nil if there are too few to
    /// be worth it.
    func memory(of bytes: ByteBuffer) -> KeptBuffer? {
        // Few as well, if it is by this that their memory comes back.
        guard bytes.readableBytes >= BufferMemory.leastKept || state.withLock({ $0.issued.contains(bytes.storage) })
        else { return nil }
        return KeptBuffer(bytes, self)
    }

    func allocator(of capacity: Int) -> some RecvByteBufferAllocator { Allocator(capacity: capacity, buffers: self) }

    fileprivate func take(_ capacity: Int, from allocator: ByteBufferAllocator) -> ByteBuffer {
        let used = state.withLock { state -> ByteBuffer? in
            let index = state.free.indices.first { state.free[$0].modifyIfUniquelyOwned { $0.clear() } != nil }
            return index.map { state.free.remove(at: $0) }
        }
        // A read fills all of a buffer, so that of another size is not for it.
        if let used, (capacity...2 * capacity).contains(used.storageCapacity) { return used }
        let buffer = allocator.buffer(capacity: capacity)
        state.withLock { state in
            if state.issued.count == Self.maximumIssued { state.issued.removeFirst() }
            state.issued.append(buffer.storage)
        }
        return buffer
    }

    /// Several parts of one read share its memory.
    fileprivate func put(_ buffer: ByteBuffer) {
        state.withLock { state in
            guard !state.isIdle, state.free.count < Self.maximumFree, state.issued.contains(buffer.storage),
                !state.free.contains(where: { $0.storage == buffer.storage })
            else { return }
            state.free.append(buffer)
        }
    }

    private struct Allocator: RecvByteBufferAllocator {
        let capacity: Int
        let buffers: ReceiveBuffers

        mutating func record(actualReadBytes: Int) -> Bool { false }

        func nextBufferSize() -> Int? { capacity }

        func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { buffers.take(capacity, from: allocator) }
    }

    final class KeptBuffer: ReceivedMemory {
        private let buffer: ByteBuffer
        private let home: ReceiveBuffers

        fileprivate init(_ buffer: ByteBuffer, _ home: ReceiveBuffers) {
            self.buffer = buffer
            self.home = home
        }

        deinit { home.put(buffer) }

        var size: Int { buffer.storageCapacity }
    }
}

extension ByteBuffer {
    /// Tells apart what memory buffers are slices of.
    fileprivate var storage: UnsafeMutableRawPointer { withVeryUnsafeBytesWithStorageManagement { $1.toOpaque() } }
}
