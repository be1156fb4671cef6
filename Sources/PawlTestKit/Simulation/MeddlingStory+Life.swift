import PawlCore
import PawlEngine
import Synchronization

extension MeddlingStory {
    /// The downloads of one process, concurrent or in sequence.
    final class Life {
        var runs: [Run]
        var isStuck = false
        /// All were asked for at once, so that none of them may replace another's finished file.
        let isOneRun: Bool
        private let largestHeldFile: Int64
        private let log = Log()

        /// Collects the drivers' reports, on their executors.
        private final class Log: Sendable {
            let endings = Locked<[Int: DownloadDriver.Ending]>([:])
            let said = Locked<[String]>([])
        }

        init(_ runs: [Run], isOneRun: Bool, largestHeldFile: Int64) {
            self.runs = runs
            self.isOneRun = isOneRun
            self.largestHeldFile = largestHeldFile
        }

        var reports: [String] { log.said.withLock { $0 } }

        /// More requests than any server's trouble explains.
        func isStorm(_ network: SimulatedNetwork) -> Bool {
            network.requestCount > runs.count * 40 + 12 * network.fruitfulCount
        }

        func run(
            _ interruption: Interruption, _ network: SimulatedNetwork, _ disk: SimulatedDisk,
            _ runtime: SimulatedRuntime,
            isSequential: Bool
        ) {
            var ports = Ports(transport: network, storage: disk, runtime: runtime, digests: SimulatedDigests())
            ports.largestHeldFile = largestHeldFile
            if isOneRun { ports.finished.keepNames() }
            let drivers = runs.enumerated().map { place, run in driver(place, run, ports) }
            let isCut = Locked(false)
            switch interruption {
            case .none: break
            case .pause(let moment): runtime.after(moment) { for driver in drivers { driver.pause() } }
            case .kill(let moment), .powerCut(let moment): runtime.after(moment) { isCut.withLock { $0 = true } }
            case .stopAt(let operation, _): disk.stopAfter(operations: operation)
            }
            let limit: Duration = .seconds(2 * 3600)
            for (place, driver) in drivers.enumerated() {
                driver.start()
                guard isSequential || place == drivers.count - 1 else { continue }
                let settled = runtime.run(limit: limit) {
                    isCut.withLock { $0 } || isStorm(network) || (0...place).allSatisfy { self.hasEnded($0) }
                }
                if !settled { isStuck = true }
            }
            runtime.halt()
            let found = log.endings.withLock { $0 }
            for place in runs.indices { runs[place].end = found[place].map { End($0) } }
        }

        private func hasEnded(_ place: Int) -> Bool { log.endings.withLock { $0[place] != nil } }

        private func driver(_ place: Int, _ run: Run, _ ports: Ports) -> DownloadDriver {
            DownloadDriver(
                run.plan, ports: ports,
                listener: ClosureListener(
                    report: { [log] report in log.said.withLock { $0.append("  \(run.index): \(report)") } },
                    ended: { [log] value in log.endings.withLock { $0[place] = value } }))
        }
    }
}

extension MeddlingStory.End {
    fileprivate init(_ ending: DownloadDriver.Ending) {
        self =
            switch ending.phase {
            case .completed(let outcome) where outcome.isSkipped: .skipped(name: ending.fileName)
            case .completed: .completed(name: ending.fileName)
            case .failed(let error): .failed(error)
            case .paused: .paused
            case .idle, .fetching, .draining, .saving, .settingAside, .refreshing, .verifying, .finishing,
                .quarantining, .cancelled:
                .inTheMiddle("\(ending.phase)")
            }
    }
}
