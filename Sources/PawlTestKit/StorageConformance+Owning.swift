import PawlCore
import PawlEngine

/// Checks of the attributes that tell who owns a file and whether it holds data.
extension StorageConformance {
    func markIsRemoved() throws {
        let directory = try openDirectory()
        let file = try makeFile("file", [1, 2, 3], in: directory)
        try file.removeMark()
        guard try file.setMark([1, 0, 255]) else { return }
        let modified = try file.status().modified
        try file.removeMark()
        try expect(file.mark() == nil, "a mark that was taken off is there")
        try expect(
            directory.open("file", writable: false).mark() == nil, "another open file sees the mark that was taken off")
        try expectEqual(contents(of: "file", in: directory), [1, 2, 3], "the file")
        try expectEqual(file.status().modified, modified, "the time of modification")
        try file.removeMark()
        try expect(file.setMark([2]), "a mark after one that was taken off is refused")
    }

    /// Every written byte lies in a reported stretch. Where holes are not reported, the whole file is one stretch.
    func dataIsDistinguishedFromHoles() throws {
        let directory = try openDirectory()
        let file = try directory.create("file")
        try expectEqual(file.nextData(from: 0), nil, "the data of an empty file")
        _ = try file.allocate(1 << 20)
        try file.write([1, 2, 3], at: 500_000)
        try file.write([4], at: (1 << 20) - 1)
        var (position, stretches): (Int64, [ByteRange]) = (0, [])
        while let stretch = try file.nextData(from: position) {
            try expect(
                stretch.start >= position && stretch.end > stretch.start, "the stretch \(stretch) after \(position)")
            stretches.append(stretch)
            position = stretch.end
        }
        let data = RangeSet(stretches)
        try expect(
            data.contains(ByteRange(500_000..<500_003)) && data.contains(ByteRange((1 << 20) - 1..<1 << 20)),
            "written bytes lie in a hole")
        try expectEqual(file.nextData(from: 1 << 21), nil, "the data after the end")
        let full = try makeFile("full", pattern(300_000), in: directory)
        try expectEqual(full.nextData(from: 0), ByteRange(0..<300_000), "the data of a file without holes")
        try expectEqual(full.nextData(from: 299_999), ByteRange(299_999..<300_000), "the last byte's data")
        try full.sync()
        try expectEqual(full.nextData(from: 0), ByteRange(0..<300_000), "the data of a synced file without holes")
    }
}
