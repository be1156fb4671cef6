/// Unpacks the next large members of a zip archive on threads of their own while the one before is written: members are
/// independent of each other, and inflating takes ten times as long as writing. They come out in their order all the
/// same, and nothing of it can be seen from outside but the time.
final class ZipAhead {
    /// The unpacked size, in bytes, below which a member is unpacked sooner than another thread is told of it.
    static let leastSize: Int64 = 128 << 10

    private let queue: ZipAheadQueue
    private let threads: [JoinedThread]

    /// - Parameters:
    ///   - members: those that will be read, each from its beginning, in their order.
    ///   - source: one that several threads may read at once.
    init(_ members: [ZipReader.Stored], in source: any ZipSource, password: String?, threads count: Int) {
        let queue = ZipAheadQueue(members, in: source, password: password, reach: count + 1)
        self.queue = queue
        threads = (0..<count).compactMap { _ in JoinedThread { queue.work() } }
    }

    deinit {
        queue.stop()
        for thread in threads { thread.join() }
    }

    /// Whether any thread was started; without one, no bytes would ever come.
    var isWorking: Bool { !threads.isEmpty }

    /// Begins a member; the members before it are no longer needed.
    func begin(_ number: Int) { queue.begin(number) }

    /// The next bytes of the member that was begun, valid within `body`, and how far the source is read; false behind
    /// the last.
    func read(
        _ number: Int, _ body: (UnsafeRawBufferPointer, Int64, _ position: Int64) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Bool {
        guard let block = try queue.take(number) else { return false }
        defer { queue.recycle(block) }
        try body(UnsafeRawBufferPointer(rebasing: block.buffer[..<block.count]), block.offset, block.position)
        return true
    }
}
