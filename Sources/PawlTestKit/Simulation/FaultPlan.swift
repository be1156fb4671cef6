package import PawlCore

/// Which calls of a ``SimulatedDisk`` fail, and how. Calls are counted from the moment the disk is given the plan; the first is 1.
package struct FaultPlan: Sendable {
    private struct Fault {
        let operation: SimulatedDisk.Operation
        let calls: ClosedRange<Int>
        let reason: StorageError.Reason
    }

    private var faults: [Fault] = []
    private var calls: [SimulatedDisk.Operation: Int] = [:]

    /// Nothing fails.
    package init() {}

    /// One call fails; those after it do as they are asked.
    package mutating func fail(_ operation: SimulatedDisk.Operation, call: Int = 1, with reason: StorageError.Reason) {
        faults.append(Fault(operation: operation, calls: call...call, reason: reason))
    }

    /// The call and all after it fail.
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

    /// Counts a call and tells how it fails, if it does.
    mutating func next(_ operation: SimulatedDisk.Operation) -> StorageError.Reason? {
        guard !faults.isEmpty else { return nil }
        let call = calls[operation, default: 0] + 1
        calls[operation] = call
        return faults.first { $0.operation == operation && $0.calls.contains(call) }?.reason
    }
}
