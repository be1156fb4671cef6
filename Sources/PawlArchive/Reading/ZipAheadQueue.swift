/// What the threads of ``ZipAhead`` have in common with the one that reads.
// All that changes is touched within the monitor only; the source may be read by several.
final class ZipAheadQueue: @unchecked Sendable {
    struct Block {
        let buffer: UnsafeMutableRawBufferPointer
        let count: Int
        let offset: Int64
        let position: Int64
    }

    /// Of one member that is unpacked or was.
    private struct Channel {
        var blocks: [Block] = []
        var isEnded = false
        var failure: ArchiveError?
    }

    /// What libarchive hands out at once, at most; more is cut.
    private static let blockSize = 256 << 10
    /// So many blocks of a member wait at most: 8 MiB.
    private static let maximumBlocks = 32

    private let monitor = Monitor()
    private let members: [ZipReader.Stored]
    private let source: any ZipSource
    private let password: String?
    /// How many members, from that which is read, are unpacked at once: this times 8 MiB is the memory it takes.
    private let reach: Int
    private var channels: [Int: Channel] = [:]
    private var nextNumber = 0
    /// The member that is read.
    private var current = 0
    private var isStopped = false
    /// Buffers are used again: new memory costs more than what is copied into it.
    private var spares: [UnsafeMutableRawBufferPointer] = []

    init(_ members: [ZipReader.Stored], in source: any ZipSource, password: String?, reach: Int) {
        self.members = members
        self.source = source
        self.password = password
        self.reach = reach
    }

    deinit {
        for buffer in spares { buffer.deallocate() }
        for channel in channels.values { for block in channel.blocks { block.buffer.deallocate() } }
    }

    // MARK: The thread that reads

    func begin(_ number: Int) {
        monitor.locked {
            current = number
            nextNumber = max(nextNumber, number)
            for (old, channel) in channels where old < number {
                spares += channel.blocks.map(\.buffer)
                channels[old] = nil
            }
            monitor.wake()
        }
    }

    /// The next block; nil behind the last.
    func take(_ number: Int) throws(ArchiveError) -> Block? {
        let result: Result<Block?, ArchiveError> = monitor.locked {
            while true {
                if let channel = channels[number] {
                    if !channel.blocks.isEmpty {
                        monitor.wake()
                        return .success(channels[number]?.blocks.removeFirst())
                    }
                    if let failure = channel.failure { return .failure(failure) }
                    if channel.isEnded { return .success(nil) }
                }
                monitor.wait()
            }
        }
        return try result.get()
    }

    func recycle(_ block: Block) {
        monitor.locked { spares.append(block.buffer) }
    }

    func stop() {
        monitor.locked {
            isStopped = true
            monitor.wake()
        }
    }

    // MARK: The threads that unpack

    func work() {
        var unpacker: ZipUnpacker?
        while let number = nextMember() {
            do throws(ArchiveError) {
                if unpacker?.isReusable != true { unpacker = try ZipUnpacker(source, password: password) }
                if let unpacker { try unpack(number, by: unpacker) }
            } catch {
                unpacker = nil
                end(number, error)
            }
        }
    }

    /// Gives up in the middle if the member is not wanted any more.
    private func unpack(_ number: Int, by unpacker: ZipUnpacker) throws(ArchiveError) {
        try unpacker.open(members[number])
        while let (bytes, offset) = try unpacker.read() {
            var start = 0
            while start < bytes.count {
                let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + Self.blockSize, bytes.count)])
                guard put(piece, at: offset + Int64(start), position: unpacker.position, of: number) else { return }
                start += piece.count
            }
        }
        end(number, nil)
    }

    /// The next member to unpack, when it is near enough to the one that is read; nil when there is none.
    private func nextMember() -> Int? {
        monitor.locked {
            while !isStopped, nextNumber < members.count, nextNumber >= current + reach { monitor.wait() }
            guard !isStopped, nextNumber < members.count else { return nil }
            defer { nextNumber += 1 }
            channels[nextNumber] = Channel()
            return nextNumber
        }
    }

    private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int64, position: Int64, of number: Int) -> Bool {
        let buffer: UnsafeMutableRawBufferPointer? = monitor.locked {
            while !isStopped, let channel = channels[number], channel.blocks.count >= Self.maximumBlocks {
                monitor.wait()
            }
            guard !isStopped, channels[number] != nil else { return nil }
            return spares.popLast() ?? .allocate(byteCount: Self.blockSize, alignment: 16)
        }
        guard let buffer else { return false }
        buffer.copyMemory(from: bytes)
        return monitor.locked {
            guard channels[number] != nil else {
                spares.append(buffer)
                return false
            }
            channels[number]?.blocks.append(
                Block(buffer: buffer, count: bytes.count, offset: offset, position: position))
            monitor.wake()
            return true
        }
    }

    private func end(_ number: Int, _ failure: ArchiveError?) {
        monitor.locked {
            channels[number]?.failure = failure
            channels[number]?.isEnded = true
            monitor.wake()
        }
    }
}
