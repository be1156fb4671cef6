import PawlSystem

/// The state that the threads of ``ZipAhead`` share with the reader.
// The source may be read by several.
final class ZipAheadQueue: @unchecked Sendable {
    struct Block {
        let buffer: UnsafeMutableRawBufferPointer
        let count: Int
        let offset: Int64
        let position: Int64
    }

    /// The blocks of one member that is or was unpacked.
    private struct Channel {
        var blocks: [Block] = []
        var isEnded = false
        var failure: ArchiveError?
    }

    /// The size of a block; longer pieces from libarchive are split.
    private static let blockSize = 256 << 10
    /// The largest number of blocks of a member that wait: 8 MiB.
    private static let maximumBlocks = 32

    // Buffers go from one thread to another, and are of one at a time.
    private struct State: @unchecked Sendable {
        var channels: [Int: Channel] = [:]
        var nextNumber = 0
        /// The member that is read.
        var current = 0
        var isStopped = false
        /// Buffers are used again: new memory costs more than what is copied into it.
        var spares: [UnsafeMutableRawBufferPointer] = []
    }

    private let monitor = Monitor(State())
    private let members: [ZipReader.Stored]
    private let source: any ZipSource
    private let password: String?
    /// The number of members, from the one being read on, that are unpacked at once: this times 8 MiB is the memory it
    /// takes.
    private let reach: Int

    init(_ members: [ZipReader.Stored], in source: any ZipSource, password: String?, reach: Int) {
        self.members = members
        self.source = source
        self.password = password
        self.reach = reach
    }

    deinit {
        monitor.withLock { state in
            for buffer in state.spares { buffer.deallocate() }
            for channel in state.channels.values { for block in channel.blocks { block.buffer.deallocate() } }
        }
    }

    // MARK: The thread that reads

    func begin(_ number: Int) {
        monitor.withLock { state in
            state.current = number
            state.nextNumber = max(state.nextNumber, number)
            for (old, channel) in state.channels where old < number {
                state.spares += channel.blocks.map(\.buffer)
                state.channels[old] = nil
            }
        }
        monitor.wakeAll()
    }

    /// The next block; nil behind the last.
    func take(_ number: Int) throws(ArchiveError) -> Block? {
        let result = monitor.wait { state -> Monitor<State>.Look<Result<Block?, ArchiveError>> in
            guard let channel = state.channels[number] else { return .wait(atMost: nil) }
            if !channel.blocks.isEmpty { return .done(.success(state.channels[number]?.blocks.removeFirst())) }
            if let failure = channel.failure { return .done(.failure(failure)) }
            return channel.isEnded ? .done(.success(nil)) : .wait(atMost: nil)
        }
        // There is room for one more.
        monitor.wakeAll()
        return try result.get()
    }

    func recycle(_ block: Block) {
        monitor.withLock { $0.spares.append(block.buffer) }
    }

    func stop() {
        monitor.withLock { $0.isStopped = true }
        monitor.wakeAll()
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
        monitor.wait { state in
            guard !state.isStopped, state.nextNumber < members.count else { return .done(nil) }
            guard state.nextNumber < state.current + reach else { return .wait(atMost: nil) }
            defer { state.nextNumber += 1 }
            state.channels[state.nextNumber] = Channel()
            return .done(state.nextNumber)
        }
    }

    private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int64, position: Int64, of number: Int) -> Bool {
        let buffer = monitor.wait { state -> Monitor<State>.Look<UnsafeMutableRawBufferPointer?> in
            guard !state.isStopped, let channel = state.channels[number] else { return .done(nil) }
            guard channel.blocks.count < Self.maximumBlocks else { return .wait(atMost: nil) }
            return .done(state.spares.popLast() ?? .allocate(byteCount: Self.blockSize, alignment: 16))
        }
        guard let buffer else { return false }
        buffer.copyMemory(from: bytes)
        let isWanted = monitor.withLock { state in
            guard state.channels[number] != nil else {
                state.spares.append(buffer)
                return false
            }
            state.channels[number]?.blocks.append(
                Block(buffer: buffer, count: bytes.count, offset: offset, position: position))
            return true
        }
        if isWanted { monitor.wakeAll() }
        return isWanted
    }

    private func end(_ number: Int, _ failure: ArchiveError?) {
        monitor.withLock { state in
            state.channels[number]?.failure = failure
            state.channels[number]?.isEnded = true
        }
        monitor.wakeAll()
    }
}
