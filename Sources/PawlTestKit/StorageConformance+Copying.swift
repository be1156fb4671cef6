import PawlCore
import PawlEngine

extension StorageConformance {
    func copiesAreEqualAndIndependent() throws {
        let directory = try openDirectory()
        let bytes = pattern(200_000)
        let source = try makeFile("source", bytes, in: directory)
        let copy = try directory.create("copy")
        _ = try copy.allocate(300_000)
        try copy.copy(ByteRange(0..<0), from: source)
        for range in [ByteRange(10..<70_000), ByteRange(131_072..<200_000)] { try copy.copy(range, from: source) }
        try expectEqual(copy.status().size, 300_000, "the size after copying into it")
        try expect(copy.read(69_990, at: 10) == Array(bytes[10..<70_000]), "what was copied is not what was there")
        try expect(
            copy.read(68_928, at: 131_072) == Array(bytes[131_072...]),
            "what was copied up to the end is not what was there")
        try expect(
            copy.read(10, at: 0) + copy.read(61_072, at: 70_000) == [UInt8](repeating: 0, count: 61_082),
            "what was not copied has changed")
        try copy.write([7, 7, 7], at: 100)
        try expect(source.read(200_000, at: 0) == bytes, "a write to the copy reached the source")
        try expectError("copying past the end of the source") {
            try copy.copy(ByteRange(199_000..<201_000), from: source)
        }
    }
}
