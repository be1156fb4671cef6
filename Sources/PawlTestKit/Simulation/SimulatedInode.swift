import PawlCore
import PawlEngine

/// The file behind the names of a simulated disk: its contents as reads return them, and the part that a power loss
/// would leave.
final class SimulatedInode {
    /// The unit that a disk writes either whole or not at all.
    static let sectorSize: Int64 = 512

    struct Attributes {
        var permissions: UInt16
        var modified: Int64
        var mark: [UInt8]?
        var extended: [String: [UInt8]] = [:]
    }

    let identity: FileIdentity
    let kind: FileStatus.Kind
    /// Unlike the inode number, never reused for another file.
    let serial: Int
    var attributes: Attributes
    private(set) var size: Int64 = 0
    /// The bytes that have space on the disk.
    private(set) var occupied = RangeSet()
    /// The open file that holds the lock.
    var lockHolder: Int?
    /// A writeback failed unnoticed, and the next sync must report it.
    var hasUnseenError = false
    var ownership = Ownership.pawls
    /// The bytes ever written; reserved space outside them is still a hole.
    private(set) var data = RangeSet()
    /// How many names refer to this inode.
    var linkCount = 0
    var openCount = 0

    private var contents = SparseBytes()
    private var durable = SparseBytes()
    private var durableSize: Int64 = 0
    private var durableData = RangeSet()
    private var durableAttributes: Attributes

    // Changes since the last sync.
    private var written = RangeSet()
    /// Writes whose bytes the contents still hold; no two overlap.
    private var visible: [ByteRange] = []
    /// Writes that later ones cover in part, with their own copies of their bytes.
    private var covered: [(offset: Int64, bytes: [UInt8])] = []
    private var lowestCut: Int64?
    private var sizes: [Int64] = []

    init(identity: FileIdentity, serial: Int, kind: FileStatus.Kind, attributes: Attributes) {
        self.serial = serial
        self.identity = identity
        self.kind = kind
        self.attributes = attributes
        durableAttributes = attributes
    }

    var status: FileStatus {
        FileStatus(
            identity: identity, kind: kind, size: size, occupied: occupied.count, linkCount: linkCount,
            permissions: attributes.permissions, modified: attributes.modified)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
        let count = min(Int64(buffer.count), max(0, size - offset))
        contents.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(count)]), at: offset)
        return Int(count)
    }

    /// The next stretch of data; reserved space holds none.
    func nextData(from position: Int64) -> ByteRange? {
        dataBlocks.ranges.first { $0.end > position }.flatMap {
            $0.intersection(ByteRange(position..<max(position, size)))
        }
    }

    /// The written bytes, in the block granularity of a file system.
    var dataBlocks: RangeSet {
        let block: Int64 = 4096
        return RangeSet(
            data.ranges.map { ByteRange($0.start / block * block..<min(size, ($0.end + block - 1) / block * block)) })
    }

    /// The time of creation in nanoseconds since 1970. No two files share one.
    var created: Int64 { 1_700_000_000_000_000_000 + Int64(serial) }

    /// How many bytes of `range` have no space on the disk yet.
    func unoccupied(_ range: ByteRange) -> Int64 {
        range.count - occupied.intersection(range).count
    }

    func occupy(_ range: ByteRange) {
        occupied.insert(range)
    }

    /// Frees half of the space, as a file system that compresses in the background does.
    func compress() { occupied = occupied.intersection(ByteRange(0..<occupied.upperBound / 2)) }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        let range = ByteRange(offset..<offset + Int64(bytes.count))
        guard !range.isEmpty else { return }
        cover(range)
        contents.write(bytes, at: offset)
        data.insert(range)
        visible.append(range)
        written.insert(range)
        if range.end > size { setSize(range.end) }
    }

    func resize(to newSize: Int64) {
        if newSize < size {
            cover(ByteRange(newSize..<size))
            contents.cut(at: newSize)
            lowestCut = min(lowestCut ?? newSize, newSize)
            occupied.remove(ByteRange(newSize..<max(size, occupied.upperBound)))
            data.remove(ByteRange(newSize..<size))
        }
        if newSize != size { setSize(newSize) }
    }

    private func setSize(_ newSize: Int64) {
        size = newSize
        sizes.append(newSize)
    }

    /// Must be called before the contents change within `range`.
    private func cover(_ range: ByteRange) {
        guard !written.intersection(range).isEmpty else { return }
        for write in visible where write.overlaps(range) {
            covered.append((write.start, contents.bytes(write)))
        }
        visible.removeAll { $0.overlaps(range) }
    }
}

// MARK: Durability

extension SimulatedInode {
    func syncData() {
        if let lowestCut { durable.cut(at: lowestCut) }
        for range in written.ranges { durable.copy(range, from: contents) }
        durableSize = size
        durableData = data
        forgetUnsynced()
    }

    func sync() {
        syncData()
        durableAttributes = attributes
    }

    /// Fails a sync. As on Linux, the unsynced bytes count as written from now on: reads return them, the next sync
    /// succeeds, and they never reach the disk.
    func loseUnsynced() {
        forgetUnsynced()
    }

    var hasUnsynced: Bool { !written.isEmpty }

    private func forgetUnsynced() {
        written = RangeSet()
        visible.removeAll(keepingCapacity: true)
        covered.removeAll()
        lowestCut = nil
        sizes.removeAll(keepingCapacity: true)
    }

    /// Leaves the file as after a power loss. Each unsynced write survives whole, in part or not at all, in any order;
    /// the length is any that the file has had.
    func losePower(_ chance: inout SimulatedChance) {
        if let lowestCut, chance.flip() { durable.cut(at: lowestCut) }
        let writes = covered + visible.map { (offset: $0.start, bytes: contents.bytes($0)) }
        for write in writes.shuffled(using: &chance) {
            switch Int.random(in: 0..<3, using: &chance) {
            case 0: break
            case 1: keep(write) { durable.write($0, at: write.offset) }
            default: keep(write) { tear($0, at: write.offset, &chance) }
            }
        }
        durableSize = ([durableSize] + sizes).randomElement(using: &chance) ?? durableSize
        durable.cut(at: durableSize)
        hasUnseenError = false
        if chance.flip() { durableAttributes = attributes }
        revert()
    }

    private func keep(_ write: (offset: Int64, bytes: [UInt8]), _ body: (UnsafeRawBufferPointer) -> Void) {
        write.bytes.withUnsafeBytes(body)
        durableData.insert(ByteRange(write.offset..<write.offset + Int64(write.bytes.count)))
    }

    private func tear(_ bytes: UnsafeRawBufferPointer, at offset: Int64, _ chance: inout SimulatedChance) {
        var position = offset
        let end = offset + Int64(bytes.count)
        while position < end {
            let next = min(end, (position / Self.sectorSize + 1) * Self.sectorSize)
            if chance.flip() {
                let sector = bytes[Int(position - offset)..<Int(next - offset)]
                durable.write(UnsafeRawBufferPointer(rebasing: sector), at: position)
            }
            position = next
        }
    }

    /// Discards everything that is not durable.
    private func revert() {
        contents = durable
        size = durableSize
        attributes = durableAttributes
        occupied = occupied.intersection(ByteRange(0..<size))
        data = durableData.intersection(ByteRange(0..<size))
        forgetUnsynced()
    }
}
