import PawlCore
import PawlTestKit
import Testing

@testable import PawlEngine

/// Small files that are written as a whole: the cookie jar and the memory of hosts.
@Suite struct ReplacingTests {
    private static func disk(_ seed: UInt64 = 1) -> SimulatedDisk {
        let disk = SimulatedDisk(seed: seed)
        disk.makeDirectory("/s")
        disk.install("/s/jar", Array("old".utf8))
        return disk
    }

    private static func replace(_ disk: SimulatedDisk, _ text: String, random: UInt64) throws(StorageError) {
        try disk.openDirectory("/s").replace("jar", with: Array(text.utf8), isDurable: true, random: random)
    }

    @Test(arguments: [true, false])
    func `P05 after a kill at any call the next run writes the file and removes the leftover`(_ isPowerCut: Bool) throws
    {
        for operations in 0..<20 {
            let disk = Self.disk()
            disk.stopAfter(operations: operations)
            let isCut = (try? Self.replace(disk, "new", random: 7)) == nil
            if isPowerCut { disk.crash() } else { disk.kill() }
            let found = disk.contents(of: "/s/jar").map { String(decoding: $0, as: UTF8.self) }
            #expect(found == "new" || isCut && found == "old")
            // The same random number again, as a process that is always the first of its container has the same process
            // number.
            try Self.replace(disk, "newest", random: 7)
            #expect(disk.contents(of: "/s/jar") == Array("newest".utf8))
            #expect(disk.names(in: "/s") == ["jar"])
            if !isCut { return }
        }
        Issue.record("it never came to the end")
    }

    @Test func `P05 similar names of foreign files do not matter, and the files stay`() throws {
        let disk = Self.disk()
        let name = TemporaryName(for: "jar", random: 1).text
        let others = [
            ".jar.1.new", "jar.new", TemporaryName(for: "jar2", random: 1).text, String(name.dropLast()), name + "x",
            name.replacing("0000", with: "0002"), ".jar." + String(repeating: "0", count: 32) + ".new", "jar",
        ]
        for other in others { disk.install("/s/" + other, Array("old".utf8)) }
        try Self.replace(disk, "new", random: 2)
        #expect(disk.names(in: "/s") == others.sorted())
        #expect(disk.contents(of: "/s/jar") == Array("new".utf8))
    }

    @Test(arguments: [true, false])
    func `P05 the file that another run is writing is not taken for a leftover`(_ hasLocks: Bool) throws {
        let disk = Self.disk()
        disk.features.hasLocks = hasLocks
        let name = TemporaryName(for: "jar", random: 1).text
        let file = try disk.openDirectory("/s").create(name)
        if hasLocks { #expect(try file.lock()) }
        try Self.replace(disk, "new", random: 2)
        #expect(disk.names(in: "/s") == [name, "jar"])
        try file.close()
        try Self.replace(disk, "newer", random: 3)
        // Without locks, no process can tell whether a leftover is in use.
        #expect(disk.names(in: "/s") == (hasLocks ? ["jar"] : [name, "jar"]))
    }

    @Test(arguments: [SimulatedDisk.Operation.write, .sync, .rename, .lock])
    func `a failed write leaves the old file and nothing beside it`(_ operation: SimulatedDisk.Operation) throws {
        let disk = Self.disk()
        disk.faults = .failing(operation, with: .inputOutput)
        let isWritten = (try? Self.replace(disk, "new", random: 1)) != nil
        // A lock that cannot be acquired is no reason to discard the data.
        #expect(isWritten == (operation == .lock))
        #expect(disk.contents(of: "/s/jar") == Array((isWritten ? "new" : "old").utf8))
        #expect(disk.names(in: "/s") == ["jar"])
    }

    @Test(arguments: ["jar", "", "caf\u{E9}", String(repeating: "n", count: 255)])
    func `a temporary name is recognised only for its own file, and fits a file system`(_ target: String) {
        for random in [0, 1, UInt64.max] {
            let name = TemporaryName(for: target, random: random).text
            #expect(TemporaryName.isOne(name, for: target) && !TemporaryName.isOne(name, for: target + "x"))
            #expect(name.utf8.count <= 255)
            for index in name.utf8.indices {
                var bytes = Array(name.utf8)
                bytes[name.utf8.distance(from: name.utf8.startIndex, to: index)] ^= 1
                #expect(!TemporaryName.isOne(String(decoding: bytes, as: UTF8.self), for: target))
            }
        }
    }
}
