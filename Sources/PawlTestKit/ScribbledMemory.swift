internal import PawlEngine

/// Received bytes in memory of their own, which is overwritten when nobody refers to it any more: so a use after that
/// shows.
package final class ScribbledMemory: ReceivedMemory {
    /// Needs no lock: written before anybody else refers to it, and once nobody does any more.
    private nonisolated(unsafe) let content: UnsafeMutableRawBufferPointer

    package init(_ bytes: some Collection<UInt8>) {
        content = .allocate(byteCount: bytes.count, alignment: 16)
        content.copyBytes(from: bytes)
    }

    deinit {
        for index in content.indices { content[index] = 0 }
        content.deallocate()
    }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(content) }

    package var size: Int { content.count }
}
