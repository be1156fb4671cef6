import PawlCore
@testable import PawlEngine
import PawlTestKit
import Testing

@Suite("Removing what a download left")
struct FileRemovalTests {
    private func entry(_ name: String, receipt: UInt64) -> QueueEntry {
        var entry = QueueEntry(
            id: DownloadID(1), url: "http://a.example/x", host: "a.example:80", directory: "/d", fileName: "x", target: 1)
        entry.receipt = receipt
        entry.state = .completed(FinishedFacts(fileName: name, byteCount: 3, finalURL: "http://a.example/x"))
        return entry
    }

    /// What the file carries, what the entry has, and whether it goes.
    @Test(arguments: [
        ("a 3 c", 0xa, true), ("b 3 c", 0xa, false), ("what?", 0xa, false), (nil, 0xa, true), ("b 3 c", 0, true),
    ] as [(String?, UInt64, Bool)])
    func `a finished file goes unless it carries another download's receipt`(carried: String?, receipt: UInt64, goes: Bool) throws {
        let disk = SimulatedDisk(seed: 1)
        disk.makeDirectory("/d")
        disk.install("/d/x", [1, 2, 3])
        if let carried {
            let file = try disk.openDirectory("/d").open("x", writable: true)
            _ = try file.setAttribute(Receipt.attributeName, to: Array(carried.utf8))
            try file.close()
        }
        FileRemoval(disk, SimulatedDigests()).remove(entry("x", receipt: receipt), nil)
        #expect(disk.names(in: "/d") == (goes ? [] : ["x"]))
    }

    @Test(arguments: ["../e/x", "/e/x", ".", "..", "", "x/", "e/\u{301}x"])
    func `a name that leads elsewhere removes nothing`(name: String) throws {
        let disk = SimulatedDisk(seed: 1)
        for directory in ["/d", "/e", "/d/e"] { disk.makeDirectory(directory) }
        for file in ["/d/x", "/e/x"] { disk.install(file, [1, 2, 3]) }
        FileRemoval(disk, SimulatedDigests()).remove(entry(name, receipt: 0), nil)
        #expect(disk.contents(of: "/d/x") != nil && disk.contents(of: "/e/x") != nil)
    }
}
