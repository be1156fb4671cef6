import PawlCore
import PawlTestKit
import Testing

@testable import PawlEngine

/// Ends program or power between any two changes of the disk, and looks at what is left of small files.
@Suite("Small files, cut off")
struct SmallFileCutTests {
    private static let count = 10

    enum System: CaseIterable, Sendable {
        case usual, noUnnamed, noUnnamedNoSync, renamesByLinking

        func apply(to features: inout SimulatedDisk.Features) {
            switch self {
            case .usual: break
            case .noUnnamed: features.hasUnnamedFiles = false
            case .noUnnamedNoSync: (features.hasUnnamedFiles, features.syncsFileSystems) = (false, false)
            case .renamesByLinking: (features.hasUnnamedFiles, features.renamesByLinking) = (false, true)
            }
        }
    }

    private let origin: SimulatedOrigin = {
        var origin = SimulatedOrigin(versions: [
            .init(
                bytes: SimulatedOrigin.content(3000, seed: 7), entityTag: "\"1\"",
                lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
        ])
        origin.latency = .milliseconds(20)
        return origin
    }()

    /// - Returns: the names of the files that were told to be complete, and how many took the short way.
    private func live(_ disk: SimulatedDisk, seed: UInt64) throws -> (complete: [String], short: Int) {
        let runtime = SimulatedRuntime(seed: seed, now: .zero)
        let hosts = SimulatedHosts(["h.example:80": origin], runtime: runtime)
        var ports = Ports(transport: hosts, storage: disk, runtime: runtime, digests: SimulatedDigests())
        (ports.largestHeldFile, ports.runsSmall) = (128 << 10, true)
        // Before the journals of the directory are known, files go the ordinary way.
        _ = try? ports.journals.names(in: disk.openDirectory("/d")) { runtime.now }
        var limits = QueueMachine.Limits()
        (limits.maximumRunning, limits.maximumRetries) = (4, 0)
        let runner = SimulatedRunner(ports) { $0.settings.options.ifExists = .skip }
        let pool = DownloadPool(ports: ports, runner: runner, limits: limits, namesInOrder: true)
        for number in 0..<Self.count {
            let text = "http://h.example/file-\(number)"
            _ = pool.add(
                Plan(try HTTPURL(parsing: text), in: "/d"), target: SimulatedRunner.target("/d", "\0" + text))
        }
        _ = runtime.run(limit: .seconds(600)) {
            pool.counts.running == 0 && pool.snapshots.allSatisfy { !$0.entry.state.isAlive }
        }
        _ = runtime.run(limit: .seconds(1)) { false }
        runtime.halt()
        let complete = pool.snapshots.compactMap { snapshot -> String? in
            if case .completed(let facts) = snapshot.entry.state { facts.fileName } else { nil }
        }
        return (complete, runner.finishedSmall)
    }

    @Test(arguments: System.allCases, [false, true])
    func
        `J04 whatever ends between two changes, each name stands for a whole file, and the next run leaves nothing else`(
            system: System, isPowerCut: Bool
        ) throws
    {
        let all = (0..<Self.count).map { "file-\($0)" }.sorted()
        let content = try #require(origin.versions.first).bytes
        var (change, short, hasLeft) = (0, 0, false)
        while change < 1000 {
            let disk = SimulatedDisk(seed: UInt64(change))
            system.apply(to: &disk.features)
            disk.makeDirectory("/d")
            disk.stopAfter(operations: change)
            let first = try live(disk, seed: UInt64(change))
            let isWhole = first.short == Self.count
            if isPowerCut { disk.crash() } else { disk.kill() }
            let names = disk.names(in: "/d")
            hasLeft = hasLeft || names.contains { TemporaryName.isOne($0) }
            for name in names where all.contains(name) {
                #expect(disk.contents(of: "/d/" + name) == content, "\(name), cut at change \(change)")
            }
            #expect(Set(first.complete).isSubset(of: names), "told and lost, cut at change \(change)")
            let second = try live(disk, seed: UInt64(change))
            #expect(second.complete.sorted() == all, "cut at change \(change)")
            #expect(disk.names(in: "/d").sorted() == all, "cut at change \(change), before \(names)")
            for name in all { #expect(disk.contents(of: "/d/" + name) == content) }
            short = max(short, first.short)
            if isWhole { break }
            change += 1
        }
        // The test is about something: files took the short way, and where they have names of ours, some were left.
        #expect(short == Self.count && change > Self.count)
        #expect(hasLeft == (system != .usual))
    }
}
