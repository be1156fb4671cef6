import PawlCore
import PawlEngine

extension StorageConformance {
    func writesReadBack() throws {
        let directory = try openDirectory()
        let bytes = pattern(10_000)
        let file = try directory.create("file")
        try file.write(Array(bytes[6000...]), at: 6000)
        try file.write(Array(bytes[..<6000]), at: 0)
        try expectEqual(file.status().size, 10_000, "the size")
        try expect(file.read(10_000, at: 0) == bytes, "the bytes read are not those written")
        try expect(file.read(100, at: 5950) == Array(bytes[5950..<6050]), "the bytes read across two writes are others")
        try expect(contents(of: "file", in: directory) == bytes, "the bytes read by another open file are others")
        try file.write([], at: 20_000)
        try expectEqual(file.status().size, 10_000, "the size after an empty write")
        try expectError("writing at a negative offset") { try file.write([1], at: -1) }
        try expectError("reading at a negative offset") { _ = try file.read(1, at: -1) }
    }

    func writesOverlapInOrder() throws {
        let file = try openDirectory().create("file")
        try file.write([UInt8](repeating: 1, count: 1000), at: 0)
        try file.write([UInt8](repeating: 2, count: 600), at: 700)
        try file.write([UInt8](repeating: 3, count: 10), at: 695)
        let expected =
            [UInt8](repeating: 1, count: 695) + [UInt8](repeating: 3, count: 10) + [UInt8](repeating: 2, count: 595)
        try expect(file.read(2000, at: 0) == expected, "overlapping writes did not land in order")
    }

    func largeWritesReadBack() throws {
        let file = try openDirectory().create("file")
        let bytes = pattern(3 << 20)
        try file.write(bytes, at: 12_345)
        try expect(file.read(bytes.count, at: 12_345) == bytes, "the bytes read are not those written")
        try file.syncData()
        try file.write([7], at: 1 << 20)
        let around = (1 << 20) - 12_345 - 1
        try expectEqual(
            file.read(3, at: (1 << 20) - 1), [bytes[around], 7, bytes[around + 2]],
            "a byte written after a sync, with its neighbours,")
    }

    func gapsReadAsZeros() throws {
        let file = try openDirectory().create("file")
        try file.write([1], at: 100_000)
        try expectEqual(file.status().size, 100_001, "the size")
        let gap = try file.read(100_000, at: 0)
        try expect(gap.count == 100_000 && gap.allSatisfy { $0 == 0 }, "a gap does not read as zeros")
    }

    func readsEndWithTheFile() throws {
        let file = try makeFile("file", [1, 2, 3], in: openDirectory())
        try expectEqual(file.read(10, at: 1), [2, 3], "a read across the end")
        try expectEqual(file.read(10, at: 3), [], "a read at the end")
        try expectEqual(file.read(10, at: 1 << 40), [], "a read far beyond the end")
        try expectEqual(file.read(0, at: 0), [], "a read of nothing")
    }

    func readOnlyFilesStayUnchanged() throws {
        let directory = try openDirectory()
        _ = try makeFile("file", [1, 2, 3], in: directory)
        let file = try directory.open("file", writable: false)
        try expectError("writing to a file open for reading") { try file.write([4], at: 0) }
        try expectError("truncating a file open for reading") { try file.truncate(to: 0) }
        try expectError("allocating in a file open for reading") { _ = try file.allocate(10) }
        try expectEqual(file.read(10, at: 0), [1, 2, 3], "the file")
        let writable = try directory.open("file", writable: true)
        try writable.write([4], at: 0)
        try expectEqual(file.read(10, at: 0), [4, 2, 3], "the file after a write through another open file")
    }

    /// The result is not checked: whether space was reserved depends on the file system.
    func allocateSetsTheLength() throws {
        let file = try makeFile("file", [1, 2, 3], in: openDirectory())
        _ = try file.allocate(100_000)
        try expectEqual(file.status().size, 100_000, "the size")
        try expectEqual(file.read(5, at: 0), [1, 2, 3, 0, 0], "what was there before")
        try file.write([9], at: 99_999)
        try expectEqual(file.status().size, 100_000, "the size after a write within it")
        _ = try file.allocate(2)
        try expectEqual(file.read(5, at: 0), [1, 2], "the file after a smaller allocation")
        _ = try file.allocate(0)
        try expectEqual(file.status().size, 0, "the size after an allocation of nothing")
        try expectError("allocating less than nothing") { _ = try file.allocate(-1) }
    }

    func truncateDiscardsBytes() throws {
        let file = try makeFile("file", pattern(50_000), in: openDirectory())
        try file.truncate(to: 10)
        try expectEqual(file.status().size, 10, "the size")
        try file.truncate(to: 50_000)
        try expectEqual(file.read(10, at: 0), Array(pattern(50_000)[..<10]), "what was kept")
        let rest = try file.read(50_000, at: 10)
        try expect(rest.count == 49_990 && rest.allSatisfy { $0 == 0 }, "what was cut off comes back")
        try expectError("truncating to less than nothing") { try file.truncate(to: -1) }
    }

    func syncsSucceed() throws {
        let directory = try openDirectory()
        let file = try makeFile("file", pattern(5000), in: directory)
        try file.syncData()
        try file.sync()
        try directory.sync()
        try expect(contents(of: "file", in: directory) == pattern(5000), "a sync changed the file")
        try directory.open("file", writable: false).sync()
    }

    func lockExcludesOthers() throws {
        let directory = try openDirectory()
        let first = try directory.create("file")
        let second = try directory.open("file", writable: true)
        try expect(first.lock(), "a file that nobody has locked is locked")
        try expect(first.lock(), "the file that holds the lock is locked out")
        try expect(!second.lock(), "two open files hold the lock of one")
        let other = try directory.create("other")
        try expect(other.lock(), "a lock reaches another file")
    }

    func lockEndsWithItsOpenFile() throws {
        let directory = try openDirectory()
        let first = try directory.create("file")
        let second = try directory.open("file", writable: true)
        try expect(first.lock(), "a file that nobody has locked is locked")
        // Classic POSIX locks would end here, with the process's first close of any handle of the file.
        try directory.open("file", writable: false).close()
        try expect(!second.lock(), "closing one open file ended the lock of another")
        try first.close()
        try expect(second.lock(), "the lock outlives the open file")
    }

    func permissionsAndTimeAreSet() throws {
        let directory = try openDirectory()
        let file = try makeFile("file", [1], in: directory)
        for mode: UInt16 in [0o644, 0o400, 0o600] {
            try file.setPermissions(mode)
            try expectEqual(directory.status("file")?.permissions, mode, "the permissions")
        }
        for time: Int64 in [1_577_836_800, 0, 4_102_444_800] {
            try file.setModified(time)
            try expectEqual(directory.status("file")?.modified, time, "the time of modification")
        }
    }

    func markStaysWithTheFile() throws {
        let directory = try openDirectory()
        let file = try directory.create("file")
        try expect(file.mark() == nil, "a new file has a mark")
        guard try file.setMark([1, 0, 255]) else {
            try expect(file.mark() == nil, "a file that takes no mark has one")
            return
        }
        try expectEqual(file.mark(), [1, 0, 255], "the mark")
        try expect(file.setMark([2]), "a second mark is refused")
        try directory.rename("file", to: "renamed", replacing: false)
        try expectEqual(directory.open("renamed", writable: false).mark(), [2], "the mark after a renaming")
        try expect(directory.create("file").mark() == nil, "another file has the mark")
    }

    func attributesStayWithTheFile() throws {
        let directory = try openDirectory()
        let file = try directory.create("file")
        let (name, other) = ("user.xdg.origin.url", "user.xdg.referrer.url")
        guard try file.setAttribute(name, to: [1, 0, 255]) else {
            try expectError(.notSupported, "an attribute where there are none") { _ = try file.attribute(name) }
            return
        }
        try expect(file.attribute(other) == nil, "a new file has an attribute")
        try expectEqual(file.attribute(name), [1, 0, 255], "the attribute")
        try expect(file.setAttribute(name, to: [2]), "a second value is refused")
        try expect(file.setAttribute(other, to: []), "an empty value is refused")
        try expectEqual(file.attribute(other), [], "the empty attribute")
        let size = try file.status().size
        try directory.rename("file", to: "renamed", replacing: false)
        let reopened = try directory.open("renamed", writable: false)
        try expectEqual(reopened.attribute(name), [2], "the attribute after a renaming")
        try expectEqual(reopened.status().size, size, "the size with attributes")
        try expect(directory.create("file").attribute(name) == nil, "another file has the attribute")
    }

    func closedFilesRefuse() throws {
        let file = try makeFile("file", [1], in: openDirectory())
        try file.close()
        try file.close()
        let calls: [(String, () throws -> Void)] = [
            ("status", { _ = try file.status() }),
            ("allocate", { _ = try file.allocate(1) }),
            ("truncate", { try file.truncate(to: 1) }),
            ("write", { try file.write([1], at: 0) }),
            ("read", { _ = try file.read(1, at: 0) }),
            ("syncData", { try file.syncData() }),
            ("sync", { try file.sync() }),
            ("lock", { _ = try file.lock() }),
            ("setPermissions", { try file.setPermissions(0o600) }),
            ("setModified", { try file.setModified(0) }),
            ("setMark", { _ = try file.setMark([1]) }),
            ("mark", { _ = try file.mark() }),
            ("removeMark", { try file.removeMark() }),
            ("nextData", { _ = try file.nextData(from: 0) }),
            ("setAttribute", { _ = try file.setAttribute("user.x", to: [1]) }),
            ("attribute", { _ = try file.attribute("user.x") }),
        ]
        for (name, call) in calls {
            try expectError(.stale, "\(name) of a closed file", call)
        }
    }
}
