import PawlCore
import PawlEngine

/// The actions of users between two runs.
extension MeddlingStory {
    private static let names = [
        "file.bin", "file.bin.part", "file.bin.part.orphan-1", "file.bin.part.bad", "a.bin", "a.bin.part", "b.bin",
        "b.bin.part", "mine",
        "file (1).bin",
    ]

    mutating func meddle() {
        guard troubles.contains(.users) || troubles.contains(.inodes) else { return }
        for _ in 0..<pick(4) { act() }
    }

    private mutating func act() {
        summary.acts += 1
        let items = disk.items(in: Self.directory).filter { isFree(toMove: $0.name) }
        // People choose names at random, or the one that the next run looks at.
        let name = pick(2) == 0 ? world.wanted[0].name + ".part" : Self.names[pick(Self.names.count)]
        let kind = troubles.contains(.users) ? pick(10) : 6 + pick(2)
        if kind == 5 { return installForeign(FileName.isReserved(name) ? "file.bin.part" : "file.bin") }
        guard !items.isEmpty else { return }
        let item = items[pick(items.count)]
        switch kind {
        case 0...2 where !disk.exists(path(name)):
            story.append("  user: mv \(item.name) \(name)")
            disk.move(path(item.name), to: path(name))
        case 3...4 where !disk.exists(path(name)):
            let keepsMark = pick(2) == 0
            story.append("  user: cp \(keepsMark ? "-a " : "")\(item.name) \(name)")
            disk.copy(path(item.name), to: path(name), keepsMark: keepsMark)
        case 6...7: replace(item, items)
        case 8:
            story.append("  user: rm \(item.name)")
            disk.delete(path(item.name))
        case 9:
            let journal = (item.name.hasSuffix(".part") ? String(item.name.dropLast(5)) : item.name) + ".pawl"
            story.append("  user: rm \(journal)")
            disk.delete(path(journal))
        default: break
        }
    }

    /// Replaces a file by another, which gets the same inode number where the disk reuses numbers.
    private mutating func replace(_ item: SimulatedDisk.Item, _ items: [SimulatedDisk.Item]) {
        let other = items[pick(items.count)]
        guard other.name != item.name else {
            let bytes = SimulatedOrigin.content(item.bytes.count, seed: random.next())
            story.append("  user: rm \(item.name), and another program writes one")
            disk.delete(path(item.name))
            disk.installForeign(path(item.name), bytes, data: RangeSet(ByteRange(0..<Int64(bytes.count))))
            return
        }
        story.append("  user: rm \(item.name); cp \(other.name) \(item.name)")
        disk.delete(path(item.name))
        disk.copy(path(other.name), to: path(item.name), keepsMark: false)
    }

    /// Another program's partial file.
    private mutating func installForeign(_ name: String) {
        guard !disk.exists(path(name)) else { return }
        let origin = world.origin(of: pick(world.wanted.count))
        let bytes = origin.version(at: now).bytes
        let (count, half) = (Int64(bytes.count), Int64(bytes.count / 2))
        let kind = ["curl", "curl", "aria2 trunc", "aria2 prealloc", "aria2 falloc", "axel", "a sparse file"][pick(7)]
        story.append("  user: \(name) of \(kind)")
        guard kind != "curl", count > 12_000 else {
            let held = Array(bytes.prefix(Int(half)))
            return disk.installForeign(path(name), held, data: RangeSet(ByteRange(0..<half)))
        }
        // The last part is present before the middle.
        let data = RangeSet([ByteRange(0..<4096), ByteRange((count - 5000)..<count)])
        var shown = [UInt8](repeating: 0, count: bytes.count)
        for range in data.ranges {
            shown.replaceSubrange(Int(range.start)..<Int(range.end), with: bytes[Int(range.start)..<Int(range.end)])
        }
        let written = kind == "aria2 prealloc" ? RangeSet(ByteRange(0..<count)) : data
        disk.installForeign(path(name), shown, data: written, isReserved: kind == "aria2 falloc")
        guard blindness != .holes else { return }
        if kind.hasPrefix("aria2") { disk.install(path(name + ".aria2"), controlFile(of: count, holding: data)) }
        if kind == "axel" { disk.install(path(name + ".st"), [1]) }
    }

    /// Returns aria2's control file; at times a false one, as after a power cut, or one that cannot be read.
    private mutating func controlFile(of count: Int64, holding data: RangeSet) -> [UInt8] {
        let pieceLength: Int64 = [1024, 2048, 4096][pick(3)]
        let pieces = (count - 1) / pieceLength + 1
        var field = [UInt8](repeating: 0, count: Int((pieces - 1) / 8 + 1))
        let (lies, kind) = (pick(3) == 0, pick(6))
        for piece in 0..<pieces {
            let range = ByteRange(piece * pieceLength..<min((piece + 1) * pieceLength, count))
            if lies || data.contains(range) { field[Int(piece / 8)] |= 0x80 >> UInt8(piece % 8) }
        }
        story.append(
            "    its control file has pieces of \(pieceLength)\(lies ? ", and claims all" : "")\(kind == 0 ? ", torn" : "")"
        )
        func number(_ value: Int64, _ bytes: Int) -> [UInt8] {
            (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * Int64($0))) }
        }
        let control =
            number(1, 2) + number(0, 4) + number(0, 4) + number(pieceLength, 4) + number(count, 8) + number(0, 8)
            + number(Int64(field.count), 4) + field + number(0, 4)
        return kind == 0 ? Array(control.prefix(pick(control.count))) : control
    }

    private func path(_ name: String) -> String { Self.directory + "/" + name }

    private func isFree(toMove name: String) -> Bool {
        ![".pawl", ".aria2", ".st"].contains { name.hasSuffix($0) }
    }
}
