import Foundation
import PawlCore
import PawlTestKit
import Testing

/// The memory and time of queued downloads. `scripts/test` runs this test again by itself, `scripts/queue-bench` in
/// release mode with 100,000.
@Suite("The cost of a queued download")
struct QueueCostTests {
    @Test func `a queued download takes a few hundred bytes, its URL included`() throws {
        let alone = ProcessInfo.processInfo.environment["PAWL_QUEUE"].flatMap(Int.init)
        let count = alone ?? 10_000
        let before = Self.residentBytes
        let clock = ContinuousClock()
        var machine = QueueMachine()
        let adding = clock.measure {
            for number in 1...count {
                let host = "host\(number % 100).example"
                let entry = QueueEntry(
                    id: DownloadID(UInt64(number)),
                    url: "https://\(host)/pub/mirrors/some/directory/file-\(number).tar.xz",
                    host: host + ":443", directory: "/srv/downloads", fileName: "file-\(number).tar.xz",
                    target: UInt64(number))
                for case .measure(let id, _) in machine.handle(.add(entry, isPaused: false), at: .zero) {
                    _ = machine.handle(.measured(id, disk: 1, available: .max), at: .zero)
                }
            }
        }
        let bytes = before.flatMap { before in Self.residentBytes.map { ($0 - before) / count } }
        let facts = FinishedFacts(fileName: "f", byteCount: 1, finalURL: "")
        var picked = 0
        let picking = clock.measure {
            for _ in 0..<(count / 10) {
                guard let id = machine.ids(running: 1).first else { break }
                _ = machine.handle(.ended(id, .completed(facts)), at: .zero)
                picked += 1
            }
        }
        print(
            "\(count) queued: \(bytes.map { "\($0)" } ?? "?") bytes each, \(adding / count) to add one, \(picking / max(1, picked)) to end one and pick the next"
        )
        // Of the downloads that have ended, only the last ones are kept.
        let forgotten = max(0, picked - QueueMachine.Limits().maximumFinished)
        #expect(machine.count == count - forgotten && machine.runningCount == 5 && picked == count / 10)
        // In a shared run, the memory of other tests would be counted too.
        if alone != nil, let bytes { #expect(bytes < 800) }
    }

    /// On Linux, the second number of statm, in pages.
    private static var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
    }
}
