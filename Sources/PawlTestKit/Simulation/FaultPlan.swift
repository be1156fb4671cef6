package import PawlCore

/// The calls of a ``SimulatedDisk`` that fail, and the errors. Calls are counted from 1, from the moment the disk
/// receives the plan.
package struct FaultPlan: Sendable {
    private struct Fault {
        let operation: SimulatedDisk.Operation
        let calls: ClosedRange<Int>
        let reason: StorageError.Reason
    }

    private var faults: [Fault] = []
    private var calls: [SimulatedDisk.Operation: Int] = [:]

    /// A plan in which nothing fails.
    package init() {}

    /// Fails one call; later calls succeed.
    package mutating func fail(_ operation: SimulatedDisk.Operation, call: Int = 1, with reason: StorageError.Reason) {
        faults.append(Fault(operation: operation, calls: call...call, reason: reason))
    }

    /// Fails the call and all later ones.
    package mutating func failAlways(
        _ operation: SimulatedDisk.Operation, fromCall call: Int = 1, with reason: StorageError.Reason
    ) {
        faults.append(Fault(operation: operation, calls: call...Int.max, reason: reason))
    }

    package static func failing(
        _ operation: SimulatedDisk.Operation, call: Int = 1, with reason: StorageError.Reason
    ) -> FaultPlan {
        var plan = FaultPlan()
        plan.fail(operation, call: call, with: reason)
        return plan
    }

    /// Counts a call and returns its failure, if any.
    mutating func next(_ operation: SimulatedDisk.Operation) -> StorageError.Reason? {
        guard !faults.isEmpty else { return nil }
        let call = calls[operation, default: 0] + 1
        calls[operation] = call
        return faults.first { $0.operation == operation && $0.calls.contains(call) }?.reason
    }
}
