import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@Suite struct `B7 Journals on a network file system` {
    @Test(arguments: SimulatedDisk.Operation.allCases)
    func `J14 a stale file handle ends the download with the saved progress kept, and the next run completes`(
        _ operation: SimulatedDisk.Operation
    ) throws {
        for isOnce in [true, false] {
            var call = 0
            while true {
                call += 1
                var bench = try EngineBench(size: 60_000)
                bench.settings.maximumConnections = 2
                // Slow enough for a checkpoint.
                bench.origin.bytesPerSecond = 12_000
                var plan = FaultPlan()
                if isOnce {
                    plan.fail(operation, call: call, with: .stale)
                } else {
                    plan.failAlways(operation, fromCall: call, with: .stale)
                }
                bench.disk.faults = plan
                let first = bench.run()
                guard bench.disk.count(of: operation) >= call else { break }
                bench.disk.faults = FaultPlan()
                let moment = "\(operation) \(call)"
                if bench.disk.openFileCount != 0 { Issue.record("\(moment): a file is still open") }
                if case .failed(let error)? = first.ending?.phase {
                    let isClear =
                        error.code == .diskError && error.message.contains("The network file system no longer knows")
                    if !isClear { Issue.record("\(moment): \(error.code), \(error.message)") }
                } else if first.outcome == nil {
                    Issue.record("\(moment): \(first.ending.map { "\($0.phase)" } ?? "no end")")
                }
                let between = bench.contents("file.bin")
                if let between, between != bench.bytes { Issue.record("\(moment): a wrong file has the name") }
                if !bench.journalIsTrue { Issue.record("\(moment): the journal lies") }
                if first.outcome == nil {
                    let second = bench.run()
                    let isDone = between != nil && second.errorCode == .fileExists
                    if second.outcome?.isComplete != true, !isDone {
                        Issue.record("\(moment): not completed afterwards")
                    }
                }
                if bench.contents("file.bin") != bench.bytes { Issue.record("\(moment): \(bench.names)") }
            }
        }
    }
}
