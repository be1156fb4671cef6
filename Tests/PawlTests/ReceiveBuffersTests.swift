import NIOCore
import Testing

@testable import Pawl

@Suite struct ReceiveBuffersTests {
    private static let size = 256 << 10

    private let buffers = ReceiveBuffers()

    private func allocate(_ size: Int = size) -> ByteBuffer {
        buffers.allocator(of: size).buffer(allocator: ByteBufferAllocator())
    }

    /// A read that fills a buffer.
    private func receive() -> ByteBuffer {
        var buffer = allocate()
        buffer.writeRepeatingByte(1, count: buffer.writableBytes)
        return buffer
    }

    /// The first read of a channel, after which it keeps the buffer.
    private func receiveFirst() -> ByteBuffer {
        let given = allocate()
        var copy = given
        copy.writeRepeatingByte(1, count: copy.writableBytes)
        withExtendedLifetime(given) {}
        return copy
    }

    private func place(of buffer: ByteBuffer) -> UnsafeMutableRawPointer {
        buffer.withVeryUnsafeBytesWithStorageManagement { $1.toOpaque() }
    }

    /// Receives and lets go of the buffer, but keeps its memory.
    private func keep() throws -> (place: UnsafeMutableRawPointer, memory: ReceiveBuffers.KeptBuffer) {
        let buffer = receive()
        return (place(of: buffer), try #require(buffers.memory(of: buffer)))
    }

    @Test func `memory is used again once it is released, and not before`() throws {
        let channel = receiveFirst()
        let second = try keep()
        var third = Optional(try keep())
        let free = third?.place
        #expect(Set([place(of: channel), second.place, free]).count == 3)
        #expect(third?.memory.size == Self.size)
        third = nil
        // Would get that memory if the system had it back.
        let decoy = ByteBufferAllocator().buffer(capacity: Self.size)
        #expect(place(of: decoy) != free)
        let fourth = try keep()
        #expect(fourth.place == free)
        #expect(try keep().place != second.place)
        withExtendedLifetime((channel, second, fourth, decoy)) {}
    }

    @Test func `the channel's own buffer is not given out a second time`() throws {
        var channel = receiveFirst()
        var memory = buffers.memory(of: channel)
        #expect(memory != nil)
        memory = nil
        #expect(buffers.freeCount == 0)
        // The channel is its only owner again.
        #expect(channel.modifyIfUniquelyOwned { $0.clear() } != nil)
        #expect(place(of: receive()) != place(of: channel))
    }

    @Test func `a buffer of another size is not used for a read`() throws {
        _ = try keep()
        #expect(buffers.freeCount == 1)
        #expect(allocate(16 << 10).storageCapacity == 16 << 10)
    }

    @Test func `memory that several parts of one read share comes back once`() throws {
        var buffer: ByteBuffer? = receive()
        let shared = place(of: try #require(buffer))
        var parts = [170 << 10, 86 << 10].map { count in buffer?.readSlice(length: count).flatMap(buffers.memory(of:)) }
        #expect(parts.allSatisfy { $0 != nil })
        buffer = nil
        parts = []
        let next = receive()
        #expect(place(of: next) == shared)
        #expect(place(of: receive()) != shared)
        withExtendedLifetime(next) {}
    }

    @Test func `an idle connection holds nothing but the channel's own buffer`() throws {
        var early = Optional(try keep().memory)
        var late = Optional(try keep().memory)
        early = nil
        #expect(buffers.freeCount == 1)
        buffers.setIdle(true)
        #expect(buffers.freeCount == 0)
        late = nil
        #expect(buffers.freeCount == 0)
        buffers.setIdle(false)
        _ = try keep()
        #expect(buffers.freeCount == 1)
        #expect(early == nil && late == nil)
    }

    @Test func `few bytes are kept only to have their memory back`() throws {
        let channel = receiveFirst()
        #expect(channel.getSlice(at: 0, length: 1000).flatMap(buffers.memory(of:)) == nil)
        do { #expect(receive().getSlice(at: 0, length: 1000).flatMap(buffers.memory(of:)) != nil) }
        #expect(buffers.freeCount == 1)
    }
}
